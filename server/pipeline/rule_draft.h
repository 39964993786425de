// A rewrite before it is a rule: a search side of fixed sizes and a program or term for it; its text and its id.
#ifndef REWROUGHT_SERVER_PIPELINE_RULE_DRAFT_H_
#define REWROUGHT_SERVER_PIPELINE_RULE_DRAFT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/base_selection.h"
#include "machine/cost.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "server/store/digest.h"
#include "server/store/records.h"

namespace rewrought::pipeline {

struct RuleDraft {
  const machine::Machine* machine = nullptr;  // whose rule it is
  ir::Term search;                            // with node flags and predicates of variables
  std::optional<machine::Program> program;    // over the search's variables, or else
  ir::Term replace;                           // of known sizes; op nodes without flags
};

// "(search, [PROGRAM])" or "(search, replace)", and its store::RuleId.
std::string DraftText(const RuleDraft& draft);
store::Digest DraftId(const RuleDraft& draft);

// The tuple of a draft in NIR.
ir::Rule NirTuple(const RuleDraft& draft);

// The replacement as a term for the verifier: the program's, or `replace` with the flags that it inherits.
// InvalidArgument: the program is not legal.
absl::StatusOr<ir::Term> ReplacementTerm(const RuleDraft& draft);

// What the right side costs by itself: the program, or strong base selection of the replacement. Errors of
// machine::BaseCost.
absl::StatusOr<machine::Cost> RightSideCost(const RuleDraft& draft,
                                            machine::BaseKind kind = machine::BaseKind::kStrong);

// The draft that a stored rule says. InvalidArgument: its texts do not parse; NotFound: its machine is unknown.
absl::StatusOr<RuleDraft> DraftOfRecord(const store::RuleRecord& record);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_RULE_DRAFT_H_
