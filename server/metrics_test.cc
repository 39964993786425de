#include "server/metrics.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rewrought::rpc {
namespace {

TEST(Metrics, CountsCallsByCodeAndTime) {
  Metrics metrics;
  for (const int code : {0, 0, 5}) {
    metrics.CallStarted();
    metrics.CallEnded("/grpc.health.v1.Health/Check", code, absl::Milliseconds(20));
  }
  metrics.CallStarted();
  const std::string text = metrics.Text();
  const std::string method = "method=\"/grpc.health.v1.Health\"";
  for (const std::string& line :
       {absl::StrCat("rewrought_calls_total{code=\"0\",", method, "} 2\n"),
        absl::StrCat("rewrought_calls_total{code=\"5\",", method, "} 1\n"),
        absl::StrCat("rewrought_call_seconds_bucket{", method, ",le=\"0.01\"} 0\n"),
        absl::StrCat("rewrought_call_seconds_bucket{", method, ",le=\"0.03\"} 3\n"),
        absl::StrCat("rewrought_call_seconds_bucket{", method, ",le=\"+Inf\"} 3\n"),
        absl::StrCat("rewrought_call_seconds_count{", method, "} 3\n"), std::string("rewrought_calls_in_flight 1\n")}) {
    EXPECT_TRUE(absl::StrContains(text, line)) << line << text;
  }
}

TEST(Metrics, LabelsAreNotTheCallers) {
  Metrics metrics;
  for (int i = 0; i < 3; ++i) metrics.CallEnded(absl::StrCat("/no.Service/Method", i), 12, absl::ZeroDuration());
  metrics.CallEnded("no path", 12, absl::ZeroDuration());
  EXPECT_TRUE(absl::StrContains(metrics.Text(), "rewrought_calls_total{code=\"12\",method=\"other\"} 4\n"));
  EXPECT_FALSE(absl::StrContains(metrics.Text(), "no.Service"));
}

}  // namespace
}  // namespace rewrought::rpc
