// Verifies rules at every size that typing allows and in each requested mode, and combines the verdicts. `rewrought
// check`, the service's CheckRule, and every proof that the pipeline stores use this code.
#ifndef REWROUGHT_VERIFIER_RULE_CHECK_H_
#define REWROUGHT_VERIFIER_RULE_CHECK_H_

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/dialect/dialect.h"
#include "ir/float_contract.h"
#include "ir/term.h"
#include "ir/text/sizes.h"
#include "verifier/prover.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

struct RuleCheckOptions {
  std::vector<int> widths;  // empty for all widths
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny};
  // Maps a size of floats in bits to the only mode that the rule's condition allows for it. If all floats of a case
  // have such sizes and share one mode, the case is verified only in that mode. Other cases are verified in `modes` and
  // in the modes of their floats here.
  std::map<int, ir::DenormMode> certain_modes;
  ir::Dialect dialect = ir::Dialect::kNir25;
  bool literals_exact = false;  // 0.0 and -0.0 in a search match only themselves; always so in nir-26
  // Restricts the inputs so that the index of each extract_* and insert_* in the search is in range, because NIR
  // programs have no other indices. Without this restriction, an out-of-range index may produce any value
  // (docs/float_contract.md 2.5). Also assumes the restrictions in nir_opcodes.py on amul (no overflow of the unsigned
  // product if u2u* widens it, else of the signed product) and udiv_aligned_4 (an operand that is a multiple of 4).
  bool index_in_range = false;
  // Whether the replacement's ops that support fast-math flags inherit the flags of the search's root, as in Mesa since
  // 24.0. In earlier versions, ops had no flags, and the shader's modes determined the permitted results.
  bool inherit_flags = true;
  // Whether the matched root may carry flags that the rule does not name, as in Mesa. If false, the rule is verified as
  // written.
  bool unnamed_flags = true;
  bool trusts_ranges = true;  // RuleCase::trusts_ranges
  bool other_users = true;    // RuleCase::other_users
  bool infer = false;         // infer the weakest assumptions if the rule is refuted
  bool stop_at_refuted = false;
  // Verifies the cases with width 32 first and, once a case is refuted, the other cases with a tenth of the budgets.
  // The rule is wrong anyway, and deciding the remaining cases may take most of the time.
  bool spare_after_refuted = false;
};

// The reason of a case that is refuted only because another instruction may read an inner node of the search.
inline constexpr absl::string_view kOnlyWithOtherUsers =
    "only if another instruction reads an inner node with nsz; remedy: is_used_once on it and on the nodes above it";

struct CheckedCase {
  int width = 0;
  std::vector<std::pair<std::string, int>> sizes;  // sizes of variables, sorted by name, and of "root"
  ir::DenormMode mode = ir::DenormMode::kAny;
  CaseResult result;
  RuleCase rule_case;  // the verified case, for explanations and certificates
};

// A set of assumptions under which the rule holds, each "n<i>:flag" (op nodes in prefix order of the search) or
// "variable:predicate".
using Assumptions = std::vector<std::string>;

struct RuleVerdict {
  // The first verdict in this list that some case has: refuted, unknown, unsupported, proved, vacuous.
  v1::Verdict verdict = v1::VERDICT_UNKNOWN;
  std::vector<CheckedCase> cases;  // sorted by width, then sizes, then mode
  std::vector<Assumptions> weakest;
  // The assumptions on which the verdict rests, one sentence each: that Mesa's range analysis is right, and that
  // Booleans of more than one bit are 0 or all ones.
  std::vector<std::string> assumes;
  double milliseconds = 0;
};

// Verifies all cases of `rule`. Fails with InvalidArgument if the sizes of `rule` are inconsistent.
absl::StatusOr<RuleVerdict> CheckRule(const Prover& prover, const ir::Rule& rule, const RuleCheckOptions& options);

// Like CheckRule, for a concrete replacement such as a machine program. `replace_of` returns the replacement for a
// case's search side, or an error if the replacement does not fit; such cases are skipped.
using ReplacementFor = std::function<absl::StatusOr<ir::Term>(const ir::Term& search)>;
absl::StatusOr<RuleVerdict> CheckSearchAgainst(const Prover& prover, const ir::Rule& rule,
                                               const ReplacementFor& replace_of, const RuleCheckOptions& options);

// Returns a function that returns `replace` for each case in which the variables and the root have the same sizes as in
// `replace`.
ReplacementFor MatchingSizes(const ir::Term& replace);

// Restates the case, whose terms are those of a rule, as Mesa applies the rule: sets the flags of both sides, and then
// calls ReadAsMesa. Copies the options that concern a case.
void ReadCase(const RuleCheckOptions& options, RuleCase* rule_case);

// Returns the options for enumerating the sizes of a rule. `is_tuple` is true if Mesa's generator reads the rule.
ir::SizeOptions SizeOptionsOf(const RuleCheckOptions& options, bool is_tuple);

// Combines the verdicts of a rule's cases in the order of RuleVerdict::verdict.
v1::Verdict CombineVerdicts(const std::vector<CheckedCase>& cases);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_RULE_CHECK_H_
