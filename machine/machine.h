// A GPU instruction set, loaded from machine/descriptions/<id>.textproto (schema: proto/rewrought/v1/machine.proto).
// The loader checks that every meaning can be built and that every referenced id exists. Each instruction and each
// modifier has ir::OpRows.
#ifndef REWROUGHT_MACHINE_MACHINE_H_
#define REWROUGHT_MACHINE_MACHINE_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/op_row.h"
#include "proto/rewrought/v1/machine.pb.h"

namespace rewrought::machine {

// Indices into the machine's tables, or -1 for none.
using TypeIndex = int;
using ModifierIndex = int;

struct Type {
  std::string name;
  int bits = 0;  // The width of a value.
  ir::BaseType base = ir::BaseType::kUint;
  int register_bits = 0;  // The width of a register in one lane.
};

struct Modifier {
  std::string id;
  v1::Modifier::Place place = v1::Modifier::PLACE_UNSPECIFIED;
  std::string spelling;
  int order = 0;
  TypeIndex from = -1, to = -1;                // WIDEN and NARROW only.
  std::string nir;                             // The equivalent IR op, or empty.
  std::map<TypeIndex, const ir::OpRow*> rows;  // Keyed by operand type (`from` for WIDEN and NARROW).
  bool per_component = false;                  // Whether the modifier is written in the swizzle.
};

struct Selector {
  std::string id, method;
  std::vector<std::pair<std::string, std::string>> choices;  // Pairs of a name and a term.
};

struct CostClass {
  std::string id, pipe;
  double issue_cycles = 0, latency = 0, flag_latency = 0;  // In cycles.
  int bytes = 0, instructions = 1;
  int literal_bytes = 0, long_bytes = 0;
  std::vector<std::string> long_when;
  std::vector<double> read_delays;  // The delay of each source in cycles; missing entries mean 0.
};

struct OperandRule {
  std::vector<ModifierIndex> modifiers;
  v1::Immediate::Encoding immediate = v1::Immediate::NONE;
  const v1::ImmediateSet* set = nullptr;  // For SET, the allowed values; for FULL, those that need no literal.
  bool immediate_only = false, no_uniform = false, subscript = false;
  const v1::SwizzleSet* swizzles = nullptr;  // Null if all swizzles but no constants are allowed.
  int components = 0;                        // The number of components read; 0 means the written components.
};

struct Variant {
  std::string mnemonic;
  TypeIndex result = -1;           // The type before a NARROW modifier.
  std::vector<TypeIndex> sources;  // The types after WIDEN modifiers, without the predicate.
  std::vector<OperandRule> operands;
  std::vector<ModifierIndex> destination_modifiers;
  bool destination_subscript = false, destination_null = false;
  bool reads_predicate = false, predicable = false, commutative = false;
  bool write_mask = false;
  bool horizontal = false;  // Whether all written components receive the same value.
  int selector = -1;        // An index into selectors().
  int result_flag = -1;     // An index into selectors().
  const CostClass* cost = nullptr;
  std::vector<const ir::OpRow*> rows;       // One for each choice of the selector, or a single row.
  std::vector<const ir::OpRow*> flag_rows;  // Parallel to `rows` if the condition writes a flag.
  const ir::OpRow* saturated = nullptr;     // The row with integer saturation.
  const v1::Variant* source = nullptr;      // The entry in the description.
};

class Machine {
 public:
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const v1::Machine& description() const { return description_; }
  const std::string& id() const { return description_.id(); }

  // Returns true if the driver does not fuse a product into a sum when both have a constant operand.
  bool keeps_products_of_constants() const { return !description_.keeps_products_of_constants().empty(); }
  // Returns 4 on vector machines, otherwise 1.
  int components() const { return std::max(1, static_cast<int>(description_.components())); }

  const std::vector<Type>& types() const { return types_; }
  const std::vector<Modifier>& modifiers() const { return modifiers_; }
  const std::vector<Selector>& selectors() const { return selectors_; }
  // Returns the variants in the description's order. Pointers to them are valid as long as the machine exists.
  const std::vector<Variant>& variants() const { return variants_; }
  const std::vector<int>& VariantsOf(absl::string_view mnemonic) const;

  TypeIndex FindType(absl::string_view name) const;  // Returns -1 if unknown.

  // Returns the 1-bit row that tests `choice` of `selector` on a value of `type`.
  const ir::OpRow* ResultFlagRow(int selector, int choice, TypeIndex type) const;
  // Returns the row of a predicated write, (flag, new, old) -> flag ? new : old. The flag has type bool1; the values
  // have `bits` bits.
  const ir::OpRow* MergeRow(int bits) const;
  const ir::OpRow* FlagNotRow() const;
  // ExtractRow returns the row that reads part `index` of a `wide`-bit value as a `bits`-bit value. InsertRow returns
  // the row that replaces this part; its sources are the old value and the new part. Both return null if the part does
  // not exist.
  const ir::OpRow* ExtractRow(int wide, int bits, int index) const;
  const ir::OpRow* InsertRow(int wide, int bits, int index) const;

  const std::deque<ir::OpRow>& rows() const { return rows_; }

 private:
  friend class Loader;
  Machine() = default;

  v1::Machine description_;
  std::vector<Type> types_;
  std::vector<Modifier> modifiers_;
  std::vector<Selector> selectors_;
  std::deque<CostClass> costs_;
  std::vector<Variant> variants_;
  // The rows are never freed, because ir::MeaningOf caches parsed meanings by row address until the process exits.
  std::deque<ir::OpRow>& rows_ = *new std::deque<ir::OpRow>;
  absl::flat_hash_map<std::string, std::vector<int>> by_mnemonic_;
  std::map<std::pair<int, TypeIndex>, std::vector<const ir::OpRow*>> result_flag_rows_;
  std::map<int, const ir::OpRow*> merge_rows_;
  std::map<std::vector<int>, const ir::OpRow*> extract_rows_, insert_rows_;
  const ir::OpRow* flag_not_row_ = nullptr;
};

// Parses and checks a description. Errors have the form "file:line: what is wrong".
absl::StatusOr<std::unique_ptr<const Machine>> ParseMachine(absl::string_view text, absl::string_view file);

// Like ParseMachine, but reads the description from a file. Fails with NotFound if the file cannot be read.
absl::StatusOr<std::unique_ptr<const Machine>> LoadMachine(const std::string& path);

// Returns the built-in machines by id, loaded on first use and never destroyed.
const std::vector<const Machine*>& AllMachines();

// Returns the built-in machine `id`. If `id` is unknown, fails with NotFound and lists the built-in machines.
absl::StatusOr<const Machine*> FindMachine(absl::string_view id);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_MACHINE_H_
