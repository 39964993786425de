#include "corpus/glsl/glsl_compilers.h"

#include <stdlib.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "corpus/spirv/spirv_simplify.h"
#include "corpus/spirv/spirv_words.h"
#include "gtest/gtest.h"
#include "proto/address_space.h"

namespace rewrought::corpus {
namespace {

constexpr char kGood[] = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = gl_FragCoord * 2.0; }\n";
constexpr char kBad[] = "#version 450\nvoid main() { nonsense; }\n";
constexpr char kSpirv[] = "\x03\x02\x23\x07";

bool Compiles(GlslCompilers* compilers) {
  const auto result = compilers->Compile(kGood, GlslStage::kFragment, GlslDialect::kOpenGl, {});
  return result.ok() && result->exit_code == 0 && absl::StartsWith(result->output, kSpirv);
}

// Returns the output of glslangValidator with flags from glsl_worker_protocol.h.
std::string ByProgram(const std::string& text, std::vector<std::string> flags) {
  const std::string folder = getenv("TEST_TMPDIR");
  const std::string source = folder + "/x.glsl", binary = folder + "/x.spv";
  std::ofstream(source) << text;
  std::vector<std::string> arguments = {"glslangValidator", "-S", "frag", "--aml", "--amb", "-g"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.insert(arguments.end(), {"-o", binary, source});
  const auto result = RunProcess(arguments, {});
  EXPECT_TRUE(result.ok() && result->exit_code == 0) << result->output;
  std::ifstream file(binary, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(GlslCompilers, GivesWhatTheProgramGives) {
  GlslCompilers compilers;
  const std::string bare = "uniform float a; uniform sampler2D t; uniform vec3 b[2];\n";
  const std::string body = "out vec4 c;\nvoid main() { c = texture(t, b[1].xy * a) + dFdx(gl_FragCoord); }\n";
  const std::string es = "#version 310 es\nprecision mediump float;\n" + bare + body;
  const std::string desktop = "#version 450\n" + bare + body;
  const struct {
    GlslDialect dialect;
    std::string text;
    std::vector<std::string> flags;
  } cases[] = {
      {GlslDialect::kVulkan12, kGood, {"-V", "--target-env", "vulkan1.2"}},
      {GlslDialect::kOpenGl, desktop, {"-G"}},
      {GlslDialect::kVulkan12Relaxed, desktop, {"-V", "-R", "--target-env", "vulkan1.2"}},
      {GlslDialect::kVulkanRelaxed, es, {"-V", "-R"}},
      {GlslDialect::kVulkanRelaxed, desktop, {"-V", "-R"}},
  };
  for (const auto& each : cases) {
    const auto result = compilers.Compile(each.text, GlslStage::kFragment, each.dialect, {});
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_EQ(result->exit_code, 0) << result->output;
    // The outputs are equal except for file names.
    EXPECT_EQ(WithoutSource(result->output), WithoutSource(ByProgram(each.text, each.flags)))
        << static_cast<int>(each.dialect);
  }
}

TEST(GlslCompilers, TellsErrorsWithTheirLine) {
  GlslCompilers compilers;
  const auto result = compilers.Compile(kBad, GlslStage::kFragment, GlslDialect::kOpenGl, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 1);
  EXPECT_TRUE(absl::StrContains(result->output, "ERROR: 0:2: 'nonsense'")) << result->output;
}

TEST(GlslCompilers, NoTextHarmsTheNext) {
  GlslCompilers compilers;
  const std::string deep = "#version 450\nout vec4 c; void main() { c = vec4(" + std::string(200000, '(') + "1.0" +
                           std::string(200000, ')') + "); }\n";
  const auto crashed = compilers.Compile(deep, GlslStage::kFragment, GlslDialect::kOpenGl, {});
  ASSERT_TRUE(crashed.ok()) << crashed.status();
  EXPECT_NE(crashed->exit_code, 0);
  EXPECT_TRUE(Compiles(&compilers));

  ProcessLimits short_time;
  short_time.seconds = 0.0001;
  const auto late = compilers.Compile(kGood, GlslStage::kFragment, GlslDialect::kOpenGl, short_time);
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_TRUE(late->timed_out);
  EXPECT_TRUE(Compiles(&compilers));
}

TEST(GlslCompilers, LittleMemoryHarmsNoNextText) {
  if (!proto::kLimitsAddressSpace) GTEST_SKIP() << "a sanitizer";
  GlslCompilers compilers;
  ProcessLimits little_memory;
  little_memory.memory_bytes = 1 << 20;
  std::string large = kGood;
  for (int i = 0; i < 20000; ++i) large += "float f" + std::to_string(i) + "(float x) { return x; }\n";
  const auto starved = compilers.Compile(large, GlslStage::kFragment, GlslDialect::kOpenGl, little_memory);
  ASSERT_TRUE(starved.ok()) << starved.status();
  EXPECT_NE(starved->exit_code, 0);
  EXPECT_TRUE(Compiles(&compilers));
}

TEST(GlslCompilers, SimplifiesModulesWithinLimits) {
  GlslCompilers compilers;
  const auto compiled = compilers.Compile(kGood, GlslStage::kFragment, GlslDialect::kOpenGl, {});
  ASSERT_TRUE(compiled.ok());
  const std::vector<uint32_t> words = *SpirvWords(compiled->output);
  const auto simple = compilers.Simplify(words, {});
  ASSERT_TRUE(simple.ok()) << simple.status();
  EXPECT_EQ(*simple, *SimplifySpirv(words));
  std::vector<uint32_t> broken = words;
  broken[5] = 0xffffffff;
  EXPECT_EQ(compilers.Simplify(broken, {}).status(), SimplifySpirv(broken).status());
  ProcessLimits none;
  none.seconds = 0.0001;
  EXPECT_EQ(compilers.Simplify(words, none).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(absl::IsNotFound(GlslCompilers("").Simplify(words, {}).status()));
  EXPECT_TRUE(Compiles(&compilers));
}

TEST(GlslCompilers, ServesManyThreads) {
  GlslCompilers compilers;
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 8; ++k) good += Compiles(&compilers) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 32);
}

TEST(GlslCompilers, WithoutAWorkerIsNotFound) {
  for (const char* worker : {"", "/nowhere/worker", "/bin/false", "/bin/echo"}) {
    GlslCompilers compilers(worker);
    const auto result = compilers.Compile(kGood, GlslStage::kFragment, GlslDialect::kOpenGl, {});
    EXPECT_TRUE(absl::IsNotFound(result.status())) << worker << ": " << result.status();
  }
}

}  // namespace
}  // namespace rewrought::corpus
