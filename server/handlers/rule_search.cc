#include "server/handlers/rule_search.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/match/facts.h"
#include "ir/match/match.h"
#include "ir/match/relation.h"
#include "ir/term_order.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

std::vector<uint32_t> CountUses(const ir::Term& term) {
  std::vector<uint32_t> uses(term.nodes.size(), 0);
  for (const ir::Node& node : term.nodes) {
    for (const ir::Source& source : node.sources) ++uses[source.node];
  }
  ++uses[term.root];
  return uses;
}

// Returns whether the predicate is annotated in the expression, or follows from the expression's nodes.
bool FactsOfExpression(const ir::PredicateQuery& query) {
  const ir::Node& node = query.term->at(query.value.node);
  const auto& said = node.predicates;
  if (std::find(said.begin(), said.end(), std::string(query.predicate)) != said.end()) return true;
  return ir::FactsOfNodes(query);
}

// Returns the text of the expression with the root of the match replaced, or "" if the replacement would require a
// swizzle of the whole expression.
std::string Replaced(const ir::CompiledRule& rule, const ir::Match& match, ir::Term term) {
  const size_t old_size = term.nodes.size();
  const std::optional<ir::Source> value = ir::ApplyReplacement(rule, match, &term);
  if (!value.has_value()) return "";
  for (size_t i = 0; i < old_size; ++i) {
    for (ir::Source& source : term.nodes[i].sources) {
      if (source.node != match.root) continue;
      source.node = value->node;
      for (uint8_t& lane : source.swizzle) lane = value->swizzle[lane];
    }
  }
  if (term.root == match.root) {
    const int components = term.root_node().components;
    for (int lane = 0; lane < components; ++lane) {
      if (value->swizzle[lane] != lane) return "";
    }
    term.root = value->node;
  }
  return ir::DisplayTerm(term);
}

absl::StatusOr<ir::CompiledRule> Compile(const store::RuleRecord& record) {
  if (record.program.empty()) {
    absl::StatusOr<ir::Rule> rule = ir::ParseRule(absl::StrCat("(", record.search, ", ", record.replace, ")"));
    if (!rule.ok()) return rule.status();
    return ir::CompiledRule::Compile(*std::move(rule));
  }
  absl::StatusOr<ir::Term> search = ir::ParseSearch(record.search);
  if (!search.ok()) return search.status();
  // A compiled rule needs a replacement; the matched term itself is always a valid one.
  ir::Rule rule;
  rule.search = *std::move(search);
  rule.replace = ir::Matched(rule.search);
  return ir::CompiledRule::Compile(std::move(rule));
}

}  // namespace

absl::StatusOr<ir::Term> ReadExpression(absl::string_view text) {
  absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
  if (!term.ok()) return FieldError("expression", term.status().message());
  ir::Rule rule;
  rule.search = *std::move(term);
  const ir::SizeOptions options{.literals_exact = true};
  const absl::StatusOr<std::vector<ir::SizeAssignment>> sizes = ir::EnumerateSizes(rule, options);
  if (!sizes.ok()) return FieldError("expression", sizes.status().message());
  const auto count_32 = [](const ir::SizeAssignment& assignment) {
    return std::count_if(assignment.names.begin(), assignment.names.end(),
                         [](const auto& name) { return name.second == 32; });
  };
  const auto best = std::max_element(sizes->begin(), sizes->end(),
                                     [&](const auto& x, const auto& y) { return count_32(x) < count_32(y); });
  absl::StatusOr<ir::Rule> concrete = ir::Instantiate(rule, *best, options);
  if (!concrete.ok()) return FieldError("expression", concrete.status().message());
  return std::move(concrete->search);
}

std::vector<FoundMatch> MatchesOf(const store::RuleRecord& record, const ir::Term& term) {
  std::vector<FoundMatch> found;
  const absl::StatusOr<ir::CompiledRule> rule = Compile(record);
  if (!rule.ok()) return found;
  const std::vector<uint32_t> uses = CountUses(term);
  ir::MatchOptions options;
  options.facts = FactsOfExpression;
  options.uses = &uses;
  const std::vector<ir::NodeIndex> ops = ir::OpsInPrefixOrder(term);
  for (size_t i = 0; i < ops.size(); ++i) {
    const std::optional<ir::Match> match = ir::MatchAt(*rule, term, ops[i], options);
    if (!match.has_value()) continue;
    found.push_back({absl::StrCat("n", i), record.program.empty() ? Replaced(*rule, *match, term) : ""});
  }
  return found;
}

}  // namespace rewrought::rpc
