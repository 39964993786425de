// A part of a corpus as a database of its own: what a node needs to search a shard of the fragments, and no more.
#ifndef REWROUGHT_STORE_SHARDS_PART_H_
#define REWROUGHT_STORE_SHARDS_PART_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace rewrought::store {

struct PartReport {
  int64_t fragments = 0;
  int64_t sites = 0;    // rows
  int64_t shaders = 0;  // in which the fragments stand
  uint64_t bytes = 0;   // of the file
};

// Writes the fragments of part `shard`, from 0, of `shards` (fragment_shard.h) to the file `to`, with all of their
// sites, attempts and shaders, and what was ever found; `from` is brought to the newest schema. What `discover` does
// with the part and its number is what it does with the whole. Its shaders are marked as not read (an extraction of
// zeros), since the other fragments are missing: Merge takes a part only into a database that has the shaders. `to` is
// there when it is whole, in place of a database that was there, and may lie on a network file system. The errors of
// Store::Open and BackUp.
absl::StatusOr<PartReport> WritePart(const std::string& from, const std::string& to, int shard, int shards);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SHARDS_PART_H_
