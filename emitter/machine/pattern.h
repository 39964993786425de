// A pattern of machine.py: the search side at one assignment of sizes, its program, and its condition. Reads and writes
// patterns as Python tuples.
#ifndef REWROUGHT_EMITTER_MACHINE_PATTERN_H_
#define REWROUGHT_EMITTER_MACHINE_PATTERN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "machine/program.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

struct Pattern {
  const v1::PackEntry* entry = nullptr;
  std::string search;     // Contains sizes, and marks relations between constants.
  std::string condition;  // C text; empty means none.
  const machine::Machine* machine = nullptr;
  machine::Program program;
};

// Returns one pattern for each proved case of each entry with a program, in the pack's order. Returns any error of
// ParseEntry or FindProvedCases with the entry's id prepended. Fails with FailedPrecondition if the search side cannot
// be expressed.
absl::StatusOr<std::vector<Pattern>> PatternsOf(const v1::Pack& pack);

// Returns `search`, a tuple from NirText, with "constant(...)" around each exact expression over `#` variables and
// literals, because a shader contains a single constant for such an expression. Does not mark the whole tuple, or
// expressions whose results may be rounded or flushed.
std::string WithConstantsMarked(absl::string_view search);

// Returns several lines: (SEARCH, InstructionList([INSTRUCTION, ...])[, CONDITION]).
std::string PatternText(const Pattern& pattern);

// Parses `text`, a result of PatternText, with the machine's own parser, and compares it with `wanted`. Fails with
// DataLoss, naming the difference.
absl::Status ComparePattern(absl::string_view text, const Pattern& wanted);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_PATTERN_H_
