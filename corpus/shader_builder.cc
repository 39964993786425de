#include "corpus/shader_builder.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "corpus/dominators.h"
#include "ir/op_table.h"
#include "ir/scalar.h"

namespace rewrought::corpus {
namespace {

bool TouchesFloats(const ir::OpRow& row) {
  if (row.result.base == ir::BaseType::kFloat) return true;
  return std::any_of(row.sources.begin(), row.sources.end(),
                     [](const ir::OperandType& type) { return type.base == ir::BaseType::kFloat; });
}

// Returns whether an operand of `bits` bits matches `type`. The first operand of free size determines `free_size`.
bool Fits(const ir::OperandType& type, uint8_t bits, uint8_t& free_size) {
  if (type.bits != 0) return type.bits == bits;
  if (free_size == 0) free_size = bits;
  return free_size == bits;
}

}  // namespace

Lanes AllLanes(ir::NodeIndex node, int components) {
  Lanes lanes;
  for (int i = 0; i < components; ++i) lanes.push_back({node, static_cast<uint8_t>(i)});
  return lanes;
}

ShaderBuilder::ShaderBuilder(absl::string_view name, absl::string_view source, absl::string_view stage) {
  shader_.name = std::string(name);
  shader_.source = std::string(source);
  shader_.stage = std::string(stage);
  shader_.blocks.push_back({});
}

uint32_t ShaderBuilder::BeginBlock(int loop_depth) {
  if (begun_ || size() > 0 || !shader_.uses.empty()) {
    block_ends_.push_back(static_cast<ir::NodeIndex>(size()));
    shader_.blocks.push_back({});
  }
  begun_ = true;
  shader_.blocks.back().loop_depth = loop_depth;
  block_ops_.clear();
  return static_cast<uint32_t>(shader_.blocks.size() - 1);
}

ir::NodeIndex ShaderBuilder::Append(ir::Node node, bool uniform, absl::string_view opaque) {
  ir::ShaderValueInfo info;
  info.block = static_cast<uint32_t>(shader_.blocks.size() - 1);
  info.line = line_;
  info.opaque = std::string(opaque);
  info.uniform = uniform && node.kind == ir::NodeKind::kVariable;
  shader_.values.nodes.push_back(std::move(node));
  shader_.info.push_back(std::move(info));
  uniform_.push_back(uniform);
  return static_cast<ir::NodeIndex>(shader_.values.nodes.size() - 1);
}

ir::NodeIndex ShaderBuilder::AddConstant(uint8_t bits, const std::vector<uint64_t>& values) {
  ir::Node node;
  node.kind = ir::NodeKind::kConstant;
  node.bits = bits;
  node.components = static_cast<uint8_t>(std::clamp<size_t>(values.size(), 1, ir::kShaderComponents));
  std::string key = absl::StrCat(bits);
  for (size_t i = 0; i < node.components && i < values.size(); ++i) {
    node.values[i] = values[i] & ir::MaskOf(bits);
    absl::StrAppend(&key, ",", absl::Hex(node.values[i]));
  }
  auto [entry, inserted] = constants_.try_emplace(key, 0);
  if (inserted) entry->second = Append(std::move(node), true, "");
  return entry->second;
}

Lanes ShaderBuilder::AddVariable(uint8_t bits, int components, absl::string_view opaque, bool uniform) {
  Lanes lanes;
  for (int start = 0; start < components; start += ir::kShaderComponents) {
    ir::Node node;
    node.kind = ir::NodeKind::kVariable;
    node.bits = bits;
    node.components = static_cast<uint8_t>(std::min(components - start, ir::kShaderComponents));
    node.name = absl::StrCat("v", shader_.values.nodes.size());
    const int count = node.components;
    const ir::NodeIndex index = Append(std::move(node), uniform, opaque);
    for (const Lane& lane : AllLanes(index, count)) lanes.push_back(lane);
  }
  return lanes;
}

absl::StatusOr<ir::Source> ShaderBuilder::ToSource(const Lanes& lanes) {
  if (lanes.empty() || lanes.size() > ir::kShaderComponents) return absl::InvalidArgumentError("operand too wide");
  ir::Source source{lanes[0].node, ir::kIdentitySwizzle};
  const bool one_node =
      std::all_of(lanes.begin(), lanes.end(), [&](const Lane& lane) { return lane.node == lanes[0].node; });
  if (!one_node) {
    std::vector<Lanes> scalars;
    for (const Lane& lane : lanes) scalars.push_back({lane});
    absl::StatusOr<ir::NodeIndex> vector =
        AddOp(absl::StrCat("vec", lanes.size()), bits(lanes[0].node), static_cast<int>(lanes.size()), scalars, 0);
    if (!vector.ok()) return vector.status();
    source.node = *vector;
    return source;
  }
  // Components that are not read have the identity swizzle, so that equal uses compare equal.
  for (size_t i = 0; i < lanes.size(); ++i) source.swizzle[i] = lanes[i].component;
  return source;
}

absl::StatusOr<ir::NodeIndex> ShaderBuilder::AddOp(absl::string_view op, uint8_t bits, int components,
                                                   const std::vector<Lanes>& sources, uint8_t flags) {
  if (size() >= kMaxNodes) return absl::ResourceExhaustedError("shader too large");
  const ir::OpRow* row = ir::FindOp(op);
  if (row == nullptr) return absl::NotFoundError(absl::StrCat("no row for op ", op));
  const auto misfit = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("op ", op, ": ", what, " does not fit its row"));
  };
  if (row->sources.size() != sources.size()) return misfit("number of operands");
  if (components < 1 || components > ir::kShaderComponents) return misfit("number of components");
  if (row->result.components != 0 && row->result.components != components) return misfit("number of components");
  uint8_t free_size = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    const size_t wanted = row->sources[i].components != 0 ? row->sources[i].components : components;
    if (sources[i].size() != wanted) return misfit("operand's number of components");
    for (const Lane& lane : sources[i]) {
      if (!Fits(row->sources[i], this->bits(lane.node), free_size)) return misfit("operand's size");
    }
  }
  if (!Fits(row->result, bits, free_size)) return misfit("result's size");

  ir::Node node;
  node.kind = ir::NodeKind::kOp;
  node.bits = bits;
  node.components = static_cast<uint8_t>(components);
  node.op = row;
  node.flags = TouchesFloats(*row) ? flags : static_cast<uint8_t>(flags & ~kAllFastMath);
  bool uniform = true;
  std::string key = absl::StrCat(op, ":", bits, ":", components, ":", node.flags);
  std::vector<std::string> operands;
  for (const Lanes& lanes : sources) {
    absl::StatusOr<ir::Source> source = ToSource(lanes);
    if (!source.ok()) return source.status();
    operands.push_back(absl::StrCat(",", source->node));
    for (uint8_t component : source->swizzle) absl::StrAppend(&operands.back(), ".", component);
    uniform = uniform && uniform_[source->node];
    node.sources.push_back(*source);
  }
  // The operands of commutative ops are sorted, so that a + b and b + a become the same value.
  if ((row->properties & ir::kCommutative) != 0 && operands[0] > operands[1]) std::swap(operands[0], operands[1]);
  for (const std::string& operand : operands) key += operand;
  auto [entry, inserted] = block_ops_.try_emplace(key, 0);
  if (inserted) entry->second = Append(std::move(node), uniform, "");
  return entry->second;
}

size_t ShaderBuilder::AddUse(absl::string_view what) {
  ir::ShaderUse use;
  use.what = std::string(what);
  use.block = static_cast<uint32_t>(shader_.blocks.size() - 1);
  use.before = static_cast<ir::NodeIndex>(size());
  shader_.uses.push_back(std::move(use));
  return shader_.uses.size() - 1;
}

void ShaderBuilder::Read(size_t use, const Lanes& lanes) {
  for (const Lane& lane : lanes) {
    // Only hostile input reads a value that is defined later. Such reads are ignored.
    if (lane.node < shader_.uses[use].before) shader_.uses[use].reads.push_back(lane);
  }
}

void ShaderBuilder::Give(size_t use, const Lanes& lanes) {
  std::vector<ir::NodeIndex>& gives = shader_.uses[use].gives;
  for (const Lane& lane : lanes) {
    // Values that existed before this use, such as shared loads, are not its results.
    const bool known = lane.node < shader_.uses[use].before || (!gives.empty() && gives.back() == lane.node);
    if (!known) gives.push_back(lane.node);
  }
}

void ShaderBuilder::ReadByPhi(uint32_t block, const Lanes& lanes) {
  Lanes& reads = phi_reads_[block];
  reads.insert(reads.end(), lanes.begin(), lanes.end());
}

ir::Shader ShaderBuilder::Take() {
  if (!edges_.empty()) {
    const auto dominators = ImmediateDominators(shader_.blocks.size(), edges_);
    for (size_t i = 0; i < dominators.size(); ++i) shader_.blocks[i].dominator = dominators[i];
  }
  block_ends_.push_back(static_cast<ir::NodeIndex>(size()));
  for (const auto& [block, lanes] : phi_reads_) {
    shader_.uses.push_back({"phi", block, block_ends_[block], {}, {}});
    Read(shader_.uses.size() - 1, lanes);
  }
  std::erase_if(shader_.uses, [](const ir::ShaderUse& use) { return use.reads.empty(); });
  // The uses by phis were appended last. A stable sort puts them after the other uses of their block.
  std::stable_sort(shader_.uses.begin(), shader_.uses.end(),
                   [](const ir::ShaderUse& a, const ir::ShaderUse& b) { return a.block < b.block; });
  return std::move(shader_);
}

void ShaderBuilder::Note(absl::string_view note) { shader_.notes.push_back({std::string(note), line_}); }

bool ShaderBuilder::IsUniform(const Lanes& lanes) const {
  return std::all_of(lanes.begin(), lanes.end(), [this](const Lane& lane) { return uniform_[lane.node]; });
}

}  // namespace rewrought::corpus
