// Compares the rules of two packs, either of one machine or of two machines.
#ifndef REWROUGHT_EMITTER_PACK_DIFF_H_
#define REWROUGHT_EMITTER_PACK_DIFF_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::emitter {

struct Difference {
  // kPack: a field of the whole pack changed. kChanged: the rules have the same search side, or only their evidence
  // differs.
  enum class Kind { kPack, kAdded, kChanged, kMoved, kLost };
  Kind kind = Kind::kPack;
  std::string entry;      // The rule's id (for kLost, in the old pack); empty for kPack.
  std::string old_entry;  // For kChanged, the old id if the rule's text changed.
  // The parts that differ: "replacement", "condition", "preconditions", "cost", "proofs", "confirmations", "mutants",
  // "measurements", "place"; for kPack, the name of the field.
  std::vector<std::string> what;
  std::string before, after;  // The texts of the rules, or the values of the field.
  // For kChanged, details that the texts do not show: the diff of two programs (see LineDiff), then "cost: ..." if the
  // cost differs. Lines have no newline.
  std::vector<std::string> detail;
};

absl::string_view NameOf(Difference::Kind kind);  // Returns "pack", "added", "changed", "moved", or "lost".

// Compares the pack in folder `old_pack` with the pack in folder `new_pack`. Returns differences in fields of the whole
// pack, then the new pack's entries in order, then the lost entries. The result is empty if both pack.json files agree.
// Entries are paired by id, then by text, then by search side. For packs of two machines, only a rule's behavior is
// compared: replacement, condition, preconditions, cost, and proved cases. Fails like ReadPackFolder.
absl::StatusOr<std::vector<Difference>> DiffPacks(const std::string& old_pack, const std::string& new_pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_DIFF_H_
