#include "cli/reference/command_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rewrought::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Sample {
  Sample() {
    app.name("tool");
    app.footer("Examples:\n  tool paint");
    CLI::App* const paint = app.add_subcommand("paint", "Paints a file")->group("Work");
    paint->add_option("FILE", file, "the file")->required();
    paint->add_option("-c,--color", color, "its color")->check(CLI::IsMember({"red", "blue"}))->default_val("red");
    paint->add_flag("--gloss", gloss, "shiny");
    paint->add_option("--secret", secret, "hidden")->group("");
    paint->add_option("--layers", layers, "several");
    paint->add_option_group("drying")->add_flag("--dry", dry, "in a group");
    app.add_subcommand("debug", "hidden")->group("");
    CLI::App* const store = app.add_subcommand("store", "Stores things");
    store->footer("Example:\n  tool store get");
    store->add_subcommand("get", "Gets a thing");
  }
  CLI::App app{"A tool"};
  std::string file, color, secret;
  std::vector<std::string> layers;
  bool gloss = false, dry = false;
};

TEST(CommandTree, ReadsOptions) {
  Sample sample;
  const ReferenceCommand program = ReadCommands(sample.app);
  ASSERT_EQ(program.commands.size(), 2u);
  const ReferenceCommand& paint = program.commands[0];
  EXPECT_THAT(paint.path, ElementsAre("tool", "paint"));
  EXPECT_EQ(paint.group, "Work");
  ASSERT_EQ(paint.options.size(), 6u);
  EXPECT_TRUE(paint.options[0].positional);
  EXPECT_TRUE(paint.options[0].required);
  EXPECT_THAT(paint.options[0].names, ElementsAre("FILE"));
  EXPECT_THAT(paint.options[1].names, ElementsAre("-h", "--help"));
  EXPECT_FALSE(paint.options[1].takes_value);
  EXPECT_THAT(paint.options[2].names, ElementsAre("-c", "--color"));
  EXPECT_THAT(paint.options[2].values, ElementsAre("red", "blue"));
  EXPECT_EQ(paint.options[2].value, "TEXT");
  EXPECT_EQ(paint.options[2].default_value, "red");
  EXPECT_FALSE(paint.options[3].takes_value);
  EXPECT_EQ(paint.options[3].value, "");
  EXPECT_TRUE(paint.options[4].repeated);
  EXPECT_THAT(paint.options[4].values, IsEmpty());
  EXPECT_THAT(paint.options[5].names, ElementsAre("--dry"));
}

TEST(CommandTree, InheritedFootersAreOmitted) {
  Sample sample;
  const ReferenceCommand program = ReadCommands(sample.app);
  EXPECT_EQ(program.footer, "Examples:\n  tool paint");
  EXPECT_EQ(program.commands[0].footer, "");
  EXPECT_EQ(program.commands[1].footer, "Example:\n  tool store get");
}

TEST(CommandTree, ListsParentsFirst) {
  Sample sample;
  const ReferenceCommand program = ReadCommands(sample.app);
  std::vector<std::string> names;
  for (const ReferenceCommand* command : AllCommands(program)) names.push_back(command->path.back());
  EXPECT_THAT(names, ElementsAre("tool", "paint", "store", "get"));
}

}  // namespace
}  // namespace rewrought::cli
