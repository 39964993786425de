// rules.lburg: a BURS grammar of a machine, its own selection and a pack's programs, as code-generator generators of
// the iburg family read it: `nonterminal: pattern = rule number (cost);`.
#ifndef REWROUGHT_EMITTER_LBURG_LBURG_WRITER_H_
#define REWROUGHT_EMITTER_LBURG_LBURG_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// The text of rules.lburg: rows of the machine's base rules, then of each case that an entry with a program is proved
// for, one for each order of commuting operands; costs are issue cycles. Entries without a program are left to nir.py.
// The same pack gives the same bytes. FailedPrecondition, with the entry's id and what to do, for what a grammar cannot
// say; NotFound for an unknown machine; otherwise errors as ParseEntry.
absl::StatusOr<std::string> WriteLburg(const v1::Pack& pack);

// Reads `text` back, programs with the machine's own parser, and compares it with the pack. DataLoss names the first
// entry (or base rule) that differs.
absl::Status CheckLburgText(absl::string_view text, const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LBURG_LBURG_WRITER_H_
