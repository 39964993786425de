// One GPU instruction set, loaded from machine/descriptions/<id>.textproto (schema: proto/rewrought/v1/machine.proto)
// and checked: every meaning builds, every id that is referred to exists. Instructions and modifiers are ir::OpRows.
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

// Indices into the machine's own tables; -1: none.
using TypeIndex = int;
using ModifierIndex = int;

struct Type {
  std::string name;
  int bits = 0;  // of a value
  ir::BaseType base = ir::BaseType::kUint;
  int register_bits = 0;  // of its register, per lane
};

struct Modifier {
  std::string id;
  v1::Modifier::Place place = v1::Modifier::PLACE_UNSPECIFIED;
  std::string spelling;
  int order = 0;
  TypeIndex from = -1, to = -1;                // of WIDEN and NARROW
  std::string nir;                             // the IR op that it does, or empty
  std::map<TypeIndex, const ir::OpRow*> rows;  // by the type it applies to (WIDEN, NARROW: `from`)
  bool per_component = false;                  // written in the swizzle
};

struct Selector {
  std::string id, method;
  std::vector<std::pair<std::string, std::string>> choices;  // name, term
};

struct CostClass {
  std::string id, pipe;
  double issue_cycles = 0, latency = 0, flag_latency = 0;  // cycles
  int bytes = 0, instructions = 1;
  int literal_bytes = 0, long_bytes = 0;
  std::vector<std::string> long_when;
  std::vector<double> read_delays;  // cycles, by source; sources beyond the end: 0
};

struct OperandRule {
  std::vector<ModifierIndex> modifiers;
  v1::Immediate::Encoding immediate = v1::Immediate::NONE;
  const v1::ImmediateSet* set = nullptr;  // of SET, and what is no literal of FULL
  bool immediate_only = false, no_uniform = false, subscript = false;
  const v1::SwizzleSet* swizzles = nullptr;  // null: every order, no constants
  int components = 0;                        // read whatever is written; 0: those that are
};

// An instruction at one combination of types.
struct Variant {
  std::string mnemonic;
  TypeIndex result = -1;              // what the instruction gives, before a NARROW modifier
  std::vector<TypeIndex> sources;     // what it wants, after WIDEN modifiers; without the predicate
  std::vector<OperandRule> operands;  // one per source
  std::vector<ModifierIndex> destination_modifiers;
  bool destination_subscript = false, destination_null = false;
  bool reads_predicate = false, predicable = false, commutative = false;
  bool write_mask = false;
  bool horizontal = false;  // sources have `components`, the result is one value for all components written
  int selector = -1;        // index into selectors()
  int result_flag = -1;     // index into selectors()
  const CostClass* cost = nullptr;
  std::vector<const ir::OpRow*> rows;       // one per choice of the selector, else one
  std::vector<const ir::OpRow*> flag_rows;  // likewise, when the selector's condition writes a flag
  const ir::OpRow* saturated = nullptr;     // integer saturation
  const v1::Variant* source = nullptr;      // the entry that it came from
};

class Machine {
 public:
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // The description as it was read: names, rules, deviations, sources.
  const v1::Machine& description() const { return description_; }
  const std::string& id() const { return description_.id(); }

  // Of a register: 1, or 4 on vector machines.
  int components() const { return std::max(1, static_cast<int>(description_.components())); }

  const std::vector<Type>& types() const { return types_; }
  const std::vector<Modifier>& modifiers() const { return modifiers_; }
  const std::vector<Selector>& selectors() const { return selectors_; }
  // In the description's order; pointers into it live as long as the machine.
  const std::vector<Variant>& variants() const { return variants_; }
  // Indices of the variants of `mnemonic`, in the description's order.
  const std::vector<int>& VariantsOf(absl::string_view mnemonic) const;

  TypeIndex FindType(absl::string_view name) const;  // -1: none

  // The row that tests `choice` of `selector` on a value of `type`: 1 bit.
  const ir::OpRow* ResultFlagRow(int selector, int choice, TypeIndex type) const;
  // (flag, new, old) -> new where the flag holds: a predicated write. Sources: bool1 and twice `bits`.
  const ir::OpRow* MergeRow(int bits) const;
  // 1 bit to 1 bit: not.
  const ir::OpRow* FlagNotRow() const;
  // Part `index` of a value of `wide` bits, as a value of `bits` bits; and a value of `wide` bits with that part
  // replaced (sources: the old value, the part). Null where there is no such part.
  const ir::OpRow* ExtractRow(int wide, int bits, int index) const;
  const ir::OpRow* InsertRow(int wide, int bits, int index) const;

  // All rows, for listing and checking.
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
  // Never freed: ir::MeaningOf keeps what it parsed by a row's address for the life of the program.
  std::deque<ir::OpRow>& rows_ = *new std::deque<ir::OpRow>;
  absl::flat_hash_map<std::string, std::vector<int>> by_mnemonic_;
  std::map<std::pair<int, TypeIndex>, std::vector<const ir::OpRow*>> result_flag_rows_;
  std::map<int, const ir::OpRow*> merge_rows_;
  std::map<std::vector<int>, const ir::OpRow*> extract_rows_, insert_rows_;
  const ir::OpRow* flag_not_row_ = nullptr;
};

// Parses and checks a description. `file` stands in messages: "file:line: what is wrong".
absl::StatusOr<std::unique_ptr<const Machine>> ParseMachine(absl::string_view text, absl::string_view file);

// Reads a description of the user's own. NotFound when there is no such file, else as ParseMachine.
absl::StatusOr<std::unique_ptr<const Machine>> LoadMachine(const std::string& path);

// The machines that are built in, by id. Each is loaded on its first use and lives as long as the program.
const std::vector<const Machine*>& AllMachines();

// NotFound names the machines that there are.
absl::StatusOr<const Machine*> FindMachine(absl::string_view id);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_MACHINE_H_
