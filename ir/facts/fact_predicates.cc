#include "ir/facts/fact_predicates.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "ir/dag.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/facts/value_facts.h"
#include "ir/text/predicates.h"

namespace rewrought::ir {

std::vector<std::string> GrantedPredicates(const ValueFacts& facts) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool finite = facts.low > -kInfinity && facts.high < kInfinity;
  const bool negative = facts.less_than_zero(), positive = facts.greater_than_zero();
  std::vector<std::string> granted;
  const auto grant = [&granted](bool holds, absl::string_view name) {
    if (holds) granted.emplace_back(name);
  };
  grant(facts.integral, "is_integral");
  grant(finite, "is_finite");
  grant(facts.nonzero, "is_not_zero");
  grant(facts.not_negative(), "is_not_negative");
  grant(facts.not_positive(), "is_not_positive");
  grant(positive, "is_gt_zero");
  grant(negative, "is_lt_zero");
  grant(finite && facts.nonzero, "is_finite_not_zero");
  grant(facts.number, "is_a_number");
  grant(facts.number && facts.nonzero, "is_a_number_not_zero");
  grant(facts.number && facts.not_negative(), "is_a_number_not_negative");
  grant(facts.number && facts.not_positive(), "is_a_number_not_positive");
  grant(facts.number && positive, "is_a_number_gt_zero");
  grant(facts.number && negative, "is_a_number_lt_zero");
  return granted;
}

bool FactsGrant(const ValueFacts& facts, absl::string_view predicate) {
  if (predicate == "is_ge_zero") predicate = "is_not_negative";
  if (predicate == "is_le_zero") predicate = "is_not_positive";
  if (predicate == "is_ne_zero") predicate = "is_not_zero";
  if (predicate == "is_a_number_ge_zero") predicate = "is_a_number_not_negative";
  if (predicate == "is_a_number_le_zero") predicate = "is_a_number_not_positive";
  const std::vector<std::string> granted = GrantedPredicates(facts);
  return std::find(granted.begin(), granted.end(), predicate) != granted.end();
}

namespace {

// Returns whether `predicate` holds for the constant, or nullopt if unknown.
std::optional<bool> Holds(absl::string_view predicate, uint64_t value, int bits, BaseType base) {
  Dag dag;
  const absl::StatusOr<ValueIndex> holds = AssumePredicate(&dag, predicate, dag.Literal(value, bits), base);
  if (!holds.ok() || dag.at(*holds).primitive != Primitive::kLiteral) return std::nullopt;
  return dag.at(*holds).immediate == 1;
}

}  // namespace

bool ConstantHas(absl::string_view predicate, uint64_t value, int bits, BaseType base) {
  return PredicateAssumesSomething(predicate) && Holds(predicate, value, bits, base).value_or(false);
}

std::vector<std::string> PredicatesOfConstant(uint64_t value, int bits, BaseType base,
                                              absl::Span<const uint64_t> samples, int least) {
  const bool is_float = base == BaseType::kFloat;
  std::vector<std::pair<int, std::string>> found;
  for (const PredicateInfo& info : AllPredicates()) {
    // Use only predicates for the type of the value: predicates for the other type would describe only its bit pattern.
    const bool fits = info.kind == PredicateKind::kRange
                          ? is_float
                          : info.kind == PredicateKind::kConstant && IsFloatConstantPredicate(info.name) == is_float;
    if (!fits || !PredicateAssumesSomething(info.name) || !ConstantHas(info.name, value, bits, base)) continue;
    int admitted = 0;
    for (const uint64_t sample : samples) admitted += ConstantHas(info.name, sample, bits, base);
    if (admitted >= least) found.emplace_back(-admitted, std::string(info.name));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [admitted, name] : found) names.push_back(std::move(name));
  return names;
}

bool ConstantMayHave(absl::string_view predicate, uint64_t value, int bits, BaseType base) {
  return Holds(predicate, value, bits, base).value_or(true);
}

}  // namespace rewrought::ir
