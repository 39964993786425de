// A rewrite before it is a rule: a search side of fixed sizes and a program or term for it; its text and its id.
#ifndef REWROUGHT_SERVER_PIPELINE_CANDIDATE_H_
#define REWROUGHT_SERVER_PIPELINE_CANDIDATE_H_

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

struct Candidate {
  const machine::Machine* machine = nullptr;  // whose rule it is
  ir::Term search;                            // with node flags and predicates of variables
  std::optional<machine::Program> program;    // over the search's variables, or else
  ir::Term replace;                           // of known sizes; op nodes without flags
};

// "(search, [PROGRAM])" or "(search, replace)", and its store::RuleId.
std::string CandidateText(const Candidate& candidate);
store::Digest CandidateId(const Candidate& candidate);

// The tuple of a candidate in NIR.
ir::Rule NirTuple(const Candidate& candidate);

// The replacement as a term for the verifier: the program's, or `replace` with the flags that it inherits.
// InvalidArgument: the program is not legal.
absl::StatusOr<ir::Term> ReplacementTerm(const Candidate& candidate);

// What the right side costs by itself: the program, or tuned baseline selection of the replacement. Errors of
// machine::BaseCost.
absl::StatusOr<machine::Cost> RightSideCost(const Candidate& candidate,
                                            machine::BaseKind kind = machine::BaseKind::kTuned);

// The candidate that a stored rule says. InvalidArgument: its texts do not parse; NotFound: its machine is unknown.
absl::StatusOr<Candidate> CandidateOfRecord(const store::RuleRecord& record);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_CANDIDATE_H_
