#include "machine/select/rules.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/scalar.h"

namespace rewrought::machine::select {
namespace {

constexpr std::pair<Fusion, const char*> kFusionNames[] = {{Fusion::kAlways, "always"},
                                                           {Fusion::kNever, "never"},
                                                           {Fusion::kUniformCompared, "uniform-compared"},
                                                           {Fusion::kBooleanUsedOnce, "used-once"},
                                                           {Fusion::kConstantSelected, "constant-selected"}};

bool IsSelect(const std::string& op) { return op == "bcsel" || op == "b32csel"; }

// Enumerates matches in continuation-passing style; `then` returns true to stop.
class BaseMatcher {
 public:
  BaseMatcher(const ir::Term& term, size_t most, std::vector<RuleMatch>* found)
      : term_(term), most_(most), found_(found) {}

  void Run(const BasePattern& pattern, ir::NodeIndex root) {
    Match(pattern, root, [this] {
      found_->push_back({current_.variables, current_.covered});
      return found_->size() >= most_;
    });
  }

 private:
  using Then = std::function<bool()>;

  bool Match(const BasePattern& pattern, ir::NodeIndex index, const Then& then) {
    const ir::Node& node = term_.at(index);
    if (pattern.bits != 0 && node.bits != pattern.bits) return false;
    if (!pattern.is_op && pattern.name.empty()) {
      const bool fits = node.kind == ir::NodeKind::kConstant &&
                        ConstantBits(node) == (static_cast<uint64_t>(pattern.value) & ir::MaskOf(node.bits));
      return fits && then();
    }
    if (!pattern.is_op) return Bind(pattern.name, index, then);
    if (node.kind != ir::NodeKind::kOp || node.op->name != pattern.name) return false;
    if (node.sources.size() != pattern.sources.size()) return false;
    const bool is_new = std::find(current_.covered.begin(), current_.covered.end(), index) == current_.covered.end();
    if (is_new) current_.covered.push_back(index);
    bool stop = Sources(pattern, node, 0, false, then);
    const bool commutes = (node.op->properties & ir::kCommutative) != 0 && node.sources.size() >= 2;
    if (!stop && commutes && node.sources[0].node != node.sources[1].node) stop = Sources(pattern, node, 0, true, then);
    if (is_new) current_.covered.pop_back();
    return stop;
  }

  bool Bind(const std::string& name, ir::NodeIndex index, const Then& then) {
    const auto [found, is_new] = current_.variables.try_emplace(name, index);
    if (!is_new) return found->second == index && then();
    const bool stop = then();
    current_.variables.erase(name);
    return stop;
  }

  bool Sources(const BasePattern& pattern, const ir::Node& node, size_t i, bool swapped, const Then& then) {
    if (i == pattern.sources.size()) return then();
    const size_t from = swapped && i < 2 ? 1 - i : i;
    return Match(pattern.sources[i], node.sources[from].node,
                 [&, i, swapped] { return Sources(pattern, node, i + 1, swapped, then); });
  }

  const ir::Term& term_;
  const size_t most_;
  std::vector<RuleMatch>* const found_;
  RuleMatch current_;
};

// If the first instruction of the select `rule` sets the default flag from a variable, returns the variable's name.
// Otherwise returns an empty string.
std::string TestedVariable(const BaseRule& rule) {
  const std::vector<Instruction>& code = rule.program.instructions;
  if (!IsSelect(rule.pattern.name) || rule.pattern.sources[0].is_op || code.size() != 2) return "";
  const bool tests = code[0].destination.kind == OperandKind::kNull && code[0].flag == kDefaultFlag &&
                     code[0].sources.size() == 1 && code[0].sources[0].name == rule.pattern.sources[0].name;
  return tests && code[1].predicate == kDefaultFlag ? code[0].sources[0].name : "";
}

bool GivesFlag(const Program& program) {
  const Instruction& last = program.instructions.back();
  return last.destination.kind == OperandKind::kNull && last.flag == kResultName;
}

// Returns the name of a select's variable, made distinct from the variables of a pack rule.
std::string SelectVariableName(const std::string& name) { return absl::StrCat("select ", name); }

bool AnyExact(const ir::Term& term, const std::vector<ir::NodeIndex>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [&](ir::NodeIndex n) { return (term.at(n).flags & ir::kExact) != 0; });
}

}  // namespace

std::string NameOf(Fusion fusion) {
  for (const auto& [value, name] : kFusionNames) {
    if (value == fusion) return name;
  }
  return "";
}

std::optional<Fusion> FusionNamed(absl::string_view name) {
  for (const auto& [value, known] : kFusionNames) {
    if (name == known) return value;
  }
  return std::nullopt;
}

absl::StatusOr<RuleSet> RuleSet::Create(const Machine& machine, const std::vector<PackRule>* pack, bool strong) {
  RuleSet set;
  set.machine_ = &machine;
  absl::StatusOr<const BaseRules*> base = BaseRulesOf(machine);
  if (!base.ok()) return base.status();
  set.base_ = *base;
  if (strong) set.expansions_ = set.base_->expansions;
  if (pack != nullptr) {
    for (const PackRule& rule : *pack) {
      SelectionRule made;
      made.name = rule.name;
      made.pack = &rule;
      made.ops = 2;
      for (const ir::OpRow* op : rule.search.root_ops()) set.by_root_[op->name].push_back(made);
      if (!rule.program.instructions.empty() && GivesFlag(rule.program)) set.AddSelects(rule, strong);
    }
  }
  for (const auto& [root, rules] : (*base)->by_root) {
    for (const BaseRule& rule : rules) {
      if (rule.strong && !strong) continue;
      SelectionRule made;
      made.name = PatternText(rule.pattern);
      made.base = &rule;
      made.ops = rule.ops;
      made.fuses = IsSelect(rule.pattern.name) && rule.pattern.sources[0].is_op;
      set.by_root_[root].push_back(made);
      if (!TestedVariable(rule).empty()) set.flag_of_ = &rule.program.instructions[0];
    }
  }
  return set;
}

// Adds a rule for every select of the machine that reads a flag, with `rule` replacing the select's test.
void RuleSet::AddSelects(const PackRule& rule, bool strong) {
  for (const auto& [root, selects] : base_->by_root) {
    for (const BaseRule& select : selects) {
      if (TestedVariable(select).empty() || (select.strong && !strong)) continue;
      auto joined = std::make_shared<Program>(rule.program);
      for (Instruction& instruction : joined->instructions) {
        for (std::string* flag : {&instruction.flag, &instruction.predicate}) {
          if (*flag == kDefaultFlag) *flag = "f1";
          if (*flag == kResultName) *flag = std::string(kDefaultFlag);
        }
      }
      Instruction last = select.program.instructions[1];
      for (Operand& source : last.sources) {
        if (source.kind == OperandKind::kVariable) source.name = SelectVariableName(source.name);
      }
      joined->instructions.push_back(std::move(last));
      SelectionRule made;
      made.name = absl::StrCat(PatternText(select.pattern), " of ", rule.name);
      made.base = &select;
      made.pack = &rule;
      made.joined = std::move(joined);
      made.ops = 3;
      made.fuses = true;
      by_root_[root].push_back(std::move(made));
    }
  }
}

const std::vector<SelectionRule>& RuleSet::RulesFor(const std::string& name) const {
  static const std::vector<SelectionRule>& none = *new std::vector<SelectionRule>;
  const auto found = by_root_.find(name);
  return found == by_root_.end() ? none : found->second;
}

std::vector<RuleMatch> RuleSet::MatchesOf(const SelectionRule& rule, const ScalarShader& scalar, ir::NodeIndex root,
                                          const ir::FactCallback& facts) const {
  const ir::Term& term = scalar.shader.values;
  if (rule.base == nullptr) return MatchesOfPack(rule, scalar, root, facts);
  std::vector<RuleMatch> found;
  BaseMatcher(term, kMaxMatches, &found).Run(rule.base->pattern, root);
  if (rule.base->inexact) {
    std::erase_if(found, [&](const RuleMatch& match) { return AnyExact(term, match.covered); });
  }
  if (rule.pack == nullptr) return found;
  std::vector<RuleMatch> joined;
  for (const RuleMatch& select : found) {
    const std::string tested = TestedVariable(*rule.base);
    for (RuleMatch& match : MatchesOfPack(rule, scalar, select.variables.at(tested), facts)) {
      for (const auto& [name, node] : select.variables) {
        if (name != tested) match.variables[SelectVariableName(name)] = node;
      }
      std::vector<ir::NodeIndex> covered = select.covered;
      for (const ir::NodeIndex op : match.covered) AddOnce(op, &covered);
      match.covered = std::move(covered);
      joined.push_back(std::move(match));
    }
  }
  return joined;
}

std::vector<RuleMatch> RuleSet::MatchesOfPack(const SelectionRule& rule, const ScalarShader& scalar, ir::NodeIndex root,
                                              const ir::FactCallback& facts) const {
  std::vector<RuleMatch> found;
  const ir::Term& term = scalar.shader.values;
  if (term.at(root).kind != ir::NodeKind::kOp) return found;
  ir::MatchOptions options;
  options.facts = facts;
  options.literals_exact = true;
  options.uses = &scalar.uses;
  const std::optional<ir::Match> match = ir::MatchAt(rule.pack->search, term, root, options);
  if (!match.has_value() || (rule.pack->inexact && match->has_exact)) return found;
  RuleMatch made;
  const std::vector<std::string>& names = rule.pack->search.variables();
  for (size_t i = 0; i < names.size(); ++i) {
    if (match->variables[i].bound) made.variables[names[i]] = match->variables[i].node;
  }
  for (const ir::NodeIndex op : match->ops) AddOnce(op, &made.covered);
  found.push_back(std::move(made));
  return found;
}

const Program* RuleSet::MoveOf(int bits, std::string* source) const {
  const auto moves = base_->by_root.find("mov");
  if (moves == base_->by_root.end()) return nullptr;
  for (const BaseRule& rule : moves->second) {
    if (rule.pattern.bits != bits || rule.program.instructions.size() != 1) continue;
    *source = rule.pattern.sources[0].name;
    return &rule.program;
  }
  return nullptr;
}

const Program* RuleSet::LoadOf(TypeIndex type) const {
  const auto found = base_->resolves.find({"immediate", type});
  return found == base_->resolves.end() ? nullptr : &found->second;
}

}  // namespace rewrought::machine::select
