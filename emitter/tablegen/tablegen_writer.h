// rules.td: a pack's programs as LLVM patterns (`Pat`), with the registers, operands, instructions and nodes that they
// need, so that llvm-tblgen reads the file by itself.
#ifndef REWROUGHT_EMITTER_TABLEGEN_TABLEGEN_WRITER_H_
#define REWROUGHT_EMITTER_TABLEGEN_TABLEGEN_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// The text of rules.td: a pattern for each case that an entry with a program is proved for, on vector machines one for
// each number of components that it stands for. Entries without a program are left to nir.py. The same pack gives the
// same bytes. FailedPrecondition, with the entry's id and what to do, for what a pattern cannot say; otherwise errors
// as ParseEntry.
absl::StatusOr<std::string> WriteTablegen(const v1::Pack& pack);

// Reads `text` back, results as programs that must be legal, and compares it with the pack. DataLoss names the first
// entry that differs, or the line of the definitions.
absl::Status CheckTablegenText(absl::string_view text, const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_TABLEGEN_WRITER_H_
