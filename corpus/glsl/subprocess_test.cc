#include "corpus/glsl/subprocess.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "proto/address_space.h"

namespace rewrought::corpus {
namespace {

TEST(Subprocess, GivesOutputAndExitCode) {
  const auto result = RunProcess({"sh", "-c", "echo one; echo two >&2; exit 3"}, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output, "one\ntwo\n");
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_FALSE(result->timed_out);
}

TEST(Subprocess, StopsWhatRunsTooLong) {
  ProcessLimits limits;
  limits.seconds = 0.2;
  const auto start = std::chrono::steady_clock::now();
  const auto result = RunProcess({"sleep", "20"}, limits);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Subprocess, BoundsOutput) {
  ProcessLimits limits;
  limits.output_bytes = 1000;
  const auto result = RunProcess({"sh", "-c", "head -c 1000000 /dev/zero"}, limits);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_LE(result->output.size(), 1000u + 4096u);
}

TEST(Subprocess, BoundsMemory) {
  if (!proto::kLimitsAddressSpace) GTEST_SKIP() << "a sanitizer";
  ProcessLimits limits;
  limits.memory_bytes = uint64_t{64} << 20;
  // To sort a line of 300 MB, `sort` must hold it in memory.
  const auto result = RunProcess({"sh", "-c", "head -c 300000000 /dev/zero | sort > /dev/null"}, limits);
  ASSERT_TRUE(result.ok());
  EXPECT_NE(result->exit_code, 0);
}

TEST(Subprocess, RunsAFunctionInAFork) {
  int touched = 0;
  const auto result = RunForked(
      [&](int output) {
        touched = 1;
        return write(output, "words", 5) == 5 ? 7 : 8;
      },
      {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output, "words");
  EXPECT_EQ(result->exit_code, 7);
  EXPECT_EQ(touched, 0);
  const auto killed = RunForked([](int) -> int { abort(); }, {});
  ASSERT_TRUE(killed.ok());
  EXPECT_EQ(killed->exit_code, -1);
  ProcessLimits limits;
  limits.seconds = 0.1;
  const auto late = RunForked([](int) -> int { return static_cast<int>(sleep(20)); }, limits);
  ASSERT_TRUE(late.ok());
  EXPECT_TRUE(late->timed_out);
}

TEST(Subprocess, MissingProgramIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(RunProcess({"no-such-program-anywhere"}, {}).status()));
}

}  // namespace
}  // namespace rewrought::corpus
