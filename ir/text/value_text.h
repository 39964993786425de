// Patterns as the numbers they stand for: `1.0`, `-0.5`, `0x7fffffff`.
#ifndef REWROUGHT_IR_TEXT_VALUE_TEXT_H_
#define REWROUGHT_IR_TEXT_VALUE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ir/op_row.h"

namespace rewrought::ir {

// The shortest decimal with a point or an exponent that rule text reads back as `pattern` of 16, 32 or 64 bits. The
// pattern must be finite.
std::string DecimalText(uint64_t pattern, int bits);

// An integer of `bits`: in decimal from -65535 to 65535, else in hex. A mask (`is_mask`) is in hex from 128 on.
std::string IntegerText(uint64_t pattern, int bits, bool is_mask);

// The number that `pattern` of `bits` is for a value of `type`, for people: `-0.0`, `nan`, `inf`, `-1`, `True`;
// unsigned where the type is not known.
std::string NumberText(uint64_t pattern, int bits, std::optional<BaseType> type);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_VALUE_TEXT_H_
