#include "proto/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/match.h"

namespace rewrought::proto {
namespace {

namespace fs = std::filesystem;

constexpr ParseLimits kSmall = {"a thing", 10, 3, "parts", 2, "cut it"};
constexpr ParseLimits kMegabyte = {"a thing", 1u << 20, 3, "parts", 2, "cut it"};
constexpr ParseLimits kEndless = {"a thing", kUnbounded, 3, "parts", 2, "cut it"};

class ReadFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "in");
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }
  std::string MakePipe(const std::string& name) const {
    EXPECT_EQ(mkfifo(Path(name).c_str(), 0600), 0);
    return Path(name);
  }

  fs::path folder_;
};

TEST_F(ReadFileTest, AFileEndsAtItsLimit) {
  EXPECT_EQ(*ReadFile(Write("fits", "0123456789"), kSmall), "0123456789");
  EXPECT_EQ(*ReadFile(Write("empty", ""), kSmall), "");
  const std::string longer = Write("longer", "0123456789a");
  EXPECT_EQ(ReadFile(longer, kSmall).status().message(),
            longer + ": more than 10 bytes, the limit for a thing; cut it");
  EXPECT_TRUE(absl::IsResourceExhausted(ReadFile(longer, kSmall).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(ReadFile("/dev/zero", kMegabyte).status()));
  EXPECT_EQ(*ReadFile("/dev/null", kSmall), "");
  EXPECT_FALSE(ReadFile("/proc/self/status", kMegabyte)->empty());  // its size is 0
}

TEST_F(ReadFileTest, ErrorsNameTheFileAndTheReason) {
  EXPECT_EQ(ReadFile(Path("none"), kSmall).status().message(),
            Path("none") + ": cannot be read: No such file or directory");
  EXPECT_TRUE(absl::IsNotFound(ReadFile(Path("none"), kSmall).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadFile(std::string("/dev/null\0x", 11), kSmall).status()));
  EXPECT_EQ(ReadFile(folder_.string(), kSmall).status().message(),
            folder_.string() + ": is a folder; name a file in it");
}

TEST_F(ReadFileTest, ALinkIsFollowedOnlyIfTheUserNamedIt) {
  fs::create_symlink(Write("secret", "s"), Path("in/link"));
  EXPECT_EQ(*ReadFile(Path("in/link"), kSmall), "s");
  EXPECT_EQ(
      ReadFileIn(Path("in"), "link", kSmall).status().message(),
      Path("in") + "/link: is a symbolic link, not a regular file; remove it, or replace it with a copy of the file");
  fs::create_directories(Path("outside"));
  Write("outside/secret", "s");
  fs::create_directory_symlink(Path("outside"), Path("in/folder"));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFileIn(Path("in"), "folder/secret", kSmall).status()));
  // The folder itself may be a symbolic link, because the user names it.
  EXPECT_EQ(*ReadFileIn(Path("in/folder"), "secret", kSmall), "s");
}

TEST_F(ReadFileTest, ANameStaysInItsFolder) {
  Write("secret", "s");
  Write("in/file", "f");
  EXPECT_EQ(*ReadFileIn(folder_, "in/file", kSmall), "f");
  for (const std::string name : {"../secret", "..", ".", "", "in/../file", "/secret", "file/", "./file", "in//file"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ReadFileIn(Path("in"), name, kSmall).status())) << name;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFileIn(Path("in"), absl::string_view("file\0", 5), kSmall).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadFileIn(Path("in"), "none", kSmall).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadFileIn(Path("in"), "file/none", kSmall).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadFileIn(Path("none"), "file", kSmall).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFileIn(folder_, "in", kSmall).status()));
}

TEST_F(ReadFileTest, APipeInAFolderIsRefusedAtOnce) {
  MakePipe("in/pipe");
  const absl::Status status = ReadFileIn(Path("in"), "pipe", kSmall).status();
  EXPECT_TRUE(absl::StrContains(status.message(), "in/pipe: is a named pipe")) << status;
}

TEST_F(ReadFileTest, APipeThatTheUserNamesIsReadToItsEnd) {
  const std::string pipe = MakePipe("pipe");
  std::thread writer([&] {
    std::ofstream out(pipe);
    for (const char* piece : {"01", "23", "45"}) {
      out << piece << std::flush;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  EXPECT_EQ(ReadFile(pipe, kSmall).value_or("(none)"), "012345");
  writer.join();
}

TEST_F(ReadFileTest, AStopRequestEndsTheWaitForAWriter) {
  const std::string pipe = MakePipe("pipe");
  std::stop_source stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.request_stop();
  });
  EXPECT_TRUE(absl::IsCancelled(ReadFile(pipe, kSmall, stop.get_token()).status()));
  stopper.join();
  EXPECT_TRUE(absl::IsCancelled(ReadFile("/dev/zero", kEndless, stop.get_token()).status()));
}

TEST_F(ReadFileTest, CancelReadsEndsEveryWait) {
  const std::string pipe = MakePipe("pipe"), file = Write("file", "x");
  const auto read_all = [&] {
    std::jthread canceller([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      CancelReads();
    });
    const bool waiting = absl::IsCancelled(ReadFile(pipe, kSmall).status());
    const bool later = absl::IsCancelled(ReadFile("/dev/zero", kEndless).status());
    std::exit(waiting && later && ReadFile(file, kSmall).ok() ? 0 : 1);
  };
  EXPECT_EXIT(read_all(), testing::ExitedWithCode(0), "");
}

TEST_F(ReadFileTest, TheRestFollowsWhatWasRead) {
  absl::StatusOr<InputFile> file = InputFile::Open(Write("file", "0123456789"));
  ASSERT_TRUE(file.ok());
  std::string bytes(4, '\0');
  EXPECT_EQ(*file->Read(bytes.data(), bytes.size()), 4u);
  EXPECT_TRUE(file->ReadRest(kSmall, &bytes).ok());
  EXPECT_EQ(bytes, "0123456789");
  std::string more = "x";
  InputFile again = *InputFile::Open(Path("file"));
  EXPECT_TRUE(absl::IsResourceExhausted(again.ReadRest(kSmall, &more)));
}

}  // namespace
}  // namespace rewrought::proto
