// Where a bank's classes begin: open addressing by their keys, with half of each key beside the class's first entry, so
// that entries, which lie anywhere in memory, are read only where the key is most likely theirs.
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

  // The first entry of the class with `key`, kNoEntry if there is none; `key_of` gives an entry's key.
  template <typename KeyOf>
  EntryIndex Find(uint64_t key, const KeyOf& key_of) const {
    for (size_t at = PlaceOf(TagOf(key));; at = Next(at)) {
      const Slot& slot = slots_[at];
      if (slot.head == kNoEntry) return kNoEntry;
      if (slot.tag == TagOf(key) && key_of(slot.head) == key) return slot.head;
    }
  }

  // An entry that hardly ever is not Find's, for its memory to be fetched; kNoEntry if Find will find none.
  EntryIndex Likely(uint64_t key) const {
    size_t at = PlaceOf(TagOf(key));
    while (slots_[at].head != kNoEntry && slots_[at].tag != TagOf(key)) at = Next(at);
    return slots_[at].head;
  }

  // Has the memory that the other functions read first for this key fetched.
  void Prefetch(uint64_t key) const { __builtin_prefetch(&slots_[PlaceOf(TagOf(key))]); }

  // Adds a class that begins with `head`. There is none with this key.
  void Add(uint64_t key, EntryIndex head) {
    if (growth_bytes() > 0) Grow();
    Put({TagOf(key), head});
    ++used_;
  }

  uint64_t bytes() const { return slots_.capacity() * sizeof(Slot); }
  // What the next Add needs, beside what there is while it lasts.
  uint64_t growth_bytes() const { return (used_ + 1) * 3 > slots_.size() * 2 ? 2 * slots_.size() * sizeof(Slot) : 0; }

 private:
  struct Slot {
    uint32_t tag = 0;
    EntryIndex head = kNoEntry;
  };
  static constexpr size_t kLeastSlots = 1024;

  static uint32_t TagOf(uint64_t key) { return static_cast<uint32_t>(key >> 32); }
  // By the upper bits, so that no entry is read when the table grows, and slots are in their old order then.
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

  std::vector<Slot> slots_;  // a power of two, at most two thirds of them used
  uint64_t used_ = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_CLASS_TABLE_H_
