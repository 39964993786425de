// Builds the tables of one machine: unique names, immediates, and features, and the machine's own rows (types,
// modifiers, forms, immediate sets, and limits).
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

// The maximum number of rows in a table with a 16-bit index; the largest indices are reserved.
inline constexpr size_t kMaxRows = 0xfff0;
// Result sizes of consecutive rows in `loads`.
inline constexpr std::array<int, 5> kLoadSizes = {1, 8, 16, 32, 64};

class TableBuilder {
 public:
  explicit TableBuilder(const machine::Machine& machine) : machine_(machine) {}

  // Adds types, modifiers, selectors, and limits. Fails with ResourceExhausted if the machine has too many.
  absl::Status AddMachine();

  uint16_t Name(const std::string& name);
  uint16_t Immediate(uint64_t bits);
  // Returns the index of the op called `name`. A new op is added without rules.
  uint16_t Op(const std::string& name);
  // Returns the row of `variant`, adding it if it is new. Fails with ResourceExhausted if a number does not fit its
  // field.
  absl::StatusOr<uint16_t> FormOf(const machine::Variant& variant);

  // Returns the set of immediates of `width` bits that `rule` allows for an operand whose type has `type_bits` bits, or
  // RW_NONE16 if there is no restriction.
  uint16_t SetOf(const machine::OperandRule& rule, int type_bits, int width);

  // Returns the index of the first of the five rows of `loads` for a source of `type`. `in_parts` states whether the
  // source is read in parts. Returns 0 before AddLoadRows is called.
  uint16_t LoadsOf(machine::TypeIndex type, bool in_parts) const;
  // Adds empty rows to `loads` for uniforms, for each type that `is_loaded` marks, and for parts.
  void AddLoadRows(const std::vector<bool>& is_loaded);

  // Returns the mask of the feature called `name`, or 0 if no rule and no cost refers to it.
  uint64_t Feature(const std::string& name) const;

  const machine::Machine& machine() const { return machine_; }
  CTables& tables() { return tables_; }
  // Return the indices of the existing rows of `shapes` and `words`, keyed by content.
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
  std::vector<uint16_t> loads_;  // The first row for each type, followed by the first row for parts.
};

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_TABLE_BUILDER_H_
