// Which fragments a shard of a search has: a range of the first two bytes of their digests, so that they lie together
// in the index of digests, and locks of a database (database_lock.h) can be shared out in the same way.
#ifndef REWROUGHT_STORE_SHARDS_FRAGMENT_SHARD_H_
#define REWROUGHT_STORE_SHARDS_FRAGMENT_SHARD_H_

#include <cstdint>
#include <string>

#include "ir/digest.h"
#include "store/database_lock.h"

namespace rewrought::store {

// Part `shard`, from 0, of 1 <= `shards` <= DatabaseLock::kSlots parts. Each slot is in exactly one of them.
DatabaseLock::Slots SlotsOfShard(int shard, int shards);

bool Contains(const DatabaseLock::Slots& slots, const ir::Digest& fragment);

// Bytes of which no digest of the slots is below `first`, and each is below `end`.
struct DigestRange {
  std::string first, end;
};
DigestRange DigestsOf(const DatabaseLock::Slots& slots);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SHARDS_FRAGMENT_SHARD_H_
