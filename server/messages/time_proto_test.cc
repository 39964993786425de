#include "server/messages/time_proto.h"

#include <google/protobuf/util/time_util.h>
#include <gtest/gtest.h>

namespace rewrought::rpc {
namespace {

using google::protobuf::util::TimeUtil;

TEST(TimeProto, TimesOfDay) {
  EXPECT_EQ(TimeUtil::ToString(ToProto(absl::FromUnixMillis(1700000000250))), "2023-11-14T22:13:20.250Z");
  // Before 1970, nanos still counts forward.
  EXPECT_EQ(TimeUtil::ToString(ToProto(absl::FromUnixMillis(-250))), "1969-12-31T23:59:59.750Z");
}

TEST(TimeProto, Spans) {
  EXPECT_EQ(TimeUtil::ToString(ToProto(absl::Milliseconds(61500))), "61.500s");
  EXPECT_EQ(TimeUtil::ToString(ToProto(absl::ZeroDuration())), "0s");
}

TEST(TimeProto, LimitsAreCutToTheService) {
  const absl::Duration most = absl::Seconds(60);
  EXPECT_EQ(*ReadTimeLimit({}, most), most);
  EXPECT_EQ(*ReadTimeLimit({}, most, absl::Seconds(10)), absl::Seconds(10));
  EXPECT_EQ(*ReadTimeLimit(TimeUtil::MillisecondsToDuration(1500), most, absl::Seconds(1)), absl::Milliseconds(1500));
  EXPECT_EQ(*ReadTimeLimit(TimeUtil::SecondsToDuration(61), most), most);
}

TEST(TimeProto, LimitsBelowZeroAreRefused) {
  google::protobuf::Duration wrong;
  wrong.set_nanos(-1);
  EXPECT_EQ(ReadTimeLimit(wrong, absl::Seconds(1)).status().message(), "time_limit: must not be negative or malformed");
  EXPECT_FALSE(ReadTimeLimit(TimeUtil::SecondsToDuration(-1), absl::Seconds(1)).ok());
  wrong.set_nanos(1000000000);
  EXPECT_FALSE(ReadTimeLimit(wrong, absl::Seconds(1)).ok());
}

}  // namespace
}  // namespace rewrought::rpc
