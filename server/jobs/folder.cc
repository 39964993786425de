#include "server/jobs/folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace rewrought::rpc {
namespace {

namespace fs = std::filesystem;

// Returns the folders in `folder` if `folders` is set, otherwise its regular files, sorted by name. Omits names that
// start with a dot.
absl::StatusOr<std::vector<FolderEntry>> EntriesOf(const std::string& folder, bool folders) {
  std::error_code error;
  fs::directory_iterator place(folder, error);
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": cannot be read: ", error.message()));
  std::vector<FolderEntry> found;
  for (; !error && place != fs::directory_iterator(); place.increment(error)) {
    FolderEntry entry;
    entry.name = place->path().filename().string();
    entry.path = place->path().string();
    struct stat about {};
    if (entry.name.empty() || entry.name[0] == '.' || lstat(entry.path.c_str(), &about) != 0) continue;
    if (folders ? !S_ISDIR(about.st_mode) : !S_ISREG(about.st_mode)) continue;
    entry.bytes = static_cast<uint64_t>(about.st_size);
    entry.modified = absl::TimeFromTimespec(about.st_mtim);
    found.push_back(std::move(entry));
  }
  std::sort(found.begin(), found.end(), [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
  return found;
}

bool Marked(FolderEntry* entry, const std::string& marker) {
  struct stat about {};
  if (lstat(absl::StrCat(entry->path, "/", marker).c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return false;
  entry->modified = absl::TimeFromTimespec(about.st_mtim);
  return true;
}

}  // namespace

absl::StatusOr<std::vector<FolderEntry>> FilesIn(const std::string& folder) { return EntriesOf(folder, false); }

absl::StatusOr<std::vector<FolderEntry>> FoldersWith(const std::string& folder, const std::string& marker) {
  absl::StatusOr<std::vector<FolderEntry>> outer = EntriesOf(folder, true);
  if (!outer.ok()) return outer.status();
  std::vector<FolderEntry> found;
  for (FolderEntry& one : *outer) {
    absl::StatusOr<std::vector<FolderEntry>> inner = EntriesOf(one.path, true);
    if (Marked(&one, marker)) found.push_back(one);
    if (!inner.ok()) continue;  // skip a folder that cannot be read
    for (FolderEntry& below : *inner) {
      if (!Marked(&below, marker)) continue;
      below.name = absl::StrCat(one.name, "/", below.name);
      found.push_back(std::move(below));
    }
  }
  return found;
}

}  // namespace rewrought::rpc
