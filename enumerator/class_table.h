// An open-addressing hash table of a bank's classes. Each slot contains half of the key next to the class's first
// entry, so that entries, which are scattered in memory, are read only if the key is likely to match.
#ifndef REWROUGHT_ENUMERATOR_CLASS_TABLE_H_
#define REWROUGHT_ENUMERATOR_CLASS_TABLE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rewrought::enumerator {

using EntryIndex = uint32_t;
inline constexpr EntryIndex kNoEntry = ~EntryIndex{0};

class ClassTable {
 public:
  ClassTable() : slots_(kLeastSlots) {}

  // Returns the first entry of the class with `key`, or kNoEntry. `key_of` maps an entry to its key.
  template <typename KeyOf>
  EntryIndex Find(uint64_t key, const KeyOf& key_of) const {
    for (size_t at = PlaceOf(TagOf(key));; at = Next(at)) {
      const Slot& slot = slots_[at];
      if (slot.head == kNoEntry) return kNoEntry;
      if (slot.tag == TagOf(key) && key_of(slot.head) == key) return slot.head;
    }
  }

  // Returns the entry that Find will most likely return, or kNoEntry if Find is certain to fail. Used for prefetching.
  EntryIndex LikelyEntry(uint64_t key) const {
    size_t at = PlaceOf(TagOf(key));
    while (slots_[at].head != kNoEntry && slots_[at].tag != TagOf(key)) at = Next(at);
    return slots_[at].head;
  }

  // Prefetches the slot that the other functions read first for this key.
  void Prefetch(uint64_t key) const { __builtin_prefetch(&slots_[PlaceOf(TagOf(key))]); }

  // Adds a class whose first entry is `head`. The table must not contain the key.
  void Add(uint64_t key, EntryIndex head) {
    if (growth_bytes() > 0) Grow();
    Put({TagOf(key), head});
    ++used_;
  }

  uint64_t bytes() const { return slots_.capacity() * sizeof(Slot); }
  // Returns the additional memory that the next Add needs, in bytes.
  uint64_t growth_bytes() const { return (used_ + 1) * 3 > slots_.size() * 2 ? 2 * slots_.size() * sizeof(Slot) : 0; }

 private:
  struct Slot {
    uint32_t tag = 0;
    EntryIndex head = kNoEntry;
  };
  static constexpr size_t kLeastSlots = 1024;

  static uint32_t TagOf(uint64_t key) { return static_cast<uint32_t>(key >> 32); }
  // Returns the index of the first slot to try. Uses the upper bits of the tag, so that the table can grow without
  // reading entries and without reordering slots.
  size_t PlaceOf(uint32_t tag) const { return tag >> (32 - std::countr_zero(slots_.size())); }
  size_t Next(size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void Put(const Slot& slot) {
    size_t at = PlaceOf(slot.tag);
    while (slots_[at].head != kNoEntry) at = Next(at);
    slots_[at] = slot;
  }
  void Grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : old) {
      if (slot.head != kNoEntry) Put(slot);
    }
  }

  std::vector<Slot> slots_;  // The size is a power of two. At most two thirds of the slots are used.
  uint64_t used_ = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_CLASS_TABLE_H_
