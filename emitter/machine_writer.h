// machine.py: a pack's programs as Python objects that read like the GPU's assembly; one standalone file per machine.
#ifndef REWROUGHT_EMITTER_MACHINE_WRITER_H_
#define REWROUGHT_EMITTER_MACHINE_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// The text of machine.py. It defines `patterns`, a list of (search, InstructionList[, condition]); run as a program it
// prints them, one line each, fields parted by tabs. Entries without a program are left to nir.py. The same pack gives
// the same bytes. FailedPrecondition, with the entry's id, where a name means two things in Python or the search has no
// spelling; otherwise errors as ParseEntry.
absl::StatusOr<std::string> WriteMachine(const v1::Pack& pack);

// Reads `text` back, programs with the machine's own parser, and compares it with the pack. DataLoss names the first
// entry that differs.
absl::Status CheckMachineText(absl::string_view text, const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_WRITER_H_
