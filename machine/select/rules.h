// The rules available to selection: a machine's base rules and a pack's rules, as patterns with programs.
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

// Specifies when to fuse a compare with the select that it controls, or to place a flag-writing compare next to the
// select. On some machines, fusing extends the live ranges of the compared values.
enum class Fusion : uint8_t {
  kAlways,
  kNever,
  kUniformCompared,   // One of the compared values is uniform or constant.
  kBooleanUsedOnce,   // The select is the Boolean's only user.
  kConstantSelected,  // One of the selected values is constant.
};
// Convert to and from "always", "never", "uniform-compared", "used-once" and "constant-selected". NameOf returns ""
// for an invalid value.
std::string NameOf(Fusion fusion);
std::optional<Fusion> FusionNamed(absl::string_view name);

// A pack rule: its search side, compiled for matching without the replacement, and its program.
struct PackRule {
  std::string name;  // Used in messages and drawings.
  ir::CompiledRule search;
  Program program;
  bool inexact = false;  // Whether the rule requires that no matched node is exact.
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kPreserve,
                                       ir::DenormMode::kFlush};  // The modes in which the rule is proved.
};

// A base rule, a pack rule, or both: a pack rule that writes a flag, joined with the base rule for a select that reads
// the flag.
struct SelectionRule {
  std::string name;
  const BaseRule* base = nullptr;
  const PackRule* pack = nullptr;
  std::shared_ptr<const Program> joined;  // The program of the joined rules.
  int ops = 1;                            // The number of ops in the pattern.
  bool fuses = false;  // Whether the rule covers a select together with the compare that controls it.
  const Program& program() const {
    return joined != nullptr ? *joined : pack != nullptr ? pack->program : base->program;
  }
  bool inexact() const { return pack != nullptr ? pack->inexact : base->inexact; }
};

inline void AddOnce(ir::NodeIndex node, std::vector<ir::NodeIndex>* nodes) {
  if (std::find(nodes->begin(), nodes->end(), node) == nodes->end()) nodes->push_back(node);
}

struct RuleMatch {
  std::map<std::string, ir::NodeIndex> variables;  // The node that each variable of the program matches.
  std::vector<ir::NodeIndex> covered;              // Distinct op nodes, the root first.
};

// The rules of one machine and one pack, both of which must outlive the set.
class RuleSet {
 public:
  // Combines the base rules of `machine` with `pack`, which takes precedence at equal cost. If not `strong`, includes
  // only base rules with a single op. Fails with InvalidArgument if a base rule of the machine is invalid.
  static absl::StatusOr<RuleSet> Create(const Machine& machine, const std::vector<PackRule>* pack, bool strong);

  const Machine& machine() const { return *machine_; }
  const BaseRules& base() const { return *base_; }
  // Returns the driver's expansions of single ops before selection; empty unless `strong`.
  absl::Span<const ir::CompiledRule> expansions() const { return expansions_; }
  const std::vector<SelectionRule>& RulesFor(const std::string& name) const;

  // Returns up to kMaxMatches matches of `rule` at `root`. Tries both operand orders of commutative ops.
  static constexpr size_t kMaxMatches = 8;
  std::vector<RuleMatch> MatchesOf(const SelectionRule& rule, const ScalarShader& scalar, ir::NodeIndex root,
                                   const ir::FactCallback& facts) const;

  // Returns the program that moves a `bits`-wide value from the variable named `*source` to register `r`, or null.
  const Program* MoveOf(int bits, std::string* source) const;
  // Returns the program that loads an immediate of `type`, or null.
  const Program* LoadOf(TypeIndex type) const;
  // Returns the instruction that sets kDefaultFlag if its only source, a Boolean, is true. Returns null if there is
  // none, as on machines whose selects read registers.
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
