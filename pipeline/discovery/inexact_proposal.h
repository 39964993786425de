// Whether a form that is equal over the reals may stand for a fragment: its verdict, and what we ask of its accuracy
// before we propose it.
#ifndef REWROUGHT_PIPELINE_DISCOVERY_INEXACT_PROPOSAL_H_
#define REWROUGHT_PIPELINE_DISCOVERY_INEXACT_PROPOSAL_H_

#include <optional>
#include <stop_token>

#include "enumerator/reals/real_form_search.h"
#include "machine/candidate.h"
#include "verifier/inexact/inexact.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {

// The verdict of an inexact form, and in `candidate` its rule: the general form with `~` at the root and, where it
// needs them, signs of symbols as preconditions, as few as are enough. Nothing: it is not inexact, or `stop` was
// requested. That the rule is refuted bit for bit is the caller's to see. `solver` may be null.
std::optional<verifier::InexactVerdict> VerifyInexactProposal(const enumerator::RealForm& form,
                                                              verifier::Solver* solver, std::stop_token stop,
                                                              machine::Candidate* candidate);

// Whether the candidate as it is, read with `~` at the root, is equal over the reals. `solver` may be null.
bool IsInexact(machine::Candidate candidate, verifier::Solver* solver, std::stop_token stop);

// The rule, or, where it could be applied to its own result for ever (a sum of three products in any order), the rule
// with `is_not_fmul` or `is_not_const` on the variable that ends that, or on two; those that a pack's order asks for,
// if any do (emitter/pass/pass_order.h). Nothing: none ends it.
std::optional<machine::Candidate> Terminating(const machine::Candidate& rule);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_INEXACT_PROPOSAL_H_
