// Reads and writes JSON-RPC messages with the framing of the Language Server Protocol (specification 3.17, "Base
// Protocol"): a header with Content-Length in bytes, an empty line, and a JSON text in UTF-8.
#ifndef REWROUGHT_LSP_MESSAGE_STREAM_H_
#define REWROUGHT_LSP_MESSAGE_STREAM_H_

#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::lsp {

using Json = nlohmann::json;

class MessageReader {
 public:
  // Reads at most `size` bytes into `bytes` and returns their number, which is 0 at the end of the input.
  using Source = std::function<absl::StatusOr<size_t>(char* bytes, size_t size)>;
  explicit MessageReader(Source source) : source_(std::move(source)) {}

  // Returns the next message, a JSON object, or nullopt if the input ends between two messages. Returns the errors of
  // the source, and InvalidArgument if a header or the JSON text is malformed or exceeds proto::kMessageLimits. No
  // further message can be read after an error.
  absl::StatusOr<std::optional<Json>> Read();

 private:
  // Reads more bytes into `buffer_`. Returns false at the end of the input.
  absl::StatusOr<bool> Fill();
  // Removes the header from `buffer_` and returns the length of the message, or nullopt at the end of the input.
  absl::StatusOr<std::optional<size_t>> ReadHeader();

  Source source_;
  std::string buffer_;
};

// Writes messages to a file descriptor. Thread-safe.
class MessageWriter {
 public:
  explicit MessageWriter(int descriptor) : descriptor_(descriptor) {}

  // Writes one message. Replaces bytes that are not UTF-8. Returns Unavailable if the descriptor cannot be written, for
  // example because the editor has exited.
  absl::Status Write(const Json& message);

 private:
  const int descriptor_;
  std::mutex mutex_;
};

}  // namespace rewrought::lsp

#endif  // REWROUGHT_LSP_MESSAGE_STREAM_H_
