#include "audit/suggested_fix.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/facts/assumptions.h"
#include "ir/term_order.h"
#include "ir/text/display.h"
#include "ir/text/predicates.h"
#include "verifier/inference.h"
#include "verifier/rule_check.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

// Prints `rule`, parses it again, and verifies it. Returns the suggested fix as an object if the rule is proved or
// inexact, and null otherwise.
Json TryRule(const ir::Rule& rule, const std::string& change, const verifier::Prover& prover,
             const verifier::RuleCheckOptions& check) {
  const ir::SizeOptions sizes = verifier::SizeOptionsOf(check, true);
  const std::string text = ir::DisplayRule(rule, sizes);
  const std::vector<ir::RuleEntry> entries = ir::ParseRules(text, sizes.find);
  if (entries.size() != 1) return nullptr;
  const verifier::CheckedEntry checked = verifier::CheckEntry(entries[0], prover, check, nullptr);
  if (!checked.error.empty()) return nullptr;
  const bool proved = checked.verdict.verdict == v1::VERDICT_PROVED;
  if (!proved && !checked.IsInexact()) return nullptr;
  return Json{{"rule", text}, {"change", change}, {"verdict", proved ? "proved" : "inexact"}};
}

// Tries changes that do not restrict where a rule of Mesa 26 applies: preserve bits on one op of the replacement or on
// all of them, and fcanonicalize at its root.
Json TryOtherReplacement(const ir::Rule& rule, const verifier::Prover& prover,
                         const verifier::RuleCheckOptions& check) {
  std::vector<ir::NodeIndex> ops;
  for (const ir::NodeIndex op : ir::OpsInPrefixOrder(rule.replace)) {
    if (ir::FlagsOfOpIn26(*rule.replace.at(op).op) != 0) ops.push_back(op);
  }
  for (const absl::string_view mark : {ir::kPreserveSz, ir::kPreserveNanInf, ir::kPreserveNanInfSz}) {
    const auto with_mark = [&](const std::vector<ir::NodeIndex>& marked, const std::string& where) {
      ir::Rule changed = rule;
      for (const ir::NodeIndex op : marked) changed.replace.nodes[op].predicates.emplace_back(mark);
      return TryRule(changed, absl::StrCat(mark, " on ", where, " of the replacement"), prover, check);
    };
    for (const ir::NodeIndex op : ops) {
      Json fix = with_mark({op}, std::string(rule.replace.at(op).op->name));
      if (!fix.is_null()) return fix;
    }
    Json fix = ops.size() > 1 ? with_mark(ops, "all ops") : Json();
    if (!fix.is_null()) return fix;
  }
  const ir::Node& root = rule.replace.root_node();
  if (rule.search.root_node().op->result.base != ir::BaseType::kFloat || root.kind == ir::NodeKind::kConstant)
    return nullptr;
  ir::Rule changed = rule;
  ir::Node canonical;
  canonical.kind = ir::NodeKind::kOp;
  canonical.op = ir::FindOpIn26("fcanonicalize");
  canonical.components = root.components;
  canonical.bits = root.bits;
  canonical.sources = {ir::Source{.node = rule.replace.root}};
  changed.replace.nodes.push_back(canonical);
  changed.replace.root = static_cast<ir::NodeIndex>(changed.replace.nodes.size() - 1);
  return TryRule(changed, "fcanonicalize at the root of the replacement", prover, check);
}

// Tries the rule at each single size at which all its cases were proved.
Json TryOneSize(const ir::Rule& rule, const verifier::Prover& prover, const verifier::RuleCheckOptions& check,
                const Json& cases) {
  std::map<int, bool> proved;
  for (const Json& one : cases) {
    const bool good = one.value("verdict", "") == "proved";
    const auto [found, added] = proved.try_emplace(one.value("width", 0), good);
    if (!added) found->second = found->second && good;
  }
  if (proved.size() < 2) return nullptr;
  std::string variable;
  for (const ir::Node& node : rule.search.nodes) {
    if (node.kind == ir::NodeKind::kVariable && node.bits == 0) {
      variable = node.name;
      break;
    }
  }
  for (const int size : {32, 64, 16, 8, 1}) {
    if (variable.empty() || !proved.contains(size) || !proved[size]) continue;
    ir::Rule narrowed = rule;
    for (ir::Node& node : narrowed.search.nodes) {
      if (node.kind == ir::NodeKind::kVariable && node.name == variable) node.bits = static_cast<uint8_t>(size);
    }
    Json suggested_fix = TryRule(narrowed, absl::StrCat("only ", variable, "@", size), prover, check);
    if (!suggested_fix.is_null()) return suggested_fix;
  }
  return nullptr;
}

}  // namespace

Json WeakerConditions(const ir::RuleEntry& entry, const verifier::Prover& prover,
                      const verifier::RuleCheckOptions& check) {
  verifier::RuleCheckOptions options = check;
  options.stop_at_refuted = true;
  const ir::Rule& rule = *entry.rule;
  const auto holds = [&](const ir::Term& search) -> absl::StatusOr<ir::Answer> {
    ir::Rule tried = rule;
    tried.search = search;
    const absl::StatusOr<verifier::RuleVerdict> verdict = verifier::CheckRule(prover, tried, options);
    const bool proved = verdict.ok() && verdict->verdict == v1::VERDICT_PROVED;
    return proved ? ir::Answer::kHolds : ir::Answer::kFails;
  };
  std::vector<std::string> weaker =
      ir::NamesOf(rule.search, ir::UnnecessaryAssumptions(rule.search, holds).value_or(ir::AssumptionSet{}));
  const bool has_sizes = std::any_of(rule.search.nodes.begin(), rule.search.nodes.end(), [](const ir::Node& node) {
    return node.kind != ir::NodeKind::kConstant && node.bits != 0;
  });
  if (has_sizes) {
    ir::Rule without = rule;
    for (ir::Node& node : without.search.nodes) {
      if (node.kind == ir::NodeKind::kVariable || (node.kind == ir::NodeKind::kOp && node.op->result.bits == 0))
        node.bits = 0;
    }
    const auto sizes = [](const absl::StatusOr<verifier::RuleVerdict>& verdict) {
      return verdict.ok() ? verdict->cases.size() : 0;
    };
    const absl::StatusOr<verifier::RuleVerdict> free = verifier::CheckRule(prover, without, options);
    if (free.ok() && free->verdict == v1::VERDICT_PROVED &&
        sizes(free) > sizes(verifier::CheckRule(prover, rule, options))) {
      weaker.push_back("sizes");
    }
  }
  return Json{{"weaker", weaker}};
}

Json SuggestedFixesOf(const ir::RuleEntry& entry, const verifier::Prover& prover,
                      const verifier::RuleCheckOptions& check, const Json& answer) {
  verifier::RuleCheckOptions options = check;
  options.infer = false;
  const absl::StatusOr<verifier::RuleVerdict> verdict = verifier::CheckRule(prover, *entry.rule, options);
  Json suggested_fixes = Json::object();
  if (!verdict.ok()) return suggested_fixes;
  suggested_fixes["weakest"] = Json::array();
  Json suggested_fix;
  if (check.dialect == ir::Dialect::kNir26) suggested_fix = TryOtherReplacement(*entry.rule, prover, check);
  if (verdict->verdict == v1::VERDICT_REFUTED) {
    for (const ir::AssumptionSet& set : verifier::InferWeakest(prover, *entry.rule, *verdict, options)) {
      const std::vector<std::string> names = ir::NamesOf(entry.rule->search, set);
      suggested_fixes["weakest"].push_back(names);
      ir::Rule rule = *entry.rule;
      if (suggested_fix.is_null() && ir::Assume(set, &rule.search)) {
        suggested_fix = TryRule(rule, absl::StrJoin(names, ", "), prover, check);
      }
    }
  }
  if (suggested_fix.is_null())
    suggested_fix = TryOneSize(*entry.rule, prover, check, answer.value("cases", Json::array()));
  if (suggested_fix.is_null() && !verifier::IsMarkedInexact(entry.rule->search)) {
    ir::Rule rule = *entry.rule;
    rule.search.nodes[rule.search.root].flags |= ir::kInexact;
    suggested_fix = TryRule(rule, "~", prover, check);
  }
  if (!suggested_fix.is_null()) suggested_fixes["suggested_fix"] = suggested_fix;
  return suggested_fixes;
}

}  // namespace rewrought::audit
