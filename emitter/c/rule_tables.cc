#include "emitter/c/rule_tables.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "emitter/c/rule_patterns.h"
#include "emitter/c/rule_programs.h"
#include "emitter/c/table_builder.h"
#include "emitter/entry_rule.h"
#include "emitter/proved_cases.h"
#include "ir/op_table.h"
#include "ir/text/sizes.h"
#include "machine/base/base_selection.h"
#include "machine/select/tile.h"
#include "rules/known_rules.h"

namespace rewrought::emitter {
namespace {

using machine::select::PackRule;
using machine::select::RuleSet;
using machine::select::SelectionRule;

absl::Status OfEntry(const v1::PackEntry& entry, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("entry ", entry.rule().id(), ": ", status.message()));
}

// Returns whether the tables can express the rule. Modifies `builder`, which must be a scratch builder.
bool IsExpressible(const PackRule& rule, TableBuilder* builder) {
  SelectionRule alone;
  alone.name = rule.name, alone.pack = &rule;
  RulePattern pattern;
  if (!PatternOf(alone, rule.search.root_ops()[0]->name, builder, &pattern).ok() || pattern.never) return false;
  const absl::StatusOr<RuleCode> code = CodeOf(alone, nullptr, pattern.variables, builder);
  return code.ok() && !code->never && pattern.commutative <= kMostCommutative;
}

// Returns the program that base selection emits for the replacement at `sizes`. The program contains no contractions,
// because a replacement must be exact if a matched node is exact.
absl::StatusOr<machine::Program> ProgramOf(const ir::Rule& rule, const ir::SizeAssignment& sizes,
                                           const machine::Machine& machine) {
  absl::StatusOr<ir::Rule> sized = ir::Instantiate(rule, sizes, {.literals_exact = true});
  if (!sized.ok()) return sized.status();
  for (ir::Node& node : sized->replace.nodes) node.flags |= ir::kExact;
  return machine::BaseProgram(machine, sized->replace, machine::BaseKind::kTuned);
}

absl::Status AddEntry(const v1::PackEntry& entry, TableBuilder* scratch, PackSelection* selection) {
  const absl::StatusOr<EntryRule> parsed = ParseEntry(entry.rule());
  if (!parsed.ok()) return parsed.status();
  const absl::StatusOr<ProvedCases> proved = FindProvedCases(parsed->rule, entry);
  if (!proved.ok()) return proved.status();
  for (const ProvedCase& one : proved->cases) {
    ir::Term search = parsed->rule.search;
    for (size_t i = 0; i < search.nodes.size(); ++i) search.nodes[i].bits = one.sizes.search_bits[i];
    absl::StatusOr<ir::CompiledRule> compiled = rules::CompileSearch(search);
    if (!compiled.ok()) return compiled.status();
    PackRule made = {.name = entry.rule().id(), .search = *std::move(compiled), .program = {}};
    if (parsed->program.has_value()) {
      made.program = *parsed->program;
    } else {
      absl::StatusOr<machine::Program> program = ProgramOf(parsed->rule, one.sizes, *selection->machine);
      if (!program.ok()) continue;
      made.program = *std::move(program);
      if (!IsExpressible(made, scratch)) continue;
    }
    selection->pack.push_back(std::move(made));
    selection->conditions.push_back(BothConditions(parsed->rule.condition, one.condition));
  }
  return absl::OkStatus();
}

// Adds the rows of all rules, op by op.
class RuleWriter {
 public:
  RuleWriter(const PackSelection& selection, TableBuilder* builder)
      : selection_(selection), rules_(*selection.rules), b_(*builder), t_(builder->tables()) {}

  absl::Status Run() {
    if (absl::Status status = AddLoads(); !status.ok()) return status;
    for (const std::string& op : Roots()) {
      const uint16_t first = static_cast<uint16_t>(t_.rules.size());
      for (const SelectionRule& rule : rules_.RulesFor(op)) {
        if (absl::Status status = AddRule(rule, op); !status.ok()) return status;
        if (absl::Status status = b_.CheckSizes(); !status.ok()) return status;
      }
      rw_op& row = t_.ops[b_.Op(op)];
      row.first_rule = first, row.rule_count = static_cast<uint16_t>(t_.rules.size() - first);
    }
    for (rw_op& op : t_.ops) NameBase(&op);
    return b_.CheckSizes();
  }

 private:
  std::set<std::string> Roots() const {
    std::set<std::string> roots;
    for (const auto& [op, rules] : rules_.base().by_root) roots.insert(op);
    for (const PackRule& rule : selection_.pack) {
      for (const ir::OpRow* op : rule.search.root_ops()) roots.insert(op->name);
    }
    return roots;
  }

  void NameBase(rw_op* op) const {
    const std::string& name = t_.names[op->name];
    const ir::OpRow* row = ir::FindOp(name);
    if (row == nullptr) return;
    op->base = TypedOf(row->result.base);
    // In Mesa, the marks `int` and `uint` both require an int op; uint ops satisfy neither mark.
    if (row->result.base == ir::BaseType::kUint) op->base = RW_BASE_UINT;
    op->is_logical = name == "iand" || name == "ior" || name == "ixor" || name == "inot";
  }

  // Sets row `row` of `loads` to `program`. `kind` states whether the program's variable is a constant or a uniform.
  absl::Status FillLoad(size_t row, const machine::Program& program, uint8_t kind) {
    const absl::StatusOr<uint16_t> code = AddSingle(b_, program, kind);
    if (!code.ok()) return code.status();
    t_.loads[row] = {.code = *code, .cost = machine::select::CostOf(b_.machine(), program.instructions)};
    return absl::OkStatus();
  }

  // Adds the code that loads constants and moves uniforms into registers.
  absl::Status AddLoads() {
    std::vector<bool> is_loaded;
    for (size_t type = 0; type < t_.types.size(); ++type) {
      is_loaded.push_back(rules_.LoadOf(static_cast<machine::TypeIndex>(type)) != nullptr);
    }
    b_.AddLoadRows(is_loaded);
    for (size_t size = 0; size < kLoadSizes.size(); ++size) {
      std::string source;
      const machine::Program* move = rules_.MoveOf(kLoadSizes[size], &source);
      absl::Status status = move == nullptr ? absl::OkStatus() : FillLoad(size, *move, RW_VALUE);
      for (size_t type = 0; status.ok() && type < t_.types.size(); ++type) {
        const auto index = static_cast<machine::TypeIndex>(type);
        if (!is_loaded[type] || t_.types[type].bits != kLoadSizes[size]) continue;
        const size_t whole = b_.LoadsOf(index, false) + size, part = b_.LoadsOf(index, true) + size;
        status = FillLoad(whole, *rules_.LoadOf(index), RW_IMMEDIATE);
        // A constant that is read in parts is loaded with the first type of its size.
        if (t_.loads[part].code == RW_NONE16) t_.loads[part] = t_.loads[whole];
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status AddRule(const SelectionRule& rule, const std::string& root) {
    RulePattern pattern;
    absl::Status status = PatternOf(rule, root, &b_, &pattern);
    if (status.ok() && !pattern.never) {
      if (pattern.commutative > kMostCommutative) return Inexpressible(rule, "has more than 8 commutative ops");
      absl::StatusOr<RuleCode> code = CodeOf(rule, rules_.FlagOf(), pattern.variables, &b_);
      status = code.status();
      if (code.ok() && !code->never) Append(rule, pattern, *code);
    }
    if (!status.ok()) return Inexpressible(rule, status.message());
    return absl::OkStatus();
  }

  void Append(const SelectionRule& rule, const RulePattern& pattern, const RuleCode& code) {
    rw_rule row = {};
    row.name = b_.Name(rule.name);
    row.condition = RW_NONE16;
    if (rule.pack != nullptr) {
      const auto index = static_cast<size_t>(rule.pack - selection_.pack.data());
      if (const std::string& text = selection_.conditions[index]; !text.empty()) row.condition = ConditionNamed(text);
    } else if (rule.base->inexact) {
      row.without = RW_EXACT;
    }
    row.most = rule.pack != nullptr ? 1 : RuleSet::kMaxMatches;
    row.first_pattern = static_cast<uint16_t>(t_.patterns.size());
    t_.patterns.insert(t_.patterns.end(), pattern.rows.begin(), pattern.rows.end());
    row.first_code = static_cast<uint16_t>(t_.code.size());
    t_.code.insert(t_.code.end(), code.rows.begin(), code.rows.end());
    row.code_count = static_cast<uint8_t>(code.rows.size());
    row.commutative = static_cast<uint8_t>(pattern.commutative);
    t_.rules.push_back(row);
  }

  uint16_t ConditionNamed(const std::string& text) {
    const auto found = std::find(t_.driver_conditions.begin(), t_.driver_conditions.end(), text);
    const auto index = static_cast<uint16_t>(found - t_.driver_conditions.begin());
    if (found == t_.driver_conditions.end()) t_.driver_conditions.push_back(text);
    return index;
  }

  static absl::Status Inexpressible(const SelectionRule& rule, absl::string_view why) {
    return absl::UnimplementedError(
        absl::StrCat(rule.pack != nullptr ? "entry " : "base rule ", rule.name, ": ", why,
                     ", which format c cannot express; mute the rule in a waivers file, or export without c"));
  }

  const PackSelection& selection_;
  const RuleSet& rules_;
  TableBuilder& b_;
  CTables& t_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const PackSelection>> SelectionOf(const v1::Pack& pack) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(pack.manifest().machine());
  if (!machine.ok()) return machine.status();
  auto selection = std::make_unique<PackSelection>();
  selection->machine = *machine;
  TableBuilder scratch(**machine);
  if (absl::Status status = scratch.AddMachine(); !status.ok()) return status;
  for (const v1::PackEntry& entry : pack.entries()) {
    if (!entry.rule().program().empty() && entry.rule().machine() != (*machine)->id()) {
      return OfEntry(entry, absl::FailedPreconditionError(
                                absl::StrCat("is a program of ", entry.rule().machine(), ", but the pack is for ",
                                             (*machine)->id(), "; format c contains the tables of one machine")));
    }
    if (absl::Status status = AddEntry(entry, &scratch, selection.get()); !status.ok()) return OfEntry(entry, status);
  }
  absl::StatusOr<RuleSet> rules = RuleSet::Create(**machine, &selection->pack, /*strong=*/true);
  if (!rules.ok()) return rules.status();
  selection->rules = *std::move(rules);
  return selection;
}

absl::StatusOr<CTables> BuildCTables(const PackSelection& selection) {
  TableBuilder builder(*selection.machine);
  if (absl::Status status = builder.AddMachine(); !status.ok()) return status;
  if (absl::Status status = RuleWriter(selection, &builder).Run(); !status.ok()) return status;
  builder.tables().machine = selection.machine->id();
  return std::move(builder.tables());
}

}  // namespace rewrought::emitter
