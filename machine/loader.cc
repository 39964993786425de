// Implements Loader, which converts a description to a Machine and checks it.
#include "machine/loader.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "machine/machine.h"
#include "proto/text_proto.h"

namespace rewrought::machine {
namespace {

using google::protobuf::TextFormat;

std::optional<ir::BaseType> BaseOf(v1::Type::Base base) {
  switch (base) {
    case v1::Type::UINT:
      return ir::BaseType::kUint;
    case v1::Type::INT:
      return ir::BaseType::kInt;
    case v1::Type::FLOAT:
      return ir::BaseType::kFloat;
    case v1::Type::BOOL:
      return ir::BaseType::kBool;
    default:
      return std::nullopt;
  }
}

}  // namespace

absl::Status Loader::LoadHead() {
  const v1::Machine& d = m_.description_;
  if (d.id().empty() || d.name().empty() || d.family().empty() || d.generation().empty()) {
    return Error(1, "id, name, family and generation are required");
  }
  if (d.components() > ir::kShaderComponents) return Error(1, "a register can have at most 4 components");
  for (int i = 0; i < d.swizzle_sets_size(); ++i) {
    const v1::SwizzleSet& set = d.swizzle_sets(i);
    const int line = LineOf("swizzle_sets", i);
    if (absl::Status status = CheckSource(set.source(), line, absl::StrCat("swizzle set ", set.id())); !status.ok())
      return status;
    for (const std::string& pattern : set.patterns()) {
      if (pattern.empty() || pattern.size() > 4 || pattern.find_first_not_of("xyzw01h") != std::string::npos)
        return Error(line, absl::StrCat("'", pattern, "' is not a swizzle"));
    }
  }
  for (int i = 0; i < d.register_files_size(); ++i) {
    const v1::RegisterFile& file = d.register_files(i);
    const int line = LineOf("register_files", i);
    if (file.unit_bits() == 0) return Error(line, absl::StrCat("register file '", file.name(), "' has no unit_bits"));
    for (int k = 1; k < file.occupancy_size(); ++k) {
      if (file.occupancy(k).max_units() <= file.occupancy(k - 1).max_units()) {
        return Error(line, "occupancy steps must be in ascending order");
      }
    }
    if (absl::Status status = CheckSource(file.source(), line, "a register file"); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Loader::LoadTypes() {
  for (int i = 0; i < m_.description_.types_size(); ++i) {
    const v1::Type& t = m_.description_.types(i);
    const std::optional<ir::BaseType> base = BaseOf(t.base());
    if (!base.has_value() || t.bits() < 1 || t.bits() > 64 || t.name().empty()) {
      return Error(LineOf("types", i), absl::StrCat("type '", t.name(), "' needs a name, a base and 1 to 64 bits"));
    }
    if (m_.FindType(t.name()) >= 0) return Error(LineOf("types", i), absl::StrCat("type '", t.name(), "' twice"));
    const uint32_t register_bits = t.register_bits() != 0 ? t.register_bits() : t.bits();
    m_.types_.push_back({t.name(), static_cast<int>(t.bits()), *base, static_cast<int>(register_bits)});
  }
  return absl::OkStatus();
}

absl::Status Loader::LoadModifiers() {
  for (int i = 0; i < m_.description_.modifiers_size(); ++i) {
    const v1::Modifier& d = m_.description_.modifiers(i);
    const int line = LineOf("modifiers", i);
    if (absl::Status status = CheckSource(d.source(), line, absl::StrCat("modifier ", d.id())); !status.ok())
      return status;
    if (ModifierNamed(d.id()) >= 0) return Error(line, absl::StrCat("modifier '", d.id(), "' twice"));
    Modifier modifier;
    modifier.id = d.id();
    modifier.place = d.place();
    modifier.spelling = d.spelling();
    modifier.order = static_cast<int>(d.order());
    modifier.nir = d.nir();
    modifier.per_component = d.per_component();
    const bool converts = d.place() == v1::Modifier::WIDEN || d.place() == v1::Modifier::NARROW;
    if (d.place() == v1::Modifier::PLACE_UNSPECIFIED) return Error(line, "a modifier needs a place");
    std::vector<std::string> types(d.types().begin(), d.types().end());
    if (converts) types = {d.from()};
    if (types.empty()) return Error(line, absl::StrCat("modifier '", d.id(), "' has no types"));
    for (const std::string& name : types) {
      absl::StatusOr<TypeIndex> from = TypeNamed(name, line);
      if (!from.ok()) return from.status();
      absl::StatusOr<TypeIndex> to = converts ? TypeNamed(d.to(), line) : from;
      if (!to.ok()) return to.status();
      if (converts) modifier.from = *from, modifier.to = *to;
      ir::OpRow row;
      row.name = absl::StrCat(m_.id(), ".", d.id(), ".", name);
      row.result = OperandTypeOf(*to, false);
      row.sources = {OperandTypeOf(*from, false)};
      row.contract = ContractOf(d.contract());
      row.meaning = d.meaning();
      row.poison = d.poison();
      row.free_zero = d.free_zero();
      row.tiny = d.tiny();
      row.reference = d.source().text();
      absl::StatusOr<const ir::OpRow*> added = AddRow(std::move(row), line);
      if (!added.ok()) return added.status();
      modifier.rows[*from] = *added;
    }
    m_.modifiers_.push_back(std::move(modifier));
  }
  return absl::OkStatus();
}

absl::Status Loader::LoadSelectors() {
  for (int i = 0; i < m_.description_.selectors_size(); ++i) {
    const v1::Selector& d = m_.description_.selectors(i);
    Selector selector{d.id(), d.method(), {}};
    for (const v1::Selector::Choice& choice : d.choices()) selector.choices.emplace_back(choice.name(), choice.term());
    if (d.has_range()) {
      for (uint32_t n = d.range_from(); n <= d.range_to(); ++n) {
        const std::string number = absl::StrCat(n);
        selector.choices.emplace_back(number, absl::StrReplaceAll(d.range_term(), {{"#", number}}));
      }
    }
    if (selector.choices.empty() || d.method().empty()) {
      return Error(LineOf("selectors", i), absl::StrCat("selector '", d.id(), "' needs a method and choices"));
    }
    m_.selectors_.push_back(std::move(selector));
  }
  return absl::OkStatus();
}

absl::Status Loader::LoadImmediateSets() {
  for (int i = 0; i < m_.description_.immediate_sets_size(); ++i) {
    const v1::ImmediateSet& d = m_.description_.immediate_sets(i);
    const int line = LineOf("immediate_sets", i);
    if (absl::Status status = CheckSource(d.source(), line, absl::StrCat("immediate set ", d.id())); !status.ok())
      return status;
    if (d.ranges().empty() && d.floats().empty() && d.patterns().empty())
      return Error(line, absl::StrCat("immediate set '", d.id(), "' is empty"));
    for (const v1::ImmediateSet::Range& range : d.ranges()) {
      if (range.from() > range.to())
        return Error(line, absl::StrCat("immediate set '", d.id(), "' has an empty range"));
    }
  }
  return absl::OkStatus();
}

absl::Status Loader::LoadCosts() {
  for (int i = 0; i < m_.description_.costs_size(); ++i) {
    const v1::CostClass& d = m_.description_.costs(i);
    const int line = LineOf("costs", i);
    for (const v1::FactSource* source : {&d.issue_source(), &d.latency_source(), &d.bytes_source()}) {
      if (absl::Status status = CheckSource(*source, line, absl::StrCat("cost ", d.id())); !status.ok()) return status;
    }
    if (d.issue_cycles() <= 0 || d.latency() <= 0 || d.bytes() == 0) {
      return Error(line, absl::StrCat("cost '", d.id(), "' needs positive issue_cycles, latency and bytes"));
    }
    CostClass cost{d.id(),
                   d.pipe(),
                   d.issue_cycles(),
                   d.latency(),
                   d.flag_latency(),
                   static_cast<int>(d.bytes()),
                   static_cast<int>(std::max(1u, d.instructions())),
                   static_cast<int>(d.literal_bytes()),
                   static_cast<int>(d.long_bytes()),
                   {d.long_when().begin(), d.long_when().end()},
                   {d.read_delays().begin(), d.read_delays().end()}};
    if ((d.long_bytes() == 0) != d.long_when().empty())
      return Error(line, absl::StrCat("cost '", d.id(), "' must set both long_bytes and long_when, or neither"));
    if (cost.flag_latency == 0) cost.flag_latency = cost.latency;
    m_.costs_.push_back(std::move(cost));
  }
  return absl::OkStatus();
}

absl::Status Loader::AddHelperRows() {
  const auto bits_type = [](int bits) { return ir::OperandType{ir::BaseType::kUint, static_cast<uint8_t>(bits), 0}; };
  const auto add = [&](absl::string_view name, int result, const std::vector<int>& sources,
                       const std::string& meaning) {
    ir::OpRow row;
    row.name = absl::StrCat(m_.id(), ".", name);
    row.result = bits_type(result);
    for (int bits : sources) row.sources.push_back(bits_type(bits));
    row.meaning = meaning;
    row.reference = "structural";
    return AddRow(std::move(row), 1);
  };
  absl::StatusOr<const ir::OpRow*> row = add("flag_not", 1, {1}, "(not a)");
  if (!row.ok()) return row.status();
  m_.flag_not_row_ = *row;
  for (const int bits : {1, 8, 16, 32, 64}) {
    if (row = add(absl::StrCat("merge.", bits), bits, {1, bits, bits}, "(ite a b c)"); !row.ok()) return row.status();
    m_.merge_rows_[bits] = *row;
  }
  for (const int wide : {16, 32, 64}) {
    for (int bits = 8; bits < wide; bits *= 2) {
      for (int index = 0; index < wide / bits; ++index) {
        const int low = index * bits;
        row = add(absl::StrCat("part.", wide, ".", bits, ".", index), bits, {wide},
                  absl::StrCat("(extract ", low + bits - 1, " ", low, " a)"));
        if (!row.ok()) return row.status();
        m_.extract_rows_[{wide, bits, index}] = *row;
        const uint64_t mask = ((uint64_t{1} << bits) - 1) << low;
        row = add(absl::StrCat("with_part.", wide, ".", bits, ".", index), wide, {wide, bits},
                  absl::StrCat("(or (and a (not (lit ", wide, " 0x", absl::Hex(mask), "))) (shl (zext ", wide, " b) ",
                               low, "))"));
        if (!row.ok()) return row.status();
        m_.insert_rows_[{wide, bits, index}] = *row;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Loader::CheckFates() {
  const v1::Coverage& coverage = m_.description_.coverage();
  const auto* field = v1::Machine::descriptor()->FindFieldByName("coverage");
  const TextFormat::ParseInfoTree* nested = tree_.GetTreeForNested(field, -1);
  for (int i = 0; i < coverage.fates_size(); ++i) {
    const auto* fates = v1::Coverage::descriptor()->FindFieldByName("fates");
    const int line = nested == nullptr ? LineOf("coverage", -1) : nested->GetLocation(fates, i).line + 1;
    const v1::OpFate& fate = coverage.fates(i);
    if (fate.fate() == v1::OpFate::FATE_UNSPECIFIED)
      return Error(line, "a fate is required: TAKEN, OUTSIDE, MISSING or LOWERED");
    for (const v1::OpsAtSizes& set : fate.sets()) {
      if (set.ops().find_first_not_of(' ') == std::string::npos) return Error(line, "a set of ops is empty");
    }
    if (absl::Status status = CheckSource(fate.source(), line, "an op fate"); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Loader::CheckFacts() {
  const v1::Machine& d = m_.description_;
  for (int i = 0; i < d.rules_size(); ++i) {
    const int line = LineOf("rules", i);
    if (absl::Status status = CheckSource(d.rules(i).source(), line, "a rule"); !status.ok()) return status;
    if (d.rules(i).all_of().empty() == d.rules(i).counted().empty())
      return Error(line, "a rule needs all_of or counted");
    for (const std::string& mnemonic : d.rules(i).mnemonics()) {
      if (m_.VariantsOf(mnemonic).empty()) return Error(line, absl::StrCat("unknown instruction '", mnemonic, "'"));
    }
  }
  for (int i = 0; i < d.deviations_size(); ++i) {
    const int line = LineOf("deviations", i);
    if (d.deviations(i).op().empty() || d.deviations(i).witness().empty()) {
      return Error(line, "a deviation needs an op and a witness");
    }
    if (absl::Status status = CheckSource(d.deviations(i).source(), line, "a deviation"); !status.ok()) return status;
  }
  if (absl::Status status = CheckFates(); !status.ok()) return status;
  for (int i = 0; i < d.resolves_size(); ++i) {
    const std::string& removes = d.resolves(i).removes();
    if (removes != "immediate" && ModifierNamed(removes) < 0) {
      return Error(LineOf("resolves", i), absl::StrCat("unknown modifier '", removes, "'"));
    }
    if (m_.FindType(d.resolves(i).type()) < 0) {
      return Error(LineOf("resolves", i), absl::StrCat("unknown type '", d.resolves(i).type(), "'"));
    }
  }
  return absl::OkStatus();
}

void Loader::RegisterRowsForLeakCheckers(const std::deque<ir::OpRow>* rows) {
  static std::mutex& mutex = *new std::mutex;
  static auto& kept = *new std::vector<const std::deque<ir::OpRow>*>;
  const std::lock_guard<std::mutex> lock(mutex);
  kept.push_back(rows);
}

absl::StatusOr<std::unique_ptr<const Machine>> ParseMachine(absl::string_view text, absl::string_view file) {
  TextFormat::ParseInfoTree tree;
  v1::Machine description;
  if (absl::Status status = proto::ParseTextProto(text, file, &description, &tree); !status.ok()) return status;
  std::unique_ptr<Machine> machine = Loader::Make(std::move(description));
  if (absl::Status status = Loader(machine.get(), tree, file).Load(); !status.ok()) return status;
  return std::unique_ptr<const Machine>(std::move(machine));
}

}  // namespace rewrought::machine
