// A straight-line machine program and its text: the `machine` format of the command line,
// `[MUL(t(F), a(F), imm(2.0, F)), ADD(r(F), t(F), -abs(b(F))).sat()]`. Checked by machine/legality.h.
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

// What a component of a swizzle reads: 0 to 3 are components of the register.
enum SwizzleConstant : uint8_t { kSwizzleZero = 4, kSwizzleOne = 5, kSwizzleHalf = 6 };

struct Operand {
  OperandKind kind = OperandKind::kNull;
  std::string name;                      // of a register or variable
  TypeIndex type = -1;                   // as written
  uint64_t bits = 0;                     // of an immediate: the pattern at the type's size
  std::vector<ModifierIndex> modifiers;  // of place SOURCE, the one applied first comes first
  int subscript = -1;                    // which part of a wider register; -1: all of it
  bool uniform = false;
  // On vector machines. A source: what each component reads, and which are negated afterwards (a bit each). A
  // destination: the components written, a bit each; 0: all.
  ir::Swizzle swizzle = ir::kIdentitySwizzle;
  uint8_t negated = 0;
  uint8_t mask = 0;
  int column = 0;  // 1-based in the text, or 0

  // All but where it stood.
  friend bool operator==(const Operand& x, const Operand& y) {
    return x.kind == y.kind && x.name == y.name && x.type == y.type && x.bits == y.bits && x.modifiers == y.modifiers &&
           x.subscript == y.subscript && x.uniform == y.uniform && x.swizzle == y.swizzle && x.negated == y.negated &&
           x.mask == y.mask;
  }
};

struct Instruction {
  const Variant* variant = nullptr;
  int choice = -1;  // of the variant's selector
  Operand destination;
  std::vector<ModifierIndex> destination_modifiers;  // of place DESTINATION
  bool saturated = false;                            // integer saturation: another row, no modifier
  std::vector<Operand> sources;
  std::string flag;       // the flag written, or empty
  int flag_choice = -1;   // the condition on the result, where the variant tests its result; else the selector's
  std::string predicate;  // the flag read, or empty
  bool predicate_inverted = false;
  int line = 0, column = 0;  // 1-based in the text, or 0

  friend bool operator==(const Instruction& x, const Instruction& y) {
    return x.variant == y.variant && x.choice == y.choice && x.destination == y.destination &&
           x.destination_modifiers == y.destination_modifiers && x.saturated == y.saturated && x.sources == y.sources &&
           x.flag == y.flag && x.flag_choice == y.flag_choice && x.predicate == y.predicate &&
           x.predicate_inverted == y.predicate_inverted;
  }
};

// Whether the instruction gives the bits of its first source, plainly read, to a register and does nothing else.
bool HandsOnSource(const Instruction& instruction);

// Registers are virtual; a name that no earlier instruction defines is a variable of the rule. The result is `r`, a
// register or a flag. Flags are virtual registers of the file "flag".
struct Program {
  std::vector<Instruction> instructions;
  // Sizes of variables of which only parts are read, where they differ from the least one that has the part.
  std::map<std::string, int> variable_bits;

  friend bool operator==(const Program&, const Program&) = default;
};

inline constexpr absl::string_view kResultName = "r";
inline constexpr absl::string_view kDefaultFlag = "f0";

// Whether the program says nothing of components and holds for each by itself: no swizzle, no mask, no instruction
// across components. On vector machines such a program stands for any number of components; for one, where it has an
// instruction that reads one.
bool IsComponentwise(const Program& program);

// The components that `instruction` writes, and those of source `index`'s register that it reads, a bit each;
// `componentwise`: what IsComponentwise says of its program.
uint8_t ComponentsWritten(const Instruction& instruction, bool componentwise);
uint8_t ComponentsRead(const Instruction& instruction, size_t index, bool componentwise);

// Reads a program within proto::kProgramLimits. InvalidArgument "line:column: ..." for malformed text, unknown
// instructions, types, modifiers or choices, and operand types that no form of the instruction has; further rules of
// the ISA are CheckLegal's.
//   instruction: NAME(destination, source...) {.method(...)}, `TempReg('t', TYPE)` is accepted and declares nothing
//   operand: name(TYPE), -x, ~x, abs(x), imm(1.5, TYPE), imm(0x80000000, TYPE); .subscript(N), .uniform()
//   of vector machines: .swizzle(x-y0h), the last component repeated as needed, and .mask(xy) of a destination
//   methods: .sat(), .cmod(L), .cmod(L, flag), .predicate(NORMAL|INVERT[, flag]), and the selectors' of the machine
absl::StatusOr<Program> ParseProgram(const Machine& machine, absl::string_view text);

// Text that ParseProgram reads back as an equal program.
std::string PrintProgram(const Machine& machine, const Program& program);
std::string PrintInstruction(const Machine& machine, const Instruction& instruction);

// The WIDEN modifier by which a source written with `written` reaches the variant's source type, -1 when they are the
// same type; -2 when there is none.
ModifierIndex WideningOf(const Machine& machine, const Variant& variant, int source, TypeIndex written);

// Likewise NARROW, for the destination.
ModifierIndex NarrowingOf(const Machine& machine, const Variant& variant, TypeIndex written);

// The size in bits of the register that `operand` of `program` reads part of, or all of when it has no subscript.
int WideBitsOf(const Machine& machine, const Program& program, const Operand& operand);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_PROGRAM_H_
