// Decodes arbitrary bytes as a message between the pool and a worker. Decoded messages must encode to the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "verifier/worker/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::verifier;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)DecodeLength(bytes);
  const auto body = [](const std::string& message) { return absl::string_view(message).substr(kLengthBytes); };
  if (const auto request = DecodeRequest(bytes); request.has_value()) {
    if (body(EncodeRequest(*request)) != bytes) std::abort();
  }
  if (const auto reply = DecodeReply(bytes); reply.has_value() && !DecodeReply(body(EncodeReply(*reply))).has_value()) {
    std::abort();
  }
  return 0;
}
