#include "ir/text/predicates.h"

#include <algorithm>
#include <iterator>

namespace rewrought::ir {
namespace {

// Sorted bytewise by name, for binary search.
constexpr PredicateInfo kPredicates[] = {
    {"is_16_bits", PredicateKind::kConstant},
    {"is_2x_16_bits", PredicateKind::kConstant},
    {"is_5lsb_not_zero", PredicateKind::kConstant},
    {"is_a_number", PredicateKind::kRange},
    {"is_a_number_ge_zero", PredicateKind::kRange},
    {"is_a_number_gt_zero", PredicateKind::kRange},
    {"is_a_number_le_zero", PredicateKind::kRange},
    {"is_a_number_lt_zero", PredicateKind::kRange},
    {"is_a_number_ne_zero", PredicateKind::kRange},
    {"is_a_number_not_negative", PredicateKind::kRange},
    {"is_a_number_not_positive", PredicateKind::kRange},
    {"is_a_number_not_zero", PredicateKind::kRange},
    {"is_any_comp_nan", PredicateKind::kConstant},
    {"is_bitcount2", PredicateKind::kConstant},
    {"is_const_bitmask", PredicateKind::kConstant},
    {"is_finite", PredicateKind::kRange},
    {"is_finite_not_zero", PredicateKind::kRange},
    {"is_first_5_bits_uge_2", PredicateKind::kConstant},
    {"is_fmul", PredicateKind::kStructural},
    {"is_ge_zero", PredicateKind::kRange},
    {"is_gt_0_and_lt_1", PredicateKind::kConstant},
    {"is_gt_zero", PredicateKind::kRange},
    {"is_integral", PredicateKind::kRange},
    {"is_le_zero", PredicateKind::kRange},
    {"is_lower_half_negative_one", PredicateKind::kConstant},
    {"is_lower_half_zero", PredicateKind::kConstant},
    {"is_lt_zero", PredicateKind::kRange},
    {"is_nan", PredicateKind::kConstant},
    {"is_ne_zero", PredicateKind::kRange},
    {"is_neg2x_16_bits", PredicateKind::kConstant},
    {"is_neg_power_of_two", PredicateKind::kConstant},
    {"is_negative_zero", PredicateKind::kConstant},
    {"is_not_const", PredicateKind::kStructural},
    {"is_not_const_and_not_fsign", PredicateKind::kStructural},
    {"is_not_const_zero", PredicateKind::kStructural},
    {"is_not_fmul", PredicateKind::kStructural},
    {"is_not_negative", PredicateKind::kRange},
    {kNotOnlyUsedByFadd, PredicateKind::kExpression, "readers.c"},
    {"is_not_positive", PredicateKind::kRange},
    {"is_not_used_by_if", PredicateKind::kExpression},
    {kNotUsedForPosition, PredicateKind::kExpression, "positions.c"},
    {"is_not_zero", PredicateKind::kRange},
    {"is_odd", PredicateKind::kConstant},
    {"is_only_used_as_float", PredicateKind::kExpression},
    {"is_only_used_by_fadd", PredicateKind::kExpression},
    {"is_only_used_by_iadd", PredicateKind::kExpression},
    {"is_only_used_by_iand", PredicateKind::kExpression},
    {"is_only_used_by_if", PredicateKind::kExpression},
    {"is_only_used_by_ior", PredicateKind::kExpression},
    {"is_pos_power_of_two", PredicateKind::kConstant},
    {kSharedWithOuter, PredicateKind::kSharing, "sharing.c"},
    {kSharedWithSecondOuter, PredicateKind::kSharing, "sharing.c"},
    {"is_ult_0xfffc07fc", PredicateKind::kConstant},
    {"is_ult_32", PredicateKind::kConstant},
    {"is_unsigned_multiple_of_16", PredicateKind::kConstant},
    {"is_unsigned_multiple_of_2", PredicateKind::kConstant},
    {"is_unsigned_multiple_of_32", PredicateKind::kConstant},
    {"is_unsigned_multiple_of_4", PredicateKind::kConstant},
    {"is_unsigned_multiple_of_64", PredicateKind::kConstant},
    {"is_unsigned_multiple_of_8", PredicateKind::kConstant},
    {"is_upper_half_negative_one", PredicateKind::kConstant},
    {"is_upper_half_zero", PredicateKind::kConstant},
    {"is_used_by_if", PredicateKind::kExpression},
    {"is_used_by_non_fsat", PredicateKind::kExpression},
    {kUsedForPosition, PredicateKind::kExpression, "positions.c"},
    {"is_used_once", PredicateKind::kExpression},
    {"is_zero_to_one", PredicateKind::kConstant},
    {"no_signed_wrap", PredicateKind::kExpression},
    {"no_unsigned_wrap", PredicateKind::kExpression},
    {"only_lower_16_bits_used", PredicateKind::kExpression},
    {"only_lower_8_bits_used", PredicateKind::kExpression},
};

// Predicates that Mesa 26 adds. Sorted by name.
constexpr PredicateInfo kNewIn26[] = {
    {"can_add_output_modifier", PredicateKind::kStructural},
    {"cannot_add_output_modifier", PredicateKind::kStructural},
    {"has_multiple_uses", PredicateKind::kStructural},
    {"is_a_number_ge_pos_one", PredicateKind::kRange},
    {"is_a_number_gt_0_and_lt_1", PredicateKind::kRange},
    {"is_a_number_le_pos_one", PredicateKind::kRange},
    {"is_a_number_not_negative_or_negative_zero", PredicateKind::kRange},
    {"is_a_number_zero_to_one", PredicateKind::kRange},
    {"is_const_bfm", PredicateKind::kConstant},
    {"is_created_as_float", PredicateKind::kStructural},
    {"is_ge_pos_one", PredicateKind::kRange},
    {"is_integral_not_negative", PredicateKind::kRange},
    {"is_le_pos_one", PredicateKind::kRange},
    {"is_not_negative_or_negative_zero", PredicateKind::kRange},
    {"is_not_uint_max", PredicateKind::kConstant},
    {"is_not_uint_zero", PredicateKind::kConstant},
    {"is_only_used_as_float_nsz", PredicateKind::kExpression},
    {"is_representable_as_f16", PredicateKind::kConstant},
    {"is_undef", PredicateKind::kStructural},
    {"is_used_by_non_ldc_nv", PredicateKind::kExpression},
    {"w_is_zero", PredicateKind::kConstant},
    {"x_is_zero", PredicateKind::kConstant},
    {"xz_components_unused", PredicateKind::kExpression},
    {"y_is_zero", PredicateKind::kConstant},
    {"z_is_zero", PredicateKind::kConstant},
};

constexpr absl::string_view kGoneIn26[] = {
    "is_a_number_ge_zero", "is_a_number_le_zero", "is_a_number_ne_zero", "is_ge_zero",
    "is_le_zero",          "is_ne_zero",          "is_negative_zero",    kIgnoreExact,
};

constexpr absl::string_view kFloatConstants[] = {"is_any_comp_nan",  "is_gt_0_and_lt_1",        "is_nan",
                                                 "is_negative_zero", "is_representable_as_f16", "is_zero_to_one"};

template <size_t kCount>
constexpr bool IsSorted(const PredicateInfo (&rows)[kCount]) {
  for (size_t i = 1; i < kCount; ++i) {
    if (!(rows[i - 1].name < rows[i].name)) return false;
  }
  return true;
}
static_assert(IsSorted(kPredicates) && IsSorted(kNewIn26));

template <size_t kCount>
const PredicateInfo* Find(const PredicateInfo (&rows)[kCount], absl::string_view name) {
  const auto* found = std::lower_bound(std::begin(rows), std::end(rows), name,
                                       [](const PredicateInfo& row, absl::string_view key) { return row.name < key; });
  return found != std::end(rows) && found->name == name ? found : nullptr;
}

}  // namespace

absl::Span<const PredicateInfo> AllPredicates() { return kPredicates; }

absl::Span<const PredicateInfo> PredicatesNewIn26() { return kNewIn26; }

const PredicateInfo* FindPredicate(absl::string_view name) {
  const PredicateInfo* found = Find(kPredicates, name);
  return found != nullptr ? found : Find(kNewIn26, name);
}

bool IsPreserveFlag(absl::string_view name) {
  return name == kPreserveSz || name == kPreserveNanInf || name == kPreserveNanInfSz;
}

bool IsPredicateNewIn26(absl::string_view name) {
  return Find(kNewIn26, name) != nullptr || name == kContract || IsPreserveFlag(name);
}

bool IsPredicateGoneIn26(absl::string_view name) {
  return std::find(std::begin(kGoneIn26), std::end(kGoneIn26), name) != std::end(kGoneIn26);
}

bool IsFloatConstantPredicate(absl::string_view name) {
  return std::find(std::begin(kFloatConstants), std::end(kFloatConstants), name) != std::end(kFloatConstants);
}

bool IsRangePredicate(absl::string_view name) {
  const PredicateInfo* info = FindPredicate(name);
  return info != nullptr && info->kind == PredicateKind::kRange;
}

}  // namespace rewrought::ir
