#include "cli/server_option.h"

#include <gtest/gtest.h>

namespace rewrought::cli {
namespace {

TEST(ServerOption, FillsWhatTheClientNeeds) {
  CLI::App app;
  rpc::ClientOptions options;
  AddServerOptions(&app, &options);
  app.parse("--server host:1 --tls --token-file t");
  EXPECT_EQ(options.address, "host:1");
  EXPECT_TRUE(options.tls);
  EXPECT_EQ(options.token_file, "t");
}

TEST(ServerOption, NothingOfItWithoutAServer) {
  for (const char* line : {"--tls", "--tls-ca f", "--tls-cert f", "--tls-key f", "--token-file f"}) {
    CLI::App app;
    rpc::ClientOptions options;
    AddServerOptions(&app, &options);
    EXPECT_THROW(app.parse(line), CLI::RequiresError) << line;
  }
}

TEST(ServerOption, AnInterruptedCallIsNoError) {
  Context context;
  FailCall(&context, absl::UnavailableError("nobody answers"));
  EXPECT_EQ(context.exit_code, kBadInput);
  Context stopped;
  FailCall(&stopped, absl::CancelledError("cancelled by the server"));
  EXPECT_EQ(stopped.exit_code, kBadInput);
  Context interrupted;
  interrupted.stop.request_stop();
  FailCall(&interrupted, absl::CancelledError("stopped"));
  EXPECT_EQ(interrupted.exit_code, kYes);
}

}  // namespace
}  // namespace rewrought::cli
