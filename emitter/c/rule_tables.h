// A machine's base rules and a pack's as tables for the runtime of the `c` format.
#ifndef REWROUGHT_EMITTER_C_RULE_TABLES_H_
#define REWROUGHT_EMITTER_C_RULE_TABLES_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/c/c_tables.h"
#include "machine/machine.h"
#include "machine/select/rules.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// What selection with a pack's programs chooses from: one rule for each size at which an entry is proved. Names are the
// entries' ids.
struct PackSelection {
  const machine::Machine* machine = nullptr;
  std::vector<machine::select::PackRule> pack;
  std::vector<std::string> conditions;  // of each of `pack`: the driver's, as C text; empty: none
  std::optional<machine::select::RuleSet> rules;
};

// The rules of `pack`, a strict one: programs, and of replacements those for which base selection and the tables have a
// form, as the code that base selection gives; the others are left out. FailedPrecondition, InvalidArgument with the
// entry's id, as ParseEntry and FindProvedCases; NotFound for the pack's machine.
absl::StatusOr<std::unique_ptr<const PackSelection>> SelectionOf(const v1::Pack& pack);

// The tables, the pack's digest left empty. Unimplemented, with the rule's name and what to do, for what they cannot
// say; ResourceExhausted beyond what their indices count.
absl::StatusOr<CTables> BuildCTables(const PackSelection& selection);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_RULE_TABLES_H_
