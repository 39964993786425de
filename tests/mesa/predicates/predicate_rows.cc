#include "tests/mesa/predicates/predicate_rows.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_join.h"
#include "ir/dialect/nir26_predicates.h"
#include "ir/facts/predicate_meaning.h"

namespace rewrought {
namespace {

using ir::BaseType;
using ir::Dialect;

// Meanings that are not assumptions about the bits of one component. The comment on each names the file that defines
// it.
struct OtherMeaning {
  absl::string_view name;
  absl::string_view meaning;
};
constexpr OtherMeaning kOtherMeanings[] = {
    {"is_any_comp_nan", "some component is a NaN"},                      // verifier/rule_case.cc
    {"is_only_used_as_float", "every user reads the value as a float"},  // verifier/mesa/mesa_reading.h
    {"is_only_used_as_float_nsz", "every user reads a float and ignores the sign of a zero"},  // the same file
    {"no_signed_wrap", "the result does not overflow as a signed number"},                     // ir/op_row.h
    {"no_unsigned_wrap", "the result does not overflow as an unsigned number"},                // ir/op_row.h
    {"w_is_zero", "component w is a zero"},  // ir/dialect/nir26_predicates.h
    {"x_is_zero", "component x is a zero"},
    {"y_is_zero", "component y is a zero"},
    {"z_is_zero", "component z is a zero"},
    {"only_lower_16_bits_used", "no user reads a bit above the lowest 16 bits"},  // verifier/mesa/mesa_reading.h
    {"only_lower_8_bits_used", "no user reads a bit above the lowest 8 bits"},    // verifier/mesa/mesa_reading.h
};

absl::string_view KindName(ir::PredicateKind kind) {
  switch (kind) {
    case ir::PredicateKind::kConstant:
      return "constant";
    case ir::PredicateKind::kRange:
      return "range";
    case ir::PredicateKind::kStructural:
      return "structure";
    case ir::PredicateKind::kExpression:
      return "users";
    case ir::PredicateKind::kSharing:
      return "sharing";
  }
  return "";
}

void AddRows(Dialect dialect, const ir::PredicateInfo& info, std::vector<PredicateRow>* rows) {
  PredicateRow row;
  row.name = std::string(info.name);
  row.dialect = dialect;
  row.kind = info.kind;
  for (const OtherMeaning& other : kOtherMeanings) {
    if (other.name == info.name) row.meaning = std::string(other.meaning);
  }
  if (!row.meaning.empty()) {
    // Of these predicates, the comparison with Mesa's C code covers only this one.
    if (info.name == "is_any_comp_nan") row.types.assign(std::begin(kBaseTypes), std::end(kBaseTypes));
    rows->push_back(std::move(row));
    return;
  }
  const size_t first = rows->size();
  for (const BaseType type : kBaseTypes) {
    const std::string meaning = MeaningTextOf(dialect, info.name, type);
    if (meaning.empty()) continue;
    const auto found = std::find_if(rows->begin() + static_cast<std::ptrdiff_t>(first), rows->end(),
                                    [&](const PredicateRow& one) { return one.meaning == meaning; });
    if (found != rows->end()) {
      found->types.push_back(type);
      continue;
    }
    row.meaning = meaning;
    row.types = {type};
    rows->push_back(row);
  }
  if (rows->size() == first) rows->push_back(std::move(row));
}

}  // namespace

absl::string_view NameOf(BaseType type) {
  switch (type) {
    case BaseType::kFloat:
      return "float";
    case BaseType::kInt:
      return "int";
    case BaseType::kUint:
      return "uint";
    case BaseType::kBool:
      return "bool";
  }
  return "";
}

std::string TextOf(const PredicateRow& row) {
  std::vector<absl::string_view> types;
  for (const BaseType type : row.types) types.push_back(NameOf(type));
  return absl::StrJoin({row.name, std::string(ir::NameOf(row.dialect)), std::string(KindName(row.kind)),
                        types.empty() ? "-" : absl::StrJoin(types, " "), row.meaning.empty() ? "-" : row.meaning},
                       "\t");
}

std::vector<PredicateRow> KnownPredicateRows() {
  std::vector<PredicateRow> rows;
  for (const ir::PredicateInfo& info : ir::AllPredicates()) {
    if (!info.brought_by.empty()) continue;  // a predicate of this project, not of Mesa
    AddRows(Dialect::kNir25, info, &rows);
    if (!ir::IsPredicateGoneIn26(info.name)) AddRows(Dialect::kNir26, info, &rows);
  }
  for (const ir::PredicateInfo& info : ir::PredicatesNewIn26()) AddRows(Dialect::kNir26, info, &rows);
  std::stable_sort(rows.begin(), rows.end(), [](const PredicateRow& a, const PredicateRow& b) {
    return std::tie(a.dialect, a.name) < std::tie(b.dialect, b.name);
  });
  return rows;
}

std::string MeaningTextOf(Dialect dialect, absl::string_view predicate, BaseType type) {
  if (predicate == "is_not_const_zero") return std::string(ir::PredicateMeaningText("is_not_zero", type));
  return dialect == Dialect::kNir25 ? std::string(ir::PredicateMeaningText(predicate, type))
                                    : ir::PredicateMeaningTextIn26(predicate, type);
}

absl::StatusOr<ir::ValueIndex> BuildPredicate(ir::Dag* dag, Dialect dialect, absl::string_view predicate,
                                              ir::ValueIndex value, BaseType type, ReaderFlags flags) {
  if (predicate == "is_any_comp_nan") predicate = "is_nan";
  if (predicate == "is_not_const_zero") return ir::AssumePredicate(dag, "is_not_zero", value, type);
  if (dialect == Dialect::kNir25) return ir::AssumePredicate(dag, predicate, value, type);
  const bool is_float = type == BaseType::kFloat;  // other readers do not carry the flags
  const ir::PredicateReaders readers{dag->Literal(is_float && !flags.preserves_inf, 1),
                                     dag->Literal(is_float && !flags.preserves_nan, 1)};
  return ir::AssumePredicateIn26(dag, predicate, value, type, readers);
}

}  // namespace rewrought
