#include "emitter/c/table_builder.h"

#include <algorithm>
#include <bit>
#include <set>

#include "absl/strings/str_cat.h"
#include "emitter/c/immediate_sets.h"

namespace rewrought::emitter {
namespace {

using machine::Machine;
using machine::Modifier;
using machine::Variant;

absl::Status TooMany(const Machine& machine, absl::string_view what, size_t count, size_t most) {
  return absl::ResourceExhaustedError(absl::StrCat(machine.id(), " has ", count, " ", what,
                                                   ", but tables of format c support at most ", most,
                                                   "; omit the format (--format)"));
}

}  // namespace

uint16_t TableBuilder::Name(const std::string& name) {
  const auto [found, is_new] = names_.try_emplace(name, static_cast<uint16_t>(tables_.names.size()));
  if (is_new) tables_.names.push_back(name);
  return found->second;
}

uint16_t TableBuilder::Immediate(uint64_t bits) {
  const auto [found, is_new] = immediates_.try_emplace(bits, static_cast<uint16_t>(tables_.immediates.size()));
  if (is_new) tables_.immediates.push_back(bits);
  return found->second;
}

uint16_t TableBuilder::Op(const std::string& name) {
  const auto [found, is_new] = ops_.try_emplace(name, static_cast<uint16_t>(tables_.ops.size()));
  if (is_new) tables_.ops.push_back({.name = Name(name), .first_rule = 0, .rule_count = 0, .base = 0, .is_logical = 0});
  return found->second;
}

uint64_t TableBuilder::Feature(const std::string& name) const {
  const auto found = features_.find(name);
  return found == features_.end() ? 0 : found->second;
}

// Assigns a bit to each feature to which a limit or a cost refers.
absl::Status TableBuilder::NameFeatures() {
  std::set<std::string> names = {"literal"};
  for (const v1::LegalityRule& rule : machine_.description().rules()) {
    names.insert(rule.all_of().begin(), rule.all_of().end());
    names.insert(rule.also_counted().begin(), rule.also_counted().end());
    if (!rule.counted().empty()) names.insert(rule.counted());
  }
  for (const Variant& variant : machine_.variants()) {
    names.insert(variant.cost->long_when.begin(), variant.cost->long_when.end());
  }
  if (names.size() > 64) return TooMany(machine_, "features", names.size(), 64);
  for (const std::string& name : names) features_.emplace(name, uint64_t{1} << features_.size());
  tables_.features = {Feature("inline"), Feature("literal")};
  for (int source = 0; source < RW_SOURCES; ++source) {
    tables_.uniform_at.push_back(Feature("uniform") | Feature(absl::StrCat("uniform:", source)));
  }
  return absl::OkStatus();
}

absl::Status TableBuilder::AddMachine() {
  if (absl::Status status = NameFeatures(); !status.ok()) return status;
  if (machine_.types().size() > 32) return TooMany(machine_, "types", machine_.types().size(), 32);
  for (const machine::Type& type : machine_.types()) {
    tables_.types.push_back({.name = Name(type.name), .bits = static_cast<uint8_t>(type.bits)});
  }
  rw_shape nothing = {};
  nothing.flags = RW_ILLEGAL, nothing.set = RW_NONE16;
  tables_.shapes.push_back(nothing);
  Immediate(0);  // Steps without a number refer to this immediate.
  for (const v1::RegisterFile& file : machine_.description().register_files()) {
    tables_.has_uniforms |= file.uniform();
  }
  for (const machine::Selector& selector : machine_.selectors()) {
    if (selector.choices.size() > RW_NONE8 + size_t{1}) {
      return TooMany(machine_, "choices of a selector", selector.choices.size(), RW_NONE8);
    }
    tables_.selectors.push_back({.name = Name(selector.method),
                                 .first_choice = static_cast<uint16_t>(tables_.choices.size()),
                                 .choice_count = static_cast<uint16_t>(selector.choices.size())});
    for (const auto& [name, term] : selector.choices) {
      tables_.choices.push_back({.name = Name(name)});
    }
  }
  if (absl::Status status = AddModifiers(); !status.ok()) return status;
  if (machine_.description().rules_size() > 32) {
    return TooMany(machine_, "legality rules", static_cast<size_t>(machine_.description().rules_size()), 32);
  }
  AddLimits();
  return absl::OkStatus();
}

absl::Status TableBuilder::AddModifiers() {
  if (machine_.modifiers().size() >= RW_NONE8) return TooMany(machine_, "modifiers", machine_.modifiers().size(), 254);
  for (size_t i = 0; i < machine_.modifiers().size(); ++i) {
    const Modifier& modifier = machine_.modifiers()[i];
    const bool narrows = modifier.place == v1::Modifier::NARROW;
    const rw_modifier row = {.name = Name(modifier.id),
                             .op = modifier.nir.empty() ? static_cast<uint16_t>(RW_NONE16) : Op(modifier.nir)};
    if ((narrows || modifier.place == v1::Modifier::DESTINATION) && !modifier.nir.empty()) {
      const int bits = narrows ? machine_.types()[static_cast<size_t>(modifier.to)].bits : 0;
      tables_.results.push_back(
          {.op = row.op, .bits = static_cast<uint8_t>(bits), .modifier = static_cast<uint8_t>(i)});
    }
    tables_.modifiers.push_back(row);
  }
  return absl::OkStatus();
}

void TableBuilder::AddLimits() {
  for (const v1::LegalityRule& rule : machine_.description().rules()) {
    rw_limit row = {};
    row.counted = rule.counted().empty() ? RW_KINDS : rule.distinct() ? RW_DISTINCT : RW_ALL;
    for (const std::string& feature : rule.counted().empty() ? rule.all_of() : rule.also_counted()) {
      row.features |= Feature(feature);
    }
    if (!rule.counted().empty()) row.features |= Feature(rule.counted());
    // A rule with `all_of` forbids only the combination of all of its features.
    row.at_most = static_cast<uint8_t>(rule.counted().empty() ? std::popcount(row.features) - 1 : rule.at_most());
    tables_.limits.push_back(row);
  }
}

uint16_t TableBuilder::SetOf(const machine::OperandRule& rule, int type_bits, int width) {
  const bool is_field = rule.immediate == v1::Immediate::MINIFLOAT8 || rule.immediate == v1::Immediate::UINT8 ||
                        rule.immediate == v1::Immediate::UINT16;
  if (rule.set == nullptr && !is_field) return RW_NONE16;
  const std::string what = rule.set != nullptr
                               ? rule.set->id()
                               : absl::StrCat(v1::Immediate::Encoding_Name(rule.immediate), " of ", type_bits);
  const auto [found, is_new] =
      sets_.try_emplace(absl::StrCat(what, " in ", width), static_cast<uint16_t>(tables_.sets.size()));
  if (!is_new) return found->second;
  tables_.sets.push_back({.first_range = static_cast<uint16_t>(tables_.ranges.size()), .range_count = 0});
  for (const auto& [from, to] : RangesOf(machine_, rule, type_bits, width)) {
    tables_.ranges.push_back({.from = Immediate(from), .to = Immediate(to)});
    ++tables_.sets.back().range_count;
  }
  return found->second;
}

absl::StatusOr<uint16_t> TableBuilder::FormOf(const Variant& variant) {
  if (const auto found = forms_.find(&variant); found != forms_.end()) return found->second;
  if (variant.sources.size() > RW_SOURCES) {
    return TooMany(machine_, absl::StrCat("sources of ", variant.mnemonic), variant.sources.size(), RW_SOURCES);
  }
  const machine::CostClass& cost = *variant.cost;
  for (const int bytes : {cost.bytes, cost.long_bytes, cost.literal_bytes, cost.instructions}) {
    if (bytes > 255) return TooMany(machine_, absl::StrCat("bytes of ", variant.mnemonic), 256, 255);
  }
  rw_form row = {};
  row.name = Name(variant.mnemonic);
  row.source_count = static_cast<uint8_t>(variant.sources.size());
  row.instructions = static_cast<uint8_t>(cost.instructions), row.bytes = static_cast<uint8_t>(cost.bytes);
  row.long_bytes = static_cast<uint8_t>(cost.long_bytes), row.literal_bytes = static_cast<uint8_t>(cost.literal_bytes);
  // -1 (none) becomes RW_NONE8.
  row.selector = static_cast<uint8_t>(variant.selector);
  row.result_selector = static_cast<uint8_t>(variant.result_flag);
  row.cycles = cost.issue_cycles;
  for (const std::string& feature : cost.long_when) row.long_when |= Feature(feature);
  for (int i = 0; i < machine_.description().rules_size(); ++i) {
    const auto& mnemonics = machine_.description().rules(i).mnemonics();
    const bool is_named = std::find(mnemonics.begin(), mnemonics.end(), variant.mnemonic) != mnemonics.end();
    if (mnemonics.empty() || is_named) row.limits |= uint32_t{1} << i;
  }
  const auto index = static_cast<uint16_t>(tables_.forms.size());
  tables_.forms.push_back(row);
  forms_[&variant] = index;
  return index;
}

void TableBuilder::AddLoadRows(const std::vector<bool>& is_loaded) {
  const auto add = [&] {
    tables_.loads.insert(tables_.loads.end(), kLoadSizes.size(), {.code = RW_NONE16, .cost = 0});
    return static_cast<uint16_t>(tables_.loads.size() - kLoadSizes.size());
  };
  add();  // The rows for uniforms.
  const uint16_t none = add();
  for (const bool is : is_loaded) loads_.push_back(is ? add() : none);
  loads_.push_back(add());
}

uint16_t TableBuilder::LoadsOf(machine::TypeIndex type, bool in_parts) const {
  if (loads_.empty()) return 0;
  return in_parts ? loads_.back() : loads_[static_cast<size_t>(type)];
}

absl::Status TableBuilder::CheckSizes() const {
  absl::Status status;
  VisitTables(tables_, [&](const char* name, const char*, const auto& rows) {
    if (status.ok() && rows.size() > kMaxRows) {
      status = TooMany(machine_, absl::StrCat("rows in table '", name, "'"), rows.size(), kMaxRows);
    }
  });
  return status;
}

}  // namespace rewrought::emitter
