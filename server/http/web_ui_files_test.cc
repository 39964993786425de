#include "server/http/web_ui_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace rewrought::rpc {
namespace {

namespace fs = std::filesystem;

TEST(WebUiFiles, ServesKnownTypesOnly) {
  std::string folder = testing::TempDir() + "/ui_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const auto write = [&](const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(folder + "/" + name).parent_path());
    std::ofstream(folder + "/" + name) << text;
  };
  write("assets/a-12.js", "let a");
  write("assets/a-12.js.gz", "zipped");
  write("notes.txt", "not ours");
  fs::create_symlink("/etc/passwd", folder + "/passwd.html");
  EXPECT_EQ(ReadPageFiles(folder).status().code(), absl::StatusCode::kNotFound);
  write("index.html", "<p>");
  const absl::StatusOr<PageFiles> files = ReadPageFiles(folder);
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ(*files->at("/").bytes, "<p>");
  EXPECT_FALSE(files->at("/").immutable);
  EXPECT_EQ(*files->at("/assets/a-12.js").gzipped, "zipped");
  EXPECT_EQ(files->at("/assets/a-12.js").type, "text/javascript; charset=utf-8");
  EXPECT_TRUE(files->at("/assets/a-12.js").immutable);
  // A compressed file that is a pipe would block the server, and a link would expose another file.
  ASSERT_EQ(mkfifo((folder + "/index.html.gz").c_str(), 0600), 0);
  const std::string pipe(ReadPageFiles(folder).status().message());
  EXPECT_EQ(pipe.find(folder + "/index.html.gz: is a named pipe"), 0u) << pipe;
  fs::remove(folder + "/index.html.gz");
  fs::create_symlink("/etc/passwd", folder + "/index.html.gz");
  const std::string link(ReadPageFiles(folder).status().message());
  EXPECT_EQ(link.find(folder + "/index.html.gz: is a symbolic link"), 0u) << link;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace rewrought::rpc
