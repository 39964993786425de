// What selection may choose from: a machine's base rules and the rules of a pack, as patterns with programs.
#ifndef REWROUGHT_MACHINE_SELECT_RULES_H_
#define REWROUGHT_MACHINE_SELECT_RULES_H_

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/float_contract.h"
#include "ir/match/match.h"
#include "machine/base/base_rules.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "machine/select/scalar_shader.h"

namespace rewrought::machine::select {

// When a compare and the select that it decides may become one instruction (or a compare that writes a flag next to its
// select): the heuristics of the field for machines where that keeps the compared values alive for longer.
enum class Fusion : uint8_t {
  kAlways,
  kNever,
  kUniformCompared,   // one of the compared values is uniform or constant
  kBooleanUsedOnce,   // the select is the boolean's only user
  kConstantSelected,  // one of the selected values is constant
};
// "always", "never", "uniform-compared", "used-once", "constant-selected"; empty for no value of the enum.
std::string NameOf(Fusion fusion);
std::optional<Fusion> FusionNamed(absl::string_view name);

// A rule of a pack: the search side, compiled for matching (its replacement is not looked at), and the program.
struct PackRule {
  std::string name;  // for messages and drawings
  ir::CompiledRule search;
  Program program;
  bool inexact = false;  // inexact only: where no matched node is exact
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kPreserve, ir::DenormMode::kFlush};  // that it is proved in
};

// A base rule, a pack's rule, or both: a pack's rule that gives a flag, with the base rule of a select that reads it.
struct SelectionRule {
  std::string name;
  const BaseRule* base = nullptr;
  const PackRule* pack = nullptr;
  std::shared_ptr<const Program> joined;  // of both
  int ops = 1;                            // in the pattern
  bool fuses = false;                     // a select with the compare that decides it
  const Program& program() const {
    return joined != nullptr ? *joined : pack != nullptr ? pack->program : base->program;
  }
  bool inexact() const { return pack != nullptr ? pack->inexact : base->inexact; }
};

// Appends `node` unless it is there.
inline void AddOnce(ir::NodeIndex node, std::vector<ir::NodeIndex>* nodes) {
  if (std::find(nodes->begin(), nodes->end(), node) == nodes->end()) nodes->push_back(node);
}

struct RuleMatch {
  std::map<std::string, ir::NodeIndex> variables;  // what each variable of the program stands for
  std::vector<ir::NodeIndex> covered;              // op nodes, the root first, each once
};

// Kept by whoever selects; `machine` and the pack must outlive it.
class RuleSet {
 public:
  // The base rules of `machine` and `pack`, which come first where costs are equal. `strong` false: only base rules of
  // one op. InvalidArgument when a base rule of the machine is broken.
  static absl::StatusOr<RuleSet> Create(const Machine& machine, const std::vector<PackRule>* pack, bool strong);

  const Machine& machine() const { return *machine_; }
  const BaseRules& base() const { return *base_; }
  // What the driver makes of one op before it selects; empty unless `strong`.
  absl::Span<const ir::CompiledRule> expansions() const { return expansions_; }
  // Rules whose root may be the op `name`.
  const std::vector<SelectionRule>& RulesFor(const std::string& name) const;

  // All ways in which `rule` fits at `root`, at most kMaxMatches: operands of commutative ops are tried both ways
  // round.
  static constexpr size_t kMaxMatches = 8;
  std::vector<RuleMatch> MatchesOf(const SelectionRule& rule, const ScalarShader& scalar, ir::NodeIndex root,
                                   const ir::FactCallback& facts) const;

  // The program that moves a value of `bits` into a register: `r` from the variable named `*source`. Null: none.
  const Program* MoveOf(int bits, std::string* source) const;
  // The program that loads an immediate of `type`. Null: none.
  const Program* LoadOf(TypeIndex type) const;
  // The instruction that writes kDefaultFlag where a Boolean, its only source, is true. Null: none, as on machines
  // whose selects read registers.
  const Instruction* FlagOf() const { return flag_of_; }

 private:
  void AddSelects(const PackRule& rule, bool strong);
  std::vector<RuleMatch> MatchesOfPack(const SelectionRule& rule, const ScalarShader& scalar, ir::NodeIndex root,
                                       const ir::FactCallback& facts) const;

  const Instruction* flag_of_ = nullptr;
  const Machine* machine_ = nullptr;
  const BaseRules* base_ = nullptr;
  absl::Span<const ir::CompiledRule> expansions_;
  absl::flat_hash_map<std::string, std::vector<SelectionRule>> by_root_;
};

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_RULES_H_
