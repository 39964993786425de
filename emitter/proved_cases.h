// At which sizes, and under which float controls, the proofs that come with a rule let it be exported.
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
  // C text over `info->float_controls_execution_mode` that holds in the modes in which the case is proved; empty: any.
  std::string condition;
};

struct ProvedCases {
  std::vector<ProvedCase> cases;      // in RuleSizes::Enumerate's order
  bool all = false;                   // every assignment that typing allows is in `cases`, or can never match
  std::vector<std::string> left_out;  // "a:64 root:64", the others
};

// The cases of `rule` (whose replacement may be empty: a program stands for it) that `entry`'s proofs cover. A case is
// proved in a mode when the proofs hold one proved verdict for each assignment with its sizes. An inexact rule (`~`)
// needs proofs over the reals instead (entry.rule.inexact), and a strict verdict of any kind but unknown in each case.
// InvalidArgument when the rule's sizes do not fit together; FailedPrecondition when no case is proved.
absl::StatusOr<ProvedCases> FindProvedCases(const ir::Rule& rule, const v1::PackEntry& entry);

// "a:32 root:32".
std::string SizesText(const ir::SizeAssignment& sizes);

// `x` and `y` as one C condition; an empty one is true.
std::string BothConditions(const std::string& x, const std::string& y);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PROVED_CASES_H_
