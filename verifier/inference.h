// Infers the missing assumptions of a refuted rule: the smallest sets of node flags and variable predicates under which
// it holds.
#ifndef REWROUGHT_VERIFIER_INFERENCE_H_
#define REWROUGHT_VERIFIER_INFERENCE_H_

#include <vector>

#include "ir/facts/assumptions.h"
#include "ir/term.h"
#include "verifier/rule_check.h"

namespace rewrought::verifier {

// Returns at most eight of the rule's ir::SmallestSets. First screens the candidates by running vectors on the cases
// that `refuted` reports as refuted. Each remaining candidate must be proved in every case of the rule.
std::vector<ir::AssumptionSet> InferWeakest(const Prover& prover, const ir::Rule& rule, const RuleVerdict& refuted,
                                            const RuleCheckOptions& options);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INFERENCE_H_
