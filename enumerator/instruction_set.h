// The steps that a bank enumerates: the instructions of a machine with their modifiers, immediates, and flags. The ops
// of NIR are also treated as a machine.
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

// The type of a value in a program. A flag is a Boolean in the flag file instead of a register.
struct ValueType {
  ValueKind kind = ValueKind::kInteger;
  uint8_t bits = 32;
  bool flag = false;
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

// The form in which a source reads a value: its type, widening, and modifiers.
struct OperandForm {
  ValueType from;  // The type in the register, with the kind that the source expects.
  machine::TypeIndex written = -1;
  std::vector<machine::ModifierIndex> modifiers;
  bool inverted = false;  // Flags only.
  bool identity = true;   // Whether the tape does nothing.
  Tape tape;
};

struct StepSlot {
  std::vector<int> forms;  // Indices into InstructionSet::forms; empty if only immediates are allowed.
  int bits = 32;           // The width that the instruction reads.
  ValueKind kind = ValueKind::kInteger;
  bool any_kind = false;  // Whether the instruction only copies the source's bits.
  bool flag = false;
  bool immediate = false;        // Whether the machine accepts constants here.
  machine::TypeIndex type = -1;  // The type of an immediate.
};

enum class FlagUse : uint8_t { kNone, kCompared, kResultTested };

// An instruction in which everything except its operands is fixed. It has at most kMaxSlots sources.
inline constexpr int kMaxSlots = 4;
struct Step {
  const machine::Variant* variant = nullptr;
  int choice = -1;
  bool saturated = false;
  std::vector<machine::ModifierIndex> destination_modifiers;
  FlagUse flag_use = FlagUse::kNone;  // Unless this is kNone, only the flag is written.
  int flag_choice = -1;
  std::vector<StepSlot> slots;
  ValueType result;
  bool result_any_kind = false;  // Whether the result has the kind of the copied sources.
  bool commutative = false;      // Whether slots 0 and 1 commute.
  Tape tape;
  float cost = 1;    // Issue cycles plus a thousandth of the latency.
  std::string name;  // Used in logs, for example "ADD.F.F.F sat".
};

struct InstructionSetOptions {
  bool halves = false;  // Includes 16-bit types.
  bool saturate = true;
  bool result_flags = true;  // Includes flags that are computed from results.
  bool mix_kinds = false;    // Allows integer instructions on float values, and vice versa.
  // The mnemonics to use. If empty, all supported mnemonics are used.
  std::vector<std::string> only;
};

class InstructionSet {
 public:
  // Returns the steps of `machine`, which must outlive the set. Omits 8-bit and 64-bit operands, subregisters,
  // predicated writes, and instructions that write both a register and a flag. Fails with Internal, naming the row, if
  // a row's meaning cannot be built.
  static absl::StatusOr<std::unique_ptr<const InstructionSet>> OfMachine(const machine::Machine& machine,
                                                                         const InstructionSetOptions& options);

  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<OperandForm>& forms() const { return forms_; }
  const InstructionSetOptions& options() const { return options_; }

  // Returns true if slot `slot` of `step` accepts the constant `bits` as an immediate.
  bool TakesImmediate(const Step& step, int slot, uint64_t bits) const;

  // Returns `step` as an instruction whose operands are the registers "x0", "x1", ... and whose destination is "r",
  // which may be a flag.
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
