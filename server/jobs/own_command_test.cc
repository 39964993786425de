#include "server/jobs/own_command.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace rewrought::rpc {
namespace {

OwnCommand Shell(const std::string& script) {
  OwnCommand command;
  command.program = "/bin/sh";
  command.arguments = {"-c", script};
  command.limit = std::chrono::seconds(30);
  return command;
}

TEST(OwnCommand, GivesOutputAndEnd) {
  const absl::StatusOr<CommandResult> end = rpc::Run(Shell("echo out; echo err >&2"));
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->output, "out\n");
  EXPECT_TRUE(end->process.clean);
  EXPECT_FALSE(rpc::Run(Shell("exit 3"))->process.clean);
}

TEST(OwnCommand, ErrorsWhereTheyAreWanted) {
  OwnCommand command = Shell("echo err >&2");
  command.with_errors = true;
  EXPECT_EQ(rpc::Run(command)->output, "err\n");
}

TEST(OwnCommand, RespectsTheTimeLimit) {
  OwnCommand command = Shell("exec sleep 60");
  command.limit = std::chrono::milliseconds(50);
  EXPECT_EQ(rpc::Run(command).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(OwnCommand, EndsWhenItIsStopped) {
  std::stop_source stop;
  OwnCommand command = Shell("exec sleep 60");
  command.stop = stop.get_token();
  std::jthread later([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  EXPECT_EQ(rpc::Run(command).status().code(), absl::StatusCode::kCancelled);
}

TEST(OwnCommand, OutputIsBounded) {
  EXPECT_EQ(rpc::Run(Shell("exec cat /dev/zero")).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(OwnCommand, NamesWhatIsNoProgram) {
  OwnCommand command = Shell("");
  command.program = "/none";
  EXPECT_EQ(rpc::Run(command).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace rewrought::rpc
