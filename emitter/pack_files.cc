#include "emitter/pack_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "emitter/files/scratch_folder.h"
#include "emitter/json_writer.h"
#include "emitter/nir/nir_target.h"
#include "ir/digest.h"

namespace rewrought::emitter {
namespace {

namespace fs = std::filesystem;

constexpr char kScratchPrefix[] = ".rewrought-";

std::error_code LastError() { return {errno, std::generic_category()}; }

absl::Status CannotWrite(const std::string& path, const std::error_code& error) {
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", error.message()));
}

// Writes and syncs a new file, so that a power failure cannot leave it empty.
absl::Status WriteNew(const std::string& path, absl::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return CannotWrite(path, LastError());
  std::error_code error;
  while (!bytes.empty() && !error) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written >= 0) bytes.remove_prefix(static_cast<size_t>(written));
    if (written < 0 && errno != EINTR) error = LastError();
  }
  if (!error && fsync(file) != 0) error = LastError();
  if (close(file) != 0 && !error) error = LastError();
  return error ? CannotWrite(path, error) : absl::OkStatus();
}

// Adds the format's name to an error from its writer, and the remedy to an error about a rule.
absl::Status WithRemedy(const Format& format, const absl::Status& status) {
  const std::string name = absl::StrCat(format.name, ": ");
  std::string message = absl::StrCat(absl::StartsWith(status.message(), name) ? "" : name, status.message());
  const bool about_a_rule = absl::StrContains(message, "entry ") && !format.IsPackItself();
  if (about_a_rule && !absl::StrContains(message, "waivers file")) {
    absl::StrAppend(&message, "; mute the rule in a waivers file (--waivers), or omit ", format.name, " from --format");
  }
  return absl::Status(status.code(), message);
}

}  // namespace

absl::StatusOr<std::vector<NamedFile>> RenderPack(const std::vector<std::string>& formats, Pack* pack) {
  const absl::StatusOr<std::vector<const Format*>> wanted = FindFormats(formats);
  if (!wanted.ok()) return wanted.status();
  const absl::StatusOr<const NirTarget*> target = FindNirTarget(pack->target);
  if (!target.ok()) return target.status();
  std::vector<NamedFile> files;
  for (const Format& format : Formats()) {
    const bool is_wanted = std::find(wanted->begin(), wanted->end(), &format) != wanted->end();
    if (!format.IsPackItself() && !(is_wanted && format.Takes(pack->rule_class))) continue;
    absl::StatusOr<std::vector<std::string>> texts = format.write(pack->message, **target);
    if (!texts.ok()) return WithRemedy(format, texts.status());
    for (size_t i = 0; i < texts->size(); ++i) files.emplace_back(format.files[i], std::move((*texts)[i]));
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
  fs::create_directories(directory, error);
  const ScratchFolder scratch(directory, kScratchPrefix);
  if (!scratch.made()) return CannotWrite(directory, error ? error : LastError());
  for (const auto& [name, bytes] : files) {
    if (absl::Status status = WriteNew(absl::StrCat(scratch.path(), "/", name), bytes); !status.ok()) return status;
  }
  for (const auto& [name, bytes] : files) {
    const std::string path = absl::StrCat(directory, "/", name);
    fs::rename(absl::StrCat(scratch.path(), "/", name), path, error);
    if (error) return CannotWrite(path, error);
  }
  return absl::OkStatus();
}

absl::Status ReplaceFolder(const std::string& directory, const std::vector<NamedFile>& files) {
  std::error_code error;
  fs::create_directories(fs::path(directory).parent_path(), error);
  fs::path place = fs::weakly_canonical(directory, error);  // Follows a symbolic link instead of replacing it.
  if (error) return CannotWrite(directory, error);
  if (!place.has_filename()) place = place.parent_path();
  const ScratchFolder scratch(place.parent_path().string(), kScratchPrefix);
  if (!scratch.made()) return CannotWrite(place.parent_path().string(), LastError());
  const fs::path fresh = fs::path(scratch.path()) / "new";
  if (fs::exists(place, error)) {
    fs::copy(place, fresh,
             fs::copy_options::recursive | fs::copy_options::create_hard_links | fs::copy_options::copy_symlinks,
             error);
    if (error) return CannotWrite(directory, error);
  }
  for (const auto& [name, bytes] : files) {
    const fs::path path = fresh / name;
    fs::create_directories(path.parent_path(), error);
    fs::remove(path, error);  // The old folder may share this file as a hard link.
    if (absl::Status status = WriteNew(path.string(), bytes); !status.ok()) return status;
  }
  return MoveFolder(fresh.string(), place.string(), absl::StrCat(scratch.path(), "/old"));
}

absl::Status MoveFolder(const std::string& from, const std::string& to, const std::string& spare) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return absl::OkStatus();
  const int why = errno;
  if (why != ENOENT && why != EINVAL && why != ENOSYS) return CannotWrite(to, LastError());
  std::error_code error;
  if (why != ENOENT) fs::rename(to, spare, error);
  fs::rename(from, to, error);
  return error ? CannotWrite(to, error) : absl::OkStatus();
}

absl::Status WriteFile(const std::string& path, const std::string& bytes) {
  std::error_code error;
  fs::path place = fs::weakly_canonical(path, error);  // Follows a symbolic link instead of replacing it.
  if (error) place = path;
  const fs::file_status status = fs::status(place, error);
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    const std::string folder = place.parent_path().string();
    return WriteFiles(folder.empty() ? "." : folder, {{place.filename().string(), bytes}});
  }
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
  stream.close();
  return stream ? absl::OkStatus() : CannotWrite(path, LastError());
}

}  // namespace rewrought::emitter
