// The messages between WorkerPool and a worker process: a length (4 bytes, little-endian), then that many bytes of
// body. Decoders accept exactly what encoders write and refuse everything else; nothing here trusts the other side.
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
// Longest body, in bytes; a longer length is a broken peer.
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
  bool retire = false;  // the worker asks to be replaced (memory trouble); it takes no further request
};

// Returns the whole message, length included.
std::string EncodeRequest(const WorkerRequest& request);
std::string EncodeReply(const WorkerReply& reply);

// Length of the body that follows `header` (kLengthBytes bytes); nullopt if it is 0 or above kMaxBodyBytes.
std::optional<uint32_t> DecodeLength(absl::string_view header);

// Decodes a body; nullopt if it is anything but an encoder's output: wrong version, enum out of range, short, long,
// an answer that contradicts itself (a model without kSat, a reason missing from kUnknown).
std::optional<WorkerRequest> DecodeRequest(absl::string_view body);
std::optional<WorkerReply> DecodeReply(absl::string_view body);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_PROTOCOL_H_
