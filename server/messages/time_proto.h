// Converts times and durations to protobuf's well-known types.
#ifndef REWROUGHT_SERVER_MESSAGES_TIME_PROTO_H_
#define REWROUGHT_SERVER_MESSAGES_TIME_PROTO_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace rewrought::rpc {

// Convert a time or a duration, which must be finite. Fractions of a nanosecond are truncated.
google::protobuf::Timestamp ToProto(absl::Time time);
google::protobuf::Duration ToProto(absl::Duration span);

// Returns the requested duration, or `absent` if it is 0. The result is at most `most`. Fails with InvalidArgument,
// naming the field time_limit, if the duration is negative or malformed.
absl::StatusOr<absl::Duration> ReadTimeLimit(const google::protobuf::Duration& asked, absl::Duration most,
                                             absl::Duration absent = absl::InfiniteDuration());

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_TIME_PROTO_H_
