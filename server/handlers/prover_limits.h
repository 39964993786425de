// Prover limits for a call.
#ifndef REWROUGHT_SERVER_HANDLERS_PROVER_LIMITS_H_
#define REWROUGHT_SERVER_HANDLERS_PROVER_LIMITS_H_

#include "server/call.h"
#include "verifier/prover.h"

namespace rewrought::rpc {

// Limits each query to the call's remaining time. The call's stop token ends the whole proof.
verifier::ProverOptions ProverOptionsFor(const Call& call, bool keep_query);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_PROVER_LIMITS_H_
