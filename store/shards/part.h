// Writes a part of a corpus as a separate database with only the data needed to search one shard of the fragments.
#ifndef REWROUGHT_STORE_SHARDS_PART_H_
#define REWROUGHT_STORE_SHARDS_PART_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace rewrought::store {

struct PartReport {
  int64_t fragments = 0;
  int64_t sites = 0;    // number of site rows
  int64_t shaders = 0;  // number of shaders that contain the fragments
  uint64_t bytes = 0;   // size of the file in bytes
};

// Writes the fragments of shard number `shard`, counted from 0, of `shards` shards (fragment_shard.h) to the file `to`,
// with all of their sites, attempts, and shaders, and with all rules found so far. Migrates `from` to the newest
// schema. If `discover` is given the part and the number of its shard, it produces the same result as with the whole
// database. Because the other fragments are missing, the part's shaders are marked as not read (their extraction digest
// is all zeros), and Merge accepts a part only into a database that contains the shaders. `to` replaces an existing
// database once it is complete, and may be on a network file system. Calls `go_on` (may be null) several times; if it
// returns false, fails with Cancelled and leaves no files. Fails with the errors of Store::Open and BackUp.
absl::StatusOr<PartReport> WritePart(const std::string& from, const std::string& to, int shard, int shards,
                                     const std::function<bool()>& go_on = nullptr);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SHARDS_PART_H_
