// What the bank enumerates: a machine's instructions with their modifiers, immediates and flags, or NIR's ops as a
// machine of its own, all as steps of one kind.
#ifndef REWROUGHT_ENUMERATOR_INSTRUCTION_SET_H_
#define REWROUGHT_ENUMERATOR_INSTRUCTION_SET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "enumerator/lanes/tape.h"
#include "enumerator/lanes/vector_blocks.h"
#include "machine/machine.h"
#include "machine/program.h"

namespace rewrought::enumerator {

// What a value is in a program. A flag is a Boolean in the flag file, not in a register.
struct ValueType {
  ValueKind kind = ValueKind::kInteger;
  uint8_t bits = 32;
  bool flag = false;
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

// How a value reaches a source: the type it is read with, widening, modifiers.
struct OperandForm {
  ValueType from;  // of the value in its register; kind is that of the type it is read with
  machine::TypeIndex written = -1;
  std::vector<machine::ModifierIndex> modifiers;
  bool inverted = false;  // of a flag
  bool identity = true;   // the tape does nothing
  Tape tape;
};

struct StepSlot {
  std::vector<int> forms;  // indices into InstructionSet::forms; empty: only immediates
  int bits = 32;           // that the instruction sees
  ValueKind kind = ValueKind::kInteger;
  bool any_kind = false;  // the source's bits only pass through
  bool flag = false;
  bool immediate = false;        // constants that the machine accepts here
  machine::TypeIndex type = -1;  // of an immediate
};

enum class FlagUse : uint8_t { kNone, kCompared, kResultTested };

// One instruction with everything fixed but its operands. At most kMaxSlots sources.
inline constexpr int kMaxSlots = 4;
struct Step {
  const machine::Variant* variant = nullptr;
  int choice = -1;
  bool saturated = false;
  std::vector<machine::ModifierIndex> destination_modifiers;
  FlagUse flag_use = FlagUse::kNone;  // other than kNone: only the flag is written
  int flag_choice = -1;
  std::vector<StepSlot> slots;
  ValueType result;
  bool result_any_kind = false;  // the result has the kind of the sources that pass through
  bool commutative = false;      // in slots 0 and 1
  Tape tape;
  float cost = 1;    // issue cycles, and a thousandth of the latency
  std::string name;  // for logs: "ADD.F.F.F sat"
};

struct InstructionSetOptions {
  bool halves = false;  // 16-bit types too
  bool saturate = true;
  bool result_flags = true;  // flags written from results
  bool mix_kinds = false;    // integer instructions on float values and the other way round
  // Mnemonics to use; empty: all that fit.
  std::vector<std::string> only;
};

class InstructionSet {
 public:
  // The steps of `machine`, which must outlive the set. Left out: operands of 8 and 64 bits, parts of registers,
  // predicated writes, instructions that write a register and a flag at once. Internal errors name a row that does not
  // build.
  static absl::StatusOr<std::unique_ptr<const InstructionSet>> OfMachine(const machine::Machine& machine,
                                                                         const InstructionSetOptions& options);

  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<OperandForm>& forms() const { return forms_; }
  const InstructionSetOptions& options() const { return options_; }

  // Whether slot `slot` of `step` takes the constant `bits` as an immediate.
  bool TakesImmediate(const Step& step, int slot, uint64_t bits) const;

  // `step` as an instruction whose operands are all registers "x0", "x1", … and whose destination is "r" (or the flag
  // "r").
  machine::Instruction Skeleton(const Step& step) const;

 private:
  friend class MachineSteps;
  InstructionSet() = default;
  int AddForm(OperandForm form);

  const machine::Machine* machine_ = nullptr;
  InstructionSetOptions options_;
  std::vector<Step> steps_;
  std::vector<OperandForm> forms_;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_INSTRUCTION_SET_H_
