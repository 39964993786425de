// How long a prover may take on behalf of a call.
#ifndef REWROUGHT_SERVER_HANDLERS_PROVER_LIMITS_H_
#define REWROUGHT_SERVER_HANDLERS_PROVER_LIMITS_H_

#include "server/call.h"
#include "verifier/prover.h"

namespace rewrought::rpc {

// No query may take longer than the call has left; the work as a whole is ended by the call's stop token.
verifier::ProverOptions ProverOptionsFor(const Call& call, bool keep_query);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_PROVER_LIMITS_H_
