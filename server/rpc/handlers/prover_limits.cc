#include "server/rpc/handlers/prover_limits.h"

#include <algorithm>
#include <cstdint>

namespace rewrought::rpc {

verifier::ProverOptions ProverOptionsFor(const Call& call, bool keep_query) {
  verifier::ProverOptions options;
  const auto budget = static_cast<uint32_t>(std::max<int64_t>(1, absl::ToInt64Milliseconds(call.remaining())));
  for (uint32_t& timeout : options.uninterpreted_timeout_ms) timeout = std::min(timeout, budget);
  options.confirming_timeout_ms = std::min(options.confirming_timeout_ms, budget);
  for (uint32_t& timeout : options.native_timeout_ms) timeout = std::min(timeout, budget);
  options.keep_query = keep_query;
  options.cancel = call.stop();
  return options;
}

}  // namespace rewrought::rpc
