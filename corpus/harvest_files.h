// Enumerates the inputs of a harvest: the files and the units in them. A unit is a file or an archive member.
#ifndef REWROUGHT_CORPUS_HARVEST_FILES_H_
#define REWROUGHT_CORPUS_HARVEST_FILES_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

struct HarvestInput {
  std::string path;       // path of a file, folder, or archive
  std::string source;     // if empty, the package below a node_modules folder is used, or else the last part of `path`,
                          // without extensions
  bool held_out = false;  // used only for measurements, never for discovery
  std::vector<std::string> include_folders = {};  // further folders to search for included files
};

struct HarvestFile {
  std::string path, name, source;  // `name` is the path of the file relative to its input's folder
  bool held_out = false;
  // The folders below which a shader may include files: the input's folder, then HarvestInput::include_folders.
  std::vector<std::string> include_folders = {};
};

// Appends the files of an input to `files`; the files of a folder are sorted by path. Skips hidden files and folders
// below the input, and does not follow links to folders. Includes unreadable folders and dangling links, so that
// ForEachUnit reports them. Fails with NotFound if the path does not exist, and with PermissionDenied if the folder
// cannot be read.
absl::Status ListFiles(const HarvestInput& input, std::vector<HarvestFile>* files);

// One shard of the input of a harvest. The names of files and members determine their shard, so the assignment is the
// same on every machine and does not require reading the files.
struct HarvestShard {
  uint32_t shard = 0, shards = 1;  // shard < shards
  bool Has(absl::string_view name) const;
};

struct HarvestUnit {
  size_t file = 0;     // index of the file in the list of files
  std::string member;  // name of the archive member, or empty if the unit is the file itself
  std::string bytes;
  std::string skipped;  // if not empty, states why the unit has no bytes: "reason" or "reason: details"
};

// Calls `visit` for the units of `files` that belong to `shard`, until `visit` returns false or `stop` is requested.
// Visits the files in order, and the members of an archive in the archive's order. The shard of an archive member
// depends on the member's name, not on the archive's. Reads at most `file_bytes` bytes of a file; a larger file is a
// skipped unit. The bytes of a shader contain the files that it includes (corpus/glsl/include_expander.h). Returns
// whether it visited all units.
bool ForEachUnit(const std::vector<HarvestFile>& files, uint64_t file_bytes, const HarvestShard& shard,
                 const std::stop_token& stop, const std::function<bool(HarvestUnit)>& visit);

// Like the function above, but visits the units of all shards.
inline bool ForEachUnit(const std::vector<HarvestFile>& files, uint64_t file_bytes, const std::stop_token& stop,
                        const std::function<bool(HarvestUnit)>& visit) {
  return ForEachUnit(files, file_bytes, HarvestShard{}, stop, visit);
}

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_HARVEST_FILES_H_
