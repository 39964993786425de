// What a harvest goes through: the files of its inputs, and the units in them, each file or archive member with its
// bytes.
#ifndef REWROUGHT_CORPUS_HARVEST_FILES_H_
#define REWROUGHT_CORPUS_HARVEST_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

struct HarvestInput {
  std::string path;  // file, folder or archive
  std::string
      source;  // empty: the package below a node_modules folder, else the last part of `path` without extensions
  bool held_out = false;  // measured on, never discovered from
};

struct HarvestFile {
  std::string path, name, source;  // name: of the file, below its input's folder
  bool held_out = false;
};

// Appends the files of an input, those of a folder by path; hidden files and folders below it are left alone, links to
// folders are not followed. NotFound: there is no such path; PermissionDenied: the
// folder cannot be read.
absl::Status ListFiles(const HarvestInput& input, std::vector<HarvestFile>* files);

// One of several parts of what there is to read, told by the names of files and members: the same ones whatever
// machine asks, and none of them has to be read to know.
struct HarvestShard {
  uint32_t shard = 0, shards = 1;  // shard < shards
  bool Has(absl::string_view name) const;
};

struct HarvestUnit {
  size_t file = 0;     // its place in the list of files
  std::string member;  // of an archive; empty: the file itself
  std::string bytes;
  std::string skipped;  // if not empty: why there are no bytes, "reason" or "reason: particulars"
};

// Gives the units of `files` that `shard` has, in order, members in the order of their archive, until `visit` returns
// false. Of an archive each member goes to the shard of its own name.
void ForEachUnit(const std::vector<HarvestFile>& files, uint64_t file_bytes, const HarvestShard& shard,
                 const std::function<bool(HarvestUnit)>& visit);

// All of them.
inline void ForEachUnit(const std::vector<HarvestFile>& files, uint64_t file_bytes,
                        const std::function<bool(HarvestUnit)>& visit) {
  ForEachUnit(files, file_bytes, HarvestShard{}, visit);
}

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_HARVEST_FILES_H_
