// Converts a description to a Machine and checks it. Used only by ParseMachine.
#ifndef REWROUGHT_MACHINE_LOADER_H_
#define REWROUGHT_MACHINE_LOADER_H_

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/text_format.h"
#include "ir/meaning.h"
#include "ir/term.h"
#include "machine/machine.h"

namespace rewrought::machine {

inline ir::Contract ContractOf(v1::Contract contract) {
  switch (contract) {
    case v1::ARITHMETIC:
      return ir::Contract::kArithmetic;
    case v1::MAY_FLUSH:
      return ir::Contract::kMayFlush;
    case v1::FLUSHED_ONLY:
      return ir::Contract::kFlushedOnly;
    default:
      return ir::Contract::kBits;
  }
}

class Loader {
 public:
  Loader(Machine* machine, const google::protobuf::TextFormat::ParseInfoTree& tree, absl::string_view file)
      : m_(*machine), tree_(tree), file_(file) {}

  absl::Status Load() {
    absl::Status (Loader::*const steps[])() = {
        &Loader::LoadHead,      &Loader::LoadTypes,         &Loader::LoadModifiers,
        &Loader::LoadSelectors, &Loader::LoadImmediateSets, &Loader::LoadCosts,
        &Loader::AddHelperRows, &Loader::LoadVariants,      &Loader::CheckFacts};
    for (const auto step : steps) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  // Returns the 1-based line of entry `index` of the repeated field `field`.
  int LineOf(const char* field, int index) const {
    const auto* descriptor = v1::Machine::descriptor()->FindFieldByName(field);
    return tree_.GetLocation(descriptor, index).line + 1;
  }
  int LineOfVariant(int instruction, int variant) const {
    const auto* instructions = v1::Machine::descriptor()->FindFieldByName("instructions");
    const google::protobuf::TextFormat::ParseInfoTree* nested = tree_.GetTreeForNested(instructions, instruction);
    if (nested == nullptr) return LineOf("instructions", instruction);
    return nested->GetLocation(v1::Instruction::descriptor()->FindFieldByName("variants"), variant).line + 1;
  }
  absl::Status Error(int line, absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(file_, ":", line, ": ", what));
  }
  absl::Status CheckSource(const v1::FactSource& source, int line, absl::string_view of) const {
    if (source.kind() != v1::FactSource::KIND_UNSPECIFIED && !source.text().empty()) return absl::OkStatus();
    return Error(line, absl::StrCat(of, " has no source; state DOCUMENTED, MEASURED or GUESSED, and where"));
  }

  ir::OperandType OperandTypeOf(TypeIndex type, bool raw, int components = 0) const {
    const Type& t = m_.types_[type];
    return {raw ? ir::BaseType::kUint : t.base, static_cast<uint8_t>(t.bits), static_cast<uint8_t>(components)};
  }

  // Adds the row and returns it. Fails if a term of the row cannot be built.
  absl::StatusOr<const ir::OpRow*> AddRow(ir::OpRow row, int line) {
    m_.rows_.push_back(std::move(row));
    if (absl::Status status = ir::CheckRow(m_.rows_.back()); !status.ok()) return Error(line, status.message());
    return &m_.rows_.back();
  }

  absl::Status LoadHead();

  absl::Status LoadTypes();

  absl::StatusOr<TypeIndex> TypeNamed(absl::string_view name, int line) const {
    const TypeIndex type = m_.FindType(name);
    if (type < 0) return Error(line, absl::StrCat("unknown type '", name, "'"));
    return type;
  }

  absl::Status LoadModifiers();

  ModifierIndex ModifierNamed(absl::string_view id) const {
    for (size_t i = 0; i < m_.modifiers_.size(); ++i) {
      if (m_.modifiers_[i].id == id) return static_cast<ModifierIndex>(i);
    }
    return -1;
  }

  absl::Status LoadSelectors();

  absl::Status LoadImmediateSets();

  absl::Status LoadCosts();

  // Returns the set of values that `immediate` refers to, or null if it refers to none.
  absl::StatusOr<const v1::ImmediateSet*> SetOf(const v1::Immediate& immediate, int line) const {
    if (immediate.encoding() == v1::Immediate::SET && immediate.set().empty())
      return Error(line, "an immediate of encoding SET needs a set");
    if (immediate.set().empty()) return nullptr;
    if (immediate.encoding() != v1::Immediate::SET && immediate.encoding() != v1::Immediate::FULL)
      return Error(line, "only immediates of encodings SET and FULL have a set");
    for (const v1::ImmediateSet& set : m_.description_.immediate_sets()) {
      if (set.id() == immediate.set()) return &set;
    }
    return Error(line, absl::StrCat("unknown immediate set '", immediate.set(), "'"));
  }

  absl::StatusOr<const v1::SwizzleSet*> SwizzlesOf(const v1::Operand& operand, int line) const {
    if (operand.swizzles().empty()) return nullptr;
    for (const v1::SwizzleSet& set : m_.description_.swizzle_sets()) {
      if (set.id() == operand.swizzles()) return &set;
    }
    return Error(line, absl::StrCat("unknown swizzle set '", operand.swizzles(), "'"));
  }

  // Adds the rows for predicated writes and subregisters.
  absl::Status AddHelperRows();

  absl::Status LoadVariants();

  absl::StatusOr<std::vector<ModifierIndex>> Modifiers(const google::protobuf::RepeatedPtrField<std::string>& ids,
                                                       std::vector<v1::Modifier::Place> places, int line) const;

  absl::StatusOr<int> SelectorNamed(const std::string& id, int line) const {
    if (id.empty()) return -1;
    for (size_t i = 0; i < m_.selectors_.size(); ++i) {
      if (m_.selectors_[i].id == id) return static_cast<int>(i);
    }
    return Error(line, absl::StrCat("unknown selector '", id, "'"));
  }

  absl::Status ReadOperands(const v1::Variant& d, int line, Variant* variant) const;

  // Adds a row for `variant` whose meaning is `meaning` with `$` replaced by `term`. If `flag` is set, the row's result
  // has 1 bit.
  absl::StatusOr<const ir::OpRow*> VariantRow(const v1::Variant& d, const Variant& variant, absl::string_view suffix,
                                              const std::string& meaning, const std::string& term, bool flag, int line);

  absl::Status AddVariant(const std::string& mnemonic, const v1::Variant& d, const std::string& form, int line);

  absl::Status AddVariantRows(const v1::Variant& d, int line, Variant* variant);

  absl::Status AddResultFlagRows(int selector, TypeIndex type, int line);

  // Checks that each coverage entry has a fate, ops, and a source. machine/base/coverage.h checks that the ops exist.
  absl::Status CheckFates();

  absl::Status CheckFacts();

  Machine& m_;
  const google::protobuf::TextFormat::ParseInfoTree& tree_;
  absl::string_view file_;

  // Keeps a pointer to the rows, which outlive their machine, so that leak checkers do not report them.
  static void RegisterRowsForLeakCheckers(const std::deque<ir::OpRow>* rows);

 public:
  // Only the loader can create a machine.
  static std::unique_ptr<Machine> Make(v1::Machine description) {
    std::unique_ptr<Machine> machine(new Machine);
    RegisterRowsForLeakCheckers(&machine->rows_);
    machine->description_ = std::move(description);
    return machine;
  }
};

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_LOADER_H_
