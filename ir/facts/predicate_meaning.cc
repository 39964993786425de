// Every row is taken from the function of that name in Mesa 25.0.7, src/compiler/nir/nir_search_helpers.h. Range
// predicates use nir_range_analysis.h, whose ranges do not exclude NaN, so they admit NaN unless the name contains
// "a_number". In that analysis, is_finite means "known to be a finite number". is_integral is interpreted weakly: it
// admits NaN and infinities.
#include "ir/facts/predicate_meaning.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/meaning.h"

namespace rewrought::ir {
namespace {

struct PredicateRow {
  absl::string_view name;
  absl::string_view meaning;           // over variable `a`
  absl::string_view unsigned_meaning;  // for operands of type uint; if empty, `meaning` applies
};

constexpr PredicateRow kRows[] = {
    // Predicates of constants.
    {"is_pos_power_of_two", "(and (slt 0 a) (eq (and a (sub a 1)) 0))",
     "(and (not (eq a 0)) (eq (and a (sub a 1)) 0))"},
    {"is_neg_power_of_two", "(and (slt a 0) (not (eq a (signbit))) (eq (and (neg a) (sub (neg a) 1)) 0))", ""},
    {"is_bitcount2", "(let b (and a (sub a 1)) (and (not (eq a 0)) (not (eq b 0)) (eq (and b (sub b 1)) 0)))", ""},
    {"is_nan", "(isnan a)", ""},
    // The NaN may be in another component, so nothing is assumed here. verifier/rule_case.cc assumes that some
    // component is a NaN.
    {"is_any_comp_nan", "(eq a a)", ""},
    {"is_negative_zero", "(eq a (signbit))", ""},
    {"is_unsigned_multiple_of_2", "(eq (and a 1) 0)", ""},
    {"is_unsigned_multiple_of_4", "(eq (and a 3) 0)", ""},
    {"is_unsigned_multiple_of_8", "(eq (and a 7) 0)", ""},
    {"is_unsigned_multiple_of_16", "(eq (and a 15) 0)", ""},
    {"is_unsigned_multiple_of_32", "(eq (and a 31) 0)", ""},
    {"is_unsigned_multiple_of_64", "(eq (and a 63) 0)", ""},
    {"is_zero_to_one", "(and (fle (f 0.0) a) (fle a (f 1.0)))", ""},
    {"is_gt_0_and_lt_1", "(and (flt (f 0.0) a) (flt a (f 1.0)))", ""},
    {"is_odd", "(eq (and a 1) 1)", ""},
    // Mesa compares at 64 bits, so every value that is too narrow to reach the constant passes.
    {"is_ult_32", "(by_width (1 (eq a a)) (else (ult a 32)))", ""},
    {"is_ult_0xfffc07fc", "(by_width (32 (ult a 0xfffc07fc)) (64 (ult a 0xfffc07fc)) (else (eq a a)))", ""},
    {"is_first_5_bits_uge_2", "(ule 2 (and a 31))", ""},
    {"is_5lsb_not_zero", "(not (eq (and a 31) 0))", ""},
    {"is_upper_half_zero",
     "(by_width (64 (eq (lshr a 32) 0)) (32 (eq (lshr a 16) 0)) (16 (eq (lshr a 8) 0)) (8 (eq (lshr a 4) 0)))", ""},
    {"is_lower_half_zero",
     "(by_width (64 (eq (shl a 32) 0)) (32 (eq (shl a 16) 0)) (16 (eq (shl a 8) 0)) (8 (eq (shl a 4) 0)))", ""},
    {"is_upper_half_negative_one",
     "(by_width (64 (eq (ashr a 32) -1)) (32 (eq (ashr a 16) -1)) (16 (eq (ashr a 8) -1)) (8 (eq (ashr a 4) -1)))", ""},
    {"is_lower_half_negative_one",
     "(by_width (64 (eq (trunc 32 a) -1)) (32 (eq (trunc 16 a) -1)) (16 (eq (trunc 8 a) -1)) (8 (eq (trunc 4 a) -1)))",
     ""},
    {"is_const_bitmask", "(and (not (eq a -1)) (eq (and a (add a 1)) 0))", ""},
    // Each component, multiplied by the factor in the predicate's name, fits in int16 or uint16.
    {"is_16_bits", "(let v (by_width (64 a) (else (sext 64 a))) (and (sle v 0xffff) (sle -32768 v)))", ""},
    {"is_2x_16_bits",
     "(let v (by_width (64 (mul 2 a)) (else (mul 2 (sext 64 a)))) (and (sle v 0xffff) (sle -32768 v)))", ""},
    {"is_neg2x_16_bits",
     "(let v (by_width (64 (mul -2 a)) (else (mul -2 (sext 64 a)))) (and (sle v 0xffff) (sle -32768 v)))", ""},
    // Range predicates.
    {"is_integral", "(or (isnan a) (feq a (ftrunc a)))", ""},
    {"is_finite", "(and (not (isnan a)) (not (isinf a)))", ""},
    {"is_finite_not_zero", "(and (not (isnan a)) (not (isinf a)) (not (iszero a)))", ""},
    {"is_lt_zero", "(or (isnan a) (flt a (f 0.0)))", ""},
    {"is_le_zero", "(or (isnan a) (fle a (f 0.0)))", ""},
    {"is_gt_zero", "(or (isnan a) (flt (f 0.0) a))", ""},
    {"is_ge_zero", "(or (isnan a) (fle (f 0.0) a))", ""},
    {"is_ne_zero", "(not (iszero a))", ""},
    {"is_eq_zero", "(iszero a)", ""},
    {"is_not_negative", "(or (isnan a) (fle (f 0.0) a))", ""},
    {"is_not_positive", "(or (isnan a) (fle a (f 0.0)))", ""},
    {"is_not_zero", "(not (iszero a))", ""},
    {"is_a_number", "(not (isnan a))", ""},
    {"is_a_number_not_negative", "(fle (f 0.0) a)", ""},
    {"is_a_number_not_positive", "(fle a (f 0.0))", ""},
    {"is_a_number_not_zero", "(and (not (isnan a)) (not (iszero a)))", ""},
    {"is_a_number_lt_zero", "(flt a (f 0.0))", ""},
    {"is_a_number_le_zero", "(fle a (f 0.0))", ""},
    {"is_a_number_gt_zero", "(flt (f 0.0) a)", ""},
    {"is_a_number_ge_zero", "(fle (f 0.0) a)", ""},
};

// The range predicates of a value that is read as an integer: analyze_constant in nir_range_analysis.c compares such a
// value with 0 as a signed or unsigned number. Predicates without an entry assume nothing about integers.
struct IntegerRangeRow {
  absl::string_view name;
  absl::string_view signed_meaning;
  absl::string_view unsigned_meaning;
};

// The analysis classifies every comparison result as le_zero, even if a user reads the result as unsigned and sees 0 or
// all ones (nir_range_analysis.c:1211-1224).
constexpr IntegerRangeRow kIntegerRanges[] = {
    {"is_lt_zero", "(slt a 0)", "(ult a 0)"},
    {"is_le_zero", "(sle a 0)", "(or (eq a 0) (eq a -1))"},
    {"is_gt_zero", "(slt 0 a)", "(ult 0 a)"},
    {"is_ge_zero", "(sle 0 a)", "(ule 0 a)"},
    {"is_ne_zero", "(not (eq a 0))", "(not (eq a 0))"},
    {"is_eq_zero", "(eq a 0)", "(eq a 0)"},
    {"is_not_negative", "(sle 0 a)", "(ule 0 a)"},
    {"is_not_positive", "(sle a 0)", "(or (eq a 0) (eq a -1))"},
    {"is_not_zero", "(not (eq a 0))", "(not (eq a 0))"},
};

// Returns the predicate's meaning for operands of type `base`, or "" if it assumes nothing about them.
absl::string_view MeaningFor(const PredicateRow& row, BaseType base, bool is_range) {
  if (base == BaseType::kFloat) return row.meaning;
  if (!is_range) return base == BaseType::kUint && !row.unsigned_meaning.empty() ? row.unsigned_meaning : row.meaning;
  for (const IntegerRangeRow& integer : kIntegerRanges) {
    if (integer.name == row.name) return base == BaseType::kUint ? integer.unsigned_meaning : integer.signed_meaning;
  }
  return "";
}

const PredicateRow* FindRow(absl::string_view name) {
  for (const PredicateRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

bool PredicateAssumesSomething(absl::string_view predicate) { return FindRow(predicate) != nullptr; }

std::string PredicateRowsText() {
  std::string text;
  for (const PredicateRow& row : kRows)
    absl::StrAppend(&text, row.name, "\n", row.meaning, "\n", row.unsigned_meaning, "\n");
  for (const IntegerRangeRow& row : kIntegerRanges) {
    absl::StrAppend(&text, row.name, " of integers\n", row.signed_meaning, "\n", row.unsigned_meaning, "\n");
  }
  return text;
}

absl::string_view PredicateMeaningText(absl::string_view predicate, BaseType base) {
  const PredicateRow* row = FindRow(predicate);
  if (row == nullptr) return "";
  const bool is_range = row >= FindRow("is_integral");  // range predicates are the last rows of kRows
  return MeaningFor(*row, base, is_range);
}

absl::StatusOr<ValueIndex> AssumePredicate(Dag* dag, absl::string_view predicate, ValueIndex value, BaseType base) {
  const absl::string_view meaning = PredicateMeaningText(predicate, base);
  if (meaning.empty()) return dag->Literal(1, 1);
  absl::StatusOr<std::vector<Expression>> terms = ParseMeaning(meaning);
  if (!terms.ok()) return terms.status();
  MeaningScope scope;
  scope.free_size = scope.result_size = dag->at(value).width;
  scope.sources = {{value}};
  absl::StatusOr<ValueIndex> assumed = BuildMeaning(dag, terms->front(), scope, 1);
  if (!assumed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("predicate ", predicate, " does not fit ", scope.free_size,
                                                   " bits: ", assumed.status().message()));
  }
  return assumed;
}

}  // namespace rewrought::ir
