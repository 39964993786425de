// Errors of calls: one place where absl::Status becomes grpc::Status and back, and how an error names the field that is
// wrong.
#ifndef REWROUGHT_SERVER_MESSAGES_STATUS_H_
#define REWROUGHT_SERVER_MESSAGES_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::rpc {

// InvalidArgument "field: problem"; the field is a path in the request, "config.machines[1]".
absl::Status FieldError(absl::string_view field, absl::string_view problem);

// The same code and message (the codes are numerically equal). The field of a FieldError also goes along as the detail
// google.rpc.BadRequest (github.com/googleapis/googleapis, google/rpc/error_details.proto), which clients' libraries
// read.
grpc::Status ToGrpc(const absl::Status& status);

// What a client was answered, the same code and message.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_STATUS_H_
