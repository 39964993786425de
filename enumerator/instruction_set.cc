#include "enumerator/instruction_set.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "enumerator/lanes/vector_blocks.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "machine/legality.h"

namespace rewrought::enumerator {

using machine::Modifier;
using machine::ModifierIndex;
using machine::TypeIndex;
using machine::Variant;

namespace {

bool Wanted(const InstructionSetOptions& options, absl::string_view name) {
  return options.only.empty() || std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

bool SizeFits(const InstructionSetOptions& options, int bits) {
  return bits == 1 || bits == 32 || (bits == 16 && options.halves);
}

}  // namespace

// Converts the variants of a machine to steps.
class MachineSteps {
 public:
  MachineSteps(const machine::Machine& machine, InstructionSet* set) : m_(machine), set_(set) {}

  absl::Status Run() {
    for (const Variant& variant : m_.variants()) {
      if (!Wanted(set_->options_, variant.mnemonic) || !Fits(variant)) continue;
      const int choices = static_cast<int>(variant.rows.size());
      for (int choice = 0; choice < choices; ++choice) {
        if (absl::Status status = AddChoice(variant, variant.selector < 0 ? -1 : choice); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

 private:
  bool Fits(const Variant& variant) const {
    if (variant.sources.size() + variant.reads_predicate > kMaxSlots) return false;
    if (!SizeFits(set_->options_, m_.types()[variant.result].bits)) return false;
    for (size_t i = 0; i < variant.sources.size(); ++i) {
      if (!FitsAsIs(variant.sources[i]) && WideningsOf(variant, static_cast<int>(i)).empty()) return false;
    }
    return true;
  }

  bool FitsAsIs(TypeIndex type) const { return SizeFits(set_->options_, m_.types()[type].bits); }

  // Returns the indices of the modifiers that widen a source from a narrower supported type.
  std::vector<ModifierIndex> WideningsOf(const Variant& variant, int source) const {
    std::vector<ModifierIndex> widenings;
    for (const ModifierIndex modifier : variant.operands[source].modifiers) {
      const Modifier& m = m_.modifiers()[modifier];
      const bool widens = m.place == rewrought::v1::Modifier::WIDEN && m.to == variant.sources[source];
      if (widens && FitsAsIs(m.from)) widenings.push_back(modifier);
    }
    return widenings;
  }

  absl::Status AddChoice(const Variant& variant, int choice) {
    const ir::OpRow* row = variant.rows[std::max(0, choice)];
    Step step;
    step.variant = &variant;
    step.choice = choice;
    if (absl::Status status = Add(step, {row}); !status.ok()) return status;
    // These steps must precede the saturating ones, because the first of two equal steps is kept.
    if (absl::Status status = AddResultFlags(step, {row}); !status.ok()) return status;
    if (set_->options_.saturate) {
      if (variant.saturated != nullptr) {
        step.saturated = true;
        if (absl::Status status = Add(step, {variant.saturated}); !status.ok()) return status;
        step.saturated = false;
      }
      for (const ModifierIndex modifier : variant.destination_modifiers) {
        if (m_.modifiers()[modifier].place != rewrought::v1::Modifier::DESTINATION) continue;
        step.destination_modifiers = {modifier};
        const ir::OpRow* sat = m_.modifiers()[modifier].rows.at(variant.result);
        if (absl::Status status = Add(step, {row, sat}); !status.ok()) return status;
        if (absl::Status status = AddResultFlags(step, {row, sat}); !status.ok()) return status;
        step.destination_modifiers.clear();
      }
    }
    if (!variant.flag_rows.empty()) {
      step.flag_use = FlagUse::kCompared;
      step.flag_choice = -1;
      if (absl::Status status = Add(step, {variant.flag_rows[std::max(0, choice)]}); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status AddResultFlags(Step step, std::vector<const ir::OpRow*> rows) {
    const Variant& variant = *step.variant;
    if (variant.result_flag < 0 || !set_->options_.result_flags || !variant.destination_null) return absl::OkStatus();
    const int count = static_cast<int>(m_.selectors()[variant.result_flag].choices.size());
    rows.push_back(nullptr);
    for (int i = 0; i < count; ++i) {
      step.flag_use = FlagUse::kResultTested;
      step.flag_choice = i;
      rows.back() = m_.ResultFlagRow(variant.result_flag, i, variant.result);
      if (rows.back() == nullptr) continue;
      if (absl::Status status = Add(step, rows); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Adds the step, unless it is illegal, or an earlier step computes the same value and accepts at least as many forms.
  absl::Status Add(Step step, const std::vector<const ir::OpRow*>& rows) {
    const Variant& variant = *step.variant;
    absl::StatusOr<Tape> tape = CompileRows(rows, 0);
    if (!tape.ok()) return absl::OkStatus();  // Not supported: an inner vector or a wide operand.
    step.tape = *std::move(tape);
    absl::StatusOr<std::vector<bool>> passed = PassedSources(*rows[0], 0);
    if (!passed.ok()) return passed.status();
    const bool only_passes = rows.size() == 1;
    bool any_passed = false;
    for (size_t i = 0; i < variant.sources.size(); ++i) {
      StepSlot slot;
      const machine::Type& type = m_.types()[variant.sources[i]];
      slot.bits = type.bits;
      slot.kind = KindOf(type.base, type.bits);
      slot.type = variant.sources[i];
      slot.any_kind = only_passes && (*passed)[i] && rows[0]->sources[i].base != ir::BaseType::kFloat && type.bits > 1;
      if (slot.any_kind) any_passed = true;
      slot.immediate = variant.operands[i].immediate != rewrought::v1::Immediate::NONE;
      if (!variant.operands[i].immediate_only) AddForms(variant, static_cast<int>(i), &slot);
      step.slots.push_back(std::move(slot));
    }
    if (variant.reads_predicate) step.slots.push_back(FlagSlot());
    const machine::Type& result = m_.types()[variant.result];
    step.result = {KindOf(result.base, result.bits), static_cast<uint8_t>(result.bits), false};
    if (step.flag_use != FlagUse::kNone) step.result = {ValueKind::kBoolean, 1, true};
    step.result_any_kind = any_passed && step.flag_use == FlagUse::kNone;
    step.commutative = variant.commutative;
    step.cost = static_cast<float>(variant.cost->issue_cycles + variant.cost->latency * 0.001);
    step.name = absl::StrCat(rows[0]->name.substr(rows[0]->name.find('.') + 1), step.saturated ? " sat" : "");
    for (size_t i = 1; i < rows.size(); ++i)
      absl::StrAppend(&step.name, " ", rows[i]->name.substr(rows[i]->name.find('.') + 1));
    if (!machine::CheckInstruction(m_, set_->Skeleton(step)).ok()) return absl::OkStatus();
    if (!IsNew(step, rows) || IsExchanged(step)) return absl::OkStatus();
    set_->steps_.push_back(std::move(step));
    return absl::OkStatus();
  }

  StepSlot FlagSlot() {
    StepSlot slot;
    slot.bits = 1;
    slot.kind = ValueKind::kBoolean;
    slot.flag = true;
    for (const bool inverted : {false, true}) {
      OperandForm form;
      form.from = {ValueKind::kBoolean, 1, true};
      form.inverted = inverted;
      form.identity = !inverted;
      if (inverted) form.tape = *CompileRow(*m_.FlagNotRow(), 0);
      slot.forms.push_back(set_->AddForm(std::move(form)));
    }
    return slot;
  }

  // Adds a form for every widening and every ordered chain of source modifiers.
  void AddForms(const Variant& variant, int source, StepSlot* slot) {
    const TypeIndex wanted = variant.sources[source];
    std::vector<ModifierIndex> widenings = WideningsOf(variant, source), plain;
    if (FitsAsIs(wanted)) widenings.insert(widenings.begin(), -1);
    for (const ModifierIndex modifier : variant.operands[source].modifiers) {
      const Modifier& m = m_.modifiers()[modifier];
      if (m.place != rewrought::v1::Modifier::WIDEN && m.rows.contains(wanted)) plain.push_back(modifier);
    }
    std::sort(plain.begin(), plain.end(),
              [&](ModifierIndex x, ModifierIndex y) { return m_.modifiers()[x].order < m_.modifiers()[y].order; });
    for (const ModifierIndex widening : widenings) {
      for (unsigned chosen = 0; chosen < (1u << plain.size()); ++chosen) {
        std::vector<ModifierIndex> modifiers;
        for (size_t i = 0; i < plain.size(); ++i) {
          if ((chosen >> i) & 1) modifiers.push_back(plain[i]);
        }
        AddForm(variant, source, widening, modifiers, slot);
      }
    }
  }

  void AddForm(const Variant& variant, int source, ModifierIndex widening, const std::vector<ModifierIndex>& modifiers,
               StepSlot* slot) {
    const TypeIndex wanted = variant.sources[source];
    OperandForm form;
    form.written = widening < 0 ? wanted : m_.modifiers()[widening].from;
    form.modifiers = modifiers;
    const machine::Type& type = m_.types()[form.written];
    form.from = {KindOf(type.base, type.bits), static_cast<uint8_t>(type.bits), false};
    std::vector<const ir::OpRow*> rows;
    if (widening >= 0) rows.push_back(m_.modifiers()[widening].rows.at(form.written));
    for (size_t i = 0; i < modifiers.size(); ++i) {
      const Modifier& m = m_.modifiers()[modifiers[i]];
      if (i > 0 && m.order <= m_.modifiers()[modifiers[i - 1]].order) return;  // The modifiers are mutually exclusive.
      rows.push_back(m.rows.at(wanted));
    }
    form.identity = rows.empty();
    if (!rows.empty()) {
      absl::StatusOr<Tape> tape = CompileRows(rows, 0);
      if (!tape.ok()) return;
      form.tape = *std::move(tape);
    }
    slot->forms.push_back(set_->AddForm(std::move(form)));
  }

  // Returns true if no earlier step has the same key. The key describes the computation and does not distinguish types
  // of equal size.
  bool IsNew(const Step& step, const std::vector<const ir::OpRow*>& rows) {
    std::string key = absl::StrCat(step.variant->mnemonic, "|", step.result.bits, step.result.flag ? "f" : "",
                                   static_cast<int>(step.result_any_kind ? ValueKind::kInteger : step.result.kind));
    for (const ir::OpRow* row : rows) absl::StrAppend(&key, "|", row->meaning, "!", row->poison);
    std::set<std::string> forms;
    for (size_t i = 0; i < step.slots.size(); ++i) {
      const StepSlot& slot = step.slots[i];
      absl::StrAppend(&key, "|", slot.bits, slot.any_kind ? "any" : slot.kind == ValueKind::kFloat ? "f" : "i");
      for (const int index : slot.forms) forms.insert(absl::StrCat(i, ":", FormText(slot, set_->forms_[index])));
      if (slot.immediate) forms.insert(absl::StrCat(i, ":imm"));
    }
    for (const auto& [other_key, other_forms] : seen_) {
      if (other_key == key && std::includes(other_forms.begin(), other_forms.end(), forms.begin(), forms.end()))
        return false;
    }
    seen_.emplace_back(std::move(key), std::move(forms));
    return true;
  }

  // Returns a key that is equal for slots that accept the same operands and can therefore be exchanged.
  std::string Layout(const StepSlot& slot) const {
    std::string text = absl::StrCat(slot.bits, " ", static_cast<int>(slot.kind), slot.any_kind ? "any" : "",
                                    slot.flag ? "flag" : "", slot.immediate ? "imm" : "");
    for (const int form : slot.forms) absl::StrAppend(&text, " ", form);
    return text;
  }

  // Returns the values of the step on the ordinary and mixed blocks when its operands are in `order`, or "" if there
  // are no vectors for an operand's size.
  std::string ValuesOf(const Step& step, const std::vector<size_t>& order) const {
    std::string values;
    for (const BlockKind block : {BlockKind::kOrdinary, BlockKind::kMixed}) {
      const LaneBlock* inputs[kMaxSlots] = {};
      for (size_t i = 0; i < order.size(); ++i) {
        const StepSlot& slot = step.slots[i];
        bool known = false;
        const ValueSet set = PlainSet(slot.kind, slot.bits, &known);
        if (!known) return "";
        inputs[i] = &InputLanes(set, static_cast<int>(order[i]), block);
      }
      LaneBlock out;
      TapeScratch scratch;
      step.tape.Run(Kernels(), inputs, &out, &scratch);
      absl::StrAppend(
          &values, Kernels().hash(out, step.result.kind == ValueKind::kFloat && step.result.bits == 32, kLanes), " ");
    }
    return values;
  }

  // Returns true if an earlier step that costs no more computes the same value with exchanged operands, such as b < a
  // for a > b. Compares the values on vectors only, because wrongly omitting a step merely loses candidates.
  bool IsExchanged(const Step& step) {
    std::vector<size_t> order(step.slots.size());
    std::string layout = absl::StrCat(step.result.bits, " ", static_cast<int>(step.result.kind), step.result.flag,
                                      step.result_any_kind, step.cost);
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      absl::StrAppend(&layout, "|", Layout(step.slots[i]));
    }
    const std::string plain = ValuesOf(step, order);
    if (plain.empty()) return false;
    do {
      bool alike = true;
      for (size_t i = 0; i < order.size(); ++i) alike = alike && Layout(step.slots[i]) == Layout(step.slots[order[i]]);
      if (alike && computed_.contains({layout, ValuesOf(step, order)})) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    computed_.insert({std::move(layout), plain});
    return false;
  }

  std::string FormText(const StepSlot& slot, const OperandForm& form) const {
    std::string text = absl::StrCat(form.from.bits, ",", form.inverted ? 1 : 0);
    if (form.written >= 0 && m_.types()[form.written].bits != slot.bits) {
      absl::StrAppend(&text, ",", static_cast<int>(m_.types()[form.written].base));
    }
    for (const ModifierIndex m : form.modifiers)
      absl::StrAppend(&text, ",", m_.modifiers()[m].rows.begin()->second->meaning);
    return text;
  }

  const machine::Machine& m_;
  InstructionSet* const set_;
  std::vector<std::pair<std::string, std::set<std::string>>> seen_;
  std::set<std::pair<std::string, std::string>> computed_;  // Layouts and values of steps.
};

int InstructionSet::AddForm(OperandForm form) {
  for (size_t i = 0; i < forms_.size(); ++i) {
    const OperandForm& other = forms_[i];
    if (other.from == form.from && other.written == form.written && other.modifiers == form.modifiers &&
        other.inverted == form.inverted && other.identity == form.identity) {
      return static_cast<int>(i);
    }
  }
  forms_.push_back(std::move(form));
  return static_cast<int>(forms_.size()) - 1;
}

machine::Instruction InstructionSet::Skeleton(const Step& step) const {
  machine::Instruction instruction;
  instruction.variant = step.variant;
  instruction.choice = step.choice;
  instruction.saturated = step.saturated;
  instruction.destination_modifiers = step.destination_modifiers;
  instruction.destination.type = step.variant->result;
  if (step.flag_use == FlagUse::kNone) {
    instruction.destination.kind = machine::OperandKind::kRegister;
    instruction.destination.name = std::string(machine::kResultName);
  } else {
    instruction.destination.kind = machine::OperandKind::kNull;
    instruction.flag = std::string(machine::kDefaultFlag);
    instruction.flag_choice = step.flag_choice;
  }
  for (size_t i = 0; i < step.variant->sources.size(); ++i) {
    machine::Operand operand;
    const bool immediate = step.variant->operands[i].immediate_only;
    operand.kind = immediate ? machine::OperandKind::kImmediate : machine::OperandKind::kVariable;
    if (!immediate) operand.name = absl::StrCat("x", i);
    operand.type = step.variant->sources[i];
    instruction.sources.push_back(std::move(operand));
  }
  if (step.variant->reads_predicate) instruction.predicate = std::string(machine::kDefaultFlag);
  return instruction;
}

bool InstructionSet::TakesImmediate(const Step& step, int slot, uint64_t bits) const {
  if (!step.slots[slot].immediate) return false;
  machine::Instruction instruction = Skeleton(step);
  machine::Operand& operand = instruction.sources[slot];
  operand.kind = machine::OperandKind::kImmediate;
  operand.name.clear();
  operand.bits = bits;
  return machine::CheckInstruction(*machine_, instruction).ok();
}

absl::StatusOr<std::unique_ptr<const InstructionSet>> InstructionSet::OfMachine(const machine::Machine& machine,
                                                                                const InstructionSetOptions& options) {
  std::unique_ptr<InstructionSet> set(new InstructionSet);
  set->machine_ = &machine;
  set->options_ = options;
  if (absl::Status status = MachineSteps(machine, set.get()).Run(); !status.ok()) return status;
  return std::unique_ptr<const InstructionSet>(std::move(set));
}

}  // namespace rewrought::enumerator
