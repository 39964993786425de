// The first step in generalizing a proved rule: replaces its constants with symbols that have the weakest sufficient
// Mesa predicates.
#ifndef REWROUGHT_ENUMERATOR_SYMBOLIC_CONSTANTS_H_
#define REWROUGHT_ENUMERATOR_SYMBOLIC_CONSTANTS_H_

#include <stop_token>
#include <vector>

#include "enumerator/prover_interface.h"
#include "ir/float_contract.h"
#include "machine/candidate.h"

namespace rewrought::enumerator {

// Returns `candidate`, which is proved in `modes`, with as many constants as possible replaced by symbols ('#b',
// '#b(is_…)'). Replaces constants one by one, and only if `prover` proves the resulting rule. These proofs are not
// confirmed by a second solver. Returns the candidate itself if no constant can be replaced.
machine::Candidate WithSymbolicConstants(const machine::Candidate& candidate, const std::vector<ir::DenormMode>& modes,
                                         ProverInterface* prover, std::stop_token stop);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_SYMBOLIC_CONSTANTS_H_
