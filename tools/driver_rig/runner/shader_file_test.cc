#include "tools/driver_rig/runner/shader_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace driver_rig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string Write(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

TEST(ShaderFileTest, SectionsOfAShaderTest) {
  Program program;
  EXPECT_EQ(
      ParseShaderTest("[require]\nGLSL >= 1.30\n\n[vertex shader]\r\nvoid v();\r\n\n[fragment shader]\nvoid f();\n"
                      "int a[2];\n[test]\ndraw rect -1 -1 2 2\n",
                      program),
      "");
  EXPECT_THAT(program,
              ElementsAre(Pair(Stage::kVertex, "void v();\n\n"), Pair(Stage::kFragment, "void f();\nint a[2];\n")));

  Program passthrough;
  EXPECT_EQ(ParseShaderTest("[vertex shader passthrough]\n[fragment shader]\nx\n", passthrough), "");
  EXPECT_THAT(passthrough[Stage::kVertex], HasSubstr("gl_Position"));
  Program none;
  EXPECT_THAT(ParseShaderTest("[require]\nGLSL\n[vertex program]\nx\n", none), HasSubstr("no section"));
}

TEST(ShaderFileTest, FilesByTheirSuffix) {
  Program program;
  EXPECT_EQ(ReadProgram({Write("a.vert", "v"), Write("a.frag", "f"), Write("a.comp", "c")}, program), "");
  EXPECT_THAT(program, ElementsAre(Pair(Stage::kVertex, "v"), Pair(Stage::kFragment, "f"), Pair(Stage::kCompute, "c")));
  Program other;
  EXPECT_THAT(ReadProgram({Write("a.glsl", "v")}, other), HasSubstr("a.glsl: no stage has the suffix 'glsl'"));
  EXPECT_THAT(ReadProgram({Write("a.vs", "v"), Write("b.vert", "w")}, other), HasSubstr("a second vertex shader"));
  EXPECT_THAT(ReadProgram({::testing::TempDir() + "/none.frag"}, other), HasSubstr("cannot be read"));
}

TEST(ShaderFileTest, ContextsByVersion) {
  const auto apis = [](const std::string& text) { return ApisFor({{Stage::kFragment, text}}); };
  EXPECT_EQ(apis("#version 300 es\n").front(), Api::kEs);
  EXPECT_EQ(apis("#version 100\n").front(), Api::kEs);
  EXPECT_EQ(apis("// first\n #  version 330 core\n").front(), Api::kCore);
  EXPECT_EQ(apis("#version 460\n").front(), Api::kCore);
  EXPECT_EQ(apis("#version 330 compatibility\n").front(), Api::kCompatibility);
  EXPECT_EQ(apis("#version 120\n").front(), Api::kCompatibility);
  EXPECT_THAT(apis("void main() {}\n"), ElementsAre(Api::kCompatibility, Api::kEs));
  // A number that does not fit into an int is not a version.
  EXPECT_EQ(apis("#version 99999999999999999999\n").front(), Api::kCompatibility);
  EXPECT_EQ(ApisFor({{Stage::kVertex, ""}, {Stage::kFragment, "#version 310 es\n"}}).front(), Api::kEs);
}

}  // namespace
}  // namespace driver_rig
