#include "emitter/pass/tree_patch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rewrought::emitter {
namespace {

constexpr char kTarget[] = R"text(
name: "some-1.0" sources: "this test"
tree_edits { file: "nir.h" anchor: "} nir_shader;" before: true lines: "   uint8_t discovered_passes[4];" }
tree_edits { file: "nir.h" anchor: "bool last(void);" lines: "bool $PASS(nir_shader *shader);" }
tree_edits { place: "main_rest" machines: "some" file: "driver.c" anchor: ["   } while (progress);", "}"] before: true
             lines: ["      if (!progress)", "         progress = $PASS(s);"] }
tree_edits { place: "after_late" machines: "some" file: "driver.c" anchor: "   late();" lines: "   $PASS(s);" }
)text";

class TreePatchTest : public ::testing::Test {
 protected:
  TreePatchTest()
      : tree_(::testing::TempDir() + "/tree"), target_(*NirTarget::Parse(kTarget, "some_1_0.textproto", {})) {
    std::filesystem::remove_all(tree_);
    std::filesystem::create_directories(tree_);
    Write("nir.h", "typedef struct {\n   int x;\n} nir_shader;\n\nbool first(void);\nbool last(void);\n");
    std::string driver = "static bool\nloop(void)\n{\n   do {\n      work();\n   } while (progress);\n}\n";
    for (int i = 0; i < 30; ++i) absl::StrAppend(&driver, "int filler", i, ";\n");
    Write("driver.c", driver + "void f(void)\n{\n   late();\n}\n");
  }

  void Write(const std::string& name, const std::string& text) const { std::ofstream(tree_ + "/" + name) << text; }

  absl::StatusOr<std::string> Patch() const {
    return TreePatch(tree_, target_, {"nir_opt_x", "some_gpu", "rules = [\n]\n", {"main_rest", "after_late"}, "Why."});
  }

  const std::string tree_;
  const NirTarget target_;
};

TEST_F(TreePatchTest, IsTakenByGitAm) {
  const absl::StatusOr<std::string> patch = Patch();
  ASSERT_TRUE(patch.ok()) << patch.status();
  EXPECT_EQ(*patch, *Patch());
  std::ofstream(tree_ + "/../x.patch") << *patch;
  const std::string git = absl::StrCat("cd ", tree_, " && export GIT_CONFIG_NOSYSTEM=1 HOME=", tree_,
                                       " && git init -q && git config user.name x && git config user.email x@x && ");
  ASSERT_EQ(std::system((git + "git add . && git commit -qm x && git am -q ../x.patch").c_str()), 0) << *patch;
  const auto has = [&](const std::string& name, const std::string& text) {
    std::ifstream file(tree_ + "/" + name);
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    return all.find(text) != std::string::npos;
  };
  EXPECT_TRUE(has("nir.h", "   int x;\n   uint8_t discovered_passes[4];\n} nir_shader;"));
  EXPECT_TRUE(has("nir.h",
                  "last(void);\nbool nir_opt_x_main_rest(nir_shader *shader);\n"
                  "bool nir_opt_x_after_late(nir_shader *shader);\n"));
  EXPECT_TRUE(
      has("driver.c", "      work();\n      if (!progress)\n         progress = nir_opt_x_main_rest(s);\n   } while"));
  EXPECT_TRUE(has("driver.c", "   late();\n   nir_opt_x_after_late(s);\n}"));
  EXPECT_TRUE(has("src/compiler/nir/nir_opt_x.py", "rules = [\n]\n"));
  // A second pass in the same tree does not add the shared lines again.
  const auto second = TreePatch(tree_, target_, {"nir_opt_y", "some_gpu", "rules = []\n", {"after_late"}, "Why."});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_FALSE(absl::StrContains(*second, "+   uint8_t discovered_passes"));
  std::ofstream(tree_ + "/../y.patch") << *second;
  EXPECT_EQ(std::system((git + "git am -q ../y.patch").c_str()), 0) << *second;
  EXPECT_TRUE(has("nir.h", "   int x;\n   uint8_t discovered_passes[4];\n} nir_shader;"));
}

TEST_F(TreePatchTest, DeclaresThePassInItsOwnHeader) {
  const auto target = NirTarget::Parse(absl::StrCat(kTarget, R"(own_header: true
                               tree_edits { machines: "some" file: "driver.c" anchor: "static bool" before: true
                                            lines: "#include \"compiler/nir/$NAME.h\"" })"),
                                       "some_1_0.textproto", {});
  ASSERT_TRUE(target.ok()) << target.status();
  const auto patch = TreePatch(tree_, *target, {"nir_opt_x", "some_gpu", "rules = []\n", {"after_late"}, "Why."});
  ASSERT_TRUE(patch.ok()) << patch.status();
  for (const char* text :
       {"+#include \"compiler/nir/nir_opt_x.h\"\n static bool", "+++ b/src/compiler/nir/nir_opt_x.h\n",
        "+#ifndef NIR_OPT_X_H\n+#define NIR_OPT_X_H\n", "+bool nir_opt_x_after_late(nir_shader *shader);\n"}) {
    EXPECT_TRUE(absl::StrContains(*patch, text)) << text << "\n" << *patch;
  }
  EXPECT_FALSE(absl::StrContains(*Patch(), "nir_opt_x.h"));
}

TEST_F(TreePatchTest, NamesTheFileOfAnotherVersion) {
  Write("nir.h", "typedef struct {\n   int x;\n} nir_shader;\n");
  EXPECT_NE(Patch().status().message().find("nir.h has no line \"bool last(void);\""), std::string::npos)
      << Patch().status();
  Write("nir.h", "} nir_shader;\n} nir_shader;\nbool last(void);\n");
  EXPECT_NE(Patch().status().message().find("more than one line"), std::string::npos);
  std::filesystem::remove(tree_ + "/nir.h");
  EXPECT_TRUE(absl::IsNotFound(Patch().status()));
}

TEST_F(TreePatchTest, WithoutAMachineAllDriversCallIt) {
  const auto target = NirTarget::Parse(
      absl::StrCat(kTarget, R"(tree_edits { place: "main_rest" machines: "other" file: "other.c" anchor: "loop();"
                               lines: "$PASS(s);" })"),
      "some_1_0.textproto", {});
  ASSERT_TRUE(target.ok()) << target.status();
  Write("other.c", "loop();\n");
  const auto patch = TreePatch(tree_, *target, {"nir_opt_x", "", "", {"main_rest", "after_late"}, ""});
  ASSERT_TRUE(patch.ok()) << patch.status();
  for (const char* line :
       {"+         progress = nir_opt_x_main_rest(s);", "+   nir_opt_x_after_late(s);", "+nir_opt_x_main_rest(s);"}) {
    EXPECT_TRUE(absl::StrContains(*patch, line)) << line;
  }
  EXPECT_FALSE(absl::StrContains(*patch, "nir_opt_x.py")) << *patch;
}

TEST_F(TreePatchTest, NamesAMachineWithoutAKnownPlace) {
  const auto patch = TreePatch(tree_, target_, {"nir_opt_x", "other", "", {"main_rest"}, ""});
  EXPECT_TRUE(absl::IsFailedPrecondition(patch.status()));
  EXPECT_NE(patch.status().message().find("the driver of other"), std::string::npos) << patch.status();
}

}  // namespace
}  // namespace rewrought::emitter
