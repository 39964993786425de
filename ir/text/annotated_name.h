// Parses the quoted words of rule text: `#c@32(is_odd).y` for a variable, `~fadd@16(nsz,is_used_once)` for an op.
#ifndef REWROUGHT_IR_TEXT_ANNOTATED_NAME_H_
#define REWROUGHT_IR_TEXT_ANNOTATED_NAME_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

// A name and its annotations. The views point into the parsed text.
struct AnnotatedName {
  absl::string_view name;
  uint8_t flags = 0;           // NodeFlag: `~`, `!`, nsz, nnan, ninf; ops only
  bool constant_only = false;  // `#`; variables only
  bool typed = false;          // `@float`; variables only
  BaseType type = BaseType::kUint;
  uint8_t bits = 0;                     // `@32`; one of 1 4 8 16 32 64, 0 if open
  uint8_t components = 0;               // `@32x3`, our extension for concrete vectors; 0 if not written
  uint16_t write_mask = kWritesAll;     // `@32x4:xz`, our extension: the components that a concrete op defines
  std::vector<std::string> predicates;  // at most one of Mesa's; an op may also have many-comm-expr
  bool has_swizzle = false;             // `.xyz`
  Swizzle swizzle = kIdentitySwizzle;
};

// The position and reason of a parse error. `offset` counts from the word's first character.
struct NameError {
  size_t offset = 0;
  std::string message;
};

// IsNameCharacter returns whether `c` is valid in an op's name, and IsLetter whether it is valid in a variable's name
// (Mesa: str.isalpha).
bool IsNameCharacter(char c);
bool IsLetter(char c);

// Parses `text`. Returns false and sets `error` if it is malformed. The name is not looked up.
bool ParseVariableName(absl::string_view text, AnnotatedName* name, NameError* error);
bool ParseOpName(absl::string_view text, AnnotatedName* name, NameError* error);

// Parses a swizzle, which consists of 1 to 16 of the letters xyzw (or abcd) and e to p. Repeats the last letter in the
// lanes that are not written. However, if the text consists of at least four letters in identity order, the remaining
// lanes are the identity too.
bool ParseSwizzle(absl::string_view letters, Swizzle* swizzle);

// Returns the letters of the first max(4, `lanes`) lanes of `swizzle`, without trailing letters that ParseSwizzle would
// restore, or "" for the identity.
std::string SwizzleText(const Swizzle& swizzle, int lanes);

// Parses "32", "32x3" or "32x3:xy" into the shape fields of `name`. Returns false and sets `error` (with an offset
// within `text`) if `text` is malformed.
bool ParseShape(absl::string_view text, AnnotatedName* name, NameError* error);

// Returns the shape in ParseShape's syntax, with a leading '@', such as "@32x3:xy"; "" for an open size.
std::string ShapeText(const Node& node);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_ANNOTATED_NAME_H_
