// Writes patterns of machine.py that differ only in ops, opcodes, types, choices, sizes, or numbers as a `for` loop,
// and expands such loops when reading the file.
#ifndef REWROUGHT_EMITTER_MACHINE_FAMILIES_H_
#define REWROUGHT_EMITTER_MACHINE_FAMILIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/machine/words.h"

namespace rewrought::emitter {

// The maximum number of loop variables; a loop with more columns would be hard to read.
inline constexpr size_t kMaxLoopVariables = 4;

struct Family {
  std::vector<int> members;  // Indices of patterns in loop order; one member needs no loop.
  std::string text;          // Lines that add the members to `entries`.
};

// Returns the families of `patterns` (results of PatternText) in the order of their first members. A loop has at least
// two members and at most kMaxLoopVariables variables.
std::vector<Family> GroupPatterns(const std::vector<std::string>& patterns, const Words& words);

// Parses and removes the families at the start of `text`, up to the first line that belongs to no family. Returns the
// members in order. Fails with DataLoss, naming the line (counted from 1 in `text`), if the text is malformed or the
// patterns exceed `max_bytes`.
absl::StatusOr<std::vector<std::string>> ReadPatterns(absl::string_view* text, size_t max_bytes);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_FAMILIES_H_
