// What became of a pack's rules from one pack to the next, or from one machine's pack to another's.
#ifndef REWROUGHT_EMITTER_PACK_DIFF_H_
#define REWROUGHT_EMITTER_PACK_DIFF_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::emitter {

struct Difference {
  // kPack: a field of the pack as a whole. kChanged: two rules with one search side, or one rule with other evidence.
  enum class Kind { kPack, kAdded, kChanged, kMoved, kLost };
  Kind kind = Kind::kPack;
  std::string entry;      // the rule's id, of kLost the old one; empty for kPack
  std::string old_entry;  // kChanged: the id that it had, where its text is another
  // What differs: "replacement", "condition", "preconditions", "cost", "proofs", "confirmations", "mutants",
  // "measurements", "place"; of kPack the name of the field.
  std::vector<std::string> what;
  std::string before, after;  // the rules' texts, or the field's values
  // kChanged, where there is more to say than both texts do: of two programs the instructions, marked as LineDiff does;
  // then "cost: ..." where it differs. Lines without ends.
  std::vector<std::string> detail;
};

absl::string_view NameOf(Difference::Kind kind);  // "pack", "added", "changed", "moved", "lost"

// From the pack in folder `old_pack` to the one in `new_pack`: fields of the whole first, then the new pack's entries
// in order, then those lost. Empty: pack.json says the same. Entries with one id belong together, then those with one
// text, then those that look for the same. Of packs of two machines, whose ids, places and evidence say nothing of each
// other, only what a rule does is compared: replacement, condition, preconditions, cost and the cases that are proved.
// Errors as ReadPackFolder.
absl::StatusOr<std::vector<Difference>> DiffPacks(const std::string& old_pack, const std::string& new_pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_DIFF_H_
