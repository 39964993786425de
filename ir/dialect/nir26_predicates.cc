#include "ir/dialect/nir26_predicates.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/meaning.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

struct Row {
  absl::string_view name;
  absl::string_view meaning;  // over variable `a`
};

// The conditions that the sets of classes impose on numbers. A predicate also allows NaN unless its name contains
// "a_number" or "finite". A set without zeros excludes denormals, because the analysis adds a zero for each value that
// may be a denormal (nir_range_analysis.c:152-170).
constexpr Row kClasses[] = {
    {"lt_zero", "(and (flt a (f 0.0)) (not (isdenorm a)))"},
    {"gt_zero", "(and (flt (f 0.0) a) (not (isdenorm a)))"},
    {"not_positive", "(fle a (f 0.0))"},
    {"not_negative", "(fle (f 0.0) a)"},
    {"not_negative_or_negative_zero", "(and (fle (f 0.0) a) (not (eq a (signbit))))"},
    {"not_zero", "(and (not (iszero a)) (not (isdenorm a)))"},
    {"zero_to_one", "(and (fle (f 0.0) a) (fle a (f 1.0)))"},
    {"le_pos_one", "(fle a (f 1.0))"},
    {"ge_pos_one", "(fle (f 1.0) a)"},
    {"gt_0_and_lt_1", "(and (flt (f 0.0) a) (flt a (f 1.0)) (not (isdenorm a)))"},
    {"integral", "(or (isinf a) (feq a (ftrunc a)))"},
    {"integral_not_negative", "(and (or (isinf a) (feq a (ftrunc a))) (fle (f 0.0) a))"},
};

constexpr Row kNumbers[] = {
    {"is_a_number", "(not (isnan a))"},
    {"is_finite", "(and (not (isnan a)) (not (isinf a)))"},
    {"is_finite_not_zero", "(and (not (isnan a)) (not (isinf a)) (not (iszero a)) (not (isdenorm a)))"},
};

// Predicates of constants that Mesa 26 adds.
constexpr Row kConstants[] = {
    {"is_not_uint_max", "(not (eq a -1))"},
    {"is_not_uint_zero", "(not (eq a 0))"},
    {"is_const_bfm", "(and (not (eq a 0)) (not (eq a -1)) (eq (and (add a (and a (neg a))) a) 0))"},
};

template <size_t kCount>
absl::string_view Find(const Row (&rows)[kCount], absl::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return row.meaning;
  }
  return "";
}

// Returns the meaning of a predicate that uses classes, or "".
std::string ClassMeaning(absl::string_view predicate) {
  if (const absl::string_view meaning = Find(kNumbers, predicate); !meaning.empty()) return std::string(meaning);
  absl::string_view name = predicate;
  if (absl::ConsumePrefix(&name, "is_a_number_")) {
    const absl::string_view meaning = Find(kClasses, name);
    return meaning.empty() ? "" : absl::StrCat("(and (not (isnan a)) ", meaning, ")");
  }
  if (!absl::ConsumePrefix(&name, "is_")) return "";
  const absl::string_view meaning = Find(kClasses, name);
  return meaning.empty() ? "" : absl::StrCat("(or (isnan a) ", meaning, ")");
}

absl::StatusOr<ValueIndex> Build(Dag* dag, absl::string_view predicate, absl::string_view meaning, ValueIndex value) {
  absl::StatusOr<std::vector<Expression>> terms = ParseMeaning(meaning);
  if (!terms.ok()) return terms.status();
  MeaningScope scope;
  scope.free_size = scope.result_size = dag->at(value).width;
  scope.sources = {{value}};
  absl::StatusOr<ValueIndex> built = BuildMeaning(dag, terms->front(), scope, 1);
  if (built.ok()) return built;
  return absl::InvalidArgumentError(
      absl::StrCat("predicate ", predicate, " does not fit ", scope.free_size, " bits: ", built.status().message()));
}

}  // namespace

bool DependsOnReaderIn26(absl::string_view predicate) { return !ClassMeaning(predicate).empty(); }

std::string PredicateMeaningTextIn26(absl::string_view predicate, BaseType base) {
  if (const absl::string_view meaning = Find(kConstants, predicate); !meaning.empty()) return std::string(meaning);
  const std::string meaning = ClassMeaning(predicate);
  return meaning.empty() ? std::string(PredicateMeaningText(predicate, base)) : meaning;
}

std::optional<int> ComponentThatIsZero(absl::string_view predicate) {
  constexpr absl::string_view kComponents = "xyzw";
  if (predicate.empty() || predicate.substr(1) != "_is_zero") return std::nullopt;
  const size_t component = kComponents.find(predicate[0]);
  return component == absl::string_view::npos ? std::nullopt : std::optional(static_cast<int>(component));
}

absl::StatusOr<ValueIndex> AssumePredicateIn26(Dag* dag, absl::string_view predicate, ValueIndex value, BaseType base,
                                               const PredicateReaders& readers) {
  if (const absl::string_view meaning = Find(kConstants, predicate); !meaning.empty())
    return Build(dag, predicate, meaning, value);
  const std::string meaning = ClassMeaning(predicate);
  if (meaning.empty()) return AssumePredicate(dag, predicate, value, base);
  if (!IsFloatWidth(dag->at(value).width)) return dag->Literal(1, 1);
  absl::StatusOr<ValueIndex> holds = Build(dag, predicate, meaning, value);
  if (!holds.ok()) return holds;
  const ValueIndex ignored = dag->Or(dag->And(readers.lacks_inf, dag->Truth(Primitive::kIsinf, value)),
                                     dag->And(readers.lacks_nan, dag->Truth(Primitive::kIsnan, value)));
  return dag->Or(*holds, ignored);
}

}  // namespace rewrought::ir
