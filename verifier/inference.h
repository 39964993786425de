// Finds what a refuted rule lacks: the smallest sets of node flags and variable predicates under which it holds.
#ifndef REWROUGHT_VERIFIER_INFERENCE_H_
#define REWROUGHT_VERIFIER_INFERENCE_H_

#include <vector>

#include "ir/facts/assumptions.h"
#include "ir/term.h"
#include "verifier/rule_check.h"

namespace rewrought::verifier {

// ir::SmallestSets of the rule, at most eight. Candidates are screened by vectors on the cases that `refuted` names;
// those that survive are proved in every case of the rule.
std::vector<ir::AssumptionSet> InferWeakest(const Prover& prover, const ir::Rule& rule, const RuleVerdict& refuted,
                                            const RuleCheckOptions& options);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INFERENCE_H_
