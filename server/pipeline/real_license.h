// Whether a form that is equal over the reals may stand for a fragment: its judgement, and what we ask of its accuracy
// before we propose it.
#ifndef REWROUGHT_SERVER_PIPELINE_REAL_LICENSE_H_
#define REWROUGHT_SERVER_PIPELINE_REAL_LICENSE_H_

#include <cstddef>
#include <optional>
#include <stop_token>

#include "server/pipeline/mutants.h"
#include "server/pipeline/real_candidates.h"
#include "server/pipeline/rule_draft.h"
#include "verifier/inexact.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {

// The judgement of a licensed candidate, and in `draft` its rule: the general form with `~` at the root and, where it
// needs them, signs of symbols as preconditions, as few as are enough. Nothing: it is not licensed, or `stop` was
// requested. That the rule is refuted bit for bit is the caller's to see. `solver` may be null.
std::optional<verifier::InexactJudgement> License(const RealCandidate& candidate, verifier::Solver* solver,
                                                  std::stop_token stop, RuleDraft* draft);

// Whether the draft as it is, read with `~` at the root, is equal over the reals. `solver` may be null.
bool IsLicensed(RuleDraft draft, verifier::Solver* solver, std::stop_token stop);

// Whether the errors of the replacement stay near those of the search side: docs/decisions.md, "What a licensed rule
// may lose".
bool KeepsAccuracy(const verifier::InexactJudgement& judgement);

// The rule, or, where it could be applied to its own result for ever (a sum of three products in any order), the rule
// with `is_not_fmul` or `is_not_const` on the variable that ends that, or on two. Nothing: none does.
std::optional<RuleDraft> Terminating(const RuleDraft& rule);

// Judges up to `limit` mutants of a rule over the reals, without a solver.
MutantTally JudgeMutantsOverReals(const RuleDraft& draft, size_t limit, std::stop_token stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_REAL_LICENSE_H_
