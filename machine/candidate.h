// A rewrite that is not a rule yet: a search term with fixed sizes, and a program or term to replace it.
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
  const Machine* machine = nullptr;
  ir::Term search;                 // May have flags on nodes and predicates on variables.
  std::optional<Program> program;  // Reads the variables of `search`; if unset, `replace` is the replacement.
  ir::Term replace;                // Has fixed sizes; op nodes have no flags except kExact.
};

// Return the text "(search, [PROGRAM])" or "(search, replace)", and its ir::RuleId.
std::string CandidateText(const Candidate& candidate);
ir::Digest CandidateId(const Candidate& candidate);

ir::Rule NirTuple(const Candidate& candidate);

// Returns the replacement as a term for the verifier: the program's term, or `replace` with the flags that it inherits
// from `search`. Fails with InvalidArgument if the program is not legal.
absl::StatusOr<ir::Term> ReplacementTerm(const Candidate& candidate);

// Returns the cost of the replacement. A term costs as much as the program that base selection of `kind` produces for
// it. Returns the errors of BaseCost.
absl::StatusOr<Cost> RightSideCost(const Candidate& candidate, BaseKind kind = BaseKind::kTuned);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_CANDIDATE_H_
