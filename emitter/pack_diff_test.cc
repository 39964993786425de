#include "emitter/pack_diff.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/pack_files.h"
#include "emitter/testing/sample_rules.h"

namespace rewrought::emitter {
namespace {

// A folder with the pack of `candidates` in it.
std::string Written(const std::string& name, std::vector<ProvedRule> candidates,
                    const PackOptions& options = SampleOptions()) {
  const std::string directory = absl::StrCat(::testing::TempDir(), "/diff_", name);
  std::filesystem::remove_all(directory);
  auto pack = BuildPack(std::move(candidates), options);
  EXPECT_TRUE(pack.ok()) << pack.status();
  const auto files = RenderPack({}, &*pack);
  EXPECT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(WriteFiles(directory, *files).ok());
  return directory;
}

// "kind: what: before -> after", one a line.
std::string Diff(const std::string& a, const std::string& b) {
  const auto differences = DiffPacks(a, b);
  if (!differences.ok()) return std::string(differences.status().message());
  std::string text;
  for (const Difference& one : *differences) {
    absl::StrAppend(&text, NameOf(one.kind), ": ", absl::StrJoin(one.what, ", "), ": ", one.before, " -> ", one.after,
                    "\n");
  }
  return text;
}

constexpr char kSearch[] = "('iand', ('ior', 'a', 'b'), 'a')";

TEST(PackDiff, EqualPacksDoNotDiffer) {
  const std::string all = Written("all", SampleRules());
  EXPECT_EQ(Diff(all, all), "");
}

TEST(PackDiff, AddedAndLost) {
  const ProvedRule x = SampleRule(kSearch, "'a'"), y = SampleRule("('ineg', ('ineg', 'a'))", "'a'");
  const std::string one = Written("one", {x}), both = Written("both", {x, y});
  EXPECT_EQ(Diff(one, both), "added: :  -> (('ineg', ('ineg', 'a')), 'a')\n");
  EXPECT_EQ(Diff(both, one), "lost: : (('ineg', ('ineg', 'a')), 'a') -> \n");
  EXPECT_EQ((*DiffPacks(both, one))[0].entry.size(), 64u);
}

TEST(PackDiff, SameSearchWithAnotherReplacementOrCondition) {
  const std::string a = Written("a", {SampleRule(kSearch, "'a'")}), b = Written("b", {SampleRule(kSearch, "'b'")});
  EXPECT_EQ(Diff(a, b), absl::StrCat("changed: replacement: (", kSearch, ", 'a') -> (", kSearch, ", 'b')\n"));
  const auto differences = DiffPacks(a, b);
  EXPECT_NE((*differences)[0].entry, (*differences)[0].old_entry);
  const std::string c = Written("c", {SampleRule(kSearch, "'a'", "!options->lower_bitops")});
  EXPECT_EQ(Diff(a, c), absl::StrCat("changed: condition: (", kSearch, ", 'a') -> (", kSearch,
                                     ", 'a', '!options->lower_bitops')\n"));
}

TEST(PackDiff, OtherEvidence) {
  ProvedRule candidate = SampleRule(kSearch, "'a'");
  const std::string before = Written("before", {candidate});
  candidate.entry.mutable_proofs(0)->set_tier(v1::TIER_NATIVE);
  candidate.entry.mutable_mutants()->set_refuted(77);
  const std::string text = absl::StrCat("(", kSearch, ", 'a')");
  EXPECT_EQ(Diff(before, Written("after", {candidate})),
            absl::StrCat("changed: proofs, mutants: ", text, " -> ", text, "\n"));
}

TEST(PackDiff, FieldsOfTheWhole) {
  PackOptions options = SampleOptions();
  const std::string before = Written("fields", {SampleRule(kSearch, "'a'")}, options);
  options.manifest.mutable_corpus()->set_shaders(4711);
  const std::string diff = Diff(before, Written("other_fields", {SampleRule(kSearch, "'a'")}, options));
  EXPECT_EQ(diff.find("pack: corpus: "), 0u) << diff;
  EXPECT_NE(diff.find("4711 shaders"), std::string::npos) << diff;
}

TEST(PackDiff, AFolderWithoutAPackIsNotFound) {
  EXPECT_EQ(DiffPacks("/nonexistent", "/nonexistent").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace rewrought::emitter
