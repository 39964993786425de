// Determines the sizes and float controls for which a rule's proofs allow its export.
#ifndef REWROUGHT_EMITTER_PROVED_CASES_H_
#define REWROUGHT_EMITTER_PROVED_CASES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "ir/text/sizes.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

struct ProvedCase {
  ir::SizeAssignment sizes;
  // A C condition over `info->float_controls_execution_mode` that selects the proved modes; empty means any mode.
  std::string condition;
};

struct ProvedCases {
  std::vector<ProvedCase> cases;      // In the order of RuleSizes::Enumerate.
  bool all = false;                   // Every assignment that typing allows is in `cases` or can never match.
  std::vector<std::string> left_out;  // The other assignments, such as "a:64 root:64".
};

// Returns the cases of `rule` that `entry`'s proofs cover. The replacement may be empty if the rule has a program. A
// case is proved in a mode if every assignment with the same sizes of variables and root is proved in that mode. An
// inexact rule (`~`) instead needs a proof over the reals (entry.rule.inexact) and a strict verdict of proved, refuted,
// or unknown for each case. Fails with InvalidArgument for inconsistent sizes, and with FailedPrecondition if no case
// is proved.
absl::StatusOr<ProvedCases> FindProvedCases(const ir::Rule& rule, const v1::PackEntry& entry);

// Returns, for example, "a:32 root:32".
std::string SizesText(const ir::SizeAssignment& sizes);

// Returns the conjunction of two C conditions; an empty condition is true.
std::string BothConditions(const std::string& x, const std::string& y);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PROVED_CASES_H_
