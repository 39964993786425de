#include "emitter/verify.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "emitter/entry_rule.h"
#include "emitter/json_writer.h"
#include "emitter/pack.h"
#include "emitter/pack_files.h"
#include "emitter/pass/pass_check.h"
#include "ir/digest.h"
#include "ir/semantics.h"
#include "proto/read_file.h"

namespace rewrought::emitter {
namespace {

class Checker {
 public:
  // `strict` is the strict pack beside an inexact pack, and may be null. `subfolder` is the name of the subfolder with
  // another pack, or "".
  Checker(std::string directory, const PackFolder& read, const PackFolder* strict, std::string subfolder)
      : directory_(std::move(directory)), read_(read), strict_(strict), subfolder_(std::move(subfolder)) {}

  std::vector<Finding> Run() {
    CheckFiles();
    CheckWhole();
    std::vector<Finding> of_entries = CheckEntries(read_.pack, read_.manifest);
    const bool sound = of_entries.empty();
    findings_.insert(findings_.end(), of_entries.begin(), of_entries.end());
    if (sound) CheckTerminates();
    if (sound) CheckBuilt();
    CheckFormats(sound);
    return std::move(findings_);
  }

 private:
  void Add(const std::string& entry, absl::string_view file, absl::string_view what) {
    findings_.push_back({entry, std::string(file), std::string(what)});
  }

  void CheckFiles() {
    std::set<std::string> named = {std::string(kManifestFile)};
    for (const v1::PackFile& file : read_.manifest.message.files()) {
      if (!named.insert(file.name()).second) Add("", kManifestFile, absl::StrCat("names ", file.name(), " twice"));
      if (file.name().empty() || file.name().find('/') != std::string::npos) {
        Add("", kManifestFile, absl::StrCat("names a file outside the pack: ", file.name()));
        continue;
      }
      const auto bytes = proto::ReadFileIn(directory_, file.name(), proto::kPackFileLimits);
      if (absl::IsNotFound(bytes.status())) {
        Add("", file.name(), "is missing");
      } else if (!bytes.ok()) {
        Add("", file.name(), bytes.status().message());
      } else if (ir::Sha256Hex(absl::string_view(*bytes)) != file.digest() || bytes->size() != file.bytes()) {
        Add("", file.name(), "does not match its digest and size in the manifest");
      }
    }
    if (!named.contains(std::string(kPackFile))) Add("", kManifestFile, "does not name pack.json");
    std::error_code error;
    for (const auto& file : std::filesystem::directory_iterator(directory_, error)) {
      const std::string name = file.path().filename().string();
      if (!named.contains(name) && name != subfolder_) Add("", name, "is not in the manifest");
    }
    if (error) Add("", kManifestFile, absl::StrCat("its folder cannot be listed: ", error.message()));
  }

  void CheckWhole() {
    const v1::PackManifest& manifest = read_.manifest.message;
    v1::PackManifest without_files = manifest;
    without_files.clear_files();
    if (without_files.SerializeAsString() != read_.pack.manifest().SerializeAsString()) {
      Add("", kManifestFile, "differs from the manifest in pack.json");
    }
    if (const std::string digest = PackDigest(read_.pack); digest != manifest.digest()) {
      Add("", kManifestFile, absl::StrCat("the digest of the entries is ", digest, ", not ", manifest.digest()));
    }
    Pack whole = PackOf(read_.pack, read_.manifest);
    *whole.message.mutable_manifest() = manifest;
    if (proto::ReadFileIn(directory_, kManifestFile, proto::kJsonLimits).value_or("") != WriteManifestJson(whole)) {
      Add("", kManifestFile, "differs from the text that the exporter writes for its fields");
    }
    if (manifest.semantics_version() != ir::SemanticsDigest()) {
      Add("", kManifestFile, absl::StrCat("was proved under other semantics: ", manifest.semantics_version()));
    }
  }

  // Compares the pack with the pack that the exporter builds from its entries.
  void CheckBuilt() {
    const v1::Pack& stated = read_.pack;
    PackOptions options;
    options.machine = stated.manifest().machine();
    options.target = *FindNirTarget(read_.manifest.target);
    options.rule_class = read_.manifest.rule_class;
    // The exporter enforced limits that the pack does not state.
    options.limits = {.bytes = UINT64_MAX, .seconds = std::numeric_limits<double>::infinity()};
    options.manifest = stated.manifest();
    if (strict_ != nullptr) options.beside.assign(strict_->pack.entries().begin(), strict_->pack.entries().end());
    std::vector<ProvedRule> candidates;
    for (const v1::PackEntry& entry : stated.entries()) {
      ProvedRule candidate{entry, {}, "", false};
      candidate.entry.clear_table_bytes();
      candidate.entry.clear_second_pass();
      candidate.entry.clear_for_positions();
      candidates.push_back(std::move(candidate));
    }
    const absl::StatusOr<Pack> built = BuildPack(std::move(candidates), options);
    if (!built.ok()) return Add("", kManifestFile, built.status().message());
    for (const BlockedRule& blocked : built->blocked) Add(blocked.id, "", blocked.reason);
    if (!built->blocked.empty()) return;
    for (int i = 0; i < stated.entries_size(); ++i) {
      const v1::PackEntry &entry = stated.entries(i), &wanted = built->message.entries(i);
      if (entry.rule().id() != wanted.rule().id())
        return Add(entry.rule().id(), "", "is not in the order in which the exporter writes the entries");
      if (const std::string text = DifferenceText(entry, wanted); !text.empty())
        Add(entry.rule().id(), "",
            absl::StrCat("states facts that differ from those that the exporter derives: ", text));
    }
    const PassFacts &pass = read_.manifest.pass, &wanted = built->pass;
    if (pass.weights != wanted.weights) Add("", kManifestFile, "states wrong op weights");
    if (pass.text_bytes != wanted.text_bytes) Add("", kManifestFile, "states a wrong size for the rules' tuples");
    // The tables of inexact rules also contain the strict rules.
    const bool alone = options.rule_class == v1::RULE_CLASS_INEXACT && strict_ == nullptr;
    const TableFigures &tables = pass.tables, &counted = wanted.tables;
    const bool same = tables.tuples == counted.tuples && tables.states == counted.states &&
                      tables.entries == counted.entries && tables.bytes == counted.bytes &&
                      std::abs(tables.seconds - counted.seconds) < 0.01;
    if (!alone && !same) Add("", kManifestFile, "states wrong sizes for the pass's tables");
    for (const BlockedRule& blocked : read_.manifest.blocked) {
      const auto is_blocked = [&](const v1::PackEntry& entry) { return entry.rule().id() == blocked.id; };
      if (std::any_of(stated.entries().begin(), stated.entries().end(), is_blocked))
        Add(blocked.id, kManifestFile, "is listed as blocked, but is an entry of the pack");
    }
  }

  void CheckTerminates() {
    for (const auto& [id, why] : CheckPassEnds(read_.pack, read_.manifest.pass.weights)) Add(id, "", why);
  }

  // Compares the files of each format with the pack. If the entries are not all `sound`, compares only pack.json,
  // because the other formats cannot be generated again.
  void CheckFormats(bool sound) {
    const NirTarget& target = **FindNirTarget(read_.manifest.target);
    for (const Format& format : Formats()) {
      if (!sound && !format.IsPackItself()) continue;
      const std::vector<std::string> texts = TextsOf(format);
      if (texts.size() != format.files.size()) continue;  // Not exported, or already reported as missing.
      const absl::Status status = format.check(texts, read_.pack, target);
      if (!status.ok()) {
        Add(EntryNamedIn(status.message()), FileNamedIn(status.message(), format), status.message());
        continue;
      }
      const auto wanted = format.write(read_.pack, target);
      for (size_t i = 0; wanted.ok() && i < texts.size(); ++i) {
        if ((*wanted)[i] != texts[i]) Add("", format.files[i], "differs from the file generated from pack.json");
      }
    }
  }

  // Returns the contents of the format's files, up to the first file that cannot be read.
  std::vector<std::string> TextsOf(const Format& format) const {
    std::vector<std::string> texts;
    for (const absl::string_view file : format.files) {
      auto bytes = proto::ReadFileIn(directory_, file, proto::kPackFileLimits);
      if (!bytes.ok()) break;
      texts.push_back(*std::move(bytes));
    }
    return texts;
  }

  // Returns the file named at the start of a message, or the format's first file.
  static absl::string_view FileNamedIn(absl::string_view message, const Format& format) {
    for (const absl::string_view file : format.files) {
      if (absl::StartsWith(message, absl::StrCat(file, ":"))) return file;
    }
    return format.files[0];
  }

  std::string EntryNamedIn(absl::string_view message) const {
    for (const v1::PackEntry& entry : read_.pack.entries()) {
      const std::string& id = entry.rule().id();
      if (!id.empty() && message.find(id) != absl::string_view::npos) return id;
    }
    return "";
  }

  const std::string directory_;
  const PackFolder& read_;
  const PackFolder* const strict_;
  const std::string subfolder_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> VerifyPacks(const std::string& directory, const std::vector<PackFolder>& read) {
  std::vector<Finding> findings;
  for (const PackFolder& folder : read) {
    const bool is_root = folder.subfolder.empty();
    const PackFolder* const strict = is_root ? nullptr : &read[0];
    const std::string path = is_root ? directory : absl::StrCat(directory, "/", folder.subfolder);
    const std::string subfolder = is_root ? read.back().subfolder : "";
    for (Finding& finding : Checker(path, folder, strict, subfolder).Run()) {
      finding.file = PathIn(folder, finding.file);
      findings.push_back(std::move(finding));
    }
    if (strict == nullptr) continue;
    const v1::PackManifest &one = folder.pack.manifest(), &other = strict->pack.manifest();
    if (folder.manifest.rule_class != v1::RULE_CLASS_INEXACT || one.machine() != other.machine() ||
        folder.manifest.target != strict->manifest.target || one.driver() != other.driver()) {
      findings.push_back({"", PathIn(folder, kManifestFile),
                          "is not the manifest of the inexact rules of the pack in the parent folder"});
    }
  }
  return findings;
}

}  // namespace rewrought::emitter
