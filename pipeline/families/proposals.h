// Writes families as a file for `rewrought propose --add` (audit/plan_patches.py describes the format).
#ifndef REWROUGHT_PIPELINE_FAMILIES_PROPOSALS_H_
#define REWROUGHT_PIPELINE_FAMILIES_PROPOSALS_H_

#include <string>
#include <vector>

#include "pipeline/families/families.h"

namespace rewrought::pipeline {

// Returns the pattern as a function call, such as "ior(ult(a, #b), c)". Omits flags, predicates, and sizes.
std::string PatternText(const ir::Term& search);

// Returns the list of nir_opt_algebraic.py to which the family's rules belong.
std::string ListOf(const RuleFamily& family);

// Returns the family as statements that extend its list, with loops over ops, constants, or sizes. The variables a to d
// are not quoted, as in Mesa's files.
std::string FamilyStatements(const RuleFamily& family, ir::Dialect dialect);

// Returns a TOML file with one proposal for each family, in order. The rules follow the statements of the tree's file
// nir_opt_algebraic.py that extend the family's list. Each reason states where the rules apply and which instance is
// most frequent.
std::string ProposalsToml(const std::vector<RuleFamily>& families, ir::Dialect dialect);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_FAMILIES_PROPOSALS_H_
