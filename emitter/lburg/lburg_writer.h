// Writes rules.lburg, a BURS grammar of a machine's own selection and a pack's programs, in the syntax of the iburg
// family of code-generator generators: `nonterminal: pattern = rule number (cost);`.
#ifndef REWROUGHT_EMITTER_LBURG_LBURG_WRITER_H_
#define REWROUGHT_EMITTER_LBURG_LBURG_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// Returns the text of rules.lburg: the rows of base rules, followed by the rows of each proved case of each entry with
// a program. Each order of commutative operands has its own row, and costs are issue cycles. Omits entries without a
// program, which belong to nir.py. Equal packs produce identical text. Fails with FailedPrecondition, naming the
// entry's id and the remedy, if a grammar cannot express an entry, and with NotFound for an unknown machine. Also
// returns any error of ParseEntry.
absl::StatusOr<std::string> WriteLburg(const v1::Pack& pack);

// Parses `text`, checks programs with the machine's own parser, and compares the result with the pack. Fails with
// DataLoss, naming the first entry or base rule that differs.
absl::Status CheckLburgText(absl::string_view text, const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LBURG_LBURG_WRITER_H_
