// Writes rules.td: a pack's programs as LLVM patterns (`Pat`) with all required registers, operands, instructions, and
// nodes, so that llvm-tblgen can process the file alone.
#ifndef REWROUGHT_EMITTER_TABLEGEN_TABLEGEN_WRITER_H_
#define REWROUGHT_EMITTER_TABLEGEN_TABLEGEN_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// Returns the text of rules.td, which has a pattern for each proved case of each entry with a program. On vector
// machines, it has one pattern for each supported number of components. Omits entries without a program, which belong
// to nir.py. Equal packs produce identical text. Fails with FailedPrecondition, naming the entry's id and the remedy,
// if a pattern cannot express an entry. Also returns any error of ParseEntry.
absl::StatusOr<std::string> WriteTablegen(const v1::Pack& pack);

// Parses `text`, checks that the results are legal programs, and compares the text with the pack. Fails with DataLoss,
// naming the first entry or line of the definitions that differs.
absl::Status CheckTablegenText(absl::string_view text, const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_TABLEGEN_WRITER_H_
