#include "server/messages/time_proto.h"

#include <algorithm>
#include <cstdint>

#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

constexpr int32_t kNanosInSecond = 1000000000;

}  // namespace

google::protobuf::Timestamp ToProto(absl::Time time) {
  google::protobuf::Timestamp proto;
  proto.set_seconds(absl::ToUnixSeconds(time));  // rounds down, so that nanos is not negative
  proto.set_nanos(static_cast<int32_t>((time - absl::FromUnixSeconds(proto.seconds())) / absl::Nanoseconds(1)));
  return proto;
}

google::protobuf::Duration ToProto(absl::Duration span) {
  google::protobuf::Duration proto;
  proto.set_seconds(absl::IDivDuration(span, absl::Seconds(1), &span));
  proto.set_nanos(static_cast<int32_t>(span / absl::Nanoseconds(1)));
  return proto;
}

absl::StatusOr<absl::Duration> ReadTimeLimit(const google::protobuf::Duration& asked, absl::Duration most,
                                             absl::Duration absent) {
  if (asked.seconds() < 0 || asked.nanos() < 0 || asked.nanos() >= kNanosInSecond) {
    return FieldError("time_limit", "must not be negative or malformed");
  }
  const absl::Duration limit = absl::Seconds(asked.seconds()) + absl::Nanoseconds(asked.nanos());
  return std::min(most, limit == absl::ZeroDuration() ? absent : limit);
}

}  // namespace rewrought::rpc
