// nir.py: a pack's rules as Python tuples, and as passes of Mesa's nir_algebraic.AlgebraicPass whose C it makes itself.
#ifndef REWROUGHT_EMITTER_NIR_NIR_WRITER_H_
#define REWROUGHT_EMITTER_NIR_NIR_WRITER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/nir/nir_target.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// The text of nir.py. It defines `rules`, and `places` and `second_places`, from each of kPlaces to the rules of its
// two passes: at the driver's own place, and at after_late those that only fit there. Run as a program it writes the
// passes' C. Entries whose right side is a program are not NIR and are left to machine.py. The same pack gives the same
// bytes. Errors as ExpandForNir, with the entry's id before them: a pack from BuildPack has none.
absl::StatusOr<std::string> WriteNir(const v1::Pack& pack, const NirTarget& target);

// The name of the passes in C, to which their places are added: nir_opt_rewrought_<machine>, or of the driver that they
// were chosen for ("ir3_a630"); of inexact rules alone with "_inexact".
std::string NirPassName(const v1::Pack& pack);

// The places for which the pack has rules. Errors as WriteNir.
absl::StatusOr<std::vector<std::string>> NirPlaces(const v1::Pack& pack, const NirTarget& target);

// Reads `text` back and compares it, tuple by tuple, with what the pack gives. DataLoss names the first entry that
// differs.
absl::Status CheckNirText(absl::string_view text, const v1::Pack& pack, const NirTarget& target);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_NIR_NIR_WRITER_H_
