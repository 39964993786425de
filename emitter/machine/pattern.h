// One pattern of machine.py: what is looked for at one assignment of sizes, the program for it, the condition. Written
// as the tuple that stands in the file, and read back from it.
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
  std::string search;     // with sizes, relations between constants marked
  std::string condition;  // C text; empty: none
  const machine::Machine* machine = nullptr;
  machine::Program program;
};

// One for each proved case of each entry that has a program, in the pack's order. Errors as ParseEntry, with the
// entry's id; FailedPrecondition also where the search has no spelling.
absl::StatusOr<std::vector<Pattern>> PatternsOf(const v1::Pack& pack);

// `search`, a tuple of NirText, with "constant(...)" around each expression over `#` variables and literals that is
// computed exactly: in a shader it is one constant, which equals the expression. What may be rounded or flushed, and
// what stands alone, is left as it is.
std::string WithConstantsMarked(absl::string_view search);

// Several lines: (SEARCH, InstructionList([INSTRUCTION, ...])[, CONDITION]), the outer parentheses included.
std::string PatternText(const Pattern& pattern);

// Compares what PatternText wrote with `wanted`, programs through the machine's own parser and rules. DataLoss says
// what differs.
absl::Status ComparePattern(absl::string_view text, const Pattern& wanted);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_PATTERN_H_
