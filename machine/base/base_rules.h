// A machine's base rules, parsed once: patterns over IR ops and the programs they select.
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
  int ops = 1;  // in the pattern
};

struct BaseRules {
  std::map<std::string, std::vector<BaseRule>> by_root;  // biggest patterns first, then the description's order
  std::map<std::pair<std::string, TypeIndex>, Program> resolves;  // by what is removed, and the type
  std::vector<ir::CompiledRule> expansions;                       // of v1::BaseRule, for the tuned baseline
};

// The rules of `machine`, kept for the life of the program; machines must not be freed after their first use here.
// InvalidArgument names the rule that does not parse or is not legal.
absl::StatusOr<const BaseRules*> BaseRulesOf(const Machine& machine);

// A match: what each pattern variable stands for, and the op nodes that the pattern covers, the root first.
struct BaseMatch {
  std::map<std::string, ir::NodeIndex> variables;
  std::vector<ir::NodeIndex> covered;
};

// The low `bits` bits of a scalar constant as a pattern of that size.
uint64_t ConstantBits(const ir::Node& node);

// Matches `pattern` at `node`; commutative ops are tried both ways round.
bool MatchBase(const ir::Term& term, const BasePattern& pattern, ir::NodeIndex node, BaseMatch* match);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_BASE_RULES_H_
