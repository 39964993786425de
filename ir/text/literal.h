// Literals of rule text: numbers, Booleans, infinities, and bit patterns with their size.
#ifndef REWROUGHT_IR_TEXT_LITERAL_H_
#define REWROUGHT_IR_TEXT_LITERAL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "ir/term.h"
#include "ir/text/annotated_name.h"

namespace rewrought::ir {

// Parses a Python number: `-3`, `0x7f`, `1.`, `.5`, `1e-3`. Sets `node` to a constant of type kInt (-2^63 to 2^64-1,
// stored modulo 2^64) or kFloat (the nearest double). Returns false and sets `message` if the text is malformed or out
// of range.
bool ParseNumber(absl::string_view text, Node* node, std::string* message);

// Parses a quoted constant: `inf`, `-inf`, `nan`, or patterns with their size, `0x3f800000@32`, `0x1,0x2@32x2.yx` (one
// value per component; LiteralKind::kBits). Returns false without setting `handled` if `text` has any other form, which
// means that it is a variable. Returns false and sets `handled` and `error` if the constant is malformed.
bool ParseQuotedConstant(absl::string_view text, Node* node, Source* use, bool* handled, NameError* error);

// Applies the shape "32" or "32x2:xy" to the literal `node`. An integer written in hex becomes a bit pattern, masked to
// the size.
bool ApplyShape(absl::string_view shape, bool is_pattern, Node* node, NameError* error);

// Returns the text of a constant whose user reads `lanes` components through `swizzle`: `1`, `-0.0`, `True`, `'inf'`,
// `0x3f800000@32`, `'0x1,0x2@32x2.yx'`.
std::string LiteralText(const Node& node, const Swizzle& swizzle, int lanes);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_LITERAL_H_
