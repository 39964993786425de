// Checks that a grammar derives each op that the machine's description lists as covered, and writes the comment that
// lists the ops that the driver passes to selection but that no row derives.
#ifndef REWROUGHT_EMITTER_LBURG_GRAMMAR_COVERAGE_H_
#define REWROUGHT_EMITTER_LBURG_GRAMMAR_COVERAGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/lburg/grammar_row.h"
#include "machine/machine.h"

namespace rewrought::emitter {

// Returns the lines of a comment, each starting with " * ". `rows` contains the rows of the machine's own rules. Fails
// with FailedPrecondition, listing ops and sizes and the remedy, if no row derives a covered op from arbitrary
// operands. Moves and vectors need no rows, because they leave values unchanged.
absl::StatusOr<std::string> CoverageComment(const machine::Machine& machine, const std::vector<GrammarRow>& rows);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LBURG_GRAMMAR_COVERAGE_H_
