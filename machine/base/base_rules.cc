#include "machine/base/base_rules.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "ir/scalar.h"
#include "ir/text/rule_text.h"
#include "machine/legality.h"

namespace rewrought::machine {
namespace {

absl::StatusOr<Program> LegalProgram(const Machine& machine, const std::string& text) {
  absl::StatusOr<Program> program = ParseProgram(machine, text);
  if (!program.ok()) return program;
  if (absl::Status status = CheckLegal(machine, *program); !status.ok()) return status;
  return program;
}

absl::StatusOr<ir::CompiledRule> ExpansionOf(const BasePattern& pattern, const std::string& expansion) {
  const absl::StatusOr<BasePattern> ops = ParseBasePattern(expansion);
  if (!ops.ok()) return ops.status();
  absl::StatusOr<ir::Rule> rule = ir::ParseRule(absl::StrCat("(", TupleText(pattern), ", ", TupleText(*ops), ")"));
  if (!rule.ok()) return rule.status();
  return ir::CompiledRule::Compile(*std::move(rule));
}

absl::StatusOr<std::unique_ptr<BaseRules>> ParseRules(const Machine& machine) {
  auto rules = std::make_unique<BaseRules>();
  for (const v1::BaseRule& d : machine.description().base()) {
    const auto broken = [&](const absl::Status& status) {
      return absl::InvalidArgumentError(absl::StrCat(machine.id(), " base rule ", d.pattern(), ": ", status.message()));
    };
    const absl::StatusOr<BasePattern> pattern = ParseBasePattern(d.pattern());
    if (!pattern.ok()) return broken(pattern.status());
    absl::StatusOr<Program> program = LegalProgram(machine, d.program());
    if (!program.ok()) return broken(program.status());
    const int ops = CountOps(*pattern);
    rules->by_root[pattern->name].push_back({*pattern, *std::move(program), d.tuned(), d.inexact(), ops});
    if (d.expansion().empty()) continue;
    absl::StatusOr<ir::CompiledRule> expansion = ExpansionOf(*pattern, d.expansion());
    if (!expansion.ok()) return broken(expansion.status());
    rules->expansions.push_back(*std::move(expansion));
  }
  for (auto& [name, list] : rules->by_root) {
    std::stable_sort(list.begin(), list.end(), [](const BaseRule& x, const BaseRule& y) { return x.ops > y.ops; });
  }
  for (const v1::Resolve& d : machine.description().resolves()) {
    // In a resolve program for immediates, `a` is the immediate, so the program need not be legal if `a` is a register.
    absl::StatusOr<Program> program = ParseProgram(machine, d.program());
    if (program.ok() && d.removes() != "immediate") program = LegalProgram(machine, d.program());
    if (!program.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(machine.id(), " resolve ", d.program(), ": ", program.status().message()));
    }
    rules->resolves[{d.removes(), machine.FindType(d.type())}] = *std::move(program);
  }
  return rules;
}

bool MatchSources(const ir::Term& term, const BasePattern& pattern, const ir::Node& node, bool swapped,
                  BaseMatch* match) {
  for (size_t i = 0; i < pattern.sources.size(); ++i) {
    const size_t from = swapped && i < 2 ? 1 - i : i;
    if (!MatchBase(term, pattern.sources[i], node.sources[from].node, match)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<const BaseRules*> BaseRulesOf(const Machine& machine) {
  static std::mutex& mutex = *new std::mutex;
  static auto& cache = *new std::map<const Machine*, std::unique_ptr<BaseRules>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<BaseRules>& rules = cache[&machine];
  if (rules == nullptr) {
    absl::StatusOr<std::unique_ptr<BaseRules>> parsed = ParseRules(machine);
    if (!parsed.ok()) return parsed.status();
    rules = *std::move(parsed);
  }
  return rules.get();
}

uint64_t ConstantBits(const ir::Node& node) {
  const uint64_t value = node.values[0];
  switch (node.literal) {
    case ir::LiteralKind::kFloat: {
      double number;
      static_assert(sizeof number == sizeof value);
      __builtin_memcpy(&number, &value, sizeof number);
      return ir::IsFloatWidth(node.bits) ? ir::FloatToBits(number, node.bits) : value;
    }
    case ir::LiteralKind::kBool:
    case ir::LiteralKind::kInt:
    case ir::LiteralKind::kBits:
      return value & ir::MaskOf(node.bits);
  }
  return value;
}

bool MatchBase(const ir::Term& term, const BasePattern& pattern, ir::NodeIndex index, BaseMatch* match) {
  const ir::Node& node = term.at(index);
  if (pattern.bits != 0 && node.bits != pattern.bits) return false;
  if (!pattern.is_op && pattern.name.empty()) {
    return node.kind == ir::NodeKind::kConstant &&
           ConstantBits(node) == (static_cast<uint64_t>(pattern.value) & ir::MaskOf(node.bits));
  }
  if (!pattern.is_op) {
    const auto [found, is_new] = match->variables.try_emplace(pattern.name, index);
    return is_new || found->second == index;
  }
  if (node.kind != ir::NodeKind::kOp || node.op->name != pattern.name) return false;
  if (node.sources.size() != pattern.sources.size()) return false;
  match->covered.push_back(index);
  const BaseMatch before = *match;
  if (MatchSources(term, pattern, node, false, match)) return true;
  *match = before;
  return (node.op->properties & ir::kCommutative) != 0 && MatchSources(term, pattern, node, true, match);
}

}  // namespace rewrought::machine
