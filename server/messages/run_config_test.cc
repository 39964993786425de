#include "server/messages/run_config.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

namespace rewrought::rpc {
namespace {

// Returns the error message for a configuration, or an empty string.
std::string Wrong(const std::string& text) {
  v1::NightlyConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config)) << text;
  return std::string(CheckRunConfig(config).message());
}

TEST(RunConfig, TakesWhatARunMayAskFor) {
  EXPECT_EQ(Wrong("machines: 'intel_gen9' machines: 'agx_g13' budget { seconds: 10 } modes: DENORM_MODE_FLUSH shard: 1 "
                  "shards: 2 max_ops: 6"),
            "");
}

TEST(RunConfig, NamesTheFieldThatIsWrong) {
  const std::string good = "machines: 'intel_gen9' ";
  const std::pair<std::string, std::string> cases[] = {
      {"", "config.machines:"},
      {"machines: 'none'", "config.machines[0]:"},
      {good + good, "config.machines[1]: is named twice"},
      {good + "budget { seconds: -1 }", "config.budget.seconds:"},
      {good + "budget { seconds: nan }", "config.budget.seconds:"},
      {good + "modes: DENORM_MODE_ANY modes: DENORM_MODE_NONE", "config.modes[1]:"},
      {good + "shard: 1", "config.shard:"},
      {good + "shard: 2 shards: 2", "config.shard:"},
      {good + "shards: 65537", "config.shards:"},
      {good + "max_variables: 17", "config.max_variables:"},
      {good + "max_ops: 17", "config.max_ops:"},
  };
  for (const auto& [text, field] : cases) EXPECT_EQ(Wrong(text).substr(0, field.size()), field) << text;
}

TEST(RunConfig, LetsNobodyNameFiles) {
  for (const std::string field : {"export_dir", "db", "waiver_file", "report_file"}) {
    EXPECT_EQ(Wrong("machines: 'intel_gen9' " + field + ": '/tmp/x'").substr(0, field.size() + 8),
              "config." + field + ":");
  }
  EXPECT_EQ(Wrong("machines: 'intel_gen9' corpus { path: '/etc' }").substr(0, 14), "config.corpus:");
  EXPECT_EQ(Wrong("machines: 'intel_gen9' export_formats: 'nir'").substr(0, 22), "config.export_formats:");
}

}  // namespace
}  // namespace rewrought::rpc
