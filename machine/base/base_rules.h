// A machine's base rules, which are parsed once. Each rule consists of a pattern over IR ops and the program that is
// selected for it.
#ifndef REWROUGHT_MACHINE_BASE_BASE_RULES_H_
#define REWROUGHT_MACHINE_BASE_BASE_RULES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/match/match.h"
#include "ir/term.h"
#include "machine/base/base_pattern.h"
#include "machine/program.h"

namespace rewrought::machine {

struct BaseRule {
  BasePattern pattern;
  Program program;
  bool strong = false, inexact = false;
  int ops = 1;  // The number of ops in the pattern.
};

struct BaseRules {
  std::map<std::string, std::vector<BaseRule>> by_root;  // Largest patterns first, then in the description's order.
  std::map<std::pair<std::string, TypeIndex>, Program> resolves;  // Keyed by the removed feature and the type.
  std::vector<ir::CompiledRule> expansions;  // The driver's lowerings (v1::BaseRule), for the tuned baseline.
};

// Returns the cached rules of `machine`. The machine must never be destroyed. Fails with InvalidArgument, naming the
// rule, if a rule does not parse or is not legal.
absl::StatusOr<const BaseRules*> BaseRulesOf(const Machine& machine);

// A match of a pattern. Contains the node of each variable and the covered op nodes, root first.
struct BaseMatch {
  std::map<std::string, ir::NodeIndex> variables;
  std::vector<ir::NodeIndex> covered;
};

// Returns the value of a scalar constant as a bit pattern of the node's size.
uint64_t ConstantBits(const ir::Node& node);

// Matches `pattern` at `node` and fills in `match`. Tries both operand orders of commutative ops.
bool MatchBase(const ir::Term& term, const BasePattern& pattern, ir::NodeIndex node, BaseMatch* match);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_BASE_RULES_H_
