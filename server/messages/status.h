// Converts between absl::Status and grpc::Status, and creates errors that name the offending field of a request.
#ifndef REWROUGHT_SERVER_MESSAGES_STATUS_H_
#define REWROUGHT_SERVER_MESSAGES_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::rpc {

// Returns InvalidArgument "field: problem". The field is a path in the request, such as "config.machines[1]".
absl::Status FieldError(absl::string_view field, absl::string_view problem);

// Returns a gRPC status that has the code and the message of `status` (the codes are numerically equal). The field of a
// FieldError becomes a google.rpc.BadRequest detail (github.com/googleapis/googleapis, google/rpc/error_details.proto),
// which client libraries can read.
grpc::Status ToGrpc(const absl::Status& status);

// Returns an absl::Status that has the code and the message of the status that a client received.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_STATUS_H_
