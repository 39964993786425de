// Restates cases in which Mesa's format implies more than the two terms do: how the users of the root observe it, and
// which operations a packed conversion consists of.
#ifndef REWROUGHT_VERIFIER_MESA_MESA_READING_H_
#define REWROUGHT_VERIFIER_MESA_MESA_READING_H_

#include "absl/strings/string_view.h"
#include "verifier/rule_case.h"

namespace rewrought::verifier {

// Restates both sides of `rule_case` so that equality of the two new roots is the rule's claim:
//  - root only_lower_8_bits_used, only_lower_16_bits_used (nir_search_helpers.h: no user reads a higher bit): an `iand`
//    masks both roots. Marks on inner nodes are ignored, so the verified claim is stronger than necessary.
//  - root is_only_used_as_float: an `fneg` reads each root. Like any float user, it may flush denormals and choose the
//    NaN pattern. The signs of zeros still matter, except for is_only_used_as_float_nsz of Mesa 26.
//  - pack_half_2x16*, unpack_half_2x16*: each half becomes an explicit f2f16 or f2f32, which may flush and may return
//    any NaN, before or after the bit packing (nir_opcodes.py: unpack_half_1x16 flushes if the shader's 16-bit mode
//    does).
//  - fmad, fmadz of Mesa 26: a product and a sum, each of which may flush.
//  - ffma_weak of Mesa 26: the result of either an ffma or an fmad. Each instruction chooses separately.
//  - fsign of a NaN: the result may be -1, -0, +0, or 1, but never a NaN (nir_opcodes.py 25.0.7 prefers +0.0 but does
//    not require it). The op's row already allows the zeros; two ops outside the tables add ±1.
//  - nsz of an inner node of the search: has no effect if other instructions may read the node, or a node that depends
//    on it. These instructions still read the node after the rule is applied, and a device returns the sign that the
//    node has without the flag (docs/float_contract.md 2). `is_used_once` excludes other users.
void ReadAsMesa(RuleCase* rule_case);

// Returns the case of `search` and `replace`, restated by ReadAsMesa. `replace` must be the term as Mesa or a machine
// builds it. The mode is kNone if no operation depends on the mode, and kAny otherwise.
RuleCase CaseAsMesa(ir::Term search, ir::Term replace);

// Marks, stored as predicates, for the two conversions that a packed conversion of scalars consists of, and for the
// nodes inside a multiply-add. A marked node is not an instruction of its own.
inline constexpr absl::string_view kFirstHalf = "first_half";
inline constexpr absl::string_view kSecondHalf = "second_half";

// A mark for a node that is a part of an instruction, like the two halves. No other instruction can read its result.
inline constexpr absl::string_view kPart = "part";

// A mark for an operation that ReadAsMesa appends to represent the users of the root.
inline constexpr absl::string_view kUserOfRoot = "user_of_root";

// Removes ±1 from the allowed results of fsign of a NaN, where ReadAsMesa added them. Use this for verdicts over the
// reals, where there are no NaNs.
void ReadSignsAsNumbers(RuleCase* rule_case);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESA_MESA_READING_H_
