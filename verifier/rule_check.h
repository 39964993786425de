// Verifies whole rules: every size that typing allows, in the modes asked for, and what one says of the rule as a
// whole. The answer behind `rewrought check`, the service's CheckRule, and every proof that the pipeline keeps.
#ifndef REWROUGHT_VERIFIER_RULE_CHECK_H_
#define REWROUGHT_VERIFIER_RULE_CHECK_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/float_contract.h"
#include "ir/term.h"
#include "verifier/prover.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

struct RuleCheckOptions {
  std::vector<int> widths;  // empty: all
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny};
  bool literals_exact = false;  // 0.0 and -0.0 in a search match as written (Mesa from 2026 on)
  // Only inputs for which the index of each extract_* and insert_* of the search lies within the value: no program that
  // is NIR has others. Else such an index gives any value (docs/float_contract.md 2.5). Likewise what nir_opcodes.py
  // says beside amul (no overflow: of the unsigned product where u2u* widens it, else of the signed one) and
  // udiv_aligned_4 (of a multiple of 4).
  bool index_in_range = false;
  // Whether the replacement's ops get the fast-math flags of the search's root, as Mesa does from 24.0 on, where ops
  // have such flags. Before, a shader's modes permitted results and no op carried a mark.
  bool inherit_flags = true;
  bool infer = false;            // find the weakest assumptions of a refuted rule
  bool stop_at_refuted = false;  // verify no further case once one is refuted
};

// One case with its place in the rule's list.
struct CheckedCase {
  int width = 0;
  std::vector<std::pair<std::string, int>> sizes;  // of variables, sorted by name, and of "root"
  ir::DenormMode mode = ir::DenormMode::kAny;
  CaseResult result;
  RuleCase rule_case;  // what was verified, for explanations and certificates
};

// Alternatives under which the rule holds, each a set of "n<i>:flag" (op nodes in prefix order of the search) or
// "variable:predicate".
using Assumptions = std::vector<std::string>;

struct RuleVerdict {
  v1::Verdict verdict = v1::VERDICT_UNKNOWN;  // refuted if any case is, else unknown, unsupported, proved, vacuous
  std::vector<CheckedCase> cases;             // by width, then sizes, then mode
  std::vector<Assumptions> weakest;
  double milliseconds = 0;
};

// Verifies `rule`, whose right side is a term. InvalidArgument if its sizes do not fit together: the rule is an error.
absl::StatusOr<RuleVerdict> CheckRule(const Prover& prover, const ir::Rule& rule, const RuleCheckOptions& options);

// As CheckRule for a right side that is already concrete, as a machine program is: `replace_of` gives it for a case's
// search side, or says why it does not fit that case (then the case is left out).
using ReplacementFor = std::function<absl::StatusOr<ir::Term>(const ir::Term& search)>;
absl::StatusOr<RuleVerdict> CheckSearchAgainst(const Prover& prover, const ir::Rule& rule,
                                               const ReplacementFor& replace_of, const RuleCheckOptions& options);

// Gives `replace` to every case whose variables have the sizes at which it reads them and whose root has its size.
ReplacementFor MatchingSizes(const ir::Term& replace);

// BuildAsMesa, with the flags that `options` let it inherit.
void BuildReplacement(const ir::Term& search, const RuleCheckOptions& options, ir::Term* replace);

// The verdict of a rule from those of its cases, as stated at RuleVerdict.
v1::Verdict CombineVerdicts(const std::vector<CheckedCase>& cases);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_RULE_CHECK_H_
