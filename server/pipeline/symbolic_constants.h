// The first generalisation of a proved rule: its constants as symbols, under the weakest of Mesa's predicates that is
// enough.
#ifndef REWROUGHT_SERVER_PIPELINE_SYMBOLIC_CONSTANTS_H_
#define REWROUGHT_SERVER_PIPELINE_SYMBOLIC_CONSTANTS_H_

#include <stop_token>
#include <vector>

#include "ir/float_contract.h"
#include "server/pipeline/candidate.h"
#include "server/pipeline/candidate_verifier.h"

namespace rewrought::pipeline {

// `candidate`, which is proved in `modes`, with as many constants as symbols ('#b', '#b(is_…)') as the verifier proves,
// one by one; the candidate itself where none can be one. What comes back has been verified without confirmation.
Candidate WithSymbolicConstants(const Candidate& candidate, const std::vector<ir::DenormMode>& modes,
                                CandidateVerifier* candidate_verifier, std::stop_token stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_SYMBOLIC_CONSTANTS_H_
