#include "corpus/harvest_files.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "corpus/archive.h"
#include "corpus/formats/input_kind.h"
#include "corpus/glsl/include_expander.h"
#include "ir/digest.h"
#include "proto/read_file.h"

namespace rewrought::corpus {
namespace {

namespace fs = std::filesystem;

std::string PackageOf(absl::string_view path) {
  constexpr absl::string_view kFolder = "node_modules/";
  const size_t found = path.rfind(kFolder);
  if (found == absl::string_view::npos) return "";
  const absl::string_view rest = path.substr(found + kFolder.size());
  size_t end = rest.find('/');
  if (!rest.empty() && rest[0] == '@' && end != absl::string_view::npos) end = rest.find('/', end + 1);
  return end == absl::string_view::npos ? "" : std::string(rest.substr(0, end));
}

std::string SourceFor(const HarvestInput& input, const std::string& path) {
  if (!input.source.empty()) return input.source;
  std::string package = PackageOf(path);
  if (!package.empty()) return package;
  fs::path given(input.path);
  if (!given.has_filename()) given = given.parent_path();
  std::string name = given.filename().string();
  return name.substr(0, name.find('.', 1));
}

// The number of bytes at the start of a file that suffice to recognize an archive.
constexpr size_t kHeadBytes = 512;

// Returns the unit of a file or archive member. Replaces the #include lines of a shader with the files that they name.
HarvestUnit UnitOf(size_t place, const std::string& member, std::string bytes, const std::string& name,
                   const std::string& path, const IncludeFinder& find) {
  const InputKind kind = KindOf(name, bytes);
  if (kind != InputKind::kGlsl && kind != InputKind::kHlsl) return {place, member, std::move(bytes), ""};
  const SourceLanguage language = kind == InputKind::kGlsl ? SourceLanguage::kGlsl : SourceLanguage::kHlsl;
  absl::StatusOr<std::string> expanded = ExpandIncludes(bytes, path, language, find);
  if (!expanded.ok()) return {place, member, "", std::string(expanded.status().message())};
  return {place, member, *std::move(expanded), ""};
}

absl::StatusOr<IncludedFile> FindNothingInArchives(absl::string_view, absl::string_view) {
  return absl::NotFoundError("unpack the archive and harvest the folder so that included files can be read");
}

// Returns the message of an InputFile error without the file's name.
std::string ReasonOf(const absl::Status& error, const std::string& path) {
  return std::string(absl::StripPrefix(error.message(), absl::StrCat(path, ": ")));
}

// Reads until `bytes` has kHeadBytes bytes or the file ends.
absl::Status ReadHead(const std::stop_token& stop, proto::InputFile* input, std::string* bytes) {
  while (bytes->size() < kHeadBytes) {
    char piece[kHeadBytes];
    const absl::StatusOr<size_t> count = input->Read(piece, kHeadBytes - bytes->size(), stop);
    if (!count.ok()) return count.status();
    if (*count == 0) break;
    bytes->append(piece, *count);
  }
  return absl::OkStatus();
}

// Visits the units of one file. Returns false if `visit` returned false, or after a stop request.
bool VisitFile(const HarvestFile& file, size_t place, uint64_t file_bytes, const HarvestShard& shard,
               const std::stop_token& stop, const std::function<bool(HarvestUnit)>& visit) {
  const bool is_ours = shard.Has(file.name);  // only one shard reports problems of the file as a whole
  const auto skip = [&](std::string reason) { return !is_ours || visit({place, "", "", std::move(reason)}); };
  absl::StatusOr<proto::InputFile> input = proto::InputFile::Open(file.path);
  if (!input.ok()) return skip(ReasonOf(input.status(), file.path));
  std::string bytes;
  absl::Status read;
  // A file that is not an archive belongs to one shard; an archive belongs to all shards.
  if (!is_ours) {
    read = ReadHead(stop, &*input, &bytes);
    if (read.ok() && !LooksLikeArchive(bytes)) return true;
  }
  proto::ParseLimits limits = proto::kFileLimits;
  limits.bytes = file_bytes;
  if (read.ok()) read = input->ReadRest(limits, &bytes, stop);
  if (absl::IsCancelled(read)) return false;
  if (absl::IsResourceExhausted(read)) return skip(absl::StrCat("too large: more than ", file_bytes, " bytes"));
  if (!read.ok()) return skip(ReasonOf(read, file.path));
  if (KindOf(file.name, bytes) != InputKind::kArchive) {
    if (!is_ours) return true;
    return visit(UnitOf(place, "", std::move(bytes), file.name, file.path, FindInFolders(file.include_folders)));
  }
  bool more = true;
  const absl::Status walked = ForEachMember(
      bytes, ArchiveLimits{},
      [&](const std::string& member, std::string content) {
        if (!shard.Has(absl::StrCat(file.name, "/", member))) return true;
        return more = visit(UnitOf(place, member, std::move(content), member, member, FindNothingInArchives));
      },
      [&](const std::string& member, const std::string& reason) {
        if (!shard.Has(absl::StrCat(file.name, "/", member))) return true;
        return more = visit({place, member, "", reason});
      });
  if (more && !walked.ok() && is_ours) {
    const absl::string_view kind = absl::IsResourceExhausted(walked) ? "" : "damaged archive: ";
    more = visit({place, "", "", absl::StrCat(kind, walked.message())});
  }
  return more;
}

// Returns whether the entry is an unreadable folder or a dangling link.
bool IsLost(const fs::directory_entry& entry) {
  std::error_code error;
  if (entry.is_symlink(error)) return !fs::exists(entry.path(), error);
  return entry.is_directory(error) && access(entry.path().c_str(), R_OK | X_OK) != 0;
}

}  // namespace

absl::Status ListFiles(const HarvestInput& input, std::vector<HarvestFile>* files) {
  std::error_code error;
  const fs::file_status status = fs::status(input.path, error);
  if (!fs::exists(status)) return absl::NotFoundError(absl::StrCat(input.path, ": no such file or folder"));
  std::vector<std::string> folders = {input.path};
  folders.insert(folders.end(), input.include_folders.begin(), input.include_folders.end());
  if (!fs::is_directory(status)) {
    const fs::path path(input.path);
    folders[0] = path.parent_path().string();
    files->push_back({input.path, path.filename().string(), SourceFor(input, input.path), input.held_out, folders});
    return absl::OkStatus();
  }
  const size_t first = files->size();
  fs::recursive_directory_iterator walk(input.path, fs::directory_options::skip_permission_denied, error), end;
  if (error) return absl::PermissionDeniedError(absl::StrCat(input.path, ": ", error.message()));
  for (; walk != end; walk.increment(error)) {
    if (error) break;
    // Hidden directories, such as tool caches and version-control history, may contain copies of every shader.
    if (walk->path().filename().string()[0] == '.') {
      walk.disable_recursion_pending();
      continue;
    }
    if (!walk->is_regular_file(error) && !IsLost(*walk)) continue;
    const std::string path = walk->path().string();
    files->push_back(
        {path, walk->path().lexically_relative(input.path).string(), SourceFor(input, path), input.held_out, folders});
  }
  std::sort(files->begin() + static_cast<ptrdiff_t>(first), files->end(),
            [](const HarvestFile& a, const HarvestFile& b) { return a.path < b.path; });
  return absl::OkStatus();
}

bool HarvestShard::Has(absl::string_view name) const {
  if (shards <= 1) return true;
  const ir::Digest digest = ir::Digest::Of(name);
  uint64_t slot = 0;
  for (int i = 0; i < 4; ++i) slot = slot << 8 | digest.bytes[i];
  return slot * shards >> 32 == shard;
}

bool ForEachUnit(const std::vector<HarvestFile>& files, uint64_t file_bytes, const HarvestShard& shard,
                 const std::stop_token& stop, const std::function<bool(HarvestUnit)>& visit) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (!VisitFile(files[i], i, file_bytes, shard, stop, visit)) return false;
  }
  return true;
}

}  // namespace rewrought::corpus
