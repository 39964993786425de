// Formats bit patterns as the numbers that they represent: `1.0`, `-0.5`, `0x7fffffff`.
#ifndef REWROUGHT_IR_TEXT_VALUE_TEXT_H_
#define REWROUGHT_IR_TEXT_VALUE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ir/op_row.h"

namespace rewrought::ir {

// Returns the shortest decimal, with a point or an exponent, that rule text parses as the 16-, 32- or 64-bit `pattern`.
// The pattern must be finite.
std::string DecimalText(uint64_t pattern, int bits);

// Formats a `bits`-bit integer: in decimal from -65535 to 65535, otherwise in hex. A mask (`is_mask`) is in hex from
// 128 on.
std::string IntegerText(uint64_t pattern, int bits, bool is_mask);

// Formats `pattern`, a `bits`-bit value of `type`, for people: `-0.0`, `nan`, `inf`, `-1`, `True`. Values of unknown
// type are formatted as unsigned.
std::string NumberText(uint64_t pattern, int bits, std::optional<BaseType> type);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_VALUE_TEXT_H_
