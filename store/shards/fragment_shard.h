// Divides fragments into shards by the first two bytes of their digests. The fragments of a shard are contiguous in the
// index of digests, and the slots of a database lock (database_lock.h) can be divided in the same way.
#ifndef REWROUGHT_STORE_SHARDS_FRAGMENT_SHARD_H_
#define REWROUGHT_STORE_SHARDS_FRAGMENT_SHARD_H_

#include <cstdint>
#include <string>

#include "ir/digest.h"
#include "store/database_lock.h"

namespace rewrought::store {

// Returns the slots of shard number `shard`, counted from 0. The number of shards, `shards`, must be from 1 to
// DatabaseLock::kSlots. Each slot belongs to exactly one shard.
DatabaseLock::Slots SlotsOfShard(int shard, int shards);

bool Contains(const DatabaseLock::Slots& slots, const ir::Digest& fragment);

// A half-open range of digests: `first` <= digest < `end`.
struct DigestRange {
  std::string first, end;
};
DigestRange DigestsOf(const DatabaseLock::Slots& slots);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SHARDS_FRAGMENT_SHARD_H_
