#include "emitter/pack_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack_entry_check.h"
#include "emitter/pack_files.h"
#include "proto/read_file.h"

namespace rewrought::emitter {
namespace {

absl::StatusOr<Manifest> ReadManifest(const std::string& directory) {
  const absl::StatusOr<std::string> text = proto::ReadFileIn(directory, kManifestFile, proto::kJsonLimits);
  if (!text.ok()) return text.status();
  absl::StatusOr<Manifest> manifest = ReadManifestJson(*text);
  if (!manifest.ok())
    return absl::InvalidArgumentError(absl::StrCat(directory, "/", kManifestFile, ": ", manifest.status().message()));
  return manifest;
}

absl::StatusOr<v1::Pack> ParsePack(const std::string& path, const absl::StatusOr<std::string>& bytes) {
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<v1::Pack> pack = ReadPackJson(*bytes);
  if (!pack.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", pack.status().message()));
  return pack;
}

// Returns a manifest for a pack.json that has none.
absl::StatusOr<Manifest> ManifestOf(const v1::Pack& pack, absl::string_view target) {
  Manifest manifest;
  manifest.message = pack.manifest();
  manifest.target = target.empty() ? DefaultNirTarget().name() : std::string(target);
  if (pack.entries_size() > 0) manifest.rule_class = pack.entries(0).rule().rule_class();
  return manifest;
}

}  // namespace

absl::StatusOr<PackFolder> ReadPackFolder(const std::string& directory) {
  PackFolder folder;
  absl::StatusOr<Manifest> manifest = ReadManifest(directory);
  if (!manifest.ok()) return manifest.status();
  folder.manifest = *std::move(manifest);
  absl::StatusOr<v1::Pack> pack =
      ParsePack(absl::StrCat(directory, "/", kPackFile), proto::ReadFileIn(directory, kPackFile, proto::kJsonLimits));
  if (!pack.ok()) return pack.status();
  folder.pack = *std::move(pack);
  return folder;
}

absl::StatusOr<std::vector<PackFolder>> ReadPackFolders(const std::string& directory) {
  absl::StatusOr<PackFolder> pack = ReadPackFolder(directory);
  if (!pack.ok()) return pack.status();
  const bool strict = pack->manifest.rule_class == v1::RULE_CLASS_STRICT;
  std::vector<PackFolder> folders;
  folders.push_back(*std::move(pack));
  const std::filesystem::path inexact = std::filesystem::path(directory) / std::string(kInexactFolder);
  const auto kind_of = [](const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::symlink_status(path, error).type();
  };
  if (!strict || kind_of(inexact) != std::filesystem::file_type::directory ||
      kind_of(inexact / std::string(kManifestFile)) == std::filesystem::file_type::not_found) {
    return folders;
  }
  pack = ReadPackFolder(inexact.string());
  if (!pack.ok()) return pack.status();
  pack->subfolder = std::string(kInexactFolder);
  folders.push_back(*std::move(pack));
  return folders;
}

Pack PackOf(v1::Pack message, Manifest manifest) {
  Pack pack;
  pack.message = std::move(message);
  pack.target = std::move(manifest.target);
  pack.rule_class = manifest.rule_class;
  pack.blocked = std::move(manifest.blocked);
  pack.set_aside = manifest.set_aside;
  pack.peers = std::move(manifest.peers);
  pack.pass = std::move(manifest.pass);
  return pack;
}

std::string PathIn(const PackFolder& folder, absl::string_view file) {
  if (folder.subfolder.empty()) return std::string(file);
  return absl::StrCat(folder.subfolder, "/", file.empty() ? kPackFile : file);
}

absl::StatusOr<Pack> LoadPack(const std::string& path, absl::string_view target) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  const std::string file = is_folder ? absl::StrCat(path, "/", kPackFile) : path;
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  const std::string folder = parent.empty() ? std::string(".") : parent.string();
  absl::StatusOr<v1::Pack> message = ParsePack(file, is_folder ? proto::ReadFileIn(path, kPackFile, proto::kJsonLimits)
                                                               : proto::ReadFile(path, proto::kJsonLimits));
  if (!message.ok()) return message.status();
  absl::StatusOr<Manifest> manifest = ReadManifest(folder);
  if (absl::IsNotFound(manifest.status())) manifest = ManifestOf(*message, target);
  if (!manifest.ok()) return manifest.status();
  if (!target.empty() && manifest->target != target) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, "/", kManifestFile, " states that the pack is for ", manifest->target));
  }
  if (const auto known = FindNirTarget(manifest->target); !known.ok()) {
    return absl::InvalidArgumentError(known.status().message());
  }
  for (const v1::PackEntry& entry : message->entries()) {
    if (entry.rule().rule_class() == manifest->rule_class) continue;
    return absl::InvalidArgumentError(absl::StrCat(file, ": entry ", entry.rule().id(), " has a different rule class"));
  }
  if (const std::string digest = PackDigest(*message); digest != message->manifest().digest()) {
    return absl::FailedPreconditionError(
        absl::StrCat(file, ": the digest of the entries is ", digest, ", not ", message->manifest().digest()));
  }
  const std::vector<Finding> findings = CheckEntries(*message, *manifest);
  if (!findings.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(file, ": ", findings[0].entry, ": ", findings[0].what));
  }
  return PackOf(*std::move(message), *std::move(manifest));
}

}  // namespace rewrought::emitter
