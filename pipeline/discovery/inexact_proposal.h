// Decides whether a form that is equal over the reals is proposed to replace a fragment: its verdict and its
// accuracy.
#ifndef REWROUGHT_PIPELINE_DISCOVERY_INEXACT_PROPOSAL_H_
#define REWROUGHT_PIPELINE_DISCOVERY_INEXACT_PROPOSAL_H_

#include <optional>
#include <stop_token>

#include "enumerator/reals/real_form_search.h"
#include "machine/candidate.h"
#include "verifier/inexact/inexact.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {

// Returns the verdict of an inexact form and sets `candidate` to its rule: the general form with `~` at the root and,
// if necessary, as few signs of symbols as possible as preconditions. Returns no verdict if the form is not inexact
// or `stop` was requested. The caller must check that the rule is refuted bit for bit. `solver` may be null.
std::optional<verifier::InexactVerdict> VerifyInexactProposal(const enumerator::RealForm& form,
                                                              verifier::Solver* solver, std::stop_token stop,
                                                              machine::Candidate* candidate);

// Returns whether the candidate, with `~` at its root, is equal over the reals. `solver` may be null.
bool IsInexact(machine::Candidate candidate, verifier::Solver* solver, std::stop_token stop);

// Returns the rule if it terminates. A rule that could be applied to its own result forever, such as a reordering of
// a sum of three products, gets `is_not_fmul` or `is_not_const` on one or two variables, preferably so that it also
// fits a pack's order (emitter/pass/pass_order.h). Returns no rule if no such guard makes it terminate.
std::optional<machine::Candidate> Terminating(const machine::Candidate& rule);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_INEXACT_PROPOSAL_H_
