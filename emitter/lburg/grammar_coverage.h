// Coverage in a grammar: that its rows derive each op that the machine's description says is covered, and the comment
// that names what the driver hands over and no row derives.
#ifndef REWROUGHT_EMITTER_LBURG_GRAMMAR_COVERAGE_H_
#define REWROUGHT_EMITTER_LBURG_GRAMMAR_COVERAGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/lburg/grammar_row.h"
#include "machine/machine.h"

namespace rewrought::emitter {

// Lines of a comment, each behind " * ". `rows` are those of the machine's own rules. FailedPrecondition names each op,
// with its size and what to do, that the description says is covered and that no row derives from any operands. Moves
// and vectors need no rows: a value is what it is.
absl::StatusOr<std::string> CoverageComment(const machine::Machine& machine, const std::vector<GrammarRow>& rows);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LBURG_GRAMMAR_COVERAGE_H_
