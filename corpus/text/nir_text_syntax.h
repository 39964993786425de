// Parses the parts of a line of NIR text: names, definitions, headers of loops and ifs, and comments. The functions
// accept the syntax of every version of Mesa from 22.3 to 26.2.
#ifndef REWROUGHT_CORPUS_TEXT_NIR_TEXT_SYNTAX_H_
#define REWROUGHT_CORPUS_TEXT_NIR_TEXT_SYNTAX_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "corpus/text/text_cursor.h"

namespace rewrought::corpus {

// The left side of an '=', such as "div 32x3 %15", "vec3 32 div ssa_15", or "32 %15.color".
struct NirDefinition {
  uint32_t index = 0;
  uint8_t bits = 0;
  int components = 1;
  absl::string_view name;  // the name of the variable in the source, or ""; points into the parsed text
};

// The names of variables, by value number. Mesa 25.1 and later print a name after the value's number if there is debug
// information. A name may contain any character.
using NirNames = absl::flat_hash_map<uint32_t, std::string>;

// Returns the component that a printed swizzle letter denotes: one of xyzw if there are up to four live components,
// otherwise one of a to p.
std::optional<int> NirComponent(char letter, int live_components);

// Consumes "%5" or "ssa_5" and returns the number. If there is none, consumes nothing.
std::optional<uint32_t> TakeNirNumber(TextCursor& cursor);

// Like TakeNirNumber, but also consumes the value's name, if it has one. Returns nullopt if the value has a name but
// the name does not follow.
std::optional<uint32_t> TakeNirValue(TextCursor& cursor, const NirNames& names);

// Consumes a constant after a value: " (0x1, 0x2)", or " /*(0x1 = 0.0)*/" in Mesa 22.3.
void TakeNirConstant(TextCursor& cursor);

// Consumes a definition, including " = ". If there is none, consumes nothing.
std::optional<NirDefinition> TakeNirDefinition(TextCursor& cursor);

// Consumes the destination of an instruction that writes a register, including " = ", such as "r5 = ", "div r5.xy = ",
// or "r5[0 + ssa_3] = ". Mesa up to 23.2 printed such instructions.
bool TakeNirRegister(TextCursor& cursor);

// Returns whether the first " =" of the line follows a value, as in a definition.
bool ContainsNirDefinition(absl::string_view line);

// Returns whether the line opens a loop: "loop {", or "loop  // unroll {".
bool IsNirLoop(absl::string_view line);

// Returns whether the line opens an if: "if %5 {", "if %5 (true)  // flatten {", or "if ssa_5 /* flatten */ {".
bool IsNirIf(absl::string_view line, const NirNames& names);

// Returns whether a comment line carries no information about instructions: it lists only successors, predecessors, or
// positions in the source.
bool IsNirLineComment(absl::string_view line);

// The flags that Mesa 26 prints after the operands of an instruction.
struct NirFloatFlags {
  bool exact = false;
  uint8_t preserved = 0;  // the flags (ir::kNoSignedZero, …) that the instruction lacks
};

// Parses the text of a comment, such as "no-contract, preserve:sz,inf". Mesa prints "exact" if contraction,
// reassociation, and transformation are all forbidden, and otherwise only the first of these that is forbidden.
// Therefore, each of these words sets `exact`. Returns nullopt for any other text.
std::optional<NirFloatFlags> ParseNirFloatFlags(absl::string_view text);

// Removes "(pass_flags: 0x1)", which NIR_DEBUG=print_pass_flags adds, and white space from the end of an instruction.
absl::string_view WithoutPassFlags(absl::string_view line);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_TEXT_NIR_TEXT_SYNTAX_H_
