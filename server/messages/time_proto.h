// Times of day and spans of time as protobuf's own messages.
#ifndef REWROUGHT_SERVER_MESSAGES_TIME_PROTO_H_
#define REWROUGHT_SERVER_MESSAGES_TIME_PROTO_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace rewrought::rpc {

// Both are finite; what is below a nanosecond is cut off.
google::protobuf::Timestamp ToProto(absl::Time time);
google::protobuf::Duration ToProto(absl::Duration span);

// What a request asks for, or `absent` where that is 0; at most `most`. InvalidArgument, naming the field time_limit:
// it is no span from 0 on.
absl::StatusOr<absl::Duration> ReadTimeLimit(const google::protobuf::Duration& asked, absl::Duration most,
                                             absl::Duration absent = absl::InfiniteDuration());

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_TIME_PROTO_H_
