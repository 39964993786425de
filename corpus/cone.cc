#include "corpus/cone.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "ir/op_row.h"

namespace rewrought::corpus {
namespace {

// The maximum number of commutative nodes with operands of equal shape for which both operand orders are tried. Any
// further nodes keep their operand order.
constexpr int kMaxTies = 8;

int ComponentsRead(const ir::Node& user, size_t source) {
  const uint8_t fixed = user.op->sources[source].components;
  return fixed != 0 ? fixed : user.components;
}

bool Contains(const std::vector<ir::NodeIndex>& cone, ir::NodeIndex node) {
  return std::binary_search(cone.begin(), cone.end(), node);
}

ir::Swizzle Cut(ir::Swizzle swizzle, int count) {
  for (int i = count; i < ir::kShaderComponents; ++i) swizzle[static_cast<size_t>(i)] = 0;
  return swizzle;
}

std::string SwizzleText(const ir::Swizzle& swizzle, int count) {
  std::string text = ".";
  for (int i = 0; i < count; ++i) text.push_back("xyzw"[swizzle[static_cast<size_t>(i)] & 3]);
  return text;
}

std::string SizeText(const ir::Node& node) {
  return node.components == 1 ? absl::StrCat("@", node.bits) : absl::StrCat("@", node.bits, "x", node.components);
}

std::string FlagsText(uint8_t flags) {
  std::string text;
  if (flags & ir::kExact) text += "!";
  if (flags & ir::kNoSignedZero) text += "{nsz}";
  if (flags & ir::kNoNan) text += "{nnan}";
  if (flags & ir::kNoInf) text += "{ninf}";
  return text;
}

struct LeafUse {
  std::vector<std::pair<int, ir::Swizzle>> reads;  // number of components and swizzle of each read
  bool all_scalar = true;
  bool all_same = true;
};
using LeafUses = std::map<ir::NodeIndex, LeafUse>;

LeafUses CollectLeaves(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone) {
  LeafUses leaves;
  for (ir::NodeIndex index : cone) {
    const ir::Node& node = shader.values.nodes[index];
    for (size_t i = 0; i < node.sources.size(); ++i) {
      const ir::NodeIndex below = node.sources[i].node;
      if (Contains(cone, below) || shader.values.nodes[below].kind == ir::NodeKind::kConstant) continue;
      LeafUse& use = leaves[below];
      const int count = ComponentsRead(node, i);
      use.reads.emplace_back(count, Cut(node.sources[i].swizzle, count));
      use.all_scalar = use.all_scalar && count == 1;
      use.all_same = use.all_same && use.reads.back() == use.reads.front();
    }
  }
  return leaves;
}

bool IsUndefined(const ir::Shader& shader, ir::NodeIndex node) { return shader.info[node].opaque == "undef"; }

struct Shape {
  std::string text;      // text without variable names
  bool distinct = true;  // whether each of its values is used only once in the cone, so that its variable names are
                         // arbitrary
};

class ConeTermBuilder {
 public:
  ConeTermBuilder(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone)
      : shader_(shader), cone_(cone), leaves_(CollectLeaves(shader, cone)) {
    for (ir::NodeIndex index : cone_) {
      for (const ir::Source& source : Node(index).sources) ++op_uses_[source.node];
    }
  }

  ConeTerm Build(ir::NodeIndex root) {
    ShapeOf(root);
    const size_t ties = std::min<size_t>(ties_.size(), kMaxTies);
    ConeTerm best;
    for (uint32_t choice = 0; choice < 1u << ties; ++choice) {
      Start(choice);
      const ir::NodeIndex built = Emit(root);
      result_.term.root = built;
      if (choice == 0 || texts_[built] < best.text) {
        best = result_;
        best.text = texts_[built];
      }
    }
    return best;
  }

 private:
  const ir::Node& Node(ir::NodeIndex index) const { return shader_.values.nodes[index]; }

  Shape SourceShape(const ir::Node& user, size_t i);
  const Shape& ShapeOf(ir::NodeIndex index);
  void Start(uint32_t choice);
  ir::NodeIndex Emit(ir::NodeIndex index);
  ir::Source EmitSource(const ir::Node& user, size_t i, std::string* text);
  ir::NodeIndex Intern(ir::Node node, std::string text, ir::NodeIndex origin);
  ir::NodeIndex EmitVariable(ir::NodeIndex node, int components, const ir::Swizzle& swizzle);

  const ir::Shader& shader_;
  const std::vector<ir::NodeIndex>& cone_;
  const LeafUses leaves_;
  std::map<ir::NodeIndex, int> op_uses_;
  std::map<ir::NodeIndex, Shape> shapes_;
  std::map<ir::NodeIndex, bool> swapped_;  // commutative nodes ordered by shape, and whether their operands are swapped
  std::vector<ir::NodeIndex> ties_;        // commutative nodes whose operands have equal shapes

  // The state while the term is built for one choice of operand orders.
  uint32_t choice_ = 0;
  ConeTerm result_;
  std::vector<std::string> texts_;
  std::map<std::string, ir::NodeIndex> interned_;
  std::map<std::string, ir::NodeIndex> variables_;
  std::map<ir::NodeIndex, ir::NodeIndex> emitted_;
};

Shape ConeTermBuilder::SourceShape(const ir::Node& user, size_t i) {
  const ir::Source& source = user.sources[i];
  const ir::Node& below = Node(source.node);
  const int count = ComponentsRead(user, i);
  Shape shape;
  if (Contains(cone_, source.node)) {
    shape = ShapeOf(source.node);
    if (below.components != count || Cut(source.swizzle, count) != Cut(ir::kIdentitySwizzle, count)) {
      absl::StrAppend(&shape.text, SwizzleText(source.swizzle, count));
    }
    shape.distinct = shape.distinct && op_uses_.at(source.node) == 1;
  } else if (below.kind == ir::NodeKind::kConstant) {
    for (int c = 0; c < count; ++c) {
      absl::StrAppend(&shape.text, "0x", absl::Hex(below.values[source.swizzle[static_cast<size_t>(c)]]), ",");
    }
    absl::StrAppend(&shape.text, "@", below.bits);
  } else {
    // The number of reads of a variable does not depend on names, and determines the order in most cases.
    const LeafUse& use = leaves_.at(source.node);
    const auto read = std::make_pair(count, Cut(source.swizzle, count));
    const auto uses = use.all_scalar ? std::count(use.reads.begin(), use.reads.end(), read)
                                     : static_cast<std::ptrdiff_t>(use.reads.size());
    shape.text = absl::StrCat("~", uses, "@", below.bits, "x", count);
    if (!use.all_scalar && !use.all_same) absl::StrAppend(&shape.text, SwizzleText(source.swizzle, count));
    shape.distinct = uses == 1 || IsUndefined(shader_, source.node);
  }
  return shape;
}

const Shape& ConeTermBuilder::ShapeOf(ir::NodeIndex index) {
  const auto found = shapes_.find(index);
  if (found != shapes_.end()) return found->second;
  const ir::Node& node = Node(index);
  std::vector<Shape> sources;
  for (size_t i = 0; i < node.sources.size(); ++i) sources.push_back(SourceShape(node, i));
  if ((node.op->properties & ir::kCommutative) != 0 && sources.size() >= 2) {
    const int order = sources[0].text.compare(sources[1].text);
    swapped_[index] = order > 0;
    if (order > 0) std::swap(sources[0], sources[1]);
    if (order == 0 && !(sources[0].distinct && sources[1].distinct) && node.sources[0] != node.sources[1]) {
      ties_.push_back(index);
    }
  }
  Shape shape;
  shape.text = absl::StrCat("(", node.op->name, SizeText(node), FlagsText(node.flags));
  for (const Shape& source : sources) {
    absl::StrAppend(&shape.text, " ", source.text);
    shape.distinct = shape.distinct && source.distinct;
  }
  shape.text += ")";
  return shapes_[index] = std::move(shape);
}

void ConeTermBuilder::Start(uint32_t choice) {
  choice_ = choice;
  result_ = ConeTerm();
  texts_.clear();
  interned_.clear();
  variables_.clear();
  emitted_.clear();
}

ir::NodeIndex ConeTermBuilder::Intern(ir::Node node, std::string text, ir::NodeIndex origin) {
  const auto [entry, inserted] = interned_.try_emplace(text, result_.term.nodes.size());
  if (inserted) {
    result_.term.nodes.push_back(std::move(node));
    result_.origins.push_back(origin);
    texts_.push_back(std::move(text));
  }
  return entry->second;
}

ir::NodeIndex ConeTermBuilder::EmitVariable(ir::NodeIndex index, int components, const ir::Swizzle& swizzle) {
  std::string key = absl::StrCat(index, SwizzleText(swizzle, components));
  // An undefined value is not equal to itself, so every read is a separate variable.
  if (IsUndefined(shader_, index)) absl::StrAppend(&key, "#", result_.variables.size());
  const auto found = variables_.find(key);
  if (found != variables_.end()) return found->second;
  ir::Node node;
  node.kind = ir::NodeKind::kVariable;
  node.bits = Node(index).bits;
  node.components = static_cast<uint8_t>(components);
  const size_t number = result_.variables.size();
  // The names are a to z. If a cone has more variables, which the usual limits do not allow, further names have two
  // letters.
  if (number >= 26) node.name.push_back(static_cast<char>('a' + number / 26 - 1));
  node.name.push_back(static_cast<char>('a' + number % 26));
  result_.variables.push_back({index, components, swizzle});
  std::string text = absl::StrCat(node.name, SizeText(node));
  return variables_[key] = Intern(std::move(node), std::move(text), 0);
}

ir::Source ConeTermBuilder::EmitSource(const ir::Node& user, size_t i, std::string* text) {
  const ir::Source& source = user.sources[i];
  const ir::Node& below = Node(source.node);
  const int count = ComponentsRead(user, i);
  ir::Source built;
  int available = count;
  if (Contains(cone_, source.node)) {
    built = {Emit(source.node), source.swizzle};
    available = below.components;
  } else if (below.kind == ir::NodeKind::kConstant) {
    ir::Node node;
    node.kind = ir::NodeKind::kConstant;
    node.bits = below.bits;
    node.components = static_cast<uint8_t>(count);
    std::string constant;
    for (size_t c = 0; c < static_cast<size_t>(count); ++c) {
      node.values[c] = below.values[source.swizzle[c]];
      absl::StrAppend(&constant, c == 0 ? "0x" : ",0x", absl::Hex(node.values[c]));
    }
    absl::StrAppend(&constant, SizeText(node));
    built.node = Intern(std::move(node), std::move(constant), 0);
  } else {
    const LeafUse& use = leaves_.at(source.node);
    if (use.all_scalar || use.all_same) {
      built.node = EmitVariable(source.node, count, Cut(source.swizzle, count));
    } else {
      built = {EmitVariable(source.node, below.components, ir::kIdentitySwizzle), source.swizzle};
      available = below.components;
    }
  }
  *text = texts_[built.node];
  const bool identity = Cut(built.swizzle, count) == Cut(ir::kIdentitySwizzle, count);
  if (identity) built.swizzle = ir::kIdentitySwizzle;
  if (!identity || available != count) absl::StrAppend(text, SwizzleText(built.swizzle, count));
  return built;
}

ir::NodeIndex ConeTermBuilder::Emit(ir::NodeIndex index) {
  const auto found = emitted_.find(index);
  if (found != emitted_.end()) return found->second;
  const ir::Node& node = Node(index);
  ir::Node built;
  built.kind = ir::NodeKind::kOp;
  built.bits = node.bits;
  built.components = node.components;
  built.flags = node.flags;
  built.op = node.op;
  built.write_mask = node.write_mask;
  built.sources.resize(node.sources.size());
  bool swap = false;
  const auto decided = swapped_.find(index);
  if (decided != swapped_.end()) swap = decided->second;
  const auto tie = std::find(ties_.begin(), ties_.end(), index) - ties_.begin();
  if (tie < static_cast<std::ptrdiff_t>(std::min<size_t>(ties_.size(), kMaxTies))) swap = (choice_ >> tie & 1u) != 0;
  std::string text = absl::StrCat("(", node.op->name, SizeText(node), FlagsText(node.flags));
  for (size_t i = 0; i < node.sources.size(); ++i) {
    // The index of the operand that is at position i in the text.
    const size_t from = swap && i < 2 ? 1 - i : i;
    std::string source_text;
    built.sources[i] = EmitSource(node, from, &source_text);
    absl::StrAppend(&text, " ", source_text);
  }
  text += ")";
  return emitted_[index] = Intern(std::move(built), std::move(text), index);
}

}  // namespace

int CountVariables(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone) {
  int count = 0;
  std::array<std::pair<ir::NodeIndex, uint8_t>, 64> seen;
  size_t seen_count = 0;
  for (ir::NodeIndex index : cone) {
    const ir::Node& node = shader.values.nodes[index];
    for (size_t i = 0; i < node.sources.size(); ++i) {
      const ir::Source& source = node.sources[i];
      if (shader.values.nodes[source.node].kind == ir::NodeKind::kConstant || Contains(cone, source.node)) continue;
      // Reads of the same vector, or of the same component, count as one variable.
      const bool scalar = ComponentsRead(node, i) == 1;
      const auto key = std::make_pair(source.node, scalar ? source.swizzle[0] : uint8_t{0xff});
      const auto end = seen.begin() + static_cast<std::ptrdiff_t>(seen_count);
      if (!IsUndefined(shader, source.node) && std::find(seen.begin(), end, key) != end) continue;
      if (seen_count < seen.size()) seen[seen_count++] = key;
      ++count;
    }
  }
  return count;
}

ConeTerm BuildConeTerm(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone, ir::NodeIndex root) {
  return ConeTermBuilder(shader, cone).Build(root);
}

}  // namespace rewrought::corpus
