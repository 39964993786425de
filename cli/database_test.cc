#include "cli/database.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace rewrought::cli {
namespace {

TEST(Database, MakesItsFolderOnlyWhereItMayMakeADatabase) {
  Context context;
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "new" / "deep";
  context.db = (folder / "rules.db").string();
  EXPECT_FALSE(OpenDatabase(context, store::OpenMode::kReadOnly).ok());
  EXPECT_FALSE(std::filesystem::exists(folder));
  const auto store = OpenDatabase(context, store::OpenMode::kCreate);
  EXPECT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE(std::filesystem::exists(context.db));
}

TEST(Database, NamesTheRemedyWhereTheFolderCannotBeMade) {
  const std::string file = testing::TempDir() + "a_file";
  std::ofstream(file) << "x";
  Context context;
  context.db = file + "/below/rules.db";
  const absl::Status status = OpenDatabase(context, store::OpenMode::kCreate).status();
  EXPECT_NE(status.message().find("--db"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace rewrought::cli
