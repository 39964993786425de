// The first generalisation of a proved rule: its constants as symbols, under the weakest of Mesa's predicates that is
// enough.
#ifndef REWROUGHT_ENUMERATOR_SYMBOLIC_CONSTANTS_H_
#define REWROUGHT_ENUMERATOR_SYMBOLIC_CONSTANTS_H_

#include <stop_token>
#include <vector>

#include "enumerator/prover_interface.h"
#include "ir/float_contract.h"
#include "machine/candidate.h"

namespace rewrought::enumerator {

// `candidate`, which is proved in `modes`, with as many constants as symbols ('#b', '#b(is_…)') as `prover` proves,
// one by one; the candidate itself where none can be one. What comes back has been verified without confirmation.
machine::Candidate WithSymbolicConstants(const machine::Candidate& candidate, const std::vector<ir::DenormMode>& modes,
                                         ProverInterface* prover, std::stop_token stop);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_SYMBOLIC_CONSTANTS_H_
