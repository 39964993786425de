// Generates variants of a rule's replacement, with one op, constant, modifier or operand changed, to test the verifier.
#ifndef REWROUGHT_VERIFIER_ORACLE_MUTANTS_H_
#define REWROUGHT_VERIFIER_ORACLE_MUTANTS_H_

#include <cstddef>
#include <vector>

#include "ir/term.h"
#include "machine/candidate.h"
#include "verifier/prover.h"

namespace rewrought::verifier {

// Returns up to `limit` different replacements as sized terms, spread over the kinds of change. The result is
// deterministic. Mutated programs are legal, and their roots have the type of the search's root.
std::vector<ir::Term> MutantsOf(const machine::Candidate& candidate, size_t limit);

struct MutantTally {
  int refuted = 0;     // by a witness that was replayed
  int equivalent = 0;  // proved, so the change does not matter
  int undecided = 0;
};

// Verifies each mutant in mode `any` (`none` without floats) with `prover`, which needs no solver.
MutantTally VerifyMutants(const Prover& prover, const machine::Candidate& candidate,
                          const std::vector<ir::Term>& mutants);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_ORACLE_MUTANTS_H_
