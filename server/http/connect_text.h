// Reads and writes the codes, errors, and frames of the Connect protocol (connectrpc.com/docs/protocol).
#ifndef REWROUGHT_SERVER_HTTP_CONNECT_TEXT_H_
#define REWROUGHT_SERVER_HTTP_CONNECT_TEXT_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace rewrought::rpc {

enum class Encoding { kJson, kProto };

int HttpStatusOf(grpc::StatusCode code);

// Returns {"code":"invalid_argument","message":"…","details":[…]} with the details that ToGrpc added.
std::string ErrorJson(const grpc::Status& status);

// Parses a request. Fails with InvalidArgument if it is malformed. An empty JSON text is parsed as the empty message.
grpc::Status Decode(Encoding encoding, const std::string& text, google::protobuf::Message* message);

// Serializes `message`. Fails with Internal if the message cannot be serialized.
grpc::Status Encode(Encoding encoding, const google::protobuf::Message& message, std::string* text);

// Returns one message of a stream as a frame: one byte of flags, four bytes of length, and the text.
constexpr uint8_t kEndOfStream = 2;
std::string Frame(uint8_t flags, absl::string_view text);

// Returns the text of the only frame in `body`. Fails with InvalidArgument, or with Unimplemented if the frame is
// compressed.
absl::StatusOr<std::string> ReadFrame(absl::string_view body);

// Parses the Connect-Timeout-Ms header, a number of at most ten digits. Returns InfiniteDuration if the header is
// empty.
absl::StatusOr<absl::Duration> ReadTimeout(absl::string_view header);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_CONNECT_TEXT_H_
