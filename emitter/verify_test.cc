#include "emitter/verify.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "emitter/c/table_text.h"
#include "emitter/json_writer.h"
#include "emitter/pack_files.h"
#include "emitter/pack_folder.h"
#include "emitter/testing/sample_rules.h"
#include "ir/digest.h"
#include "proto/read_file.h"

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
    const std::string old_bytes = *proto::ReadFile(directory + "/" + name, proto::kPackFileLimits);
    const std::string bytes = absl::StrReplaceAll(old_bytes, {{from, to}});
    ASSERT_NE(bytes, old_bytes) << "nothing to change in " << name;
    ASSERT_TRUE(WriteFiles(directory, {{name, bytes}}).ok());
    if (!hide) return;
    const std::string manifest =
        absl::StrReplaceAll(*proto::ReadFile(directory + "/manifest.json", proto::kPackFileLimits),
                            {{ir::Sha256Hex(absl::string_view(old_bytes)), ir::Sha256Hex(absl::string_view(bytes))},
                             {absl::StrCat("\"", old_bytes.size(), "\""), absl::StrCat("\"", bytes.size(), "\"")}});
    ASSERT_TRUE(WriteFiles(directory, {{"manifest.json", manifest}}).ok());
  }

  static std::string Found(const std::string& directory) {
    const auto read = ReadPackFolders(directory);
    if (!read.ok()) return std::string(read.status().message());
    std::string text;
    for (const Finding& finding : VerifyPacks(directory, *read))
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
  Doctor(directory, "nir.py", "(('iand', ('ior', a, b), a), a)", "(('iand', ('ior', a, b), a), b)");
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

// These tests also update the manifest's digests, so that the digests do not reveal the faults.
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
  const std::string id = IdOf("('ineg', ('iadd', 'a@32', 'b'))"),
                    text = *proto::ReadFile(directory + "/tables.c", proto::kPackFileLimits);
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
  EXPECT_EQ(Found(directory), id + "||its id does not match the digest of its text\n");
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
  EXPECT_NE(Found(twice).find("appears twice in the pack"), std::string::npos);
}

TEST_F(Verify, MissingStrayAndForeignFilesAreSeen) {
  const std::string directory = Written("files", SampleRules());
  std::filesystem::remove(directory + "/machine.py");
  ASSERT_TRUE(WriteFiles(directory, {{"extra.py", "x"}}).ok());
  ASSERT_TRUE(WriteFiles(directory + "/other", {{"nir.py", "x"}}).ok());
  const std::string found = Found(directory);
  EXPECT_NE(found.find("|machine.py|is missing"), std::string::npos) << found;
  EXPECT_NE(found.find("|extra.py|is not in the manifest"), std::string::npos) << found;
  EXPECT_NE(found.find("|other|is not in the manifest"), std::string::npos) << found;
  Doctor(Written("outside", SampleRules()), "manifest.json", "\"name\": \"nir.py\"", "\"name\": \"../nir.py\"", false);
  EXPECT_NE(Found(::testing::TempDir() + "/outside").find("names a file outside the pack"), std::string::npos);
}

// Writes a strict pack, and its inexact pack in the subfolder.
class VerifyBoth : public Verify {
 protected:
  void SetUp() override {
    directory_ = Written("both", SampleRules());
    PackOptions options = SampleOptions();
    options.rule_class = v1::RULE_CLASS_INEXACT;
    options.beside.assign(pack_.message.entries().begin(), pack_.message.entries().end());
    auto inexact = BuildPack(SampleRules(), options);
    ASSERT_TRUE(inexact.ok()) << inexact.status();
    ASSERT_EQ(inexact->message.entries_size(), 1);
    const auto files = RenderPack({"nir"}, &*inexact);
    ASSERT_TRUE(files.ok()) << files.status();
    ASSERT_TRUE(WriteFiles(directory_ + "/inexact", *files).ok());
  }

  std::string directory_;
};

TEST_F(VerifyBoth, TheInexactPackIsCheckedToo) {
  EXPECT_EQ(Found(directory_), "");
  EXPECT_EQ(Found(directory_ + "/inexact"), "");
  Doctor(directory_ + "/inexact", "nir.py", "'fmul'", "'fadd'", false);
  EXPECT_NE(Found(directory_).find("|inexact/nir.py|does not match its digest"), std::string::npos)
      << Found(directory_);
}

TEST_F(VerifyBoth, EveryFileBelowTheFolderIsAccountedFor) {
  ASSERT_TRUE(WriteFiles(directory_ + "/inexact", {{"extra.py", "x"}}).ok());
  ASSERT_TRUE(WriteFiles(directory_, {{".hidden", "x"}}).ok());
  // A manifest does not make a folder part of the pack.
  std::filesystem::copy(directory_ + "/inexact", directory_ + "/another");
  std::string found = Found(directory_);
  for (const char* name : {"inexact/extra.py", ".hidden", "another"}) {
    EXPECT_NE(found.find(absl::StrCat("|", name, "|is not in the manifest")), std::string::npos) << found;
  }
  std::filesystem::remove(directory_ + "/inexact/manifest.json");
  EXPECT_NE(Found(directory_).find("|inexact|is not in the manifest"), std::string::npos) << Found(directory_);
  ASSERT_TRUE(WriteFiles(directory_ + "/inexact", {{"manifest.json", "{}"}}).ok());
  EXPECT_NE(Found(directory_).find("inexact/manifest.json"), std::string::npos) << Found(directory_);
}

TEST_F(VerifyBoth, AnotherPackInTheSubfolderIsNamed) {
  std::filesystem::remove_all(directory_ + "/inexact");
  Save(directory_ + "/inexact");
  EXPECT_NE(Found(directory_).find("|inexact/manifest.json|is not the manifest of the inexact rules"),
            std::string::npos)
      << Found(directory_);
}

TEST_F(VerifyBoth, LinksAndPipesAreNamedAndNotRead) {
  std::filesystem::rename(directory_ + "/inexact", directory_ + "_elsewhere");
  std::filesystem::create_directory_symlink(directory_ + "_elsewhere", directory_ + "/inexact");
  std::filesystem::rename(directory_ + "/nir.py", directory_ + "_nir.py");
  std::filesystem::create_symlink(directory_ + "_nir.py", directory_ + "/nir.py");
  std::filesystem::remove(directory_ + "/machine.py");
  ASSERT_EQ(mkfifo((directory_ + "/machine.py").c_str(), 0600), 0);
  const std::string found = Found(directory_);
  EXPECT_NE(found.find("|inexact|is not in the manifest"), std::string::npos) << found;
  EXPECT_NE(found.find("|nir.py|"), std::string::npos) << found;
  EXPECT_NE(found.find("nir.py: is a symbolic link"), std::string::npos) << found;
  EXPECT_NE(found.find("machine.py: is a named pipe"), std::string::npos) << found;
  for (const char* name : {"pack.json", "manifest.json"}) {
    std::filesystem::remove(absl::StrCat(directory_, "/", name));
    ASSERT_EQ(mkfifo(absl::StrCat(directory_, "/", name).c_str(), 0600), 0);
    EXPECT_NE(Found(directory_).find(absl::StrCat(name, ": is a named pipe")), std::string::npos) << Found(directory_);
  }
  std::filesystem::remove_all(directory_ + "_elsewhere");
}

// In each case, all digests are correct.
TEST_F(Verify, AlteredFieldsAreNamed) {
  const struct {
    const char* name;
    std::function<void(Pack*)> alter;
    const char* says;
  } kFaults[] = {
      {"confirmations", [](Pack* p) { p->message.mutable_entries(0)->clear_confirmations(); }, "confirmed it"},
      {"encoding", [](Pack* p) { p->message.mutable_entries(0)->mutable_confirmations()->RemoveLast(); },
       "not confirmed"},
      {"mutants", [](Pack* p) { p->message.mutable_entries(0)->clear_mutants(); }, "none of its mutants"},
      {"order", [](Pack* p) { p->message.mutable_entries()->SwapElements(0, p->message.entries_size() - 1); }, "order"},
      {"cost",
       [](Pack* p) {
         for (v1::PackEntry& entry : *p->message.mutable_entries()) {
           if (!entry.rule().program().empty()) entry.mutable_rule()->mutable_cost()->set_bytes(999);
         }
       },
       "rule.cost.bytes"},
      {"bytes", [](Pack* p) { p->message.mutable_entries(0)->set_table_bytes(12345); }, "table_bytes"},
      {"pass", [](Pack* p) { p->message.mutable_entries(0)->set_second_pass(!p->message.entries(0).second_pass()); },
       "second_pass"},
      {"place", [](Pack* p) { p->message.mutable_entries(0)->add_places("before_late"); }, "its trials chose"},
      {"state", [](Pack* p) { p->message.mutable_entries(0)->mutable_rule()->set_state(v1::RULE_STATE_REFUTED); },
       "refuted or lost"},
      {"waiver",
       [](Pack* p) {
         v1::PackWaiver* waiver = p->message.mutable_manifest()->add_waivers();
         waiver->set_subject(p->message.entries(0).rule().id());
         waiver->set_reason("r");
       },
       "waived: r"},
      {"blocked",
       [](Pack* p) {
         p->blocked.push_back({p->message.entries(0).rule().id(), "", "r"});
       },
       "as blocked"},
      {"weights", [](Pack* p) { p->pass.weights["iadd"] = 77; }, "weights"},
      {"text", [](Pack* p) { ++p->pass.text_bytes; }, "size for the rules' tuples"},
      {"tables", [](Pack* p) { ++p->pass.tables.states; }, "sizes for the pass's tables"},
      {"semantics", [](Pack* p) { p->message.mutable_manifest()->set_semantics_version("x"); }, "other semantics"}};
  for (const auto& fault : kFaults) {
    Written(fault.name, SampleRules());
    fault.alter(&pack_);
    pack_.message.mutable_manifest()->set_digest(PackDigest(pack_.message));
    const std::string directory = absl::StrCat(::testing::TempDir(), "/", fault.name);
    const std::string manifest = WriteManifestJson(pack_);
    const auto files = RenderPack({"nir", "machine", "c"}, &pack_);
    // A pack that no writer accepts is altered in place.
    if (files.ok()) {
      ASSERT_TRUE(WriteFiles(directory, *files).ok());
    } else {
      ASSERT_TRUE(
          WriteFiles(directory, {{"pack.json", WritePackJson(pack_.message)}, {"manifest.json", manifest}}).ok());
    }
    EXPECT_NE(Found(directory).find(fault.says), std::string::npos) << fault.name << ": " << Found(directory);
  }
}

TEST_F(Verify, ManifestsHaveOneForm) {
  const struct {
    const char *name, *from, *to;
  } kFaults[] = {{"license", "\"license\": \"MIT\"", "\"license\": \"GPL\""},
                 {"counts", "\"programs\": 2", "\"programs\": 3"},
                 {"unknown", "\"license\": \"MIT\"", "\"license\": \"MIT\", \"more\": 1"}};
  for (const auto& fault : kFaults) {
    const std::string directory = Written(fault.name, SampleRules());
    Doctor(directory, "manifest.json", fault.from, fault.to, false);
    EXPECT_EQ(Found(directory), "|manifest.json|differs from the text that the exporter writes for its fields\n");
  }
}

}  // namespace
}  // namespace rewrought::emitter
