// Writes machine.py: a standalone file per machine with a pack's programs as Python objects that read like the GPU's
// assembly.
#ifndef REWROUGHT_EMITTER_MACHINE_MACHINE_WRITER_H_
#define REWROUGHT_EMITTER_MACHINE_MACHINE_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// Returns the text of machine.py. It defines `patterns`, a list of (search, InstructionList[, condition]) in the pack's
// order; if run as a program, machine.py prints the patterns one per line with fields separated by tabs. `entries`
// contains the same patterns sorted by search side, with families in loops, so that files can be compared. For each
// rule, `rules` lists the entries, the id, the issue cycles, the issue cycles of the replaced code, and the proof.
// Omits entries without a program, which belong to nir.py. Equal packs produce identical text. Fails with
// FailedPrecondition, naming the entry's id, if a name has two meanings in Python or the search side cannot be
// expressed. Also returns any error of ParseEntry.
absl::StatusOr<std::string> WriteMachine(const v1::Pack& pack);

// Parses `text`, checks programs with the machine's own parser, and compares the result with the pack. Fails with
// DataLoss, naming the first rule or part of the file that differs.
absl::Status CheckMachineText(absl::string_view text, const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_MACHINE_WRITER_H_
