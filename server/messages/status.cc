#include "server/messages/status.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "proto/utf8.h"
#include "server/messages/error_details.pb.h"

namespace rewrought::rpc {
namespace {

constexpr char kFieldPayload[] = "rewrought/field";

}  // namespace

absl::Status FieldError(absl::string_view field, absl::string_view problem) {
  absl::Status status = absl::InvalidArgumentError(absl::StrCat(field, ": ", problem));
  status.SetPayload(kFieldPayload, absl::Cord(field));
  return status;
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const auto code = static_cast<grpc::StatusCode>(status.raw_code());
  const std::string message = ToUtf8(status.message());
  const auto field = status.GetPayload(kFieldPayload);
  if (!field.has_value()) return grpc::Status(code, message);
  FieldViolations violations;
  FieldViolations::FieldViolation* violation = violations.add_field_violations();
  violation->set_field(ToUtf8(std::string(*field)));
  violation->set_description(message.size() > field->size() + 2 ? message.substr(field->size() + 2) : message);
  ErrorStatus details;
  details.set_code(status.raw_code());
  details.set_message(message);
  AnyDetail* detail = details.add_details();
  detail->set_type_url("type.googleapis.com/google.rpc.BadRequest");
  detail->set_value(violations.SerializeAsString());
  return grpc::Status(code, message, details.SerializeAsString());
}

absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace rewrought::rpc
