#include "emitter/pack_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "emitter/json_writer.h"
#include "emitter/nir/nir_target.h"
#include "ir/digest.h"
#include "proto/parse_limits.h"

namespace rewrought::emitter {

absl::StatusOr<std::vector<NamedFile>> RenderPack(const std::vector<std::string>& formats, Pack* pack) {
  const absl::StatusOr<std::vector<const Format*>> wanted = FindFormats(formats);
  if (!wanted.ok()) return wanted.status();
  const absl::StatusOr<const NirTarget*> target = FindNirTarget(pack->target);
  if (!target.ok()) return target.status();
  std::vector<NamedFile> files;
  for (const Format& format : Formats()) {
    const bool is_wanted = std::find(wanted->begin(), wanted->end(), &format) != wanted->end();
    if (format.file != kPackFile && !(is_wanted && format.Takes(pack->rule_class))) continue;
    absl::StatusOr<std::string> text = format.write(pack->message, **target);
    if (!text.ok()) return text.status();
    files.emplace_back(format.file, *std::move(text));
  }
  v1::PackManifest* const manifest = pack->message.mutable_manifest();
  manifest->clear_files();
  for (const auto& [name, bytes] : files) {
    v1::PackFile* const file = manifest->add_files();
    file->set_name(name);
    file->set_digest(ir::Sha256Hex(absl::string_view(bytes)));
    file->set_bytes(bytes.size());
  }
  files.emplace_back(kManifestFile, WriteManifestJson(*pack));
  return files;
}

absl::Status WriteFiles(const std::string& directory, const std::vector<NamedFile>& files) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  for (const auto& [name, bytes] : files) {
    const std::string path = absl::StrCat(directory, "/", name);
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string bytes;
  if (!stream) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  if (absl::Status read = proto::ReadBounded(stream, proto::kFileLimits, &bytes); !read.ok()) {
    return absl::ResourceExhaustedError(absl::StrCat(path, ": ", read.message()));
  }
  if (stream.bad()) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return bytes;
}

}  // namespace rewrought::emitter
