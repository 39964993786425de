// How a rule of known sizes is to be read where Mesa's format says more than its two terms do: what the users of the
// root may see of it, and which operations a packed conversion consists of.
#ifndef REWROUGHT_VERIFIER_MESA_READING_H_
#define REWROUGHT_VERIFIER_MESA_READING_H_

#include "verifier/rule_case.h"

namespace rewrought::verifier {

// Restates both sides of `rule_case`; an equal result of the two new roots is what the rule promises:
//  - root only_lower_8_bits_used, only_lower_16_bits_used (nir_search_helpers.h: no user reads a higher bit): both
//  roots
//    are masked by `iand`. An inner node's mark is not used: the rule promises more then than it has to.
//  - root is_only_used_as_float: both roots are read by `fneg`, as by any float user: flushes and NaN patterns are the
//    user's to choose. Signed zeros still count.
//  - pack_half_2x16*, unpack_half_2x16*: the f2f16 or f2f32 on each half, which may flush and gives any NaN, around the
//    packing of bits (nir_opcodes.py: unpack_half_1x16 flushes where the shader's mode for 16 bits does).
//  - fsign: of a NaN -1, -0, +0 or 1 (nir_opcodes.py 25.0.7: +0.0 is preferred, not required; never a NaN). The row has
//    the zeros; two ops that are in no table add the ones.
// Sources: Mesa 22.3.6 and 25.0.7. BuildAsMesa comes first.
void ReadAsMesa(RuleCase* rule_case);

// Takes the ones back that ReadAsMesa gives to the fsign of a NaN. For verdicts over the reals, where no NaN is.
void ReadSignsAsNumbers(RuleCase* rule_case);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESA_READING_H_
