// Compares the rules of two packs of one machine or of two machines.
#ifndef REWROUGHT_EMITTER_PACK_DIFF_H_
#define REWROUGHT_EMITTER_PACK_DIFF_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::emitter {

struct Difference {
  // kPack: a field of the whole pack changed. kChanged: the rules share the search side, or only the evidence differs.
  enum class Kind { kPack, kAdded, kChanged, kMoved, kLost };
  Kind kind = Kind::kPack;
  std::string entry;      // Rule id (for kLost, the old one); empty for kPack.
  std::string old_entry;  // For kChanged, the old id if the rule's text changed.
  // The parts that differ: "replacement", "condition", "preconditions", "cost", "proofs", "confirmations", "mutants",
  // "measurements", "provenance", "place"; for kPack, the name of the field.
  std::vector<std::string> what;
  std::string before, after;  // Texts of the rules, or values of the field.
  // For kChanged: the diff of two programs (see LineDiff), then "cost: ..." if the cost differs. The lines contain no
  // newlines.
  std::vector<std::string> detail;
};

absl::string_view NameOf(Difference::Kind kind);  // Returns "pack", "added", "changed", "moved", or "lost".

// Compares the packs in two folders. Returns the differences of the whole pack, then the differences of the new pack's
// entries in order, and then the lost entries. Returns no differences if the two pack.json files agree. Entries are
// paired by id, then by text, then by search side. For packs of two machines, compares only each rule's replacement,
// condition, preconditions, cost, and proved cases. Returns any error of ReadPackFolder.
absl::StatusOr<std::vector<Difference>> DiffPacks(const std::string& old_pack, const std::string& new_pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_DIFF_H_
