#include "emitter/verify.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "emitter/entry_rule.h"
#include "emitter/json_writer.h"
#include "emitter/pack.h"
#include "emitter/pack_files.h"
#include "emitter/pass/pass_check.h"
#include "ir/digest.h"
#include "ir/semantics.h"

namespace rewrought::emitter {
namespace {

class Checker {
 public:
  Checker(const std::string& directory, const PackFolder& read) : directory_(directory), read_(read) {}

  std::vector<Finding> Run() {
    CheckFiles();
    CheckWhole();
    std::vector<Finding> of_entries = CheckEntries(read_.pack, read_.manifest);
    const bool sound = of_entries.empty();
    findings_.insert(findings_.end(), of_entries.begin(), of_entries.end());
    if (sound) CheckTerminates();
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
      named.insert(file.name());
      if (file.name().empty() || file.name().find('/') != std::string::npos) {
        Add("", kManifestFile, absl::StrCat("names a file outside the pack: ", file.name()));
        continue;
      }
      const auto bytes = ReadFile(absl::StrCat(directory_, "/", file.name()));
      if (!bytes.ok()) {
        Add("", file.name(), "is missing");
      } else if (ir::Sha256Hex(absl::string_view(*bytes)) != file.digest() || bytes->size() != file.bytes()) {
        Add("", file.name(), "does not match its digest and size in the manifest");
      }
    }
    if (!named.contains(std::string(kPackFile))) Add("", kManifestFile, "does not name pack.json");
    std::error_code error;
    for (const auto& file : std::filesystem::directory_iterator(directory_, error)) {
      const std::string name = file.path().filename().string();
      // The inexact rules are a separate pack in a subfolder.
      if (std::filesystem::exists(file.path() / std::string(kManifestFile), error)) continue;
      if (!named.contains(name)) Add("", name, "is not in the manifest");
    }
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
    if (manifest.semantics_version() != ir::SemanticsDigest()) {
      Add("", kManifestFile, absl::StrCat("was proved under other semantics: ", manifest.semantics_version()));
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

  // Returns the texts of the format's files, up to the first file that cannot be read.
  std::vector<std::string> TextsOf(const Format& format) const {
    std::vector<std::string> texts;
    for (const absl::string_view file : format.files) {
      auto bytes = ReadFile(absl::StrCat(directory_, "/", file));
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

  const std::string& directory_;
  const PackFolder& read_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> VerifyPack(const std::string& directory, const PackFolder& read) {
  return Checker(directory, read).Run();
}

}  // namespace rewrought::emitter
