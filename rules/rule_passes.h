// The rules of a driver's tree, ready to be applied: lists, one after the other, as the tree's passes have them.
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
  size_t left_out = 0;  // cannot be read or matched
  ir::Digest digest;    // of all rules' texts in order
};

// Conditions are taken as true: whoever reads a tree leaves out what is not to be applied.
RulePasses CompilePasses(const std::vector<std::vector<ir::Rule>>& passes);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_RULE_PASSES_H_
