// nir.py: a pack's rules as Python tuples for Mesa's nir_algebraic.AlgebraicPass.
#ifndef REWROUGHT_EMITTER_NIR_NIR_WRITER_H_
#define REWROUGHT_EMITTER_NIR_NIR_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/nir/nir_target.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// The text of nir.py. It defines `rules`, the main list's first, and the slices `main_rules` and `late_rules`. Entries
// whose right side is a program are not NIR and are left to machine.py. The same pack gives the same bytes. Errors as
// ExpandForNir, with the entry's id before them: a pack from BuildPack has none.
absl::StatusOr<std::string> WriteNir(const v1::Pack& pack, const NirTarget& target);

// Reads `text` back and compares it, tuple by tuple, with what the pack gives. DataLoss names the first entry that
// differs.
absl::Status CheckNirText(absl::string_view text, const v1::Pack& pack, const NirTarget& target);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_NIR_NIR_WRITER_H_
