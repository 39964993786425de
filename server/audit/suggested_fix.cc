#include "server/audit/suggested_fix.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/predicate_meaning.h"
#include "verifier/inference.h"
#include "verifier/rule_check.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

constexpr std::pair<const char*, uint8_t> kFlags[] = {
    {"nsz", ir::kNoSignedZero}, {"nnan", ir::kNoNan}, {"ninf", ir::kNoInf}};

bool IsProved(const ir::Rule& rule, const verifier::Prover& prover, const verifier::RuleCheckOptions& check) {
  const absl::StatusOr<verifier::RuleVerdict> verdict = verifier::CheckRule(prover, rule, check);
  return verdict.ok() && verdict->verdict == verifier::Verdict::kProved;
}

// Puts "n0:nsz" or "a:is_a_number" on the search. False where a variable has a predicate already.
bool Assume(const std::string& assumption, ir::Rule* rule) {
  const size_t colon = assumption.find(':');
  const std::string where = assumption.substr(0, colon), what = assumption.substr(colon + 1);
  int number = 0;
  for (const auto& [name, flag] : kFlags) {
    if (what != name || where[0] != 'n' || !absl::SimpleAtoi(where.substr(1), &number)) continue;
    rule->search.nodes[verifier::PrefixOrder(rule->search)[static_cast<size_t>(number)]].flags |= flag;
    return true;
  }
  bool first = true;
  for (ir::Node& node : rule->search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || node.name != where) continue;
    if (!node.predicates.empty()) return false;
    if (std::exchange(first, false)) node.predicates.push_back(what);
  }
  return !first;
}

// The suggested fix as an object if `rule`, written as text and read again, is proved or inexact; null else.
Json Tried(const ir::Rule& rule, const std::string& change, const verifier::Prover& prover,
           const verifier::RuleCheckOptions& check) {
  const std::string text = ir::PrintRule(rule);
  const std::vector<ir::RuleEntry> entries = ir::ParseRules(text);
  if (entries.size() != 1) return nullptr;
  const verifier::CheckedEntry checked = verifier::CheckEntry(entries[0], prover, check, nullptr);
  if (!checked.error.empty()) return nullptr;
  const bool proved = checked.verdict.verdict == verifier::Verdict::kProved;
  if (!proved && !checked.IsInexact()) return nullptr;
  return Json{{"rule", text}, {"change", change}, {"verdict", proved ? "proved" : "inexact"}};
}

// The rule at each size at which all its cases were proved.
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
    Json suggested_fix = Tried(narrowed, absl::StrCat("only ", variable, "@", size), prover, check);
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
  std::vector<std::string> weaker;
  const std::vector<ir::NodeIndex> order = verifier::PrefixOrder(rule.search);
  for (size_t i = 0; i < order.size(); ++i) {
    for (const auto& [name, flag] : kFlags) {
      if (!(rule.search.at(order[i]).flags & flag)) continue;
      ir::Rule without = rule;
      without.search.nodes[order[i]].flags &= static_cast<uint8_t>(~flag);
      if (IsProved(without, prover, options)) weaker.push_back(absl::StrCat("n", i, ":", name));
    }
  }
  std::set<std::string> tried;
  bool has_sizes = false;
  for (const ir::Node& node : rule.search.nodes) {
    has_sizes = has_sizes || (node.kind != ir::NodeKind::kConstant && node.bits != 0);
    if (node.kind != ir::NodeKind::kVariable) continue;
    for (const std::string& predicate : node.predicates) {
      const std::string name = absl::StrCat(node.name, ":", predicate);
      if (!ir::PredicateAssumesSomething(predicate) || !tried.insert(name).second) continue;
      ir::Rule without = rule;
      for (ir::Node& other : without.search.nodes) {
        if (other.kind == ir::NodeKind::kVariable && other.name == node.name) std::erase(other.predicates, predicate);
      }
      if (IsProved(without, prover, options)) weaker.push_back(name);
    }
  }
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
    if (free.ok() && free->verdict == verifier::Verdict::kProved &&
        sizes(free) > sizes(verifier::CheckRule(prover, rule, options))) {
      weaker.push_back("sizes");
    }
  }
  return Json{{"weaker", weaker}};
}

Json SuggestedFixesOf(const ir::RuleEntry& entry, const verifier::Prover& prover,
                      const verifier::RuleCheckOptions& check, const Json& answer) {
  if (answer.value("verdict", "") != "refuted") return Json::object();
  verifier::RuleCheckOptions options = check;
  options.infer = true;
  const absl::StatusOr<verifier::RuleVerdict> verdict = verifier::CheckRule(prover, *entry.rule, options);
  Json suggested_fixes = Json::object();
  if (!verdict.ok()) return suggested_fixes;
  suggested_fixes["weakest"] = verdict->weakest;
  Json suggested_fix;
  for (const verifier::Assumptions& assumptions : verdict->weakest) {
    ir::Rule rule = *entry.rule;
    const bool fits = std::all_of(assumptions.begin(), assumptions.end(),
                                  [&](const std::string& assumption) { return Assume(assumption, &rule); });
    if (fits && suggested_fix.is_null()) suggested_fix = Tried(rule, absl::StrJoin(assumptions, ", "), prover, check);
  }
  if (suggested_fix.is_null())
    suggested_fix = TryOneSize(*entry.rule, prover, check, answer.value("cases", Json::array()));
  if (suggested_fix.is_null() && !verifier::IsMarkedInexact(entry.rule->search)) {
    ir::Rule rule = *entry.rule;
    rule.search.nodes[rule.search.root].flags |= ir::kInexact;
    suggested_fix = Tried(rule, "~", prover, check);
  }
  if (!suggested_fix.is_null()) suggested_fixes["suggested_fix"] = suggested_fix;
  return suggested_fixes;
}

}  // namespace rewrought::audit
