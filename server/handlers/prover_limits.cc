#include "server/handlers/prover_limits.h"

#include <algorithm>
#include <cstdint>

namespace rewrought::rpc {

verifier::ProverOptions ProverOptionsFor(const Call& call, bool keep_query) {
  verifier::ProverOptions options;
  constexpr int64_t kMost = 86'400'000;
  options.timeout_ms =
      static_cast<uint32_t>(std::clamp<int64_t>(absl::ToInt64Milliseconds(call.remaining()), 1, kMost));
  options.keep_query = keep_query;
  options.cancel = call.stop();
  return options;
}

}  // namespace rewrought::rpc
