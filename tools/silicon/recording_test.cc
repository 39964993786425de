#include "tools/silicon/recording.h"

#include <cstdio>
#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"

namespace rewrought::silicon {
namespace {

RecordingHead Head() { return {{"a name", "12.8", "7.0"}, "sm70 abc", "def", 3, 1000}; }

RecordedCase One(const std::string& name) {
  RecordedCase one;
  one.name = name;
  one.answers = {{0, {0x3f800000, 1}, 0x7fc00000}, {5, {0, 0xffffffff}, 0}};
  one.lanes = 1000;
  one.outputs = "0123456789abcdef";
  one.worst_error = 1;
  one.deviations = {{"denormal kept", 7}, {"off by 1 ULP", 2}};
  one.ir_deviations = {{"sign of zero", 4}};
  one.undecided = 9;
  return one;
}

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string FreshPath(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name;
  std::remove(path.c_str());
  return path;
}

TEST(RecordingTest, WhatIsWrittenIsReadBack) {
  RecordedCase refused = One("[B] none");
  refused.answers.clear();
  refused.refused = "two\nlines";
  const std::string text = HeadText(Head()) + CaseText(One("[A(r(F), a(F))] flush")) + CaseText(refused);
  const absl::StatusOr<Recording> recording = ParseRecording(text, "r.txt");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->complete_bytes, text.size());
  EXPECT_EQ(recording->head.device.name, "a name");
  EXPECT_EQ(recording->head.inputs, 1000u);
  ASSERT_EQ(recording->cases.size(), 2u);
  const RecordedCase& read = recording->cases[0];
  EXPECT_EQ(read.name, "[A(r(F), a(F))] flush");
  ASSERT_EQ(read.answers.size(), 2u);
  EXPECT_EQ(read.answers[0].inputs, (std::vector<uint64_t>{0x3f800000, 1}));
  EXPECT_EQ(read.answers[0].output, 0x7fc00000u);
  EXPECT_EQ(read.answers[0].lane, 11u);  // the line of the answer in the text
  EXPECT_EQ(read.deviations, One("").deviations);
  EXPECT_EQ(read.ir_deviations, One("").ir_deviations);
  EXPECT_EQ(read.undecided, 9u);
  EXPECT_EQ(read.outputs, "0123456789abcdef");
  EXPECT_EQ(recording->cases[1].refused, "two; lines");
}

// A run may be killed at any byte: complete cases are kept, and the next run writes after them.
TEST(RecordingTest, AnUnfinishedEndIsCutOffAtAnyByte) {
  const std::string head = HeadText(Head()), first = CaseText(One("[A] flush")), second = CaseText(One("[B] flush"));
  const std::string whole = head + first + second;
  const std::string path = FreshPath("cut.txt");
  for (size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    Write(path, whole.substr(0, bytes));
    Recording before;
    const size_t kept = bytes >= whole.size() ? 2 : bytes >= (head + first).size() ? 1 : 0;
    {
      absl::StatusOr<RecordingFile> file = RecordingFile::Open(path, Head(), &before);
      ASSERT_TRUE(file.ok()) << bytes << ": " << file.status();
      ASSERT_EQ(before.cases.size(), kept) << bytes;
      ASSERT_TRUE(file->Append(One("[C] flush")).ok());
    }
    const std::string expected = kept == 2 ? whole : kept == 1 ? head + first : head;
    ASSERT_EQ(ContentOf(path), expected + CaseText(One("[C] flush"))) << bytes;
  }
}

TEST(RecordingTest, AnotherDeviceOrQuestionIsNotMixedIn) {
  const std::string path = FreshPath("other.txt");
  Write(path, HeadText(Head()));
  Recording before;
  RecordingHead other = Head();
  other.device.driver = "12.9";
  const absl::Status driver = RecordingFile::Open(path, other, &before).status();
  EXPECT_TRUE(absl::StrContains(driver.message(), "driver was '12.8', is '12.9'; name another file")) << driver;
  other = Head();
  other.seed = 4;
  EXPECT_TRUE(absl::StrContains(RecordingFile::Open(path, other, &before).status().message(), "seed was '3'"));
  other = Head();
  other.machine = "sm70 abd";
  EXPECT_FALSE(RecordingFile::Open(path, other, &before).ok());
  EXPECT_EQ(ContentOf(path), HeadText(Head()));
}

TEST(RecordingTest, TwoRunsDoNotWriteOneFile) {
  const std::string path = FreshPath("locked.txt");
  Recording before;
  const absl::StatusOr<RecordingFile> first = RecordingFile::Open(path, Head(), &before);
  ASSERT_TRUE(first.ok());
  const absl::Status second = RecordingFile::Open(path, Head(), &before).status();
  EXPECT_TRUE(absl::StrContains(second.message(), "another run is writing to it")) << second;
}

TEST(RecordingTest, AForeignFileIsLeftAlone) {
  const std::string path = FreshPath("foreign.txt");
  Write(path, "my thesis\n");
  Recording before;
  EXPECT_FALSE(RecordingFile::Open(path, Head(), &before).ok());
  EXPECT_EQ(ContentOf(path), "my thesis\n");
  EXPECT_FALSE(RecordingFile::Open("/nowhere/at/all", Head(), &before).ok());
}

TEST(RecordingTest, MalformedLinesAreNamed) {
  const std::string text = HeadText(Head()) + CaseText(One("[A] flush"));
  const auto message = [&](const std::string& from, const std::string& to) {
    EXPECT_TRUE(absl::StrContains(text, from)) << from;
    return std::string(ParseRecording(absl::StrReplaceAll(text, {{from, to}}), "r.txt").status().message());
  };
  EXPECT_TRUE(absl::StrContains(message("recording 1", "recording 2"), "r.txt:1: not a recording"));
  EXPECT_TRUE(absl::StrContains(message("driver 12.8\n", ""), "r.txt:3: missing line 'driver"));
  EXPECT_TRUE(absl::StrContains(message("seed 3", "seed x"), "seed and inputs must be numbers"));
  EXPECT_TRUE(absl::StrContains(message("case [A]", "casE [A]"), "r.txt:10: a line outside of a case"));
  EXPECT_TRUE(absl::StrContains(message("= 0x7fc00000", "= 7fc00000"), "r.txt:11: '7fc00000' is not a word"));
  EXPECT_TRUE(absl::StrContains(message("= 0x7fc00000", "= 0x17fc00000"), "is not a word"));
  EXPECT_TRUE(absl::StrContains(message("= 0x7fc00000", "0x7fc00000"), "expected 'INPUT... = OUTPUT'"));
  EXPECT_TRUE(absl::StrContains(message("deviation 7 ", "deviation seven "), "expected 'deviation COUNT KIND'"));
  EXPECT_TRUE(absl::StrContains(message("lanes=1000", "lanes=many"), "'lanes=many' of 'done'"));
  EXPECT_TRUE(absl::StrContains(message("done ", "case [B] flush\ndone "), "before the 'done' of the previous one"));
}

}  // namespace
}  // namespace rewrought::silicon
