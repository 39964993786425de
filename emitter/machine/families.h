// Writes similar patterns of machine.py once, in a `for` loop over the ops, opcodes, types, choices, sizes, or numbers
// in which they differ. Also expands such loops to the original patterns when reading the file.
#ifndef REWROUGHT_EMITTER_MACHINE_FAMILIES_H_
#define REWROUGHT_EMITTER_MACHINE_FAMILIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/machine/words.h"

namespace rewrought::emitter {

// A family with more columns would be hard to read, so it is split into two families.
inline constexpr size_t kMaxLoopVariables = 4;

struct Family {
  std::vector<int> members;  // Indices of patterns in loop order; a family with one member has no loop.
  std::string text;          // The lines that add the members to `entries`, including newlines.
};

// Returns the families of `patterns` (results of PatternText) in the order of their first members. Every pattern
// belongs to one family. A loop has at least two members and at most kMaxLoopVariables variables.
std::vector<Family> GroupPatterns(const std::vector<std::string>& patterns, const Words& words);

// Parses families at the start of `text` up to the first line that starts no family, and removes them from `text`.
// Returns the patterns of their members in order. Fails with DataLoss, naming the line (counted from 1 in `text`), if
// the text is malformed or the patterns exceed `max_bytes`.
absl::StatusOr<std::vector<std::string>> ReadPatterns(absl::string_view* text, size_t max_bytes);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_FAMILIES_H_
