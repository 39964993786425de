#include "emitter/c/table_builder.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "ir/scalar.h"

namespace rewrought::emitter {
namespace {

using machine::Machine;
using machine::Modifier;
using machine::OperandRule;
using machine::TypeIndex;
using machine::Variant;

absl::Status TooMany(const Machine& machine, absl::string_view what, size_t count, size_t most) {
  return absl::ResourceExhaustedError(absl::StrCat(machine.id(), " has ", count, " ", what, ", and tables of format c ",
                                                   most, " at most; leave the format out (--format)"));
}

// What `modifier` does to the bits of a constant.
uint8_t BitsOf(const std::string& nir) {
  static const auto& known = *new std::map<std::string, uint8_t>{
      {"fneg", RW_FNEG}, {"fabs", RW_FABS}, {"ineg", RW_INEG}, {"iabs", RW_IABS}, {"inot", RW_INOT}};
  const auto found = known.find(nir);
  return found == known.end() ? static_cast<uint8_t>(RW_OTHER_BITS) : found->second;
}

uint8_t PlaceOf(v1::Modifier::Place place) {
  switch (place) {
    case v1::Modifier::DESTINATION:
      return RW_ON_RESULT;
    case v1::Modifier::WIDEN:
      return RW_WIDENS;
    case v1::Modifier::NARROW:
      return RW_NARROWS;
    default:
      return RW_ON_SOURCE;
  }
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

// A bit for each feature that a limit or a cost speaks of.
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
  for (const char* name : {"imm", "imm_modified", "inline", "literal", "uniform", "subscript", "subscript_above",
                           "swizzled", "constants"}) {
    tables_.features.push_back(Feature(name));
  }
  for (int source = 0; source < RW_SOURCES; ++source) {
    tables_.uniform_at.push_back(Feature(absl::StrCat("uniform:", source)));
    tables_.immediate_at.push_back(Feature(absl::StrCat("imm:", source)));
  }
  for (const int bits : {1, 8, 16, 32, 64}) {
    tables_.immediate_bits.push_back(Feature(absl::StrCat("imm_bits:", bits)));
  }
  return absl::OkStatus();
}

absl::Status TableBuilder::AddMachine() {
  if (absl::Status status = NameFeatures(); !status.ok()) return status;
  if (machine_.types().size() > 32) return TooMany(machine_, "types", machine_.types().size(), 32);
  for (const machine::Type& type : machine_.types()) {
    const uint64_t any = Feature(absl::StrCat("type:", type.name));
    tables_.types.push_back({.name = Name(type.name),
                             .bits = static_cast<uint8_t>(type.bits),
                             .load = RW_NONE16,
                             .load_cost = 0,
                             .features = any,
                             .result_features = any | Feature(absl::StrCat("result:", type.name))});
  }
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
      tables_.choices.push_back({.name = Name(name), .features = Feature(absl::StrCat("choice:", name))});
    }
  }
  tables_.moves.assign(5, RW_NONE16);
  tables_.move_costs.assign(5, 0);
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
    const bool on_result = modifier.place == v1::Modifier::DESTINATION;
    const bool gives_result = on_result || modifier.place == v1::Modifier::NARROW;
    rw_modifier row = {};
    row.name = Name(modifier.id);
    row.op = modifier.nir.empty() ? static_cast<uint16_t>(RW_NONE16) : Op(modifier.nir);
    row.place = emitter::PlaceOf(modifier.place);
    row.order = static_cast<uint8_t>(modifier.order);
    row.from = static_cast<uint8_t>(modifier.from), row.to = static_cast<uint8_t>(modifier.to);
    row.bits = BitsOf(modifier.nir);
    for (const auto& [type, op] : modifier.rows) row.types |= uint32_t{1} << type;
    if (on_result) {
      row.features = Feature(modifier.spelling);
    } else if (!gives_result) {
      row.features = Feature(absl::StrCat("mod:", modifier.id));
      row.mixed_features = Feature(absl::StrCat("mixed:", modifier.id));
    }
    if (gives_result && !modifier.nir.empty()) tables_.result_modifiers.push_back(static_cast<uint8_t>(i));
    tables_.modifiers.push_back(row);
  }
  return absl::OkStatus();
}

void TableBuilder::AddLimits() {
  for (const v1::LegalityRule& rule : machine_.description().rules()) {
    rw_limit row = {};
    row.kind = rule.counted().empty() ? RW_ALL_OF : rule.distinct() ? RW_DISTINCT : RW_COUNTED;
    row.at_most = static_cast<uint8_t>(rule.at_most());
    for (const std::string& feature : rule.counted().empty() ? rule.all_of() : rule.also_counted()) {
      row.features |= Feature(feature);
    }
    if (!rule.counted().empty()) row.features |= Feature(rule.counted());
    tables_.limits.push_back(row);
  }
}

void TableBuilder::AddRange(int width, bool is_signed, uint64_t from, uint64_t to) {
  tables_.ranges.push_back({.width = static_cast<uint8_t>(width),
                            .is_signed = static_cast<uint8_t>(is_signed),
                            .from = Immediate(from),
                            .to = Immediate(to)});
  ++tables_.sets.back().range_count;
}

// The set of what an immediate of `width` bits may be; RW_NONE8: anything, and nothing is said of it.
uint8_t TableBuilder::SetOf(const v1::ImmediateSet* set, v1::Immediate::Encoding encoding, int width) {
  const bool is_field =
      encoding == v1::Immediate::MINIFLOAT8 || encoding == v1::Immediate::UINT8 || encoding == v1::Immediate::UINT16;
  if (set == nullptr && !is_field) return RW_NONE8;
  const std::string key = set != nullptr ? set->id() : absl::StrCat(v1::Immediate::Encoding_Name(encoding), " ", width);
  const auto [found, is_new] = sets_.try_emplace(key, static_cast<uint8_t>(tables_.sets.size()));
  if (!is_new) return found->second;
  tables_.sets.push_back({.first_range = static_cast<uint16_t>(tables_.ranges.size()), .range_count = 0});
  if (set == nullptr) {
    if (encoding != v1::Immediate::MINIFLOAT8) {
      AddRange(0, false, 0, encoding == v1::Immediate::UINT8 ? 0xff : 0xffff);
      return found->second;
    }
    for (int n = 0; n < 128 && ir::IsFloatWidth(width); ++n) {
      const int exponent = n >> 4, mantissa = n & 15;
      double value = exponent == 0 ? mantissa / 64.0 : 16 + mantissa;
      for (int i = exponent; exponent != 0 && i < 7; ++i) value /= 2;
      for (const double one : {value, -value}) {
        const uint64_t bits = ir::FloatToBits(one, width);
        AddRange(width, false, bits, bits);
      }
    }
    return found->second;
  }
  for (const v1::ImmediateSet::Range& range : set->ranges()) {
    AddRange(0, range.from() < 0, static_cast<uint64_t>(range.from()), static_cast<uint64_t>(range.to()));
  }
  for (const uint64_t pattern : set->patterns()) AddRange(0, false, pattern, pattern);
  std::set<int> widths;
  for (const machine::Type& type : machine_.types()) {
    if (ir::IsFloatWidth(type.bits)) widths.insert(type.bits);
  }
  for (const int bits : widths) {
    for (const double value : set->floats()) {
      const uint64_t plain = ir::FloatToBits(value, bits), negative = ir::FloatToBits(-value, bits);
      AddRange(bits, false, plain, plain);
      if (set->signs()) AddRange(bits, false, negative, negative);
    }
  }
  return found->second;
}

absl::StatusOr<rw_place> TableBuilder::PlaceOf(const Variant& variant, size_t index) {
  const OperandRule& rule = variant.operands[index];
  rw_place place = {};
  place.type = static_cast<uint8_t>(variant.sources[index]);
  place.immediate = rule.immediate == v1::Immediate::NONE   ? RW_NO_IMMEDIATE
                    : rule.immediate == v1::Immediate::FULL ? RW_ANY_IMMEDIATE
                                                            : RW_SET_IMMEDIATE;
  place.set = SetOf(rule.set, rule.immediate, machine_.types()[static_cast<size_t>(place.type)].bits);
  if (tables_.sets.size() >= RW_NONE8) return TooMany(machine_, "sets of immediates", tables_.sets.size(), 254);
  if (rule.set == nullptr && place.set != RW_NONE8 && Feature("inline") != 0) {
    return absl::UnimplementedError(
        absl::StrCat(machine_.id(), " limits immediates of a set, and ", variant.mnemonic,
                     " has some of a field, which format c does not tell apart; leave the format out (--format)"));
  }
  if (rule.immediate_only) place.flags |= RW_ONLY_IMMEDIATE;
  if (rule.no_uniform) place.flags |= RW_NO_UNIFORM;
  if (rule.subscript) place.flags |= RW_PARTS;
  place.first_modifier =
      Share(std::vector<uint8_t>(rule.modifiers.begin(), rule.modifiers.end()), &tables_.modifier_lists);
  place.modifier_count = static_cast<uint16_t>(rule.modifiers.size());
  return place;
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
  row.result = static_cast<uint8_t>(variant.result);
  row.source_count = static_cast<uint8_t>(variant.sources.size());
  row.commutative = variant.commutative, row.reads_predicate = variant.reads_predicate;
  row.instructions = static_cast<uint8_t>(cost.instructions), row.bytes = static_cast<uint8_t>(cost.bytes);
  row.long_bytes = static_cast<uint8_t>(cost.long_bytes), row.literal_bytes = static_cast<uint8_t>(cost.literal_bytes);
  // -1, none, becomes RW_NONE8.
  row.selector = static_cast<uint8_t>(variant.selector);
  row.result_selector = static_cast<uint8_t>(variant.result_flag);
  row.cycles = cost.issue_cycles;
  for (const std::string& feature : cost.long_when) row.long_when |= Feature(feature);
  for (int i = 0; i < machine_.description().rules_size(); ++i) {
    const auto& mnemonics = machine_.description().rules(i).mnemonics();
    const bool is_named = std::find(mnemonics.begin(), mnemonics.end(), variant.mnemonic) != mnemonics.end();
    if (mnemonics.empty() || is_named) row.limits |= uint32_t{1} << i;
  }
  std::vector<rw_place> places;
  for (size_t i = 0; i < variant.sources.size(); ++i) {
    absl::StatusOr<rw_place> place = PlaceOf(variant, i);
    if (!place.ok()) return place.status();
    places.push_back(*place);
  }
  row.first_place = Share(places, &tables_.places);
  const auto& on_result = variant.destination_modifiers;
  row.first_modifier = Share(std::vector<uint8_t>(on_result.begin(), on_result.end()), &tables_.modifier_lists);
  row.modifier_count = static_cast<uint16_t>(on_result.size());
  const auto index = static_cast<uint16_t>(tables_.forms.size());
  tables_.forms.push_back(row);
  forms_[&variant] = index;
  return index;
}

absl::Status TableBuilder::CheckSizes() const {
  absl::Status status;
  VisitTables(tables_, [&](const char* name, const char*, const auto& rows) {
    if (status.ok() && rows.size() > kMostRows) {
      status = TooMany(machine_, absl::StrCat("rows in table '", name, "'"), rows.size(), kMostRows);
    }
  });
  return status;
}

}  // namespace rewrought::emitter
