// Checks that a grammar derives each op that the machine's description lists as covered, and writes a comment that
// lists the ops that no row derives, because the driver has its own code for them.
#ifndef REWROUGHT_EMITTER_LBURG_GRAMMAR_COVERAGE_H_
#define REWROUGHT_EMITTER_LBURG_GRAMMAR_COVERAGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/lburg/grammar_row.h"
#include "machine/machine.h"

namespace rewrought::emitter {

// Returns the comment's lines, each starting with " * ". `rows` contains the machine's own rules. Fails with
// FailedPrecondition, listing ops, sizes, and the remedy, if no row derives a covered op from arbitrary operands. Moves
// and vectors need no rows.
absl::StatusOr<std::string> CoverageComment(const machine::Machine& machine, const std::vector<GrammarRow>& rows);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LBURG_GRAMMAR_COVERAGE_H_
