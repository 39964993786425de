// What the tables of one machine are built from: names, immediates and features, each of which stands once, and the
// machine's side of the tables (types, modifiers, forms, immediate sets, limits).
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

// The size of the space that an index of 16 bits has, its last values being marks.
inline constexpr size_t kMostRows = 0xfff0;
// Bits of what rows of `loads` give, in their order.
inline constexpr std::array<int, 5> kLoadSizes = {1, 8, 16, 32, 64};

class TableBuilder {
 public:
  explicit TableBuilder(const machine::Machine& machine) : machine_(machine) {}

  // Types, modifiers, selectors, limits. ResourceExhausted where the machine goes beyond what the tables can count.
  absl::Status AddMachine();

  uint16_t Name(const std::string& name);
  uint16_t Immediate(uint64_t bits);
  // The op called `name`, which gets a row (without rules) when it is new.
  uint16_t Op(const std::string& name);
  // The row of `variant`, made when it is new. ResourceExhausted, Unimplemented as AddMachine.
  absl::StatusOr<uint16_t> FormOf(const machine::Variant& variant);

  // The set of what an immediate of `width` bits may be at a place of `rule` whose type has `type_bits`; RW_NONE16:
  // anything, and nothing is said of it.
  uint16_t SetOf(const machine::OperandRule& rule, int type_bits, int width);

  // The five rows of `loads` that give a source of `type` a constant, whole or in parts; 0: no rows yet.
  uint16_t LoadsOf(machine::TypeIndex type, bool in_parts) const;
  // Makes rows, which say that nothing gives a register: for uniforms, for each type that `is_loaded`, for parts.
  void AddLoadRows(const std::vector<bool>& is_loaded);

  // The features called `name` as a mask; 0: no rule and no cost of the machine asks for it.
  uint64_t Feature(const std::string& name) const;

  const machine::Machine& machine() const { return machine_; }
  CTables& tables() { return tables_; }
  // The rows of `shapes` and `words` that there are, by what they were made from.
  std::map<std::string, uint16_t>& shapes() { return shapes_; }
  std::map<std::string, uint16_t>& words() { return words_; }

  // ResourceExhausted, with the table's name, where one has more rows than an index can count.
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
  std::vector<uint16_t> loads_;  // by type, then for parts: the first row
};

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_TABLE_BUILDER_H_
