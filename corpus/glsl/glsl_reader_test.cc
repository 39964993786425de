#include "corpus/glsl/glsl_reader.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

size_t Count(const ir::Shader& shader, absl::string_view op) {
  size_t count = 0;
  for (const ir::Node& node : shader.values.nodes) count += node.kind == ir::NodeKind::kOp && node.op->name == op;
  return count;
}

TEST(GlslReader, ReadsModernGlsl) {
  const auto shader = ReadGlsl(R"(#version 450
layout(location = 0) in vec2 p;
layout(location = 0) out vec4 c;
void main() { c = vec4(sqrt(p.x) * p.y); })",
                               "x.frag", "test", {});
  ASSERT_TRUE(shader.ok()) << shader.status();
  EXPECT_EQ(shader->stage, "fragment");
  EXPECT_EQ(Count(*shader, "fsqrt"), 1u);
  EXPECT_EQ(Count(*shader, "fmul"), 1u);
}

TEST(GlslReader, ReadsOldGlsl) {
  const auto shader = ReadGlsl(R"(uniform sampler2D t; varying vec2 p;
void main() { gl_FragColor = texture2D(t, p) * gl_Color * float(WEIGHT); }
#ifdef WEIGHT
#endif)",
                               "x.frag", "test", {});
  ASSERT_TRUE(shader.ok()) << shader.status();
  EXPECT_GE(Count(*shader, "fmul"), 4u);
}

TEST(GlslReader, ReadsEs100WithRelaxedPrecision) {
  const auto shader = ReadGlsl(R"(precision mediump float;
varying vec2 p; uniform float k;
void main() { gl_FragColor = vec4(p.x * k); })",
                               "x.fs", "test", {});
  ASSERT_TRUE(shader.ok()) << shader.status();
  EXPECT_EQ(shader->notes, (std::vector<ir::ShaderNote>{{"relaxed precision", 3}}));
}

TEST(GlslReader, PreciseIsExact) {
  const auto shader = ReadGlsl(R"(#version 450
layout(location = 0) in vec2 p; layout(location = 0) out vec4 c;
void main() { precise float f = p.x * p.y + 1.0; c = vec4(f); })",
                               "x.frag", "test", {});
  ASSERT_TRUE(shader.ok()) << shader.status();
  for (const ir::Node& node : shader->values.nodes) {
    EXPECT_TRUE(node.kind != ir::NodeKind::kOp || (node.flags & ir::kExact) != 0);
  }
  EXPECT_EQ(Count(*shader, "fadd"), 1u);
}

TEST(GlslReader, ReadsBothOldOutputsInOneText) {
  const auto shader = ReadGlsl(R"(#version 100
precision mediump float;
varying vec2 p;
void main() {
#ifdef MANY
  gl_FragData[0] = p.xyxy;
  gl_FragData[1] = p.yyyy;
#else
  gl_FragColor = p.xyxy * 2.0;
#endif
})",
                               "x.frag", "test", {});
  ASSERT_TRUE(shader.ok()) << shader.status();
  EXPECT_EQ(Count(*shader, "fmul"), 2u);  // one for each of the two lanes of p
}

TEST(GlslReader, TellsTheFirstError) {
  const auto shader = ReadGlsl("void main() { gl_FragColor = nonsense; }", "x.frag", "test", {});
  EXPECT_TRUE(absl::IsInvalidArgument(shader.status()));
  EXPECT_TRUE(absl::StrContains(shader.status().message(), "nonsense")) << shader.status();
  EXPECT_TRUE(absl::StartsWith(shader.status().message(), "GLSL does not compile: "));
}

TEST(GlslReader, OpsHaveTheLinesOfTheFile) {
  // Sources that are ported, completed, or unchanged must give the same result whether a worker or the program compiles
  // them.
  const char* const texts[] = {
      "uniform vec4 a;\n/* two\n lines */ varying vec2 b;\nvoid main() { gl_FragColor = sqrt(a); }",
      "#version 330\nuniform vec4 a;\nout vec4 c;\nvoid main() { c = sqrt(a); }",
      "\n\n\nvec4 transition(vec2 p) { return vec4(sqrt(p.x)); }",
  };
  GlslCompilers compilers;
  GlslOptions by_worker;
  by_worker.compilers = &compilers;
  by_worker.first_line = 11;
  for (const char* text : texts) {
    for (const GlslOptions& options : {by_worker, GlslOptions{}}) {
      const auto shader = ReadGlsl(text, "x.frag", "test", options);
      ASSERT_TRUE(shader.ok()) << shader.status();
      size_t roots = 0;
      for (size_t i = 0; i < shader->values.nodes.size(); ++i) {
        const ir::Node& node = shader->values.nodes[i];
        if (node.kind != ir::NodeKind::kOp || node.op->name != "fsqrt") continue;
        EXPECT_EQ(shader->info[i].line, options.first_line + 3) << text;
        ++roots;
      }
      EXPECT_GE(roots, 1u) << text;
    }
  }
}

TEST(GlslReader, ErrorsNameTheLineOfTheSource) {
  // Errors in sources that are ported, completed, or part of a larger file must still report the file's line numbers.
  const char* const texts[] = {
      "uniform vec4 a;\n/* two\n lines */ varying vec2 b;\nvoid main() { gl_FragColor = nonsense; }",
      "#version 330\n#extension GL_KHR_blend_equation_advanced : enable\nout vec4 c;\nvoid main() { c = nonsense; }",
      "precision mediump float;\n\n\nvoid main() { gl_FragColor = nonsense; }",
      "\n\n\nvec4 transition(vec2 p) { return nonsense; }",
  };
  GlslCompilers compilers;
  GlslOptions options;
  options.compilers = &compilers;
  for (const char* text : texts) {
    options.first_line = 1;
    const auto shader = ReadGlsl(text, "x.frag", "test", options);
    EXPECT_TRUE(absl::StrContains(shader.status().message(), "line 4: 'nonsense'")) << shader.status();
    options.first_line = 11;
    const auto later = ReadGlsl(text, "x.frag", "test", options);
    EXPECT_TRUE(absl::StrContains(later.status().message(), "line 14: 'nonsense'")) << later.status();
  }
  // The program, which is used if there is no worker, reports the same error.
  const auto shader = ReadGlsl(texts[0], "x.frag", "test", {});
  EXPECT_TRUE(absl::StrContains(shader.status().message(), "line 4: 'nonsense'")) << shader.status();
}

TEST(GlslReader, SyntaxErrorsAndEmptyTextAreErrors) {
  EXPECT_FALSE(ReadGlsl("", "x.frag", "test", {}).ok());
  EXPECT_FALSE(ReadGlsl("void main() {", "x.frag", "test", {}).ok());
  EXPECT_FALSE(ReadGlsl("#version 450\nvoid main() { 1 + }", "x.vert", "test", {}).ok());
}

TEST(GlslReader, MissingCompilerIsNotFound) {
  GlslOptions options;
  options.compiler = "no-such-glsl-compiler";
  EXPECT_TRUE(absl::IsNotFound(ReadGlsl("void main() {}", "x.frag", "test", options).status()));
}

TEST(GlslReader, CompilerThatRunsTooLongIsStopped) {
  GlslOptions options;
  options.limits.seconds = 0.001;
  const auto shader = ReadGlsl("void main() { gl_FragColor = vec4(1); }", "x.frag", "test", options);
  EXPECT_TRUE(absl::StrContains(shader.status().message(), "too long")) << shader.status();
}

TEST(GlslReader, SplitsShaderTests) {
  constexpr absl::string_view kText = R"([require]
GLSL >= 1.30

[vertex shader passthrough]

[fragment shader]
out vec4 c;
void main() { c = vec4(1); }

[fragment shader spirv]
OpCapability Shader

[test]
draw rect -1 -1 2 2
)";
  EXPECT_TRUE(LooksLikeShaderTest(kText));
  const auto stages = SplitShaderTest(kText);
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_EQ(stages[0].stage, GlslStage::kFragment);
  EXPECT_TRUE(absl::StartsWith(stages[0].text, "#version 130\n")) << stages[0].text;
  EXPECT_EQ(stages[0].line, 6);  // the line of the #version that was added before line 7
  EXPECT_FALSE(absl::StrContains(stages[0].text, "draw"));
  EXPECT_FALSE(LooksLikeShaderTest("int a[3];\n"));
}

TEST(GlslReader, TellsGlslFromOtherText) {
  EXPECT_TRUE(LooksLikeGlsl("uniform vec4 a; void main() {}"));
  EXPECT_FALSE(LooksLikeGlsl("int main() { return 0; }"));
  EXPECT_FALSE(LooksLikeGlsl("The main function is void of vec4."));
}

}  // namespace
}  // namespace rewrought::corpus
