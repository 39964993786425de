#include "proto/own_files.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rewrought::proto {
namespace {

namespace fs = std::filesystem;

// The folder of this test's executable, in which tests may create files.
fs::path OwnFolder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

TEST(OwnFiles, OnlyExecutableFilesArePrograms) {
  EXPECT_TRUE(IsProgram("/bin/sh"));
  EXPECT_FALSE(IsProgram("/bin"));
  EXPECT_FALSE(IsProgram("/etc/passwd"));
  EXPECT_FALSE(IsProgram("/nowhere"));
}

TEST(OwnFiles, ProgramsAreRelativeToTheRunningProgram) {
  const std::string own = OwnFolder();
  const std::vector<std::string> places = PlacesOfProgram("a/b", "helper");
  ASSERT_GE(places.size(), 4u);
  EXPECT_EQ(places[0], own + "/helper");
  EXPECT_EQ(places[1], own + "/../a/b/helper");
  EXPECT_EQ(places[2], own + "/../libexec/rewrought/helper");
}

TEST(OwnFiles, RunfilesComeLast) {
  setenv("RUNFILES_DIR", "/runfiles", 1);
  EXPECT_EQ(PlacesOfProgram("a/b", "helper").back(), "/runfiles/rewrought/a/b/helper");
  unsetenv("RUNFILES_DIR");
}

TEST(OwnFiles, DataOfAnInstallation) {
  EXPECT_EQ(InstalledData("own_files_test_data"), "");
  const fs::path share = OwnFolder().parent_path() / "share/rewrought";
  fs::create_directories(share);
  std::ofstream(share / "own_files_test_data") << "x";
  EXPECT_EQ(fs::canonical(InstalledData("own_files_test_data")), fs::canonical(share / "own_files_test_data"));
  fs::remove_all(share);
}

}  // namespace
}  // namespace rewrought::proto
