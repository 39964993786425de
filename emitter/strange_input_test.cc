// Tests input that no format can express: an unknown op, entries beyond a format's limits, and truncated files. Each
// input causes an error that names the rule or file and the remedy, and no file is written.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack_files.h"
#include "emitter/pack_folder.h"
#include "emitter/testing/sample_rules.h"
#include "emitter/verify.h"

namespace rewrought::emitter {
namespace {

Pack SamplePack() {
  auto pack = BuildPack(SampleRules(), SampleOptions());
  EXPECT_TRUE(pack.ok()) << pack.status();
  return *std::move(pack);
}

// Returns the first entry whose program or replacement `format` can express.
v1::PackEntry& EntryFor(const Format& format, Pack* pack) {
  for (v1::PackEntry& entry : *pack->message.mutable_entries()) {
    if ((format.takes == RightSides::kPrograms) == !entry.rule().program().empty()) return entry;
  }
  ADD_FAILURE() << format.name;
  return *pack->message.mutable_entries(0);
}

// Returns the error from writing the pack in the format after `change` is applied to one of its entries.
std::string ErrorOf(const Format& format, const std::function<void(v1::RewriteRule*)>& change, std::string* id) {
  Pack pack = SamplePack();
  v1::RewriteRule* const rule = EntryFor(format, &pack).mutable_rule();
  *id = rule->id();
  change(rule);
  const auto files = RenderPack({std::string(format.name)}, &pack);
  return files.ok() ? "written" : std::string(files.status().message());
}

void ExpectRuleAndRemedy(const Format& format, const std::string& said, const std::string& id) {
  EXPECT_TRUE(absl::StrContains(said, id)) << format.name << ": " << said;
  EXPECT_TRUE(absl::StrContains(said, "mute the rule in a waivers file")) << format.name << ": " << said;
  EXPECT_TRUE(absl::StartsWith(said, absl::StrCat(format.name, ": "))) << said;
  EXPECT_FALSE(absl::StartsWith(said, absl::StrCat(format.name, ": ", format.name, ": "))) << said;
}

TEST(StrangeInput, UnknownOpNamesRuleAndRemedy) {
  for (const Format& format : Formats()) {
    if (format.IsPackItself()) continue;  // pack.json contains rules as unparsed text; `pack verify` parses them.
    std::string id;
    const std::string said = ErrorOf(
        format, [](v1::RewriteRule* rule) { rule->set_search("('fnope', 'a@32', 'b')"); }, &id);
    ExpectRuleAndRemedy(format, said, id);
    EXPECT_TRUE(absl::StrContains(said, "fnope")) << format.name << ": " << said;
  }
}

// Gives each format an input that it cannot express: an unknown Mesa predicate, an unparsable program, a program with
// more instructions than a table row can hold, or an overlong condition.
TEST(StrangeInput, FormatLimitsNameRuleAndRemedy) {
  const auto long_program = [](v1::RewriteRule* rule) {
    std::string program = "[ADD(t0(D), a(D), b(D))";
    for (int i = 1; i < 30; ++i) absl::StrAppend(&program, ", ADD(t", i, "(D), t", i - 1, "(D), b(D))");
    rule->set_search("('iadd', 'a@32', 'b')");
    rule->set_program(absl::StrCat(program, ", ADD(r(D), t29(D), b(D))]"));
  };
  const auto long_condition = [](v1::RewriteRule* rule) { rule->set_condition("options->name == \"x\""); };
  const auto predicate = [](v1::RewriteRule* rule) { rule->set_search("('iand', 'a(is_no_predicate)', 'b')"); };
  const auto unread = [](v1::RewriteRule* rule) { rule->set_program("[NOPE(r(D), a(D), b(D))]"); };
  const std::pair<const char*, std::function<void(v1::RewriteRule*)>> cases[] = {
      {"nir", predicate}, {"machine", unread}, {"c", long_program}, {"tablegen", unread}, {"lburg", long_condition}};
  for (const auto& [name, change] : cases) {
    const auto formats = FindFormats({name});
    ASSERT_TRUE(formats.ok());
    std::string id;
    ExpectRuleAndRemedy(*(*formats)[0], ErrorOf(*(*formats)[0], change, &id), id);
  }
}

// `pack verify` reports every truncated file of every format.
TEST(StrangeInput, AFileCutShortIsNamed) {
  std::vector<std::string> names;
  for (const Format& format : Formats()) names.emplace_back(format.name);
  Pack pack = SamplePack();
  const auto files = RenderPack(names, &pack);
  ASSERT_TRUE(files.ok()) << files.status();
  const std::string folder = absl::StrCat(::testing::TempDir(), "/cut");
  for (const auto& [name, bytes] : *files) {
    if (name == kManifestFile) continue;
    for (const size_t size : {bytes.size() / 2, bytes.size() - 1}) {
      std::filesystem::remove_all(folder);
      ASSERT_TRUE(WriteFiles(folder, *files).ok());
      ASSERT_TRUE(WriteFile(absl::StrCat(folder, "/", name), bytes.substr(0, size)).ok());
      const auto read = ReadPackFolders(folder);
      if (!read.ok()) {
        EXPECT_TRUE(absl::StrContains(read.status().message(), name)) << read.status();
        continue;
      }
      bool named = false;
      for (const Finding& finding : VerifyPacks(folder, *read)) named |= finding.file == name;
      EXPECT_TRUE(named) << name << " of " << size << " bytes";
    }
  }
}

// A truncated manifest makes the whole pack unreadable.
TEST(StrangeInput, AManifestCutShortIsNamed) {
  Pack pack = SamplePack();
  const auto files = RenderPack({}, &pack);
  ASSERT_TRUE(files.ok());
  const std::string folder = absl::StrCat(::testing::TempDir(), "/manifest");
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(WriteFiles(folder, *files).ok());
  ASSERT_TRUE(WriteFile(absl::StrCat(folder, "/manifest.json"), files->back().second.substr(0, 200)).ok());
  const absl::Status status = ReadPackFolder(folder).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(status.message(), "manifest.json")) << status;
}

}  // namespace
}  // namespace rewrought::emitter
