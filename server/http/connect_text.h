// Spelling of the Connect protocol (connectrpc.com/docs/protocol): codes, errors, frames.
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

// The HTTP status of an error's answer.
int HttpStatusOf(grpc::StatusCode code);

// {"code":"invalid_argument","message":"…","details":[…]}; details are those that ToGrpc gave.
std::string ErrorJson(const grpc::Status& status);

// Reads a request. InvalidArgument: it is none. An empty JSON text is the empty message.
grpc::Status Decode(Encoding encoding, const std::string& text, google::protobuf::Message* message);

// Internal: the message cannot be written so.
grpc::Status Encode(Encoding encoding, const google::protobuf::Message& message, std::string* text);

// One message of a stream: a byte of flags, four of length, the text.
constexpr uint8_t kEndOfStream = 2;
std::string Frame(uint8_t flags, absl::string_view text);

// The text of the only frame in `body`. InvalidArgument, or Unimplemented for a compressed one.
absl::StatusOr<std::string> ReadFrame(absl::string_view body);

// Connect-Timeout-Ms: at most ten digits. InfiniteDuration for an empty header.
absl::StatusOr<absl::Duration> ReadTimeout(absl::string_view header);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_CONNECT_TEXT_H_
