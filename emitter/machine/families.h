// Patterns of machine.py that are equal but for ops, instructions, types, choices, sizes or numbers are written once,
// in a `for` over what differs; such loops are read back as the patterns that they stand for.
#ifndef REWROUGHT_EMITTER_MACHINE_FAMILIES_H_
#define REWROUGHT_EMITTER_MACHINE_FAMILIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/machine/words.h"

namespace rewrought::emitter {

// More columns than a person takes in at once make two families of one.
inline constexpr size_t kMaxLoopVariables = 4;

struct Family {
  std::vector<int> members;  // indices of patterns, in the order of the loop; one: there is no loop
  std::string text;          // lines that add the members to `entries`, with their ends
};

// All of `patterns` (texts of PatternText), each in one family, in order of the families' first members. Loops have two
// members at least, and at most kMaxLoopVariables variables.
std::vector<Family> GroupPatterns(const std::vector<std::string>& patterns, const Words& words);

// Reads texts of families from the start of `text`, up to the first line that begins none, and removes them from it.
// Gives their members' texts in order. DataLoss names the line (1-based in `text`) that is wrong, or says that the
// members come to more than `max_bytes`.
absl::StatusOr<std::vector<std::string>> ReadPatterns(absl::string_view* text, size_t max_bytes);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_FAMILIES_H_
