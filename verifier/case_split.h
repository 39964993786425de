// Proves a case by cases: a variable that can have few values (a Boolean, a power of two) is replaced by each of them.
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

// Variables of one component that have at most 64 values each: 1 bit; read as a Boolean (0 and all ones); marked
// is_pos_power_of_two, is_neg_power_of_two or is_ult_32; the count of shifts of one size and nothing else. At most 1024
// combinations are tried; further variables stay as they are. kProved if the case holds for every combination (vacuous
// ones included, but not all), with the hardest tier among them and a certificate of kCaseSplit; nullopt if there is no
// such variable, or as soon as one combination is not proved: then nothing is said. Never a refutation.
std::optional<CaseResult> ProveBySplitting(const Prover& prover, const RuleCase& rule_case);

// A case with some of its variables replaced by values.
struct CasePart {
  std::vector<std::pair<std::string, uint64_t>> values;
  RuleCase rule_case;
};

// The combinations that ProveBySplitting tries, without those that the variables' own predicates rule out: together
// they are all inputs of the case. None if there is no variable to split on. The same case gives the same parts.
std::vector<CasePart> PartsOf(const RuleCase& rule_case);

// Whether to try this before the whole case: a Boolean selects among costly float or multiplying ops, or a wide integer
// rule speaks of powers of two. Solvers time out on those, while each part is simple.
bool SplitsWell(const RuleCase& rule_case);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_CASE_SPLIT_H_
