// What is compared: every instruction of the machine at every form, choice, combination of modifiers and denormal mode,
// with the PTX that says it.
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

// One input of a case: a 32-bit word, of which a Boolean uses the lowest bit.
struct CaseInput {
  std::string name;  // "a", "b", "c"
  int bits = 32;     // 1 or 32
  ir::BaseType base = ir::BaseType::kUint;
};

struct Case {
  std::string text;         // of the program, as machine/program.h prints it
  std::string instruction;  // mnemonic; of a program the last one's
  machine::Program program;
  ir::DenormMode mode = ir::DenormMode::kNone;  // kNone, kPreserve or kFlush
  std::vector<CaseInput> inputs;
  int result_bits = 32;
  bool float_result = false;
  bool saturates = false;
  std::string body;  // PTX over %a %b %c, into %r; empty: PTX cannot say it
  std::string version;
  Bound bound;
  std::string remark;

  std::string name() const;  // "[FADD(r(F), a(F), b(F))] flush"
};

// All cases, in the description's order. InvalidArgument names an instruction or modifier that has no row, a row that
// is of no instruction, and a placeholder that a row's PTX may not have.
absl::StatusOr<std::vector<Case>> AllCases(const machine::Machine& machine, const PtxRows& rows);

// A module of PTX with a kernel for each of `cases` (none may have an empty body): KernelName(i) of the i-th takes the
// address of each input, of the output, and the number of lanes (.u32).
std::string PtxModule(const std::vector<const Case*>& cases);
std::string KernelName(size_t index);

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_CASES_H_
