// Interprets rules of known sizes according to Mesa's format where it implies more than the two terms: how the root's
// users observe it, and which operations a packed conversion consists of.
#ifndef REWROUGHT_VERIFIER_MESA_MESA_READING_H_
#define REWROUGHT_VERIFIER_MESA_MESA_READING_H_

#include "absl/strings/string_view.h"
#include "verifier/rule_case.h"

namespace rewrought::verifier {

// Restates both sides of `rule_case` so that equality of the two new roots is the rule's claim:
//  - root only_lower_8_bits_used, only_lower_16_bits_used (nir_search_helpers.h: no user reads a higher bit): `iand`
//  masks both
//    roots. Marks of inner nodes are not used; the rule then claims more than necessary.
//  - root is_only_used_as_float: `fneg` reads both roots, like any float user, so that the user chooses flushes and NaN
//  patterns.
//    Signed zeros still count.
//  - pack_half_2x16*, unpack_half_2x16*: the f2f16 or f2f32 of each half, which may flush and returns any NaN, around
//  the bit
//    packing (nir_opcodes.py: unpack_half_1x16 flushes if the shader's 16-bit mode does).
//  - fsign: for a NaN, -1, -0, +0 or 1 (nir_opcodes.py 25.0.7: +0.0 is preferred, not required; never a NaN). The row
//  covers the
//    zeros; two ops outside the tables add ±1.
// Sources: Mesa 22.3.6 and 25.0.7. Call BuildAsMesa first.
void ReadAsMesa(RuleCase* rule_case);

// Returns the case of `search` and of `replace`, as Mesa or a machine builds it, restated by ReadAsMesa. The mode is
// kNone if no operation depends on it, and kAny otherwise.
RuleCase CaseAsMesa(ir::Term search, ir::Term replace);

// Marks among the predicates of the two conversions that a packed conversion of scalars consists of.
inline constexpr absl::string_view kFirstHalf = "first_half";
inline constexpr absl::string_view kSecondHalf = "second_half";

// Removes the results ±1 that ReadAsMesa adds to fsign of a NaN. For verdicts over the reals, which have no NaN.
void ReadSignsAsNumbers(RuleCase* rule_case);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESA_MESA_READING_H_
