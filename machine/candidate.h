// A rewrite before it is a rule: a search side of fixed sizes and a program or term for it; its text and its id.
#ifndef REWROUGHT_MACHINE_CANDIDATE_H_
#define REWROUGHT_MACHINE_CANDIDATE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "ir/term.h"
#include "machine/base/base_selection.h"
#include "machine/cost.h"
#include "machine/machine.h"
#include "machine/program.h"

namespace rewrought::machine {

struct Candidate {
  const Machine* machine = nullptr;  // whose rule it is
  ir::Term search;                   // with node flags and predicates of variables
  std::optional<Program> program;    // over the search's variables, or else
  ir::Term replace;                  // of known sizes; op nodes without flags
};

// "(search, [PROGRAM])" or "(search, replace)", and its ir::RuleId.
std::string CandidateText(const Candidate& candidate);
ir::Digest CandidateId(const Candidate& candidate);

// The tuple of a candidate in NIR.
ir::Rule NirTuple(const Candidate& candidate);

// The replacement as a term for the verifier: the program's, or `replace` with the flags that it inherits.
// InvalidArgument: the program is not legal.
absl::StatusOr<ir::Term> ReplacementTerm(const Candidate& candidate);

// What the right side costs by itself: the program, or tuned baseline selection of the replacement. Errors of
// BaseCost.
absl::StatusOr<Cost> RightSideCost(const Candidate& candidate, BaseKind kind = BaseKind::kTuned);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_CANDIDATE_H_
