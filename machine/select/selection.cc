#include "machine/select/selection.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/op_table.h"
#include "machine/select/pack_components.h"

namespace rewrought::machine::select {
namespace {

// Returns true for opaque values that no step can change.
bool IsInput(const std::string& what) {
  for (const char* name : {"phi", "undef", "missing", "load_const"}) {
    if (what == name) return true;
  }
  for (const char* prefix :
       {"load_input", "load_frag", "load_vertex", "load_instance", "load_barycentric", "load_uniform", "load_push",
        "deref_", "input", "uniform", "load_fs_input", "load_front", "load_sample"}) {
    if (absl::StartsWith(what, prefix)) return true;
  }
  return false;
}

class Emitter {
 public:
  Emitter(const RuleSet& rules, ScalarShader scalar, Cover cover) : rules_(rules), m_(rules.machine()) {
    out_.machine = &m_;
    out_.scalar = std::move(scalar);
    out_.cover = std::move(cover);
    out_.value_of.assign(term().nodes.size(), kNoValue);
    for (const ir::ShaderBlock& block : out_.scalar.shader.blocks) out_.blocks.push_back({block.loop_depth, {}});
    for (const ir::ShaderUse& use : out_.scalar.shader.uses) given_by_use_.insert(use.gives.begin(), use.gives.end());
    numbers_.resize(out_.blocks.size());
    flags_.resize(out_.blocks.size());
    const auto& files = m_.description().register_files();
    unit_bits_ = files.empty() ? 32 : std::max(1, static_cast<int>(files[0].unit_bits()));
    for (const v1::RegisterFile& file : files) has_uniform_file_ |= file.uniform();
    for (const Type& type : m_.types()) {
      if (type.bits == 1 && type.register_bits > 0) bool_bits_ = type.register_bits;
    }
  }

  absl::StatusOr<Selection> Run() {
    const std::vector<ir::ShaderUse>& uses = out_.scalar.shader.uses;
    size_t next_use = 0;
    for (ir::NodeIndex n = 0; n <= term().nodes.size(); ++n) {
      for (; next_use < uses.size() && uses[next_use].before <= n; ++next_use) {
        if (absl::Status status = EmitUse(uses[next_use]); !status.ok()) return status;
      }
      if (n == term().nodes.size() || !out_.cover.needed[n]) continue;
      const ir::Node& node = term().at(n);
      absl::Status status = absl::OkStatus();
      if (node.kind == ir::NodeKind::kVariable) {
        if (!given_by_use_.contains(n)) EmitOpaque(n);
      } else if (node.kind == ir::NodeKind::kOp) {
        const int tile = out_.cover.tile_of[n];
        status = tile < 0 ? EmitUncovered(n) : EmitTile(tile);
      }
      // Tiles load their own constants; opaque steps read constants directly.
      if (!status.ok()) return status;
    }
    for (SelectedBlock& block : out_.blocks) {
      std::stable_partition(block.steps.begin(), block.steps.end(), [](const Step& step) { return !step.at_end; });
    }
    return std::move(out_);
  }

 private:
  const ir::Term& term() const { return out_.scalar.shader.values; }
  const ir::ShaderValueInfo& info(ir::NodeIndex n) const { return out_.scalar.shader.info[n]; }

  int UnitsOf(int bits) const { return std::max(1, ((bits == 1 ? bool_bits_ : bits) + unit_bits_ - 1) / unit_bits_); }

  ValueId NewValue(std::string name, int bits, bool uniform) {
    out_.values.push_back({std::move(name), bits, UnitsOf(bits), uniform, false});
    return static_cast<ValueId>(out_.values.size() - 1);
  }

  ValueId NewNodeValue(ir::NodeIndex n, bool uniform) {
    const ValueId made = NewValue(absl::StrCat("v", n), term().at(n).bits, uniform);
    out_.values[made].pinned = out_.scalar.outside_uses[n] > 0;
    // A deref refers to memory and does not occupy a register.
    if (absl::StartsWith(info(n).opaque, "deref_")) out_.values[made].units = 0;
    return out_.value_of[n] = made;
  }

  void EmitOpaque(ir::NodeIndex n) {
    if (out_.value_of[n] != kNoValue) return;
    const bool uniform = info(n).uniform && has_uniform_file_;
    if (uniform) {
      NewNodeValue(n, true);
      return;
    }
    Step step;
    step.opaque = true;
    step.what = info(n).opaque;
    step.ordered = !IsInput(step.what) && !info(n).uniform;
    step.node = n;
    // One step defines all components of an opaque value.
    for (ir::NodeIndex other = n; other < term().nodes.size() && SameGroup(n, other); ++other) {
      if (!out_.cover.needed[other] || given_by_use_.contains(other)) continue;
      step.defines.push_back(NewNodeValue(other, false));
      step.nodes.push_back(other);
    }
    out_.blocks[info(n).block].steps.push_back(std::move(step));
  }

  absl::Status EmitUse(const ir::ShaderUse& use) {
    Step step;
    step.opaque = true;
    step.at_end = use.what == "phi";
    step.what = use.what;
    step.ordered = !IsInput(step.what);
    absl::flat_hash_set<ValueId> seen;
    for (const ir::ShaderLane& read : use.reads) {
      if (term().at(read.node).kind == ir::NodeKind::kConstant) continue;
      const ValueId value = out_.value_of[read.node];
      if (value == kNoValue)
        return absl::InternalError(absl::StrCat(use.what, " reads value ", read.node, ", which is not computed"));
      if (seen.insert(value).second) step.reads.push_back(value);
    }
    if (!use.gives.empty()) step.node = use.gives[0];
    for (const ir::NodeIndex given : use.gives) {
      if (!out_.cover.needed[given]) continue;
      const bool uniform = info(given).uniform && has_uniform_file_;
      const ValueId made = NewNodeValue(given, uniform);
      if (uniform) continue;
      step.defines.push_back(made);
      step.nodes.push_back(given);
    }
    out_.blocks[use.block].steps.push_back(std::move(step));
    return absl::OkStatus();
  }

  bool SameGroup(ir::NodeIndex a, ir::NodeIndex b) const {
    if (a == b) return true;
    const std::vector<uint32_t>& group = out_.scalar.group;
    return b < group.size() && group[a] == group[b] && term().at(b).kind == ir::NodeKind::kVariable;
  }

  absl::Status EmitUncovered(ir::NodeIndex n) {
    Step step;
    step.opaque = true;
    step.what = absl::StrCat("uncovered ", term().at(n).op->name);
    step.node = n;
    for (const ir::Source& source : term().at(n).sources) {
      const ValueId value = out_.value_of[source.node];
      if (value != kNoValue && std::find(step.reads.begin(), step.reads.end(), value) == step.reads.end()) {
        step.reads.push_back(value);
      }
    }
    step.defines.push_back(NewNodeValue(n, false));
    step.nodes.push_back(n);
    out_.blocks[info(n).block].steps.push_back(std::move(step));
    return absl::OkStatus();
  }

  // Returns the value of a tile's `operand` in `block`. Adds the load or move if the block does not contain it yet.
  absl::StatusOr<ValueId> ValueOf(const TileOperand& operand, uint32_t block) {
    if (operand.kind == TileOperand::kValue) {
      const ValueId value = out_.value_of[operand.node];
      if (value == kNoValue)
        return absl::InternalError(absl::StrCat("value ", operand.node, " is read but not computed"));
      return value;
    }
    const ir::Node& node = term().at(operand.node);
    const bool constant = operand.kind == TileOperand::kConstant;
    std::string source;
    const Program* program = constant ? rules_.LoadOf(operand.type) : rules_.MoveOf(node.bits, &source);
    if (program == nullptr || program->instructions.size() != 1)
      return absl::InternalError("a load has more than one instruction");
    Step step;
    step.node = operand.node;
    step.code = program->instructions[0];
    step.code.line = step.code.column = 0;
    Operand& read = step.code.sources[0];
    if (constant) {
      read.kind = OperandKind::kImmediate;
      read.name.clear();
      read.bits = ConstantBits(node);
      step.sources = {kNoValue};
    } else {
      if (out_.value_of[operand.node] == kNoValue) EmitOpaque(operand.node);
      read.name = out_.values[out_.value_of[operand.node]].name;
      read.uniform = true;
      step.sources = {out_.value_of[operand.node]};
    }
    // Loads are keyed by bit pattern and size, so that operands of different types share them.
    const std::string key =
        constant ? absl::StrCat("load ", read.bits, " ", node.bits) : absl::StrCat("move ", operand.node);
    const auto [found, is_new] = numbers_[block].try_emplace(key, kNoValue);
    if (!is_new) return found->second;
    const ValueId made = NewValue(absl::StrCat("k", out_.values.size()), node.bits, false);
    numbers_[block][key] = made;
    step.code.destination.name = out_.values[made].name;
    step.sources.resize(step.code.sources.size(), kNoValue);
    Place(std::move(step), made, block);
    return made;
  }

  void Place(Step step, ValueId defined, uint32_t block) {
    if (defined != kNoValue) step.defines = {defined};
    for (const ValueId read : step.sources) {
      if (read != kNoValue && std::find(step.reads.begin(), step.reads.end(), read) == step.reads.end())
        step.reads.push_back(read);
    }
    out_.blocks[block].steps.push_back(std::move(step));
  }

  absl::Status EmitTile(int index) {
    const Tile& tile = out_.cover.tiles[index];
    const uint32_t block = info(tile.root).block;
    absl::flat_hash_map<std::string, ValueId> names;
    for (const auto& [name, operand] : tile.operands) {
      absl::StatusOr<ValueId> value = ValueOf(operand, block);
      if (!value.ok()) return value.status();
      names[name] = *value;
    }
    for (const Instruction& original : tile.code) {
      Step step;
      step.code = original;
      step.tile = index;
      step.node = tile.root;
      for (Operand& source : step.code.sources) {
        if (source.kind == OperandKind::kImmediate) {
          step.sources.push_back(kNoValue);
          continue;
        }
        const auto found = names.find(source.name);
        if (found == names.end())
          return absl::InternalError(absl::StrCat("tile reads ", source.name, ", which it does not compute"));
        step.sources.push_back(found->second);
        source.name = out_.values[found->second].name;
      }
      if (!Define(tile, std::move(step), block, &names)) return absl::InternalError("a tile has no result");
    }
    const auto result = names.find(std::string(kResultName));
    if (result == names.end())
      return absl::InternalError(absl::StrCat("tile ", tile.rule, " does not compute a result"));
    out_.value_of[tile.root] = result->second;
    if (out_.scalar.outside_uses[tile.root] > 0) out_.values[result->second].pinned = true;
    return absl::OkStatus();
  }

  // Returns true if several instructions of the tile write register `name`, either by component or under a predicate.
  static bool IsWrittenAgain(const Tile& tile, const std::string& name) {
    return std::count_if(tile.code.begin(), tile.code.end(), [&](const Instruction& code) {
             return code.destination.kind == OperandKind::kRegister && code.destination.name == name;
           }) > 1;
  }

  // Returns a key that is equal for instructions that compute the same value.
  std::string KeyOf(const Instruction& code) const {
    std::string key = PrintInstruction(m_, code);
    if (!code.variant->commutative || code.sources.size() < 2) return key;
    Instruction swapped = code;
    std::swap(swapped.sources[0], swapped.sources[1]);
    return std::min(std::move(key), PrintInstruction(m_, swapped));
  }

  // Appends `step`, unless an equal step precedes it in the block.
  bool Define(const Tile& tile, Step step, uint32_t block, absl::flat_hash_map<std::string, ValueId>* names) {
    Instruction& code = step.code;
    const std::string local = code.destination.name;
    const bool null = code.destination.kind == OperandKind::kNull;
    const bool keeps = !code.predicate.empty() && !code.variant->reads_predicate;
    const bool part = code.destination.subscript >= 0 || IsWrittenAgain(tile, local);
    code.destination.name.clear();
    const std::string key = KeyOf(code);
    if (null) {
      std::string& held = flags_[block][code.flag];
      if (m_.components() == 1 && code.predicate.empty() && held == key) {
        ++out_.numbered;
        return true;
      }
      held = key;
      Place(std::move(step), kNoValue, block);
      return true;
    }
    if (!code.flag.empty()) flags_[block][code.flag].clear();
    const bool plain = code.flag.empty() && code.predicate.empty() && !part && !keeps;
    if (plain) {
      if (const auto found = numbers_[block].find(key); found != numbers_[block].end()) {
        ++out_.numbered;
        (*names)[local] = found->second;
        return true;
      }
    }
    auto [found, is_new] = names->try_emplace(local, kNoValue);
    if (is_new) {
      const bool result = local == kResultName;
      const int bits = result ? term().at(tile.root).bits : BitsOf(tile, local, code.destination);
      found->second =
          NewValue(result ? absl::StrCat("v", tile.root) : absl::StrCat("t", out_.values.size()), bits, false);
    } else {
      step.reads.push_back(found->second);
    }
    const ValueId made = found->second;
    code.destination.name = out_.values[made].name;
    if (plain) numbers_[block][key] = made;
    Place(std::move(step), made, block);
    return true;
  }

  // Returns the width of the tile's register `local`, which may be written in parts.
  int BitsOf(const Tile& tile, const std::string& local, Operand destination) const {
    if (destination.subscript < 0) return m_.types()[destination.type].bits;
    Program program;
    program.instructions = tile.code;
    destination.name = local;
    return WideBitsOf(m_, program, destination);
  }

  const RuleSet& rules_;
  const Machine& m_;
  Selection out_;
  absl::flat_hash_set<ir::NodeIndex> given_by_use_;
  std::vector<absl::flat_hash_map<std::string, ValueId>> numbers_;  // Indexed by block.
  std::vector<absl::flat_hash_map<std::string, std::string>>
      flags_;  // For each block, the key of the last instruction that wrote each flag.
  int unit_bits_ = 32, bool_bits_ = 32;
  bool has_uniform_file_ = false;
};

}  // namespace

bool LoadsConstant(const Step& step) {
  return !step.opaque && step.tile < 0 && step.code.sources[0].kind == OperandKind::kImmediate;
}

absl::StatusOr<Selection> Emit(const RuleSet& rules, ScalarShader scalar, Cover cover) {
  absl::StatusOr<Selection> selection = Emitter(rules, std::move(scalar), std::move(cover)).Run();
  if (!selection.ok() || rules.machine().components() == 1) return selection;
  if (absl::Status status = PackComponents(&*selection); !status.ok()) return status;
  return selection;
}

std::optional<VectorOptions> VectorOptionsOf(const RuleSet& rules) {
  if (rules.machine().components() == 1) return std::nullopt;
  VectorOptions options;
  for (const auto& [op, list] : rules.base().by_root) {
    const ir::OpRow* row = ir::FindOp(op);
    if (row == nullptr || absl::StartsWith(op, "vec") || row->result.components > 1) continue;
    if (std::any_of(row->sources.begin(), row->sources.end(),
                    [](const ir::OperandType& source) { return source.components > 1; })) {
      options.across.insert(op);
    }
  }
  return options;
}

absl::StatusOr<Selection> SelectShader(const RuleSet& rules, const ir::Shader& shader, const CoverOptions& options) {
  const std::optional<VectorOptions> vectors = VectorOptionsOf(rules);
  absl::StatusOr<ScalarShader> scalar = Scalarize(shader, vectors.has_value() ? &*vectors : nullptr);
  if (!scalar.ok()) return scalar.status();
  absl::StatusOr<Cover> cover = CoverShader(rules, *scalar, options);
  if (!cover.ok()) return cover.status();
  return Emit(rules, *std::move(scalar), *std::move(cover));
}

std::string PrintBlock(const Selection& selection, const SelectedBlock& block) {
  const auto names = [&](const std::vector<ValueId>& values) {
    return absl::StrJoin(values, " ", [&](std::string* out, ValueId value) { *out += selection.values[value].name; });
  };
  std::string text;
  for (const Step& step : block.steps) {
    if (step.opaque) {
      absl::StrAppend(&text, "  ", names(step.defines), step.defines.empty() ? "" : " = ", step.what,
                      step.reads.empty() ? "" : " ", names(step.reads), "\n");
    } else {
      absl::StrAppend(&text, "  ", PrintInstruction(*selection.machine, step.code), "\n");
    }
  }
  return text;
}

}  // namespace rewrought::machine::select
