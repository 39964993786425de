// The only conversion between absl::Status and grpc::Status, and the way an error names the wrong field.
#ifndef REWROUGHT_SERVER_MESSAGES_STATUS_H_
#define REWROUGHT_SERVER_MESSAGES_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::rpc {

// Returns InvalidArgument "field: problem". The field is a path in the request, such as "config.machines[1]".
absl::Status FieldError(absl::string_view field, absl::string_view problem);

// Converts to the same code and message (the codes are numerically equal). The field of a FieldError becomes a
// google.rpc.BadRequest detail (github.com/googleapis/googleapis, google/rpc/error_details.proto), which client
// libraries can read.
grpc::Status ToGrpc(const absl::Status& status);

// Converts a client's result to the same code and message.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_STATUS_H_
