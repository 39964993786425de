#include "emitter/pack_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/json_writer.h"
#include "emitter/machine_writer.h"
#include "emitter/nir/nir_writer.h"
#include "ir/digest.h"

namespace rewrought::emitter {

const std::vector<PackFormat>& PackFormats() {
  static const auto* const formats = new std::vector<PackFormat>{
      {"nir", "nir.py", &WriteNir, &CheckNirText},
      {"machine", "machine.py", [](const v1::Pack& pack, const NirTarget&) { return WriteMachine(pack); },
       [](absl::string_view text, const v1::Pack& pack, const NirTarget&) { return CheckMachineText(text, pack); }},
  };
  return *formats;
}

absl::StatusOr<std::vector<NamedFile>> RenderPack(const std::vector<std::string>& formats, Pack* pack) {
  std::vector<std::string> known = {"json"};
  for (const PackFormat& format : PackFormats()) known.emplace_back(format.name);
  for (const std::string& name : formats) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no format is called '", name, "'; there are ", absl::StrJoin(known, ", ")));
    }
  }
  const absl::StatusOr<const NirTarget*> target = FindNirTarget(pack->target);
  if (!target.ok()) return target.status();
  std::vector<NamedFile> files;
  for (const PackFormat& format : PackFormats()) {
    if (!formats.empty() && std::find(formats.begin(), formats.end(), format.name) == formats.end()) continue;
    absl::StatusOr<std::string> text = format.write(pack->message, **target);
    if (!text.ok()) return text.status();
    files.emplace_back(format.file, *std::move(text));
  }
  files.emplace_back(kPackFile, WritePackJson(pack->message));
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
  std::ostringstream bytes;
  if (stream) bytes << stream.rdbuf();
  if (!stream) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return bytes.str();
}

}  // namespace rewrought::emitter
