// Builds the tables of one machine: deduplicates names, immediates, and features, and adds the machine's own rows
// (types, modifiers, forms, immediate sets, and limits).
#ifndef REWROUGHT_EMITTER_C_TABLE_BUILDER_H_
#define REWROUGHT_EMITTER_C_TABLE_BUILDER_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "emitter/c/c_tables.h"
#include "machine/machine.h"
#include "machine/program.h"

namespace rewrought::emitter {

// The maximum number of rows for a 16-bit index, whose largest values are reserved.
inline constexpr size_t kMostRows = 0xfff0;
// The result sizes of consecutive rows in `loads`.
inline constexpr std::array<int, 5> kLoadSizes = {1, 8, 16, 32, 64};

class TableBuilder {
 public:
  explicit TableBuilder(const machine::Machine& machine) : machine_(machine) {}

  // Adds types, modifiers, selectors, and limits. Fails with ResourceExhausted if the machine exceeds the capacity of
  // the tables.
  absl::Status AddMachine();

  uint16_t Name(const std::string& name);
  uint16_t Immediate(uint64_t bits);
  // Returns the op called `name` and adds a row without rules if the op is new.
  uint16_t Op(const std::string& name);
  // Returns the row of `variant` and adds it if it is new. Fails with ResourceExhausted or Unimplemented like
  // AddMachine.
  absl::StatusOr<uint16_t> FormOf(const machine::Variant& variant);

  // Returns the set of the allowed immediates of `width` bits for an operand with `rule` and a type of `type_bits`, or
  // RW_NONE16 if all immediates are allowed and none is distinguished.
  uint16_t SetOf(const machine::OperandRule& rule, int type_bits, int width);

  // Returns the first of the five rows of `loads` that load a constant for a source of `type`, as a whole or in parts,
  // or 0 if the rows do not exist yet.
  uint16_t LoadsOf(machine::TypeIndex type, bool in_parts) const;
  // Adds empty rows to `loads`: for uniforms, for each type with `is_loaded`, and for parts.
  void AddLoadRows(const std::vector<bool>& is_loaded);

  // Returns the mask of the feature called `name`, or 0 if no rule and no cost of the machine refers to it.
  uint64_t Feature(const std::string& name) const;

  const machine::Machine& machine() const { return machine_; }
  CTables& tables() { return tables_; }
  // Existing rows of `shapes` and `words`, keyed by the data from which they were built.
  std::map<std::string, uint16_t>& shapes() { return shapes_; }
  std::map<std::string, uint16_t>& words() { return words_; }

  // Fails with ResourceExhausted, naming the table, if a table has too many rows for its index type.
  absl::Status CheckSizes() const;

 private:
  absl::Status NameFeatures();
  absl::Status AddModifiers();
  void AddLimits();

  const machine::Machine& machine_;
  CTables tables_;
  std::map<std::string, uint16_t> names_, ops_, shapes_, words_;
  std::map<uint64_t, uint16_t> immediates_;
  std::map<std::string, uint64_t> features_;
  std::map<const machine::Variant*, uint16_t> forms_;
  std::map<std::string, uint16_t> sets_;
  std::vector<uint16_t> loads_;  // The first row, indexed by type; the last element is for parts.
};

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_TABLE_BUILDER_H_
