// Defines straight-line machine programs and their text, which is the `machine` format of the command line: `[MUL(t(F),
// a(F), imm(2.0, F)), ADD(r(F), t(F), -abs(b(F))).sat()]`. machine/legality.h checks programs.
#ifndef REWROUGHT_MACHINE_PROGRAM_H_
#define REWROUGHT_MACHINE_PROGRAM_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"
#include "machine/machine.h"

namespace rewrought::machine {

enum class OperandKind : uint8_t { kNull, kRegister, kVariable, kImmediate };

// The values of a swizzle entry that select a constant. The values 0 to 3 select a register component.
enum SwizzleConstant : uint8_t { kSwizzleZero = 4, kSwizzleOne = 5, kSwizzleHalf = 6 };

struct Operand {
  OperandKind kind = OperandKind::kNull;
  std::string name;
  TypeIndex type = -1;
  uint64_t bits = 0;                     // An immediate's pattern.
  std::vector<ModifierIndex> modifiers;  // SOURCE modifiers, innermost first.
  int subscript = -1;                    // The part of a wider register, or -1 for the whole register.
  bool uniform = false;
  // The following fields are for vector machines only. In a source, `swizzle` selects the register component that each
  // component reads, and the bit mask `negated` contains the components that are then negated. In a destination, `mask`
  // contains the written components; 0 means all.
  ir::Swizzle swizzle = ir::kIdentitySwizzle;
  uint8_t negated = 0;
  uint8_t mask = 0;
  int column = 0;  // The 1-based position in the text, or 0.

  // Compares everything except `column`.
  friend bool operator==(const Operand& x, const Operand& y) {
    return x.kind == y.kind && x.name == y.name && x.type == y.type && x.bits == y.bits && x.modifiers == y.modifiers &&
           x.subscript == y.subscript && x.uniform == y.uniform && x.swizzle == y.swizzle && x.negated == y.negated &&
           x.mask == y.mask;
  }
};

struct Instruction {
  const Variant* variant = nullptr;
  int choice = -1;  // The choice of the variant's selector.
  Operand destination;
  std::vector<ModifierIndex> destination_modifiers;  // DESTINATION modifiers.
  bool saturated = false;                            // Integer saturation only; it has its own row.
  std::vector<Operand> sources;
  std::string flag;       // The flag written, or empty.
  int flag_choice = -1;   // The condition on the result, or -1 if the selector tests the sources.
  std::string predicate;  // The flag read, or empty.
  bool predicate_inverted = false;
  int line = 0, column = 0;  // The 1-based position in the text, or 0.

  friend bool operator==(const Instruction& x, const Instruction& y) {
    return x.variant == y.variant && x.choice == y.choice && x.destination == y.destination &&
           x.destination_modifiers == y.destination_modifiers && x.saturated == y.saturated && x.sources == y.sources &&
           x.flag == y.flag && x.flag_choice == y.flag_choice && x.predicate == y.predicate &&
           x.predicate_inverted == y.predicate_inverted;
  }
};

// Returns true if the instruction only copies its first source, unmodified, to a register.
bool IsPlainCopy(const Instruction& instruction);

// Registers are virtual, and a name that no earlier instruction defines is a variable of the rule. The result is `r`,
// which is a register or a flag. Flags are virtual registers of the file "flag".
struct Program {
  std::vector<Instruction> instructions;
  // The widths of variables that are read only in parts. A variable that is not listed has the smallest width that
  // contains the parts.
  std::map<std::string, int> variable_bits;

  friend bool operator==(const Program&, const Program&) = default;
};

inline constexpr absl::string_view kResultName = "r";
inline constexpr absl::string_view kDefaultFlag = "f0";

// Returns true if the program has no swizzles, write masks, or cross-component instructions. On a vector machine, such
// a program applies to any number of components, or to exactly one if an instruction reads only one.
bool IsComponentwise(const Program& program);

// Return the components that `instruction` writes, or reads from source `index`'s register, as a bit mask.
// `componentwise` is the result of IsComponentwise for the program.
uint8_t ComponentsWritten(const Instruction& instruction, bool componentwise);
uint8_t ComponentsRead(const Instruction& instruction, size_t index, bool componentwise);

// Parses a program within proto::kProgramLimits. Fails with InvalidArgument "line:column: ..." for malformed text, for
// unknown instructions, types, modifiers or choices, and for operand types that the instruction does not support.
// CheckLegal checks the other rules of the ISA.
//  instruction: NAME(destination, source...) {.method(...)}; `TempReg('t', TYPE)` is accepted and ignored
//  operand: name(TYPE), -x, ~x, abs(x), imm(1.5, TYPE), imm(0x80000000, TYPE); .subscript(N), .uniform()
//  vector operand: .swizzle(x-y0h), whose last component repeats as needed; destinations have .mask(xy)
//  method: .sat(), .cmod(L), .cmod(L, flag), .predicate(NORMAL|INVERT[, flag]), and the machine's selectors
absl::StatusOr<Program> ParseProgram(const Machine& machine, absl::string_view text);

// Print text that ParseProgram parses back into an equal program or instruction.
std::string PrintProgram(const Machine& machine, const Program& program);
std::string PrintInstruction(const Machine& machine, const Instruction& instruction);

// Returns the WIDEN modifier that converts a source of type `written` to the variant's source type. Returns -1 if the
// types are equal, and -2 if no modifier converts them.
ModifierIndex WideningOf(const Machine& machine, const Variant& variant, int source, TypeIndex written);

// Like WideningOf, but returns the NARROW modifier of the destination.
ModifierIndex NarrowingOf(const Machine& machine, const Variant& variant, TypeIndex written);

// Returns the width in bits of the whole register, even if `operand` reads only a part of it.
int WideBitsOf(const Machine& machine, const Program& program, const Operand& operand);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_PROGRAM_H_
