// Decides whether a form equal over the reals may replace a fragment as an inexact rule.
#ifndef REWROUGHT_PIPELINE_DISCOVERY_INEXACT_PROPOSAL_H_
#define REWROUGHT_PIPELINE_DISCOVERY_INEXACT_PROPOSAL_H_

#include <optional>
#include <stop_token>

#include "enumerator/reals/real_form_search.h"
#include "machine/candidate.h"
#include "verifier/inexact/inexact.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {

// Verifies the form over the reals. Returns the verdict, and sets `candidate` to the rule: the general form with `~` at
// the root and, if necessary, preconditions on the signs of as few symbols as possible. Returns nullopt if the form
// does not hold or a stop was requested. The caller must first check that the rule is not proved bit for bit. `solver`
// may be null.
std::optional<verifier::InexactVerdict> VerifyInexactProposal(const enumerator::RealForm& form,
                                                              verifier::Solver* solver, std::stop_token stop,
                                                              machine::Candidate* candidate);

// Returns whether the two sides of the candidate, with `~` at the root, are equal over the reals. `solver` may be null.
bool IsInexact(machine::Candidate candidate, verifier::Solver* solver, std::stop_token stop);

// Returns the rule with the guards that make it terminate: none, or up to two of `is_not_fmul` and `is_not_const` on
// variables. Without guards, a reordering of a sum of three products, for example, could be applied to its own result
// forever. Prefers guards with which the rule also decreases the measure of a pack's pass (emitter/pass/pass_order.h),
// even if it terminates without them. Returns nullopt if no such guards make the rule terminate.
std::optional<machine::Candidate> Terminating(const machine::Candidate& rule);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_INEXACT_PROPOSAL_H_
