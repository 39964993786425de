#include "store/shards/fragment_shard.h"

namespace rewrought::store {
namespace {

std::string BytesOf(uint32_t slot) {
  // This string is greater than any digest.
  if (slot == DatabaseLock::kSlots) return std::string(ir::Digest().view().size() + 1, '\xff');
  return {static_cast<char>(slot >> 8), static_cast<char>(slot & 0xff)};
}

}  // namespace

DatabaseLock::Slots SlotsOfShard(int shard, int shards) {
  const auto first = [shards](uint64_t number) {
    const auto parts = static_cast<uint64_t>(shards);
    return static_cast<uint32_t>((number * DatabaseLock::kSlots + parts - 1) / parts);
  };
  const auto number = static_cast<uint64_t>(shard);
  return {first(number), first(number + 1) - first(number)};
}

bool Contains(const DatabaseLock::Slots& slots, const ir::Digest& fragment) {
  const uint32_t slot = uint32_t{fragment.bytes[0]} << 8 | fragment.bytes[1];
  return slot - slots.first < slots.count;
}

DigestRange DigestsOf(const DatabaseLock::Slots& slots) {
  return {BytesOf(slots.first), BytesOf(slots.first + slots.count)};
}

}  // namespace rewrought::store
