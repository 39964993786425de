// Integer comparisons and bit tests.
#include "absl/strings/str_cat.h"
#include "ir/ops/families.h"

namespace rewrought::ir::ops {
namespace {

void AppendComparisons(std::vector<OpRow>* rows) {
  const OpRow comparisons[] = {
      {.name = "ieq", .sources = {kI, kI}, .meaning = "(eq a b)", .properties = kCommutes},
      {.name = "ine", .sources = {kI, kI}, .meaning = "(not (eq a b))", .properties = kCommutes},
      {.name = "ilt", .sources = {kI, kI}, .meaning = "(slt a b)"},
      {.name = "ige", .sources = {kI, kI}, .meaning = "(sle b a)"},
      {.name = "ult", .sources = {kU, kU}, .meaning = "(ult a b)"},
      {.name = "uge", .sources = {kU, kU}, .meaning = "(ule b a)"},
      // The bit index is taken modulo the size.
      {.name = "bitnz", .sources = {kU, kU32}, .meaning = "(trunc 1 (lshr a (resize w (and b (sub w 1)))))"},
      {.name = "bitz", .sources = {kU, kU32}, .meaning = "(not (trunc 1 (lshr a (resize w (and b (sub w 1))))))"},
  };
  for (OpRow row : comparisons) {
    row.result = kB1;
    AppendInAllSizes(row, rows);
  }
}

void AppendReductions(int count, std::vector<OpRow>* rows) {
  std::string equal = "(and";
  for (int c = 0; c < count; ++c) absl::StrAppend(&equal, " (eq ", Component("a", c), " ", Component("b", c), ")");
  equal += ")";
  for (int bits : {1, 8, 16, 32}) {
    const std::string prefix = bits == 1 ? "b" : absl::StrCat("b", bits);
    const OperandType result = {BaseType::kBool, static_cast<uint8_t>(bits), 1};
    const std::vector<OperandType> sources(2, Vector(kI, count));
    rows->push_back({.name = absl::StrCat(prefix, "all_iequal", count),
                     .result = result,
                     .sources = sources,
                     .meaning = absl::StrCat("(sext ", bits, " ", equal, ")"),
                     .properties = kCommutes});
    rows->push_back({.name = absl::StrCat(prefix, "any_inequal", count),
                     .result = result,
                     .sources = sources,
                     .meaning = absl::StrCat("(sext ", bits, " (not ", equal, "))"),
                     .properties = kCommutes});
  }
}

}  // namespace

std::vector<OpRow> IntegerCompare() {
  std::vector<OpRow> rows;
  AppendComparisons(&rows);
  for (int count : kReducedComponents) AppendReductions(count, &rows);
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
