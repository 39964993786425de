// The immediates that a field of an instruction takes, or that need no literal there, as ranges of plain numbers.
#ifndef REWROUGHT_EMITTER_C_IMMEDIATE_SETS_H_
#define REWROUGHT_EMITTER_C_IMMEDIATE_SETS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "machine/machine.h"

namespace rewrought::emitter {

// What an immediate of `width` bits may be at a place of `rule` whose type has `type_bits`: from one to the other, both
// included and read as unsigned numbers, in order and apart. For a rule with a set or a field.
std::vector<std::pair<uint64_t, uint64_t>> RangesOf(const machine::Machine& machine, const machine::OperandRule& rule,
                                                    int type_bits, int width);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_IMMEDIATE_SETS_H_
