#include "corpus/harvest_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "corpus/archive.h"
#include "corpus/reader.h"
#include "ir/digest.h"

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

// Returns whether the file must be opened for this shard. A file that is not an archive belongs to one shard; an
// archive belongs to all shards. The first bytes of a file show whether it is an archive.
bool IsWanted(const HarvestFile& file, const HarvestShard& shard) {
  if (shard.Has(file.name)) return true;
  std::ifstream stream(file.path, std::ios::binary);
  std::string head(512, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(std::max<std::streamsize>(0, stream.gcount())));
  return LooksLikeArchive(head);
}

// Visits the units of one file. Returns false if `visit` returned false.
bool VisitFile(const HarvestFile& file, size_t place, uint64_t file_bytes, const HarvestShard& shard,
               const std::function<bool(HarvestUnit)>& visit) {
  if (!IsWanted(file, shard)) return true;
  const bool is_ours = shard.Has(file.name);  // only one shard reports problems of the file as a whole
  std::error_code error;
  const uint64_t size = fs::file_size(file.path, error);
  if (!error && size > file_bytes)
    return !is_ours || visit({place, "", "", absl::StrCat("too large: more than ", file_bytes, " bytes")});
  std::ifstream stream(file.path, std::ios::binary);
  if (!stream) return !is_ours || visit({place, "", "", "cannot be opened"});
  std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (KindOf(file.name, bytes) != InputKind::kArchive) {
    return !is_ours || visit({place, "", std::move(bytes), ""});
  }
  bool more = true;
  const absl::Status walked = ForEachMember(
      bytes, ArchiveLimits{},
      [&](const std::string& member, std::string content) {
        if (!shard.Has(absl::StrCat(file.name, "/", member))) return true;
        return more = visit({place, member, std::move(content), ""});
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

}  // namespace

absl::Status ListFiles(const HarvestInput& input, std::vector<HarvestFile>* files) {
  std::error_code error;
  const fs::file_status status = fs::status(input.path, error);
  if (!fs::exists(status)) return absl::NotFoundError(absl::StrCat(input.path, ": no such file or folder"));
  if (!fs::is_directory(status)) {
    const std::string name = fs::path(input.path).filename().string();
    files->push_back({input.path, name, SourceFor(input, input.path), input.held_out});
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
    if (!walk->is_regular_file(error)) continue;
    const std::string path = walk->path().string();
    files->push_back(
        {path, walk->path().lexically_relative(input.path).string(), SourceFor(input, path), input.held_out});
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

void ForEachUnit(const std::vector<HarvestFile>& files, uint64_t file_bytes, const HarvestShard& shard,
                 const std::function<bool(HarvestUnit)>& visit) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (!VisitFile(files[i], i, file_bytes, shard, visit)) return;
  }
}

}  // namespace rewrought::corpus
