// Computes the immediates that a field accepts, or that need no literal, as ranges of unsigned numbers.
#ifndef REWROUGHT_EMITTER_C_IMMEDIATE_SETS_H_
#define REWROUGHT_EMITTER_C_IMMEDIATE_SETS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "machine/machine.h"

namespace rewrought::emitter {

// Returns the allowed immediates of `width` bits for an operand with `rule`, which has a set or a field, and a type of
// `type_bits`. The ranges are disjoint, inclusive, and ascending.
std::vector<std::pair<uint64_t, uint64_t>> RangesOf(const machine::Machine& machine, const machine::OperandRule& rule,
                                                    int type_bits, int width);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_IMMEDIATE_SETS_H_
