#include "emitter/formats.h"

#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/testing/sample_rules.h"

namespace rewrought::emitter {
namespace {

std::string Found(const std::vector<std::string>& names) {
  const auto formats = FindFormats(names);
  if (!formats.ok()) return std::string(formats.status().message());
  return absl::StrJoin(*formats, " ", [](std::string* text, const Format* one) { absl::StrAppend(text, one->name); });
}

TEST(Formats, NamesAndFilesAreTheirOwn) {
  std::set<absl::string_view> names, files;
  for (const Format& format : Formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    for (const absl::string_view file : format.files) EXPECT_TRUE(files.insert(file).second) << file;
    EXPECT_FALSE(format.help.empty()) << format.name;
  }
  EXPECT_TRUE(files.contains(kPackFile));
}

TEST(Formats, AreFoundByName) {
  EXPECT_EQ(Found({}), "nir machine json");
  EXPECT_EQ(Found({}), DefaultFormatNames(" "));
  EXPECT_EQ(Found({"c"}), "c");
  EXPECT_EQ(FormatNames(" "), "nir machine c tablegen lburg json");
  EXPECT_EQ(Found({"json", "nir"}), "nir json");
  EXPECT_EQ(Found({"nir", "lisp"}), "'lisp' is not a format; use " + FormatNames(", "));
}

TEST(Formats, HelpHasALineForEach) {
  const std::string help = FormatHelp();
  EXPECT_EQ(std::count(help.begin(), help.end(), '\n'), static_cast<ptrdiff_t>(Formats().size()));
  EXPECT_NE(help.find("  machine  machine.py: "), std::string::npos) << help;
}

TEST(Formats, OfProgramsAreNotForInexactRules) {
  for (const Format& format : Formats()) {
    EXPECT_TRUE(format.Takes(v1::RULE_CLASS_STRICT)) << format.name;
    const std::set<absl::string_view> of_programs = {"machine", "c", "tablegen", "lburg"};
    EXPECT_EQ(format.Takes(v1::RULE_CLASS_INEXACT), !of_programs.contains(format.name)) << format.name;
  }
}

TEST(Formats, EachChecksWhatItWrites) {
  const auto pack = BuildPack(SampleRules(), SampleOptions());
  ASSERT_TRUE(pack.ok()) << pack.status();
  for (const Format& format : Formats()) {
    const auto texts = format.write(pack->message, DefaultNirTarget());
    ASSERT_TRUE(texts.ok()) << format.name << ": " << texts.status();
    EXPECT_EQ(texts->size(), format.files.size()) << format.name;
    EXPECT_TRUE(format.check(*texts, pack->message, DefaultNirTarget()).ok()) << format.name;
    v1::Pack shorter = pack->message;
    shorter.clear_entries();
    EXPECT_EQ(format.check(*texts, shorter, DefaultNirTarget()).code(), absl::StatusCode::kDataLoss) << format.name;
  }
}

}  // namespace
}  // namespace rewrought::emitter
