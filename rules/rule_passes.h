// Compiles the rules of a driver's tree into passes, in the tree's order.
#ifndef REWROUGHT_RULES_RULE_PASSES_H_
#define REWROUGHT_RULES_RULE_PASSES_H_

#include <cstddef>
#include <vector>

#include "ir/digest.h"
#include "ir/match/match.h"
#include "ir/term.h"

namespace rewrought::rules {

struct RulePasses {
  std::vector<std::vector<ir::CompiledRule>> passes;
  size_t rules = 0;
  size_t left_out = 0;  // The number of rules that cannot be parsed or matched.
  ir::Digest digest;    // A digest of the texts of all rules, in order.
};

// Compiles the passes. Ignores the rules' conditions, so the caller must omit rules that should not apply.
RulePasses CompilePasses(const std::vector<std::vector<ir::Rule>>& passes);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_RULE_PASSES_H_
