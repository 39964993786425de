// The quoted words of rule text taken apart: `#c@32(is_odd).y` for a variable, `~fadd@16(nsz,is_used_once)` for an op.
#ifndef REWROUGHT_IR_TEXT_ANNOTATED_NAME_H_
#define REWROUGHT_IR_TEXT_ANNOTATED_NAME_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

// What stands around a name. Views point into the text that was parsed.
struct AnnotatedName {
  absl::string_view name;
  uint8_t flags = 0;           // NodeFlag: `~`, `!`, nsz, nnan, ninf; ops only
  bool constant_only = false;  // `#`; variables only
  bool typed = false;          // `@float`; variables only
  BaseType type = BaseType::kUint;
  uint8_t bits = 0;                     // `@32`, 0 if open; one of 1 4 8 16 32 64
  uint8_t components = 0;               // `@32x3`, our own: how concrete vectors are written; 0 if not given
  uint16_t write_mask = kWritesAll;     // `@32x4:xz`, our own: the components that a concrete op defines
  std::vector<std::string> predicates;  // at most one of Mesa's; an op's may also have many-comm-expr
  bool has_swizzle = false;             // `.xyz`
  Swizzle swizzle = kIdentitySwizzle;
};

// Where and why a word was refused; `offset` counts from the word's first character.
struct NameError {
  size_t offset = 0;
  std::string message;
};

// Whether `c` may stand in an op's name / a variable's name (Mesa: str.isalpha).
bool IsNameCharacter(char c);
bool IsLetter(char c);

// Take `text` apart; false with `error` set when it is malformed. The name is not looked up.
bool ParseVariableName(absl::string_view text, AnnotatedName* name, NameError* error);
bool ParseOpName(absl::string_view text, AnnotatedName* name, NameError* error);

// Parses 1 to 16 of the letters xyzw (or abcd) and e to p as a swizzle; the last one fills the lanes that are not
// written, but of four lanes or more in their own order the others follow.
bool ParseSwizzle(absl::string_view letters, Swizzle* swizzle);

// The letters of the first max(4, `lanes`) lanes of `swizzle`, as few as ParseSwizzle needs; "" for the identity.
std::string SwizzleText(const Swizzle& swizzle, int lanes);

// Parses "32", "32x3" or "32x3:xy" into the three fields; false with `error` (offsets within `text`) if malformed.
bool ParseShape(absl::string_view text, AnnotatedName* name, NameError* error);

// The inverse of ParseShape with its '@': "@32x3:xy"; "" for an open size.
std::string ShapeText(const Node& node);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_ANNOTATED_NAME_H_
