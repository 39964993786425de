// The messages between WorkerPool and a worker process. A message is a 4-byte little-endian length, followed by the
// body. Decoders accept exactly the encoders' output and reject everything else, because neither side trusts the other.
#ifndef REWROUGHT_VERIFIER_WORKER_PROTOCOL_H_
#define REWROUGHT_VERIFIER_WORKER_PROTOCOL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "verifier/budget.h"
#include "verifier/solver.h"

namespace rewrought::verifier {

inline constexpr size_t kLengthBytes = 4;
// The maximum body length in bytes. A larger length indicates a broken peer.
inline constexpr uint32_t kMaxBodyBytes = 64u << 20;

struct WorkerRequest {
  uint64_t id = 0;  // echoed in the reply
  Tactic tactic = Tactic::kNative;
  QueryLimits limits;
  std::string text;
  std::vector<std::string> wanted;
};

struct WorkerReply {
  uint64_t id = 0;
  SolverAnswer answer;
  bool retire = false;  // the worker is out of memory, must be replaced, and accepts no further requests
};

// Returns the complete message, including the length.
std::string EncodeRequest(const WorkerRequest& request);
std::string EncodeReply(const WorkerReply& reply);

// Returns the length of the body that follows `header` (kLengthBytes bytes), or nullopt if the length is 0 or above
// kMaxBodyBytes.
std::optional<uint32_t> DecodeLength(absl::string_view header);

// Decodes a body. Returns nullopt unless the body is an encoder's output. Rejects a wrong version, an out-of-range
// enum, a short or long body, and a contradictory answer (a model without kSat, kUnknown without a reason).
std::optional<WorkerRequest> DecodeRequest(absl::string_view body);
std::optional<WorkerReply> DecodeReply(absl::string_view body);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_PROTOCOL_H_
