// Float comparisons. All of them flush their sources like arithmetic ops.
#include "absl/strings/str_cat.h"
#include "ir/ops/families.h"

namespace rewrought::ir::ops {
namespace {

void AppendComparisons(std::vector<OpRow>* rows) {
  const OpRow comparisons[] = {
      {.name = "flt", .meaning = "(flt a b)"},
      {.name = "fge", .meaning = "(fle b a)"},
      {.name = "feq", .meaning = "(feq a b)", .properties = kCommutes},
      {.name = "fneu", .meaning = "(not (feq a b))", .properties = kCommutes},
      {.name = "fltu", .meaning = "(not (fle b a))"},
      {.name = "fgeu", .meaning = "(not (flt a b))"},
      {.name = "fequ", .meaning = "(or (isnan a) (isnan b) (feq a b))", .properties = kCommutes},
      {.name = "fneo", .meaning = "(or (flt a b) (flt b a))", .properties = kCommutes},
      {.name = "ford", .meaning = "(not (or (isnan a) (isnan b)))", .properties = kCommutes},
      {.name = "funord", .meaning = "(or (isnan a) (isnan b))", .properties = kCommutes},
  };
  for (OpRow row : comparisons) {
    row.result = kB1;
    row.sources = {kF, kF};
    row.contract = kArithmetic;
    AppendInAllSizes(row, rows);
  }
}

// Appends comparisons that return 1.0 or 0.0 at the sources' size, for hardware without integers.
void AppendSets(std::vector<OpRow>* rows) {
  const OpRow sets[] = {
      {.name = "slt", .meaning = "(ite (flt a b) (f 1.0) (f 0.0))"},
      {.name = "sge", .meaning = "(ite (fle b a) (f 1.0) (f 0.0))"},
      {.name = "seq", .meaning = "(ite (feq a b) (f 1.0) (f 0.0))", .properties = kCommutes},
      {.name = "sne", .meaning = "(ite (feq a b) (f 0.0) (f 1.0))", .properties = kCommutes},
  };
  for (OpRow row : sets) {
    row.result = kF;
    row.sources = {kF, kF};
    row.contract = kArithmetic;
    rows->push_back(row);
  }
}

void AppendClassifications(std::vector<OpRow>* rows) {
  const char* const finite = "(not (or (isnan a) (isinf a)))";
  rows->push_back({.name = "fisfinite", .result = kB1, .sources = {kF}, .contract = kArithmetic, .meaning = finite});
  rows->push_back({.name = "fisfinite32",
                   .result = kB32,
                   .sources = {kF},
                   .contract = kArithmetic,
                   .meaning = absl::StrCat("(sext 32 ", finite, ")")});
  rows->push_back({.name = "fisnormal",
                   .result = kB1,
                   .sources = {kF},
                   .contract = kArithmetic,
                   .meaning = "(not (or (isnan a) (isinf a) (iszero a) (isdenorm a)))"});
}

// Appends the reductions over `count` components. The ...all_fequal and ...any_fnequal ops return either a bool or a
// float (1.0 for true, 0.0 for false).
void AppendReductions(int count, std::vector<OpRow>* rows) {
  std::string equal = "(and";
  for (int c = 0; c < count; ++c) absl::StrAppend(&equal, " (feq ", Component("a", c), " ", Component("b", c), ")");
  equal += ")";
  const std::string differs = absl::StrCat("(not ", equal, ")");
  const OperandType source = Vector(kF, count), narrow = Vector(kF32, count);
  for (int bits : {1, 8, 16, 32}) {
    const std::string prefix = bits == 1 ? "b" : absl::StrCat("b", bits);
    const OperandType result = {BaseType::kBool, static_cast<uint8_t>(bits), 1};
    rows->push_back({.name = absl::StrCat(prefix, "all_fequal", count),
                     .result = result,
                     .sources = {source, source},
                     .contract = kArithmetic,
                     .meaning = absl::StrCat("(sext ", bits, " ", equal, ")"),
                     .properties = kCommutes});
    rows->push_back({.name = absl::StrCat(prefix, "any_fnequal", count),
                     .result = result,
                     .sources = {source, source},
                     .contract = kArithmetic,
                     .meaning = absl::StrCat("(sext ", bits, " ", differs, ")"),
                     .properties = kCommutes});
  }
  rows->push_back({.name = absl::StrCat("fall_equal", count),
                   .result = Vector(kF32, 1),
                   .sources = {narrow, narrow},
                   .contract = kArithmetic,
                   .meaning = absl::StrCat("(ite ", equal, " (f 1.0) (f 0.0))"),
                   .properties = kCommutes});
  rows->push_back({.name = absl::StrCat("fany_nequal", count),
                   .result = Vector(kF32, 1),
                   .sources = {narrow, narrow},
                   .contract = kArithmetic,
                   .meaning = absl::StrCat("(ite ", equal, " (f 0.0) (f 1.0))"),
                   .properties = kCommutes});
}

}  // namespace

std::vector<OpRow> FloatCompare() {
  std::vector<OpRow> rows;
  AppendComparisons(&rows);
  AppendSets(&rows);
  AppendClassifications(&rows);
  for (int count : kReducedComponents) AppendReductions(count, &rows);
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
