// Literals of rule text: numbers, Booleans, infinities, and bit patterns with their size.
#ifndef REWROUGHT_IR_TEXT_LITERAL_H_
#define REWROUGHT_IR_TEXT_LITERAL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "ir/term.h"
#include "ir/text/annotated_name.h"

namespace rewrought::ir {

// Parses a Python number: `-3`, `0x7f`, `1.`, `.5`, `1e-3`. Gives a constant of kInt (from -2^63 to 2^64-1, kept modulo
// 2^64) or kFloat (the nearest double). False with `message` set if malformed or out of range.
bool ParseNumber(absl::string_view text, Node* node, std::string* message);

// Parses a quoted constant: `inf`, `-inf`, `nan`, or patterns with their size, `0x3f800000@32`, `0x1,0x2@32x2.yx` (one
// value per component; LiteralKind::kBits). False with `handled` unset if `text` is none of these (it is a variable
// then); false with `handled` and `error` set if it is one and malformed.
bool ParseQuotedConstant(absl::string_view text, Node* node, Source* use, bool* handled, NameError* error);

// Gives the literal `node` the shape "32" or "32x2:xy" of `shape`; an integer written in hex becomes a bit pattern,
// masked.
bool ApplyShape(absl::string_view shape, bool is_pattern, Node* node, NameError* error);

// The text of a constant of which `lanes` components are used through `swizzle`: `1`, `-0.0`, `True`, `'inf'`,
// `0x3f800000@32`, `'0x1,0x2@32x2.yx'`.
std::string LiteralText(const Node& node, const Swizzle& swizzle, int lanes);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_LITERAL_H_
