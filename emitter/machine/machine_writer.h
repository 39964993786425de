// machine.py: a pack's programs as Python objects that read like the GPU's assembly; one standalone file per machine.
#ifndef REWROUGHT_EMITTER_MACHINE_MACHINE_WRITER_H_
#define REWROUGHT_EMITTER_MACHINE_MACHINE_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// The text of machine.py. It defines `patterns`, a list of (search, InstructionList[, condition]) in the pack's order;
// run as a program it prints them, one line each, fields parted by tabs. `entries` are the same sorted by search, so
// that files of two machines can be compared, with families in loops; `rules` says which of them a rule is, its id, its
// issue cycles and those before, and its proof. Entries without a program are left to nir.py. The same pack gives the
// same bytes. FailedPrecondition, with the entry's id, where a name means two things in Python or the search has no
// spelling; otherwise errors as ParseEntry.
absl::StatusOr<std::string> WriteMachine(const v1::Pack& pack);

// Reads `text` back, loops member by member and programs with the machine's own parser, and compares it with the pack.
// DataLoss names the first rule that differs, or the part of the file.
absl::Status CheckMachineText(absl::string_view text, const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_MACHINE_WRITER_H_
