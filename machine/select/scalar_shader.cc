#include "machine/select/scalar_shader.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/op_table.h"

namespace rewrought::machine::select {
namespace {

// A reduction applies `each` to the component pairs and then `join` from the last component to the first, like fdotN
// in ir/ops (ir/ops/known_answers/README.md). Integers and Booleans may be joined in any order.
struct Reduction {
  const char* prefix;
  const char* each;  // Null if the components of the only operand are joined.
  const char* join;
};
constexpr Reduction kReductions[] = {
    {"fdot", "fmul", "fadd"},
    {"ball_fequal", "feq", "iand"},
    {"bany_fnequal", "fneu", "ior"},
    {"ball_iequal", "ieq", "iand"},
    {"bany_inequal", "ine", "ior"},
    {"b32all_fequal", "feq32", "iand"},
    {"b32any_fnequal", "fneu32", "ior"},
    {"b32all_iequal", "ieq32", "iand"},
    {"b32any_inequal", "ine32", "ior"},
};

// An op with a vector operand or result, and the equivalent ops on components.
struct SplitForm {
  const char* name;
  std::vector<const char*> parts;  // One op on all components, or one per result component.
};
const SplitForm* FindSplitForm(const std::string& name) {
  static const std::vector<SplitForm>& forms = *new std::vector<SplitForm>{
      {"pack_half_2x16", {"pack_half_2x16_split"}},
      {"pack_32_2x16", {"pack_32_2x16_split"}},
      {"pack_64_2x32", {"pack_64_2x32_split"}},
      {"pack_32_4x8", {"pack_32_4x8_split"}},
      {"unpack_half_2x16", {"unpack_half_2x16_split_x", "unpack_half_2x16_split_y"}},
      {"unpack_32_2x16", {"unpack_32_2x16_split_x", "unpack_32_2x16_split_y"}},
      {"unpack_64_2x32", {"unpack_64_2x32_split_x", "unpack_64_2x32_split_y"}},
  };
  for (const SplitForm& form : forms) {
    if (name == form.name) return &form;
  }
  return nullptr;
}

class Scalarizer {
 public:
  Scalarizer(const ir::Shader& shader, const VectorOptions* vectors)
      : in_(shader), vectors_(vectors), lanes_(shader.values.nodes.size()) {}

  absl::StatusOr<ScalarShader> Run() {
    ir::Shader& out = out_.shader;
    out.name = in_.name, out.source = in_.source, out.stage = in_.stage;
    out.blocks = in_.blocks, out.notes = in_.notes;
    if (out.blocks.empty()) out.blocks.emplace_back();
    const size_t count = in_.values.nodes.size();
    if (in_.info.size() != count) return Broken("has values without information");
    if (absl::Status status = CheckUses(); !status.ok()) return status;
    outside_uses_ = ir::OutsideUses(in_);
    size_t next_use = 0;
    const auto take_uses = [&](size_t before) {
      for (; next_use < in_.uses.size() && in_.uses[next_use].before <= before; ++next_use) TakeUse(in_.uses[next_use]);
    };
    for (ir::NodeIndex i = 0; i < count; ++i) {
      take_uses(i);
      if (absl::Status status = Check(i); !status.ok()) return status;
      Take(i);
    }
    take_uses(count);
    for (auto& [use, nodes] : gives_) {
      for (const ir::NodeIndex given : nodes) {
        for (const ir::NodeIndex lane : lanes_[given]) out_.shader.uses[use].gives.push_back(lane);
      }
    }
    RecountUses(&out_);
    return std::move(out_);
  }

 private:
  absl::Status Broken(const std::string& what) const {
    return absl::InvalidArgumentError(absl::StrCat("shader ", in_.name, " ", what));
  }

  absl::Status Check(ir::NodeIndex index) const {
    const ir::Node& node = in_.values.nodes[index];
    const std::string which = absl::StrCat("has a value ", index);
    if (node.bits == 0 || node.components < 1 || node.components > ir::kShaderComponents)
      return Broken(which + " without a size");
    if (in_.info[index].block >= std::max<size_t>(1, in_.blocks.size())) return Broken(which + " in an unknown block");
    if (node.kind == ir::NodeKind::kOp && node.op == nullptr) return Broken(which + " without an op");
    for (const ir::Source& source : node.sources) {
      if (source.node >= index) return Broken(which + " that reads an undefined value");
    }
    if (node.kind == ir::NodeKind::kOp && node.sources.size() != node.op->sources.size()) {
      return Broken(which + " with the wrong number of operands");
    }
    return absl::OkStatus();
  }

  absl::Status CheckUses() const {
    const size_t count = in_.values.nodes.size();
    uint32_t block = 0;
    ir::NodeIndex before = 0;
    for (const ir::ShaderUse& use : in_.uses) {
      if (use.block < block || use.before < before || use.before > count ||
          use.block >= std::max<size_t>(1, in_.blocks.size())) {
        return Broken(absl::StrCat("has a use out of order: ", use.what));
      }
      block = use.block, before = use.before;
      for (const ir::ShaderLane& read : use.reads) {
        if (read.node >= use.before || read.component >= in_.values.nodes[read.node].components)
          return Broken(absl::StrCat("has a use of a value that does not exist: ", use.what));
      }
      for (const ir::NodeIndex given : use.gives) {
        if (given < use.before || given >= count || in_.values.nodes[given].kind != ir::NodeKind::kVariable)
          return Broken(absl::StrCat("has a use that does not define a variable: ", use.what));
      }
    }
    return absl::OkStatus();
  }

  void TakeUse(const ir::ShaderUse& use) {
    ir::ShaderUse out{use.what, use.block, static_cast<ir::NodeIndex>(out_.shader.values.nodes.size()), {}, {}};
    for (const ir::ShaderLane& read : use.reads) {
      const auto whole = whole_.find(read.node);
      if (whole != whole_.end()) {
        out.reads.push_back({whole->second, read.component});
      } else {
        out.reads.push_back({lanes_[read.node][read.component], 0});
      }
    }
    gives_.emplace_back(out_.shader.uses.size(), use.gives);
    out_.shader.uses.push_back(std::move(out));
  }

  ir::NodeIndex Append(ir::Node node, ir::NodeIndex from, const std::string& opaque) {
    ir::ShaderValueInfo info = in_.info[from];
    info.opaque = opaque;
    if (node.kind != ir::NodeKind::kVariable) info.uniform = false;
    out_.shader.values.nodes.push_back(std::move(node));
    out_.shader.info.push_back(std::move(info));
    out_.group.push_back(from);
    return static_cast<ir::NodeIndex>(out_.shader.values.nodes.size() - 1);
  }

  ir::NodeIndex Variable(ir::NodeIndex from, int bits, const std::string& opaque) {
    ir::Node node;
    node.kind = ir::NodeKind::kVariable;
    node.bits = static_cast<uint8_t>(bits);
    node.name = absl::StrCat("v", out_.shader.values.nodes.size());
    return Append(std::move(node), from, opaque);
  }

  ir::NodeIndex Constant(ir::NodeIndex from, const ir::Node& vector, int component) {
    ir::Node node;
    node.kind = ir::NodeKind::kConstant;
    node.bits = vector.bits;
    node.literal = vector.literal;
    node.values[0] = vector.values[component];
    const auto [found, is_new] = numbers_.try_emplace(
        absl::StrCat("constant ", node.bits, " ", static_cast<int>(node.literal), " ", node.values[0]), 0);
    if (is_new) found->second = Append(std::move(node), from, "");
    return found->second;
  }

  // Adds an op node, or returns an equal op in the same block.
  ir::NodeIndex Op(ir::NodeIndex from, const ir::OpRow* row, int bits, std::vector<ir::NodeIndex> sources) {
    const auto is_constant = [&](ir::NodeIndex n) { return out_.shader.values.at(n).kind == ir::NodeKind::kConstant; };
    if ((row->properties & ir::kCommutative) != 0 && sources.size() >= 2) {
      const bool swap = is_constant(sources[0]) != is_constant(sources[1]) ? is_constant(sources[0]) : false;
      if (swap) std::swap(sources[0], sources[1]);
    }
    const uint8_t flags = in_.values.nodes[from].flags;
    std::string key = absl::StrCat(in_.info[from].block, " ", row->name, " ", bits, " ", flags);
    std::vector<ir::NodeIndex> sorted = sources;
    if ((row->properties & ir::kCommutative) != 0 && sources.size() >= 2) std::sort(sorted.begin(), sorted.begin() + 2);
    for (const ir::NodeIndex source : sorted) absl::StrAppend(&key, " ", source);
    const auto [found, is_new] = numbers_.try_emplace(key, 0);
    if (!is_new) return found->second;
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = row;
    node.bits = static_cast<uint8_t>(bits);
    node.flags = flags;
    for (const ir::NodeIndex source : sources) node.sources.push_back({source, ir::kIdentitySwizzle});
    const ir::NodeIndex made = Append(std::move(node), from, "");
    numbers_[key] = made;
    return made;
  }

  ir::NodeIndex Lane(const ir::Source& source, int component) const {
    const std::vector<ir::NodeIndex>& lanes = lanes_[source.node];
    const size_t lane = source.swizzle[component];
    return lanes[lane < lanes.size() ? lane : 0];
  }

  void Take(ir::NodeIndex i) {
    const ir::Node& node = in_.values.nodes[i];
    std::vector<ir::NodeIndex>& lanes = lanes_[i];
    if (node.kind == ir::NodeKind::kOp) {
      TakeOp(i, node);
    } else {
      for (int c = 0; c < node.components; ++c) {
        lanes.push_back(node.kind == ir::NodeKind::kConstant ? Constant(i, node, c)
                                                             : Variable(i, node.bits, in_.info[i].opaque));
      }
    }
    if (vectors_ != nullptr && outside_uses_[i] > 0 && lanes.size() > 1 && node.kind == ir::NodeKind::kOp)
      whole_[i] = Together(i, lanes);
  }

  // Returns the lanes as one vecN node.
  ir::NodeIndex Together(ir::NodeIndex from, const std::vector<ir::NodeIndex>& lanes) {
    const ir::NodeIndex made =
        Op(from, ir::FindOp(absl::StrCat("vec", lanes.size())), out_.shader.values.at(lanes[0]).bits, lanes);
    out_.shader.values.nodes[made].components = static_cast<uint8_t>(lanes.size());
    return made;
  }

  bool TakeAcross(ir::NodeIndex i, const ir::Node& node) {
    if (vectors_ == nullptr || node.components != 1 || !vectors_->across.contains(node.op->name)) return false;
    std::vector<ir::NodeIndex> sources;
    for (size_t s = 0; s < node.sources.size(); ++s) {
      std::vector<ir::NodeIndex> lanes;
      for (int c = 0; c < node.op->sources[s].components; ++c) lanes.push_back(Lane(node.sources[s], c));
      if (lanes.size() < 2) return false;
      sources.push_back(Together(i, lanes));
    }
    lanes_[i].push_back(Op(i, node.op, node.bits, std::move(sources)));
    return true;
  }

  void TakeOp(ir::NodeIndex i, const ir::Node& node) {
    std::vector<ir::NodeIndex>& lanes = lanes_[i];
    const std::string& name = node.op->name;
    if (name == "mov" || absl::StartsWith(name, "vec")) {
      for (int c = 0; c < node.components; ++c) {
        lanes.push_back(name == "mov" ? Lane(node.sources[0], c)
                                      : Lane(node.sources[std::min<size_t>(c, node.sources.size() - 1)], 0));
      }
      return;
    }
    const bool by_component = (node.op->result.components == 0 || node.components == 1) &&
                              std::all_of(node.op->sources.begin(), node.op->sources.end(),
                                          [](const ir::OperandType& type) { return type.components <= 1; });
    if (by_component) {
      for (int c = 0; c < node.components; ++c) {
        std::vector<ir::NodeIndex> sources;
        for (size_t s = 0; s < node.sources.size(); ++s) {
          sources.push_back(Lane(node.sources[s], node.op->sources[s].components == 1 ? 0 : c));
        }
        lanes.push_back(Op(i, node.op, node.bits, std::move(sources)));
      }
      return;
    }
    if (TakeAcross(i, node) || TakeReduction(i, node) || TakeSplit(i, node)) return;
    TakeAsOpaque(i, node);
  }

  void TakeAsOpaque(ir::NodeIndex i, const ir::Node& node) {
    const std::string what = absl::StrCat(kVectorOpPrefix, node.op->name);
    ir::ShaderUse use{what, in_.info[i].block, static_cast<ir::NodeIndex>(out_.shader.values.nodes.size()), {}, {}};
    for (size_t s = 0; s < node.sources.size(); ++s) {
      const int wanted = node.op->sources[s].components == 0 ? node.components : node.op->sources[s].components;
      for (int c = 0; c < std::min(wanted, ir::kShaderComponents); ++c)
        use.reads.push_back({Lane(node.sources[s], c), 0});
    }
    for (int c = 0; c < node.components; ++c) lanes_[i].push_back(Variable(i, node.bits, what));
    use.gives = lanes_[i];
    out_.shader.uses.push_back(std::move(use));
  }

  bool TakeReduction(ir::NodeIndex i, const ir::Node& node) {
    for (const Reduction& reduction : kReductions) {
      absl::string_view count = node.op->name;
      if (!absl::ConsumePrefix(&count, reduction.prefix) || count.size() != 1 || count[0] < '2' || count[0] > '4')
        continue;
      const int n = count[0] - '0';
      const ir::OpRow* each = ir::FindOp(reduction.each);
      const ir::OpRow* join = ir::FindOp(reduction.join);
      if (each == nullptr || join == nullptr) return false;
      ir::NodeIndex sum = 0;
      for (int c = n - 1; c >= 0; --c) {
        const ir::NodeIndex part = Op(i, each, node.bits, {Lane(node.sources[0], c), Lane(node.sources[1], c)});
        sum = c == n - 1 ? part : Op(i, join, node.bits, {sum, part});
      }
      lanes_[i].push_back(sum);
      return true;
    }
    return false;
  }

  bool TakeSplit(ir::NodeIndex i, const ir::Node& node) {
    const SplitForm* form = FindSplitForm(node.op->name);
    if (form == nullptr) return false;
    for (const char* part : form->parts) {
      const ir::OpRow* row = ir::FindOp(part);
      if (row == nullptr) return false;
      std::vector<ir::NodeIndex> sources;
      for (size_t s = 0; s < row->sources.size(); ++s) sources.push_back(Lane(node.sources[0], static_cast<int>(s)));
      lanes_[i].push_back(Op(i, row, node.bits, std::move(sources)));
    }
    return true;
  }

  const ir::Shader& in_;
  const VectorOptions* const vectors_;
  ScalarShader out_;
  std::vector<std::vector<ir::NodeIndex>> lanes_;            // Indexed by node of in_.
  std::vector<uint32_t> outside_uses_;                       // Indexed by node of in_.
  absl::flat_hash_map<ir::NodeIndex, ir::NodeIndex> whole_;  // Vectors rebuilt for uses, indexed by node of in_.
  std::vector<std::pair<size_t, std::vector<ir::NodeIndex>>> gives_;  // Pairs of a use of the result and nodes of in_.
  absl::flat_hash_map<std::string, ir::NodeIndex> numbers_;
};

}  // namespace

void RecountUses(ScalarShader* scalar) {
  const std::vector<ir::Node>& nodes = scalar->shader.values.nodes;
  scalar->outside_uses = ir::OutsideUses(scalar->shader);
  scalar->op_uses.assign(nodes.size(), 0);
  for (size_t i = nodes.size(); i-- > 0;) {
    if (scalar->op_uses[i] == 0 && scalar->outside_uses[i] == 0) continue;
    for (const ir::Source& source : nodes[i].sources) ++scalar->op_uses[source.node];
  }
  scalar->uses = scalar->op_uses;
  for (size_t i = 0; i < nodes.size(); ++i) scalar->uses[i] += scalar->outside_uses[i];
}

absl::StatusOr<ScalarShader> Scalarize(const ir::Shader& shader, const VectorOptions* vectors) {
  return Scalarizer(shader, vectors).Run();
}

void UpdateAfterRewrite(const std::vector<ir::NodeIndex>& origins, ScalarShader* scalar) {
  std::vector<uint32_t> group;
  for (const ir::NodeIndex origin : origins)
    group.push_back(origin < scalar->group.size() ? scalar->group[origin] : origin);
  scalar->group = std::move(group);
  RecountUses(scalar);
}

}  // namespace rewrought::machine::select
