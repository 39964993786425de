// Wrong neighbours of a rule's right side: one op, constant, modifier or operand changed. They test the verifier.
#ifndef REWROUGHT_SERVER_PIPELINE_MUTANTS_H_
#define REWROUGHT_SERVER_PIPELINE_MUTANTS_H_

#include <cstddef>
#include <vector>

#include "ir/term.h"
#include "server/pipeline/candidate.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {

// Up to `limit` different right sides as terms of known sizes, spread over the kinds of change; the same candidate
// gives the same mutants. Programs are legal, and have the search's type at their root.
std::vector<ir::Term> MutantsOf(const Candidate& candidate, size_t limit);

struct MutantTally {
  int refuted = 0;     // by a witness that was replayed
  int equivalent = 0;  // proved as well: the change does not matter
  int undecided = 0;
};

// Verifies each mutant in mode `any` (`none` without floats) with `prover`, which needs no solver.
MutantTally VerifyMutants(const verifier::Prover& prover, const Candidate& candidate,
                          const std::vector<ir::Term>& mutants);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_MUTANTS_H_
