// Programs of rules as rows of the tables: instructions and operands.
#ifndef REWROUGHT_EMITTER_C_RULE_PROGRAMS_H_
#define REWROUGHT_EMITTER_C_RULE_PROGRAMS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/c/table_builder.h"
#include "machine/select/rules.h"

namespace rewrought::emitter {

struct RuleCode {
  std::vector<rw_code> rows;
  bool never = false;  // gives no register here: a program whose result is a flag, or that reads what nothing binds
};

// The code of `rule`, whose variables are numbered as in `variables`; operands go into the builder's tables. A Boolean
// that the program takes as a flag is tested first by `flag_of` (null: the machine has no such instruction).
// Unimplemented, ResourceExhausted say what has no form.
absl::StatusOr<RuleCode> CodeOf(const machine::select::SelectionRule& rule, const machine::Instruction* flag_of,
                                const std::map<std::string, uint16_t>& variables, TableBuilder* builder);

// A program of one instruction over one variable, which is an immediate (`kind` RW_IMMEDIATE) or a uniform (RW_VALUE),
// appended to the tables; its index. Unimplemented for other programs.
absl::StatusOr<uint16_t> AddSingle(TableBuilder& builder, const machine::Program& program, uint8_t kind);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_RULE_PROGRAMS_H_
