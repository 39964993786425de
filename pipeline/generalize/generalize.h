// Generalizes a rule: drops its unnecessary parts, lets its constants vary, opens its sizes, and finds the other rules
// of its family. Proves every intermediate rule.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_GENERALIZE_H_
#define REWROUGHT_PIPELINE_GENERALIZE_GENERALIZE_H_

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/prover.h"
#include "verifier/rule_check.h"

namespace rewrought::pipeline {

struct GeneralizeOptions {
  verifier::RuleCheckOptions check;  // the dialect and the modes in which every rule must hold
  std::chrono::milliseconds limit = std::chrono::seconds(10);
  bool families = true;  // also find the other rules of the family
  std::stop_token stop = {};
};

// A part of a rule that could not be dropped.
struct KeptPart {
  std::string part;    // "n1:nsz", "b:is_odd", "the constant 0x80000000", "the size 32", ...
  std::string reason;  // the case and the witness that refute the rule without it, or another reason
};

struct GeneralizedRule {
  // The general rule, or one rule for each size at which it holds; then the other rules of its family.
  std::vector<ir::Rule> members;
  size_t own_sizes = 1;            // the number of leading members that are the general rule at one or more sizes
  std::vector<std::string> steps;  // one sentence for each generalization, in order
  std::vector<KeptPart> kept;
  // The accuracy of a given rule with `~` that does not hold bit for bit, and otherwise ACCURACY_CLASS_UNSPECIFIED.
  v1::AccuracyClass accuracy = v1::ACCURACY_CLASS_UNSPECIFIED;
  bool complete = true;  // false if the time limit or `stop` ended the search
};

// Generalizes a rule that holds in all its cases: bit for bit or, if it is marked `~`, over the reals. If such a rule
// is not less accurate than the code that it replaces, this is also true of the general rule. Fails with
// FailedPrecondition and the reason if the rule is refuted or undecided, and with InvalidArgument if its sizes are
// inconsistent. All members are proved with the same options as the rule.
absl::StatusOr<GeneralizedRule> Generalize(const verifier::Prover& prover, const ir::Rule& rule,
                                           const GeneralizeOptions& options);

// Like Generalize, but keeps the rule's sizes, which must be determined, and does not search for its family. Returns
// the general rule at the same sizes.
absl::StatusOr<ir::Rule> GeneralizeAtOwnSizes(const verifier::Prover& prover, const ir::Rule& rule,
                                              const GeneralizeOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_GENERALIZE_H_
