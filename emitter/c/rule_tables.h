// Builds the tables of the `c` format from a machine's base rules and a pack's rules.
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

// Rules for selection with a pack: one per entry and proved size, named by the entry's id.
struct PackSelection {
  const machine::Machine* machine = nullptr;
  std::vector<machine::select::PackRule> pack;
  // The driver's condition for each rule in `pack`, as C text; empty means none.
  std::vector<std::string> conditions;
  std::optional<machine::select::RuleSet> rules;
};

// Returns the rules of `pack`, which must be a strict pack. The rules are its programs and, for each replacement, the
// code that base selection emits. Omits replacements that base selection or the tables cannot express. Returns any
// error of ParseEntry or FindProvedCases with the entry's id prepended. Fails with NotFound for an unknown machine.
absl::StatusOr<std::unique_ptr<const PackSelection>> SelectionOf(const v1::Pack& pack);

// Returns the tables with an empty pack digest. Fails with Unimplemented, naming the rule and the remedy, if the tables
// cannot express a rule, and with ResourceExhausted if a table exceeds its index type.
absl::StatusOr<CTables> BuildCTables(const PackSelection& selection);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_RULE_TABLES_H_
