// Proves a case by case analysis: replaces a variable that has few values (a Boolean, a power of two) with each of its
// values.
#ifndef REWROUGHT_VERIFIER_CASE_SPLIT_H_
#define REWROUGHT_VERIFIER_CASE_SPLIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verifier/prover.h"
#include "verifier/rule_case.h"

namespace rewrought::verifier {

// Splits on one-component variables that have at most 64 values: 1-bit variables; variables read as a Boolean (0 and
// all ones); variables marked is_pos_power_of_two, is_neg_power_of_two or is_ult_32; and variables used only as shift
// counts, if all these shifts have the same width. Tries at most 1024 combinations and leaves further variables
// unchanged. Returns VERDICT_PROVED if the case holds for every combination (some, but not all, may be vacuous), with
// the most expensive tier of any combination and a certificate of kind TIER_CASE_SPLIT. The coinciding cases of the
// whole case must be proved, too. Returns nullopt if there is no such variable, or as soon as a combination or a
// coinciding case is not proved. Never refutes a case.
std::optional<CaseResult> ProveBySplitting(const Prover& prover, const RuleCase& rule_case);

struct CasePart {
  std::vector<std::pair<std::string, uint64_t>> values;
  RuleCase rule_case;
};

// Returns the combinations that ProveBySplitting tries: all except those that violate the variables' predicates.
// Together they cover all inputs of the case. The result is deterministic, and it is empty if there is no variable to
// split on.
std::vector<CasePart> PartsOf(const RuleCase& rule_case);

// Returns whether to split before trying the whole case. Splitting comes first if a variable has only two values and
// the rule contains several float ops, multiplications or divisions, or if a variable of at least 16 bits is a power of
// two. Solvers time out on such cases, but each part is simple.
bool ShouldSplitFirst(const RuleCase& rule_case);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_CASE_SPLIT_H_
