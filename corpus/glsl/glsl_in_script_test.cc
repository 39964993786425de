#include "corpus/glsl/glsl_in_script.h"

#include <string>

#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

TEST(GlslInScript, FindsTemplates) {
  const auto found = GlslLiterals("const a = 1;\nexport default /* glsl */`\nuniform vec4 c;\nvoid main() { }\n`;\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 2);
  EXPECT_EQ(found[0].text, "\nuniform vec4 c;\nvoid main() { }\n");
  EXPECT_TRUE(found[0].unusable.empty());
}

TEST(GlslInScript, UndoesEscapes) {
  const auto found = GlslLiterals(R"(var s="uniform vec2 p;\nvoid main() { gl_FragColor = vec4(p, p); } // \"x\"";)");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text, "uniform vec2 p;\nvoid main() { gl_FragColor = vec4(p, p); } // \"x\"");
}

TEST(GlslInScript, NamesWhyALiteralIsUnusable) {
  const auto found = GlslLiterals(
      "a(`vec4 c; void main() { ${ b ? `x${1}` : '}' } }`); b('vec4 c;\\n#include <common>\\nvoid main() {}');"
      "c('vec4 d; void main() {}')");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].unusable, "template with substitutions");
  EXPECT_EQ(found[1].unusable, "needs #include");
  EXPECT_EQ(found[2].unusable, "");
}

TEST(GlslInScript, SkipsCommentsAndRegularExpressions) {
  EXPECT_TRUE(GlslLiterals("// 'vec4 a; void main() {}'\n/* `vec4 a; void main() {}` */").empty());
  // The quote in the regular expression does not start a literal.
  const auto found = GlslLiterals("x = /[\"/]/.test(y); z = 'vec4 a; void main() {}';");
  ASSERT_EQ(found.size(), 1u);
  // A division is not a regular expression.
  EXPECT_EQ(GlslLiterals("a = b / c; d = 'vec4 a; void main() {}'; e = f / g;").size(), 1u);
}

TEST(GlslInScript, OtherLiteralsAreNotGiven) { EXPECT_TRUE(GlslLiterals("a = 'hello'; b = `void`;").empty()); }

TEST(GlslInScript, TakesAnything) {
  for (const char* text : {"", "`", "'\\", "`${", "`${`${`", "/", "/[", "\"\n\"", "`\\"})
    EXPECT_TRUE(GlslLiterals(text).empty());
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "`${";
  const auto refused = GlslLiterals(deep);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].unusable,
            "more than 32 levels of nesting, the limit for a script with GLSL; cut the shaders out of the script");
}

}  // namespace
}  // namespace rewrought::corpus
