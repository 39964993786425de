#include "cli/arguments/list_arguments.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>

namespace rewrought::cli {
namespace {

// Returns the values of a positional option that takes any number of values.
std::vector<std::string> Parsed(std::vector<std::string> arguments) {
  CLI::App app;
  std::vector<std::string> values;
  app.add_option("VALUES", values);
  arguments = KeepListsWhole(std::move(arguments));
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 expects them
  app.parse(arguments);
  return values;
}

TEST(KeepListsWhole, ListsAreNotSplit) {
  EXPECT_EQ(Parsed({"[a, b]", "c", "[]", "[d"}), (std::vector<std::string>{"[a, b] ", "c", "[] ", "[d"}));
}

TEST(KeepListsWhole, AFileKeepsItsName) {
  std::ofstream("[1,2]") << "text";
  EXPECT_EQ(Parsed({"[1,2]"}), std::vector<std::string>{"./[1,2]"});
}

}  // namespace
}  // namespace rewrought::cli
