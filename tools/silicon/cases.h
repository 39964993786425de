// Enumerates the cases to compare: every instruction of the machine with every form, choice, combination of modifiers,
// and denormal mode. Generates the PTX for each case.
#ifndef REWROUGHT_TOOLS_SILICON_CASES_H_
#define REWROUGHT_TOOLS_SILICON_CASES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/float_contract.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "tools/silicon/ptx_rows.h"

namespace rewrought::silicon {

// One input of a case, as a 32-bit word. A Boolean is stored in the lowest bit.
struct CaseInput {
  std::string name;  // "a", "b", "c"
  int bits = 32;     // 1 or 32
  ir::BaseType base = ir::BaseType::kUint;
};

struct Case {
  std::string text;         // the program's text, as printed by machine/program.h
  std::string instruction;  // the mnemonic; for a program, that of its last instruction
  machine::Program program;
  ir::DenormMode mode = ir::DenormMode::kNone;  // kNone, kPreserve or kFlush
  std::vector<CaseInput> inputs;
  int result_bits = 32;
  bool float_result = false;
  bool saturates = false;
  std::string body;  // PTX that reads %a %b %c and writes %r; empty if PTX cannot express the case
  std::string version;
  Bound bound;
  std::string remark;

  std::string name() const;  // "[FADD(r(F), a(F), b(F))] flush"
};

// Returns all cases in the description's order. Fails with InvalidArgument if an instruction or modifier has no row, if
// a row has no instruction, or if a row's PTX contains an unknown placeholder.
absl::StatusOr<std::vector<Case>> AllCases(const machine::Machine& machine, const PtxRows& rows);

// Returns a PTX module with a kernel for each of `cases`, none of which may have an empty body. The i-th kernel is
// named KernelName(i). Its parameters are the addresses of the inputs and of the output, and the number of lanes
// (.u32).
std::string PtxModule(const std::vector<const Case*>& cases);
std::string KernelName(size_t index);

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_CASES_H_
