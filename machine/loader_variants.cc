// Implements the part of Loader that turns instructions into variants and their rows.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "machine/loader.h"

namespace rewrought::machine {

absl::Status Loader::LoadVariants() {
  for (int i = 0; i < m_.description_.instructions_size(); ++i) {
    const v1::Instruction& instruction = m_.description_.instructions(i);
    for (int k = 0; k < instruction.variants_size(); ++k) {
      const v1::Variant& variant = instruction.variants(k);
      const int line = LineOfVariant(i, k);
      if (absl::Status status = CheckSource(variant.source(), line, instruction.mnemonic()); !status.ok())
        return status;
      if (variant.forms().empty()) return Error(line, absl::StrCat(instruction.mnemonic(), " has no forms"));
      for (const std::string& form : variant.forms()) {
        if (absl::Status status = AddVariant(instruction.mnemonic(), variant, form, line); !status.ok()) return status;
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ModifierIndex>> Loader::Modifiers(const google::protobuf::RepeatedPtrField<std::string>& ids,
                                                             std::vector<v1::Modifier::Place> places, int line) const {
  std::vector<ModifierIndex> modifiers;
  for (const std::string& id : ids) {
    const ModifierIndex modifier = ModifierNamed(id);
    if (modifier < 0) return Error(line, absl::StrCat("unknown modifier '", id, "'"));
    if (std::find(places.begin(), places.end(), m_.modifiers_[modifier].place) == places.end()) {
      return Error(line, absl::StrCat("modifier '", id, "' is not allowed here"));
    }
    modifiers.push_back(modifier);
  }
  return modifiers;
}

absl::Status Loader::ReadOperands(const v1::Variant& d, int line, Variant* variant) const {
  const int count = static_cast<int>(variant->sources.size());
  const int stated = d.sources_size() - (d.reads_predicate() && d.sources_size() > 1 ? 1 : 0);
  if (stated != 1 && stated != count) {
    return Error(line,
                 absl::StrCat(variant->mnemonic, ": ", stated, " operands are described, but the form has ", count));
  }
  for (int i = 0; i < count; ++i) {
    const v1::Operand& operand = d.sources(stated == 1 ? 0 : i);
    absl::StatusOr<std::vector<ModifierIndex>> modifiers =
        Modifiers(operand.modifiers(), {v1::Modifier::SOURCE, v1::Modifier::WIDEN}, line);
    if (!modifiers.ok()) return modifiers.status();
    absl::StatusOr<const v1::ImmediateSet*> set = SetOf(operand.immediate(), line);
    if (!set.ok()) return set.status();
    absl::StatusOr<const v1::SwizzleSet*> swizzles = SwizzlesOf(operand, line);
    if (!swizzles.ok()) return swizzles.status();
    variant->operands.push_back({*modifiers, operand.immediate().encoding(), *set, operand.immediate().only(),
                                 operand.no_uniform(), operand.subscript(), *swizzles,
                                 static_cast<int>(operand.components())});
    variant->horizontal |= operand.components() > 0;
  }
  for (const OperandRule& operand : variant->operands) {
    if (variant->horizontal && operand.components == 0)
      return Error(line, absl::StrCat(variant->mnemonic, ": components must be set for all sources or for none"));
  }
  absl::StatusOr<std::vector<ModifierIndex>> modifiers =
      Modifiers(d.destination().modifiers(), {v1::Modifier::DESTINATION, v1::Modifier::NARROW}, line);
  if (!modifiers.ok()) return modifiers.status();
  variant->destination_modifiers = *std::move(modifiers);
  variant->destination_subscript = d.destination().subscript();
  variant->destination_null = d.destination().null();
  variant->write_mask = d.destination().write_mask();
  return absl::OkStatus();
}

absl::StatusOr<const ir::OpRow*> Loader::VariantRow(const v1::Variant& d, const Variant& variant,
                                                    absl::string_view suffix, const std::string& meaning,
                                                    const std::string& term, bool flag, int line) {
  const auto fill = [&](const std::string& text) { return absl::StrReplaceAll(text, {{"$", term}}); };
  ir::OpRow row;
  std::vector<std::string> names = {m_.id(), variant.mnemonic, m_.types_[variant.result].name};
  for (TypeIndex type : variant.sources) names.push_back(m_.types_[type].name);
  row.name = absl::StrCat(absl::StrJoin(names, "."), suffix);
  row.result = flag ? ir::OperandType{ir::BaseType::kBool, 1, 0} : OperandTypeOf(variant.result, d.destination().raw());
  if (variant.horizontal) row.result.components = 1;
  for (size_t i = 0; i < variant.sources.size(); ++i) {
    const bool shared = variant.operands.size() > 1 && d.sources_size() == 1;
    row.sources.push_back(OperandTypeOf(variant.sources[i], d.sources(shared ? 0 : static_cast<int>(i)).raw(),
                                        variant.operands[i].components));
  }
  if (variant.reads_predicate) row.sources.push_back({ir::BaseType::kBool, 1, 0});
  row.contract = ContractOf(d.contract());
  row.meaning = fill(meaning);
  if (!flag) {
    row.poison = fill(d.poison());
    row.free_zero = fill(d.free_zero());
    row.tiny = fill(d.tiny());
  }
  if (variant.commutative && !flag) row.properties |= ir::kCommutative;
  if (row.meaning.find("(approx") != std::string::npos) row.properties |= ir::kApproximate;
  row.reference = d.source().text();
  return AddRow(std::move(row), line);
}

absl::Status Loader::AddVariant(const std::string& mnemonic, const v1::Variant& d, const std::string& form, int line) {
  Variant variant;
  variant.mnemonic = mnemonic;
  variant.source = &d;
  const std::vector<std::string> names = absl::StrSplit(form, ' ');
  if (names.size() < 2 || names.size() > 5) return Error(line, absl::StrCat("form '", form, "' needs 2 to 5 types"));
  for (const std::string& name : names) {
    absl::StatusOr<TypeIndex> type = TypeNamed(name, line);
    if (!type.ok()) return type.status();
    if (variant.result < 0) {
      variant.result = *type;
    } else {
      variant.sources.push_back(*type);
    }
  }
  variant.reads_predicate = d.reads_predicate();
  variant.predicable = d.predicable();
  variant.commutative = d.commutative();
  if (absl::Status status = ReadOperands(d, line, &variant); !status.ok()) return status;
  for (const CostClass& cost : m_.costs_) {
    if (cost.id == d.cost()) variant.cost = &cost;
  }
  if (variant.cost == nullptr) return Error(line, absl::StrCat(mnemonic, ": unknown cost '", d.cost(), "'"));
  absl::StatusOr<int> selector = SelectorNamed(d.selector(), line), flag = SelectorNamed(d.result_flag(), line);
  if (!selector.ok()) return selector.status();
  if (!flag.ok()) return flag.status();
  variant.selector = *selector;
  variant.result_flag = *flag;
  if (absl::Status status = AddVariantRows(d, line, &variant); !status.ok()) return status;
  m_.by_mnemonic_[mnemonic].push_back(static_cast<int>(m_.variants_.size()));
  m_.variants_.push_back(std::move(variant));
  return absl::OkStatus();
}

absl::Status Loader::AddVariantRows(const v1::Variant& d, int line, Variant* variant) {
  std::vector<std::pair<std::string, std::string>> choices = {{"", ""}};
  if (variant->selector >= 0) choices = m_.selectors_[variant->selector].choices;
  for (const auto& [name, term] : choices) {
    const std::string suffix = name.empty() ? (variant->reads_predicate ? ".predicate" : "") : absl::StrCat(".", name);
    absl::StatusOr<const ir::OpRow*> row = VariantRow(d, *variant, suffix, d.meaning(), term, false, line);
    if (!row.ok()) return row.status();
    variant->rows.push_back(*row);
    if (d.flag_meaning().empty()) continue;
    row = VariantRow(d, *variant, absl::StrCat(suffix, ".flag"), d.flag_meaning(), term, true, line);
    if (!row.ok()) return row.status();
    variant->flag_rows.push_back(*row);
  }
  if (!d.saturated_meaning().empty()) {
    absl::StatusOr<const ir::OpRow*> row = VariantRow(d, *variant, ".sat", d.saturated_meaning(), "", false, line);
    if (!row.ok()) return row.status();
    variant->saturated = *row;
  }
  return variant->result_flag < 0 ? absl::OkStatus() : AddResultFlagRows(variant->result_flag, variant->result, line);
}

absl::Status Loader::AddResultFlagRows(int selector, TypeIndex type, int line) {
  std::vector<const ir::OpRow*>& rows = m_.result_flag_rows_[{selector, type}];
  if (!rows.empty()) return absl::OkStatus();
  for (const auto& [name, term] : m_.selectors_[selector].choices) {
    ir::OpRow row;
    row.name = absl::StrCat(m_.id(), ".flag.", m_.types_[type].name, ".", name);
    row.result = {ir::BaseType::kBool, 1, 0};
    row.sources = {OperandTypeOf(type, false)};
    if (m_.types_[type].base == ir::BaseType::kFloat) row.contract = ir::Contract::kArithmetic;
    row.meaning = term;
    row.reference = m_.selectors_[selector].id;
    absl::StatusOr<const ir::OpRow*> added = AddRow(std::move(row), line);
    if (!added.ok()) return added.status();
    rows.push_back(*added);
  }
  return absl::OkStatus();
}

}  // namespace rewrought::machine
