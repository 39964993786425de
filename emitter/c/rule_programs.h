// Adds the programs of rules to the tables: instructions and operands.
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
  bool never = false;  // The rule never applies, because its program returns a flag or reads an unbound variable.
};

// Returns the code of `rule` and adds its operands to the builder's tables. `variables` maps the rule's variables to
// their numbers. `flag_of` is the instruction that converts a Boolean variable to a flag, for programs that read the
// variable as a flag, or null if there is none. Fails with Unimplemented or ResourceExhausted.
absl::StatusOr<RuleCode> CodeOf(const machine::select::SelectionRule& rule, const machine::Instruction* flag_of,
                                const std::map<std::string, uint16_t>& variables, TableBuilder* builder);

// Appends `program`, which must be a single instruction with one variable. The variable is an immediate if `kind` is
// RW_IMMEDIATE, or a uniform if `kind` is RW_VALUE. Returns the index of the instruction. Fails with Unimplemented for
// other programs.
absl::StatusOr<uint16_t> AddSingle(TableBuilder& builder, const machine::Program& program, uint8_t kind);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_RULE_PROGRAMS_H_
