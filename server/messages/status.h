// Converts between absl::Status and grpc::Status, and creates errors that name the wrong field of a request.
#ifndef REWROUGHT_SERVER_MESSAGES_STATUS_H_
#define REWROUGHT_SERVER_MESSAGES_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::rpc {

// Returns InvalidArgument "field: problem". The field is a path in the request, such as "config.machines[1]".
absl::Status FieldError(absl::string_view field, absl::string_view problem);

// Converts `status` to a status with the same code and message (the codes are numerically equal). The field of a
// FieldError becomes a google.rpc.BadRequest detail (github.com/googleapis/googleapis,
// google/rpc/error_details.proto), which client libraries can read.
grpc::Status ToGrpc(const absl::Status& status);

// Converts the status that a client received to a status with the same code and message.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_STATUS_H_
