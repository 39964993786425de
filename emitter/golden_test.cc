// Compares exported texts with the files in testdata/: the sample pack's nir.py, machine.py, rules.td, and rules.lburg,
// the pack's own rows of tables.c, and another machine.py that contains every kind of entry. To update the
// files, run `bazel run //emitter:golden_test -- --update`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "emitter/c/table_text.h"
#include "emitter/lburg/grammar_row.h"
#include "emitter/machine/machine_writer.h"
#include "emitter/pack_files.h"
#include "emitter/testing/machine_rules.h"
#include "emitter/testing/sample_rules.h"
#include "ir/digest.h"
#include "ir/semantics.h"
#include "proto/read_file.h"

namespace rewrought::emitter {
namespace {

bool update = false;

// Returns the reviewable part of tables.c: the rows of the pack's rules, and a digest of the whole file.
std::string RowsOfPack(const std::string& text) {
  const auto tables = ReadTableSource(text);
  if (!tables.ok()) return tables.status().ToString();
  std::string rows = absl::StrCat("tables.c: SHA-256 ", ir::Sha256Hex(text), ", ", tables->rules.size(), " rules\n");
  for (size_t i = 0; i < tables->rules.size(); ++i) {
    const std::string& name = tables->names[tables->rules[i].name];
    if (name.find('(') == std::string::npos || absl::StrContains(name, ") of ")) {
      absl::StrAppend(&rows, "\n", PrintRuleRows(*tables, i));
    }
  }
  return rows;
}

// Removes the rows of the machine's own selection, which change whenever a description changes, and renumbers the
// remaining rows.
std::string WithoutBase(absl::string_view grammar) {
  const std::vector<std::string> lines = absl::StrSplit(grammar, '\n');
  const auto is_base = [](const std::string& line) { return absl::StartsWith(line, "  {\"base\""); };
  const auto base = static_cast<uint32_t>(std::count_if(lines.begin(), lines.end(), is_base));
  std::string kept;
  for (const std::string& line : lines) {
    auto row = ParseRow(line);
    if (absl::StartsWith(line, "%term ") || is_base(line) || (row.ok() && row->number <= base)) continue;
    if (row.ok()) row->number -= base;
    absl::StrAppend(&kept, row.ok() ? PrintRow(*row) : absl::StrCat(line, "\n"));
  }
  return kept;
}

// Compares `bytes` with testdata/NAME.golden, or updates that file.
void Compare(const std::string& name, const std::string& bytes) {
  if (update) {
    const char* const root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
    ASSERT_NE(root, nullptr) << "--update requires `bazel run`";
    ASSERT_TRUE(WriteFiles(absl::StrCat(root, "/emitter/testdata"), {{absl::StrCat(name, ".golden"), bytes}}).ok());
    return;
  }
  const auto golden = proto::ReadFile(absl::StrCat("emitter/testdata/", name, ".golden"), proto::kPackFileLimits);
  ASSERT_TRUE(golden.ok()) << golden.status();
  EXPECT_EQ(bytes, *golden);
}

TEST(Golden, FilesAreAsReviewed) {
  auto pack = BuildPack(SampleRules(), SampleOptions());
  ASSERT_TRUE(pack.ok()) << pack.status();
  const auto files = RenderPack({"nir", "machine", "c", "tablegen", "lburg"}, &*pack);
  ASSERT_TRUE(files.ok()) << files.status();
  int compared = 0;
  for (const auto& [name, whole] : *files) {
    // The other files are copies of the runtime, or change with the data of other folders.
    const bool reviewed = name == "nir.py" || name == "machine.py" || name == "rules.td" || name == "rules.lburg";
    if (!reviewed && name != "tables.c") continue;
    ++compared;
    std::string bytes = name == "tables.c" ? RowsOfPack(whole) : name == "rules.lburg" ? WithoutBase(whole) : whole;
    // Hide the semantics digest, which changes whenever an op row changes.
    bytes = absl::StrReplaceAll(bytes, {{ir::SemanticsDigest(), "SEMANTICS"}});
    Compare(name, bytes);
  }
  EXPECT_EQ(compared, 5);
}

TEST(Golden, EntriesAreAsReviewed) {
  const auto text = WriteMachine(EntriesPack());
  ASSERT_TRUE(text.ok()) << text.status();
  Compare("machine_entries.py", *text);
}

}  // namespace
}  // namespace rewrought::emitter

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  rewrought::emitter::update = argc == 2 && std::strcmp(argv[1], "--update") == 0;
  return RUN_ALL_TESTS();
}
