// Writes nir.py: a pack's rules as Python tuples, and a script that generates the C code of their passes with Mesa's
// nir_algebraic.AlgebraicPass.
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

// Returns the text of nir.py. It defines `rules`, and `places` and `second_places`, which map each place in kPlaces to
// the rules of its first and its second pass. Rules are at the driver's own place, or at after_late if they match only
// there. If run as a program, nir.py writes the C code of the passes. Omits entries with a program, which belong to
// machine.py. Equal packs produce identical text. Returns any error of ExpandForNir with the entry's id prepended; a
// pack from BuildPack causes no error.
absl::StatusOr<std::string> WriteNir(const v1::Pack& pack, const NirTarget& target);

// Returns the prefix of the C names of the passes: nir_opt_rewrought_, followed by the machine or by the driver for
// which the rules were chosen ("ir3_a630"), followed by "_inexact" if the pack has only inexact rules. The name of a
// pass also contains its place.
std::string NirPassName(const v1::Pack& pack);

// Returns the elements of kPlaces at which the pack has rules. Returns any error of WriteNir.
absl::StatusOr<std::vector<std::string>> NirPlaces(const v1::Pack& pack, const NirTarget& target);

// Parses `text` and compares each tuple with the pack. Fails with DataLoss, naming the first entry that differs.
absl::Status CheckNirText(absl::string_view text, const v1::Pack& pack, const NirTarget& target);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_NIR_NIR_WRITER_H_
