// Converts the denormal modes and dialects of requests, and the programs that improve an expression.
#ifndef REWROUGHT_SERVER_MESSAGES_VERDICT_PROTO_H_
#define REWROUGHT_SERVER_MESSAGES_VERDICT_PROTO_H_

#include "absl/status/statusor.h"
#include "ir/dialect/dialect.h"
#include "ir/float_contract.h"
#include "pipeline/improve.h"
#include "proto/rewrought/v1/improve_service.pb.h"
#include "proto/rewrought/v1/proof.pb.h"

namespace rewrought::rpc {

// Returns the mode of a request; DENORM_MODE_UNSPECIFIED means `any`. Fails with InvalidArgument, naming `field`, for
// any value except any, flush, and preserve.
absl::StatusOr<ir::DenormMode> ModeFromProto(int mode, absl::string_view field);

// Returns the dialect of a request; DIALECT_UNSPECIFIED means ir::DefaultDialect. Fails with InvalidArgument, naming
// the field "dialect", for a number that is not a dialect.
absl::StatusOr<ir::Dialect> DialectFromProto(int dialect, bool has_machine);

v1::ImproveResponse ToProto(const pipeline::Improvement& improvement);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_VERDICT_PROTO_H_
