#include "tools/driver_rig/runner/nir_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace driver_rig {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Returns the output of NIR_DEBUG=print: pass names, and the shader after each pass that changed it. VALUE identifies
// the state.
std::string Shader(const std::string& stage, const std::string& value) {
  return "shader: MESA_SHADER_" + stage +
         "\nsource_blake3: {0x1}\nname: GLSL1\nimpl main {\n    block b0:  // preds:\n" + "    32    %0 = " + value +
         "\n}\n\n";
}

std::string Output() {
  return "some driver says hello\n" + Shader("VERTEX", "v0") + "nir_opt_algebraic\n" + Shader("VERTEX", "v1") +
         "nir_opt_algebraic\n" + "nir_opt_algebraic_late\n" + Shader("VERTEX", "v2") + Shader("FRAGMENT", "f0") +
         "nir_opt_algebraic\n" + Shader("FRAGMENT", "f1") + "nir_lower_flrp\n" + Shader("FRAGMENT", "f2") +
         "nir_opt_algebraic\n" + "nir_opt_algebraic_late\n" + Shader("FRAGMENT", "f3") + "nir_opt_algebraic_late\n" +
         "nir_opt_algebraic\n" + Shader("FRAGMENT", "f4");
}

std::map<std::string, std::string> StatesAt(const std::string& text) {
  Place place;
  EXPECT_TRUE(ParsePlace(text, place)) << text;
  return FindStates(Output(), place);
}

TEST(NirStatesTest, EachPlaceOfEachStage) {
  EXPECT_THAT(StatesAt("late=first:nir_opt_algebraic_late"),
              ElementsAre(Pair("fragment", Shader("FRAGMENT", "f2")), Pair("vertex", Shader("VERTEX", "v1"))));
  EXPECT_THAT(StatesAt("late=last:nir_opt_algebraic_late"),
              ElementsAre(Pair("fragment", Shader("FRAGMENT", "f3")), Pair("vertex", Shader("VERTEX", "v1"))));
  EXPECT_THAT(StatesAt("main=last:nir_opt_algebraic:nir_opt_algebraic_late"),
              ElementsAre(Pair("fragment", Shader("FRAGMENT", "f2")), Pair("vertex", Shader("VERTEX", "v1"))));
  EXPECT_THAT(StatesAt("main=last:nir_opt_algebraic"),
              ElementsAre(Pair("fragment", Shader("FRAGMENT", "f3")), Pair("vertex", Shader("VERTEX", "v1"))));
  EXPECT_THAT(StatesAt("end=end"),
              ElementsAre(Pair("fragment", Shader("FRAGMENT", "f4")), Pair("vertex", Shader("VERTEX", "v2"))));
  EXPECT_THAT(StatesAt("flrp=first:nir_lower_flrp"), ElementsAre(Pair("fragment", Shader("FRAGMENT", "f1"))));
  EXPECT_THAT(StatesAt("none=first:nir_opt_cse"), IsEmpty());
}

TEST(NirStatesTest, NothingPrintedOrCutShort) {
  Place place;
  ASSERT_TRUE(ParsePlace("end=end", place));
  EXPECT_THAT(FindStates("", place), IsEmpty());
  EXPECT_THAT(FindStates("nir_opt_algebraic\n", place), IsEmpty());
  EXPECT_THAT(FindStates("shader: MESA_SHADER_COMPUTE\nimpl main {", place),
              ElementsAre(Pair("compute", "shader: MESA_SHADER_COMPUTE\nimpl main {")));
}

TEST(NirStatesTest, PlacesThatAreNone) {
  Place place;
  for (const char* text : {"", "late", "=end", "late=", "late=first", "late=first:", "late=first:a:b", "late=middle:a",
                           "late=last:a:b:c", "../late=end"}) {
    EXPECT_FALSE(ParsePlace(text, place)) << text;
  }
}

}  // namespace
}  // namespace driver_rig
