#include "emitter/verify.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "emitter/c/table_text.h"
#include "emitter/json_writer.h"
#include "emitter/pack_files.h"
#include "emitter/pack_folder.h"
#include "emitter/testing/sample_rules.h"
#include "ir/digest.h"

namespace rewrought::emitter {
namespace {

class Verify : public ::testing::Test {
 protected:
  // Writes the pack of `candidates` into a separate folder.
  std::string Written(const std::string& name, std::vector<ProvedRule> candidates) {
    const std::string directory = absl::StrCat(::testing::TempDir(), "/", name);
    std::filesystem::remove_all(directory);
    auto pack = BuildPack(std::move(candidates), SampleOptions());
    EXPECT_TRUE(pack.ok()) << pack.status();
    pack_ = *std::move(pack);
    Save(directory);
    return directory;
  }

  void Save(const std::string& directory) {
    const auto files = RenderPack({"nir", "machine", "c"}, &pack_);
    ASSERT_TRUE(files.ok()) << files.status();
    ASSERT_TRUE(WriteFiles(directory, *files).ok());
  }

  // Changes a file and, if `hide` is set, updates its digest in the manifest.
  void Doctor(const std::string& directory, const std::string& name, const std::string& from, const std::string& to,
              bool hide = true) {
    const std::string old_bytes = *ReadFile(directory + "/" + name);
    const std::string bytes = absl::StrReplaceAll(old_bytes, {{from, to}});
    ASSERT_NE(bytes, old_bytes) << "nothing to change in " << name;
    ASSERT_TRUE(WriteFiles(directory, {{name, bytes}}).ok());
    if (!hide) return;
    const std::string manifest =
        absl::StrReplaceAll(*ReadFile(directory + "/manifest.json"),
                            {{ir::Sha256Hex(absl::string_view(old_bytes)), ir::Sha256Hex(absl::string_view(bytes))},
                             {absl::StrCat("\"", old_bytes.size(), "\""), absl::StrCat("\"", bytes.size(), "\"")}});
    ASSERT_TRUE(WriteFiles(directory, {{"manifest.json", manifest}}).ok());
  }

  static std::string Found(const std::string& directory) {
    const auto read = ReadPackFolder(directory);
    if (!read.ok()) return std::string(read.status().message());
    std::string text;
    for (const Finding& finding : VerifyPack(directory, *read))
      absl::StrAppend(&text, finding.entry, "|", finding.file, "|", finding.what, "\n");
    return text;
  }

  std::string IdOf(const std::string& search) const {
    for (const v1::PackEntry& entry : pack_.message.entries()) {
      if (entry.rule().search() == search) return entry.rule().id();
    }
    return "no such entry";
  }

  Pack pack_;
};

constexpr char kSearch[] = "('iand', ('ior', 'a', 'b'), 'a')";

TEST_F(Verify, AFreshPackIsSound) { EXPECT_EQ(Found(Written("fresh", SampleRules())), ""); }

TEST_F(Verify, ChangedBytesAreSeen) {
  const std::string directory = Written("bytes", SampleRules());
  Doctor(directory, "nir.py", "'fsat'", "'fneg'", false);
  EXPECT_NE(Found(directory).find("|nir.py|does not match its digest"), std::string::npos);
}

TEST_F(Verify, ADoctoredRuleIsNamedEvenIfTheManifestAgrees) {
  const std::string directory = Written("doctored", SampleRules());
  Doctor(directory, "nir.py", "(('iand', ('ior', 'a', 'b'), 'a'), 'a')", "(('iand', ('ior', 'a', 'b'), 'a'), 'b')");
  const std::string found = Found(directory);
  EXPECT_EQ(found.find("does not match its digest"), std::string::npos) << found;
  EXPECT_EQ(found.find(absl::StrCat(IdOf(kSearch), "|nir.py|")), 0u) << found;
}

TEST_F(Verify, ADoctoredProgramIsNamed) {
  const std::string directory = Written("program", SampleRules());
  Doctor(directory, "machine.py", "ADD(r(D), -a(D), -b(D))", "ADD(r(D), -a(D), b(D))");
  EXPECT_NE(Found(directory).find(absl::StrCat(IdOf("('ineg', ('iadd', 'a@32', 'b'))"), "|machine.py|")),
            std::string::npos);
}

// These tests also update the manifest's digests.
TEST_F(Verify, FaultsPlantedInPatternsAreNamedByTheirRule) {
  Written("pattern", SampleRules());
  const std::string id = IdOf("('ineg', ('iadd', 'a@32', 'b'))");
  const struct {
    std::string name, from, to, says;
  } kFaults[] = {
      {"opcode", "ADD(r(D)", "SEL(r(D)", absl::StrCat(id, "|machine.py|")},
      {"modifier", "ADD(r(D), -a(D)", "ADD(r(D), ~a(D)", absl::StrCat(id, "|machine.py|")},
      {"type", "ADD(r(D), -a(D)", "ADD(r(L), -a(D)", absl::StrCat(id, "|machine.py|")},
      {"cost", absl::StrCat("\"", id, "\", 2, "), absl::StrCat("\"", id, "\", 1, "), absl::StrCat(id, "|machine.py|")},
      {"cut", "    for pattern in patterns:\n        print(*pattern, sep=\"\\t\")\n", "",
       "|machine.py|machine.py: does not have the expected end"}};
  for (const auto& fault : kFaults) {
    const std::string directory = Written("pattern_" + fault.name, SampleRules());
    Doctor(directory, "machine.py", fault.from, fault.to);
    const std::string found = Found(directory);
    EXPECT_EQ(found.find("does not match its digest"), std::string::npos) << found;
    EXPECT_NE(found.find(fault.says), std::string::npos) << fault.name << ": " << found;
  }
}

TEST_F(Verify, ADoctoredTableIsNamedByItsEntry) {
  const std::string directory = Written("tables", SampleRules());
  const std::string id = IdOf("('ineg', ('iadd', 'a@32', 'b'))"), text = *ReadFile(directory + "/tables.c");
  CTables tables = *ReadTableSource(text);
  for (const rw_rule& rule : tables.rules) {
    if (tables.names[rule.name] == id) tables.patterns[rule.first_pattern].bits = 16;
  }
  Doctor(directory, "tables.c", text, PrintTableSource(tables));
  EXPECT_EQ(Found(directory).find(absl::StrCat(id, "|tables.c|tables.c: entry ", id)), 0u) << Found(directory);
  const std::string other = Written("runtime", SampleRules());
  Doctor(other, "legal.c", "return false;", "return true;");
  EXPECT_EQ(Found(other), "|legal.c|legal.c: is not the runtime for these tables\n");
  std::filesystem::remove(other + "/piece.h");
  EXPECT_NE(Found(other).find("|piece.h|is missing"), std::string::npos) << Found(other);
}

TEST_F(Verify, CodeThatIsNoRuleIsSeen) {
  const std::string directory = Written("code", SampleRules());
  Doctor(directory, "nir.py", "places =", "import os\nplaces =");
  EXPECT_NE(Found(directory).find("|nir.py|differs from the file generated from pack.json"), std::string::npos)
      << Found(directory);
}

TEST_F(Verify, ADoctoredPackJsonIsNamedByEntry) {
  const std::string directory = Written("json", SampleRules());
  const std::string id = IdOf(kSearch);
  for (v1::PackEntry& entry : *pack_.message.mutable_entries()) {
    if (entry.rule().id() == id) entry.mutable_rule()->set_replace("'b'");
  }
  pack_.message.mutable_manifest()->set_digest(PackDigest(pack_.message));
  Save(directory);  // Only the id is inconsistent.
  EXPECT_EQ(Found(directory), id + "||its id is not the digest of its text\n");
}

TEST_F(Verify, IllegalProgramsAndUnparsableTextAreNamed) {
  const std::string directory = Written("illegal", SampleRules());
  Doctor(directory, "pack.json", "ADD(r(D), -a(D), -b(D))", "ADD(r(D), imm(7, D), -b(D))");
  EXPECT_NE(Found(directory).find("rule '"), std::string::npos) << Found(directory);
  const std::string other = Written("unparsable", SampleRules());
  Doctor(other, "pack.json", "('iand', ('ior'", "('iand', ('nor'");
  EXPECT_NE(Found(other).find("nor"), std::string::npos) << Found(other);
}

TEST_F(Verify, RefutedProofsAndTwinsAreNamed) {
  const std::string directory = Written("refuted", {SampleRules()[1]});
  for (v1::CaseVerdict& proof : *pack_.message.mutable_entries(0)->mutable_proofs())
    proof.set_verdict(v1::VERDICT_UNKNOWN);
  ASSERT_TRUE(WriteFiles(directory, {{"pack.json", WritePackJson(pack_.message)}}).ok());
  EXPECT_NE(Found(directory).find("no case is proved"), std::string::npos);
  const std::string twice = Written("twice", {SampleRules()[1]});
  *pack_.message.add_entries() = pack_.message.entries(0);
  ASSERT_TRUE(WriteFiles(twice, {{"pack.json", WritePackJson(pack_.message)}}).ok());
  EXPECT_NE(Found(twice).find("occurs in the pack twice"), std::string::npos);
}

TEST_F(Verify, MissingStrayAndForeignFilesAreSeen) {
  const std::string directory = Written("files", SampleRules());
  std::filesystem::remove(directory + "/machine.py");
  ASSERT_TRUE(WriteFiles(directory, {{"extra.py", "x"}}).ok());
  ASSERT_TRUE(WriteFiles(directory + "/inexact", {{"manifest.json", "{}"}}).ok());
  ASSERT_TRUE(WriteFiles(directory + "/other", {{"nir.py", "x"}}).ok());
  const std::string found = Found(directory);
  EXPECT_NE(found.find("|machine.py|is missing"), std::string::npos) << found;
  EXPECT_NE(found.find("|extra.py|is not in the manifest"), std::string::npos) << found;
  EXPECT_NE(found.find("|other|is not in the manifest"), std::string::npos) << found;
  EXPECT_EQ(found.find("|inexact|"), std::string::npos) << found;
  Doctor(Written("outside", SampleRules()), "manifest.json", "\"name\": \"nir.py\"", "\"name\": \"../nir.py\"", false);
  EXPECT_NE(Found(::testing::TempDir() + "/outside").find("names a file outside the pack"), std::string::npos);
}

}  // namespace
}  // namespace rewrought::emitter
