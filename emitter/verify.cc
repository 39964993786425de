#include "emitter/verify.h"

#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "emitter/entry_rule.h"
#include "emitter/json_writer.h"
#include "emitter/nir_rule.h"
#include "emitter/pack.h"
#include "emitter/pack_files.h"
#include "emitter/proved_cases.h"
#include "emitter/termination.h"
#include "ir/digest.h"
#include "ir/semantics.h"

namespace rewrought::emitter {
namespace {

constexpr size_t kTerminationStates = 2000;

struct ReadPack {
  Manifest manifest;
  v1::Pack pack;
  std::string pack_text;
};

absl::StatusOr<ReadPack> Read(const std::string& directory) {
  ReadPack read;
  const auto manifest_text = ReadFile(absl::StrCat(directory, "/", kManifestFile));
  if (!manifest_text.ok()) return manifest_text.status();
  auto manifest = ReadManifestJson(*manifest_text);
  if (!manifest.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(directory, "/", kManifestFile, ": ", manifest.status().message()));
  }
  read.manifest = *std::move(manifest);
  auto pack_text = ReadFile(absl::StrCat(directory, "/", kPackFile));
  if (!pack_text.ok()) return pack_text.status();
  auto pack = ReadPackJson(*pack_text);
  if (!pack.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(directory, "/", kPackFile, ": ", pack.status().message()));
  }
  read.pack = *std::move(pack);
  read.pack_text = *std::move(pack_text);
  return read;
}

class Checker {
 public:
  Checker(const std::string& directory, const ReadPack& read) : directory_(directory), read_(read) {}

  std::vector<Finding> Run() {
    CheckFiles();
    CheckWhole();
    for (const v1::PackEntry& entry : read_.pack.entries()) CheckEntry(entry);
    if (whole_) CheckTerminates();
    if (whole_) CheckFormats();
    return std::move(findings_);
  }

 private:
  void Add(const std::string& entry, absl::string_view file, absl::string_view what) {
    findings_.push_back({entry, std::string(file), std::string(what)});
  }

  void CheckFiles() {
    std::set<std::string> named = {std::string(kManifestFile)};
    for (const v1::PackFile& file : read_.manifest.message.files()) {
      named.insert(file.name());
      if (file.name().empty() || file.name().find('/') != std::string::npos) {
        Add("", kManifestFile, absl::StrCat("names a file outside the pack: ", file.name()));
        continue;
      }
      const auto bytes = ReadFile(absl::StrCat(directory_, "/", file.name()));
      if (!bytes.ok()) {
        Add("", file.name(), "is missing");
      } else if (ir::Sha256Hex(absl::string_view(*bytes)) != file.digest() || bytes->size() != file.bytes()) {
        Add("", file.name(), "its bytes are not those that the manifest names");
      }
    }
    if (!named.contains(std::string(kPackFile))) Add("", kManifestFile, "does not name pack.json");
    std::error_code error;
    for (const auto& file : std::filesystem::directory_iterator(directory_, error)) {
      const std::string name = file.path().filename().string();
      if (!named.contains(name)) Add("", name, "is not in the manifest");
    }
  }

  void CheckWhole() {
    const v1::PackManifest& manifest = read_.manifest.message;
    v1::PackManifest without_files = manifest;
    without_files.clear_files();
    if (WritePackJson(read_.pack) != read_.pack_text) Add("", kPackFile, "is not as it was written");
    if (without_files.SerializeAsString() != read_.pack.manifest().SerializeAsString()) {
      Add("", kManifestFile, "says something else than pack.json's manifest");
    }
    if (const std::string digest = PackDigest(read_.pack); digest != manifest.digest()) {
      Add("", kManifestFile, absl::StrCat("the digest of the entries is ", digest, ", not ", manifest.digest()));
    }
    if (manifest.semantics_version() != ir::SemanticsDigest()) {
      Add("", kManifestFile, absl::StrCat("was proved under other semantics, ", manifest.semantics_version()));
    }
  }

  void CheckEntry(const v1::PackEntry& entry) {
    const v1::RewriteRule& rule = entry.rule();
    const size_t before = findings_.size();
    if (!ids_.insert(rule.id()).second) Add(rule.id(), "", "stands in the pack twice");
    if (rule.rule_class() != read_.manifest.rule_class) Add(rule.id(), "", "is of another class than the pack");
    const auto text = CanonicalText(rule);
    if (text.ok() && RuleId(*text, rule.machine()) != rule.id())
      Add(rule.id(), "", "its text is not the one its id names");
    const auto parsed = ParseEntry(rule);
    absl::Status status = parsed.status();
    if (status.ok()) status = CheckEvidence(entry, false);
    if (status.ok()) status = FindProvedCases(parsed->rule, entry).status();
    if (status.ok() && !parsed->program.has_value()) {
      status = ExpandForNir(entry, *FindNirTarget(read_.manifest.target), read_.pack.manifest().machine()).status();
    }
    if (!status.ok()) Add(rule.id(), "", status.message());
    whole_ = whole_ && findings_.size() == before;
  }

  void CheckTerminates() {
    std::vector<ir::Rule> rules;
    std::vector<std::string> ids;
    for (const v1::PackEntry& entry : read_.pack.entries()) {
      const auto parsed = ParseEntry(entry.rule());
      if (!parsed.ok() || parsed->program.has_value()) continue;
      rules.push_back(parsed->rule);
      ids.push_back(entry.rule().id());
    }
    const auto found = CheckTermination(rules, {}, kTerminationStates);
    if (!found.ok()) return Add("", kPackFile, found.status().message());
    for (const TerminationFinding& finding : *found) {
      Add(finding.rules.empty() ? "" : ids[finding.rules[0]], "", absl::StrCat("does not terminate: ", finding.Text()));
    }
  }

  void CheckFormats() {
    const NirTarget target = *FindNirTarget(read_.manifest.target);
    for (const PackFormat& format : PackFormats()) {
      const auto bytes = ReadFile(absl::StrCat(directory_, "/", format.file));
      if (!bytes.ok()) continue;  // not exported, or reported as missing
      const absl::Status status = format.check(*bytes, read_.pack, target);
      if (!status.ok()) {
        Add(EntryNamedIn(status.message()), format.file, status.message());
        continue;
      }
      const auto wanted = format.write(read_.pack, target);
      if (wanted.ok() && *wanted != *bytes) Add("", format.file, "is not what pack.json gives");
    }
  }

  std::string EntryNamedIn(absl::string_view message) const {
    for (const std::string& id : ids_) {
      if (!id.empty() && message.find(id) != absl::string_view::npos) return id;
    }
    return "";
  }

  const std::string& directory_;
  const ReadPack& read_;
  std::set<std::string> ids_;
  bool whole_ = true;  // every entry is sound by itself
  std::vector<Finding> findings_;
};

// What of two entries with one id differs, in words; empty: nothing that a reader of the rule would see.
std::string EntryDifference(const v1::PackEntry& a, const v1::PackEntry& b) {
  std::vector<std::string> parts;
  const auto add = [&](absl::string_view name, bool differs) {
    if (differs) parts.emplace_back(name);
  };
  add("condition", a.rule().condition() != b.rule().condition());
  add("preconditions or widths",
      a.rule().generalisation().SerializeAsString() != b.rule().generalisation().SerializeAsString());
  add("cost", a.rule().cost().SerializeAsString() != b.rule().cost().SerializeAsString() ||
                  a.rule().base_cost().SerializeAsString() != b.rule().base_cost().SerializeAsString());
  add("proofs", a.proofs_size() != b.proofs_size());
  std::string text;
  for (const std::string& part : parts) absl::StrAppend(&text, text.empty() ? "" : ", ", part);
  return text;
}

}  // namespace

absl::StatusOr<std::vector<Finding>> VerifyPack(const std::string& directory) {
  const absl::StatusOr<ReadPack> read = Read(directory);
  if (!read.ok()) return read.status();
  return Checker(directory, *read).Run();
}

absl::StatusOr<std::vector<Difference>> DiffPacks(const std::string& a, const std::string& b) {
  const absl::StatusOr<ReadPack> old_pack = Read(a), new_pack = Read(b);
  if (!old_pack.ok()) return old_pack.status();
  if (!new_pack.ok()) return new_pack.status();
  std::vector<Difference> differences;
  const auto field = [&](absl::string_view name, const std::string& x, const std::string& y) {
    if (x != y) differences.push_back({Difference::kChanged, "", absl::StrCat(name, ": ", x, " -> ", y)});
  };
  const Manifest &x = old_pack->manifest, &y = new_pack->manifest;
  field("machine", x.message.machine(), y.message.machine());
  field("target", x.target, y.target);
  field("rule_class", v1::RuleClass_Name(x.rule_class), v1::RuleClass_Name(y.rule_class));
  field("semantics_version", x.message.semantics_version(), y.message.semantics_version());

  std::map<std::string, std::pair<int, const v1::PackEntry*>> old_entries;
  for (int i = 0; i < old_pack->pack.entries_size(); ++i) {
    old_entries[old_pack->pack.entries(i).rule().id()] = {i, &old_pack->pack.entries(i)};
  }
  int furthest = -1;  // place in a of the last entry that both have
  std::set<std::string> kept;
  for (const v1::PackEntry& entry : new_pack->pack.entries()) {
    const std::string& id = entry.rule().id();
    const auto found = old_entries.find(id);
    if (found == old_entries.end()) {
      const auto text = CanonicalText(entry.rule());
      differences.push_back({Difference::kAdded, id, text.ok() ? *text : entry.rule().search()});
      continue;
    }
    kept.insert(id);
    const std::string changed = EntryDifference(*found->second.second, entry);
    if (!changed.empty()) differences.push_back({Difference::kChanged, id, changed});
    if (found->second.first < furthest) differences.push_back({Difference::kMoved, id, "is tried later than before"});
    furthest = std::max(furthest, found->second.first);
  }
  for (const v1::PackEntry& entry : old_pack->pack.entries()) {
    if (kept.contains(entry.rule().id())) continue;
    const auto text = CanonicalText(entry.rule());
    differences.push_back({Difference::kRemoved, entry.rule().id(), text.ok() ? *text : entry.rule().search()});
  }
  return differences;
}

}  // namespace rewrought::emitter
