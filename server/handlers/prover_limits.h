// Limits the prover's work for a call.
#ifndef REWROUGHT_SERVER_HANDLERS_PROVER_LIMITS_H_
#define REWROUGHT_SERVER_HANDLERS_PROVER_LIMITS_H_

#include "server/call.h"
#include "verifier/prover.h"

namespace rewrought::rpc {

// Returns options that limit each query to the call's remaining time and end the whole proof when a stop is requested
// for the call.
verifier::ProverOptions ProverOptionsFor(const Call& call, bool keep_query);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_PROVER_LIMITS_H_
