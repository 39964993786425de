// Computes the immediates that an operand's field accepts, or that are encoded without a literal, as ranges of unsigned
// numbers.
#ifndef REWROUGHT_EMITTER_C_IMMEDIATE_SETS_H_
#define REWROUGHT_EMITTER_C_IMMEDIATE_SETS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "machine/machine.h"

namespace rewrought::emitter {

// Returns the immediates of `width` bits that `rule` allows for an operand whose type has `type_bits` bits. `rule` must
// have an immediate set or a field encoding such as MINIFLOAT8. The ranges are disjoint, inclusive, and ascending.
std::vector<std::pair<uint64_t, uint64_t>> RangesOf(const machine::Machine& machine, const machine::OperandRule& rule,
                                                    int type_bits, int width);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_IMMEDIATE_SETS_H_
