#include "server/http/connect_text.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/parse_limits.h"
#include "proto/utf8.h"
#include "server/messages/error_details.pb.h"

namespace rewrought::rpc {
namespace {

// The Connect code and the HTTP status of each gRPC code, indexed by gRPC code.
constexpr std::pair<const char*, int> kCodes[] = {
    {"ok", 200},
    {"canceled", 499},
    {"unknown", 500},
    {"invalid_argument", 400},
    {"deadline_exceeded", 504},
    {"not_found", 404},
    {"already_exists", 409},
    {"permission_denied", 403},
    {"resource_exhausted", 429},
    {"failed_precondition", 400},
    {"aborted", 409},
    {"out_of_range", 400},
    {"unimplemented", 501},
    {"internal", 500},
    {"unavailable", 503},
    {"data_loss", 500},
    {"unauthenticated", 401},
};

const std::pair<const char*, int>& RowOf(grpc::StatusCode code) {
  const bool known = code >= 0 && static_cast<size_t>(code) < std::size(kCodes);
  return kCodes[known ? code : grpc::StatusCode::UNKNOWN];
}

}  // namespace

int HttpStatusOf(grpc::StatusCode code) { return RowOf(code).second; }

std::string ErrorJson(const grpc::Status& status) {
  nlohmann::json error{{"code", RowOf(status.error_code()).first}, {"message", ToUtf8(status.error_message())}};
  ErrorStatus details;
  if (!status.error_details().empty() && details.ParseFromString(status.error_details())) {
    for (const AnyDetail& detail : details.details()) {
      std::string value = absl::Base64Escape(detail.value());
      while (!value.empty() && value.back() == '=') value.pop_back();
      const absl::string_view type = absl::StripPrefix(detail.type_url(), "type.googleapis.com/");
      error["details"].push_back({{"type", std::string(type)}, {"value", value}});
    }
  }
  return error.dump();
}

grpc::Status Decode(Encoding encoding, const std::string& text, google::protobuf::Message* message) {
  // The protobuf library limits the nesting of binary messages to 100 levels, so only their length is limited here.
  const absl::Status bounded = encoding == Encoding::kProto ? proto::CheckLength(text, proto::kMessageLimits)
                                                            : proto::CheckJson(text, proto::kMessageLimits);
  if (!bounded.ok()) return {grpc::StatusCode::INVALID_ARGUMENT, absl::StrCat("the body: ", bounded.message())};
  if (encoding == Encoding::kProto) {
    if (message->ParseFromString(text)) return grpc::Status::OK;
    return {grpc::StatusCode::INVALID_ARGUMENT, absl::StrCat("the body is not a valid ", message->GetTypeName())};
  }
  const auto status = google::protobuf::util::JsonStringToMessage(text.empty() ? "{}" : text, message);
  if (status.ok()) return grpc::Status::OK;
  return {grpc::StatusCode::INVALID_ARGUMENT,
          absl::StrCat("the body is not valid JSON for ", message->GetTypeName(), ": ",
                       ToUtf8(absl::string_view(status.message().data(), status.message().size())))};
}

grpc::Status Encode(Encoding encoding, const google::protobuf::Message& message, std::string* text) {
  const bool written = encoding == Encoding::kProto ? message.SerializeToString(text)
                                                    : google::protobuf::util::MessageToJsonString(message, text).ok();
  if (written) return grpc::Status::OK;
  return {grpc::StatusCode::INTERNAL, absl::StrCat("the ", message.GetTypeName(), " could not be written")};
}

std::string Frame(uint8_t flags, absl::string_view text) {
  std::string frame(1, static_cast<char>(flags));
  for (int shift = 24; shift >= 0; shift -= 8) frame.push_back(static_cast<char>(text.size() >> shift));
  absl::StrAppend(&frame, text);
  return frame;
}

absl::StatusOr<std::string> ReadFrame(absl::string_view body) {
  if (body.size() < 5)
    return absl::InvalidArgumentError("the body is too short: a message starts with a 5-byte header");
  if (body[0] != 0) return absl::UnimplementedError("compressed messages are not supported");
  size_t size = 0;
  for (int i = 1; i <= 4; ++i) size = size << 8 | static_cast<uint8_t>(body[i]);
  if (body.size() - 5 != size) return absl::InvalidArgumentError("the body's length does not match its 5-byte header");
  return std::string(body.substr(5));
}

absl::StatusOr<absl::Duration> ReadTimeout(absl::string_view header) {
  if (header.empty()) return absl::InfiniteDuration();
  int64_t milliseconds = 0;
  if (header.size() > 10 || !std::all_of(header.begin(), header.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(header, &milliseconds)) {
    return absl::InvalidArgumentError("Connect-Timeout-Ms: must be a number of at most ten digits");
  }
  return absl::Milliseconds(milliseconds);
}

}  // namespace rewrought::rpc
