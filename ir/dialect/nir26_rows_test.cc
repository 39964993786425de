#include "ir/dialect/nir26_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/evaluate.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

// Returns the flags of each op of Mesa 26.2.0-rc1, and kExact if an instruction of the op may be exact.
std::map<std::string, uint8_t> FlagsOfTree() {
  std::map<std::string, uint8_t> flags;
  std::ifstream file("ir/dialect/testdata/nir26_flags.txt");
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "#")) continue;
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    uint8_t& of_op = flags[words[0]];
    for (size_t i = 1; i < words.size(); ++i)
      of_op |= words[i] == "nsz" ? kNoSignedZero : words[i] == "nnan" ? kNoNan : words[i] == "ninf" ? kNoInf : kExact;
  }
  return flags;
}

TEST(Nir26Rows, OpsAndFlagsAreThoseOfTheTree) {
  const std::map<std::string, uint8_t> tree = FlagsOfTree();
  ASSERT_GT(tree.size(), 400u);
  int known = 0;
  for (const auto& [name, flags] : tree) {
    const OpRow* row = FindOpIn26(name);
    EXPECT_FALSE(FindOp(name) != nullptr && row == nullptr) << name;
    if (row == nullptr) continue;
    ++known;
    EXPECT_EQ(FlagsOfOpIn26(*row), flags & kPermissions) << name;
    EXPECT_EQ(CanBeExactIn26(*row), (flags & kExact) != 0) << name;
  }
  EXPECT_GT(known, 350);
  for (const OpRow* row : AllOps()) {
    const bool of_nir = absl::StartsWith(row->reference, "Mesa 25.0.7 nir_opcodes.py");
    if (of_nir && !tree.contains(row->name)) {
      EXPECT_EQ(FindOpIn26(row->name), nullptr) << row->name;
    }
  }
}

TEST(Nir26Rows, EveryRowCanBeBuilt) {
  for (const OpRow& row : NewIn26()) EXPECT_TRUE(CheckRow(row).ok()) << row.name;
  for (const OpRow* row : AllOps()) EXPECT_TRUE(CheckRow(RowIn26(*row)).ok()) << row->name;
}

// Returns the value of the row's expression `term` on `operands`. The result has `bits` bits, and operands without a
// fixed size have `size` bits.
uint64_t ValueOf(const OpRow& row, const Expression& term, int size, int bits, const std::vector<uint64_t>& operands) {
  Dag dag;
  MeaningScope scope;
  scope.free_size = size;
  scope.result_size = row.result.bits != 0 ? row.result.bits : size;
  for (size_t k = 0; k < operands.size(); ++k) {
    const int width = row.sources[k].bits != 0 ? row.sources[k].bits : size;
    scope.sources.push_back({dag.InputNamed(std::string(1, static_cast<char>('a' + k)), width)});
  }
  const ValueIndex root = *BuildMeaning(&dag, term, scope, bits);
  Evaluator evaluator(&dag);
  evaluator.Start(operands, [](uint32_t) { return uint64_t{0}; });
  return evaluator.Evaluate(root);
}

// Returns the row's result for operands of `size` bits, without choices.
uint64_t ResultOf(const OpRow& row, int size, int result_size, const std::vector<uint64_t>& operands) {
  return ValueOf(row, (*MeaningOf(row))->meaning[0], size, result_size, operands);
}

struct Answer {
  const OpRow* row = nullptr;
  int size = 0;
  std::vector<uint64_t> operands;
  std::string result;
};

// Parses OP[@SIZE] OPERAND... = RESULT.
Answer ReadAnswer(absl::string_view text) {
  Answer answer;
  std::vector<std::string> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  const std::vector<std::string> name = absl::StrSplit(words[0], '@');
  answer.row = FindOpIn26(name[0]);
  if (name.size() > 1) {
    EXPECT_TRUE(absl::SimpleAtoi(name[1], &answer.size)) << text;
  }
  for (size_t i = 1; i + 2 < words.size(); ++i) {
    answer.operands.emplace_back();
    EXPECT_TRUE(absl::SimpleHexAtoi(words[i], &answer.operands.back())) << text;
  }
  answer.result = words.back();
  return answer;
}

std::string Evaluate(const Answer& answer) {
  const OpRow& row = *answer.row;
  const int bits = row.result.bits != 0 ? row.result.bits : answer.size;
  const RowMeaning& meaning = **MeaningOf(row);
  if (!meaning.poison.empty() && ValueOf(row, meaning.poison[0], answer.size, 1, answer.operands) != 0) return "poison";
  const uint64_t value = ResultOf(row, answer.size, bits, answer.operands);
  const SmallFloat small = SmallFloatOf(row);
  const bool is_nan =
      small != SmallFloat::kNone ? IsNan(value, small) : row.result.base == BaseType::kFloat && IsNan(value, bits);
  return is_nan ? "nan" : absl::StrCat("0x", absl::Hex(value, static_cast<absl::PadSpec>(bits / 4)));
}

TEST(Nir26Rows, HaveTheKnownAnswers) {
  std::ifstream file("ir/dialect/testdata/nir26_answers.txt");
  std::set<std::string> answered;
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "#")) continue;
    const size_t comment = line.find('#');
    ASSERT_NE(comment, std::string::npos) << line << ": no reason is given";
    const Answer answer = ReadAnswer(absl::StripAsciiWhitespace(line.substr(0, comment)));
    ASSERT_NE(answer.row, nullptr) << line;
    ASSERT_EQ(answer.operands.size(), answer.row->sources.size()) << line;
    EXPECT_EQ(Evaluate(answer), answer.result) << line;
    answered.insert(answer.row->name);
  }
  // The tests below cover the other new ops.
  for (const char* op : {"bf2f", "f2bf", "f2e4m3fn", "f2e4m3fn_sat", "f2e4m3fn_satfn", "f2e5m2", "f2e5m2_sat",
                         "e4m3fn2f", "e5m22f", "ffma_weak", "fsin_normalized_2_pi", "fcos_normalized_2_pi",
                         "ubitfield_extract", "ibitfield_extract", "bitfield_insert", "bitfield_reverse"}) {
    EXPECT_TRUE(answered.contains(op)) << op << " has no known answers";
  }
}

// Widening is exact, so narrowing the result must return the operand.
TEST(Nir26Rows, SmallFloatsSurviveWidening) {
  for (const auto& [widen, narrow, bits] :
       {std::tuple("bf2f", "f2bf", 16), std::tuple("e4m3fn2f", "f2e4m3fn", 8), std::tuple("e5m22f", "f2e5m2", 8)}) {
    const OpRow &wide = *FindOpIn26(widen), &small = *FindOpIn26(narrow);
    for (uint64_t x = 0; x < uint64_t{1} << bits; ++x) {
      const uint64_t y = ResultOf(wide, 0, 32, {x});
      ASSERT_EQ(IsNan(y, 32), IsNan(x, SmallFloatOf(small))) << widen << " " << x;
      if (!IsNan(y, 32)) {
        ASSERT_EQ(ResultOf(small, 0, bits, {y}), x) << widen;
      }
    }
  }
}

TEST(Nir26Rows, SaturatingConversionsClamp) {
  const auto convert = [](const char* op, int bits, float x) {
    return ResultOf(*FindOpIn26(op), 32, bits, {std::bit_cast<uint32_t>(x)});
  };
  EXPECT_EQ(convert("f2u8_sat", 8, 300.5f), 255u);
  EXPECT_EQ(convert("f2u8_sat", 8, -1.5f), 0u);
  EXPECT_EQ(convert("f2u8_sat", 8, 254.9f), 254u);
  EXPECT_EQ(convert("f2i8_sat", 8, -200.0f), 0x80u);
  EXPECT_EQ(convert("f2i8_sat", 8, 200.0f), 0x7fu);
  EXPECT_EQ(convert("f2i16_sat", 16, -1.9f), 0xffffu);
  EXPECT_EQ(convert("f2u32_sat", 32, __builtin_inff()), 0xffffffffu);
  EXPECT_EQ(convert("f2i32_sat", 32, -__builtin_inff()), 0x80000000u);
  EXPECT_EQ(convert("f2i32_sat", 32, __builtin_nanf("")), 0u);
  EXPECT_EQ(convert("f2i32_sat", 32, 2147483648.0f), 0x7fffffffu);
}

TEST(Nir26Rows, DivisionOfTheSmallestNumberByMinusOneIsZero) {
  for (const char* op : {"idiv", "irem", "imod"}) {
    const OpRow& row = RowIn26(*FindOp(op));
    EXPECT_EQ(row.poison, "");
    EXPECT_EQ(ResultOf(row, 32, 32, {0x80000000, 0xffffffff}), 0u) << op;
  }
  EXPECT_EQ(ResultOf(RowIn26(*FindOp("idiv")), 32, 32, {7, 0xfffffffe}), 0xfffffffdu);
}

// Returns whether two floats of `bits` bits are equal, both zeros, or both NaN.
bool AreEqualExceptForZeros(uint64_t x, uint64_t y, int bits) {
  const double a = BitsToFloat(x, bits), b = BitsToFloat(y, bits);
  return x == y || a == b || (std::isnan(a) && std::isnan(b));
}

// Calls `visit` once for each tuple of `count` elements of `values`, after storing the tuple in `operands`.
void ForEachOperands(const std::vector<uint64_t>& values, size_t count, std::vector<uint64_t>* operands,
                     const std::function<void()>& visit) {
  if (operands->size() == count) return visit();
  for (const uint64_t value : values) {
    operands->push_back(value);
    ForEachOperands(values, count, operands, visit);
    operands->pop_back();
  }
}

TEST(Nir26Rows, TheSignOfAZeroOperandAffectsOnlyZeros) {
  std::vector<const OpRow*> rows = AllOps();
  for (const OpRow& row : NewIn26()) rows.push_back(&row);
  std::set<std::string> insensitive, sensitive;
  for (const OpRow* of_op : rows) {
    const OpRow& row = RowIn26(*of_op);
    const bool is_float = row.result.base == BaseType::kFloat && (FlagsOfOpIn26(*of_op) & kNoSignedZero) != 0;
    if (!is_float || FindOpIn26(row.name) != of_op) continue;
    const int free_size = row.free_sizes.empty() ? 16 : row.free_sizes[0];
    const int size = row.sources[0].bits != 0 ? row.sources[0].bits : free_size;
    const int bits = row.result.bits != 0 ? row.result.bits : size;
    const bool has_same_sizes = std::all_of(row.sources.begin(), row.sources.end(), [&](const OperandType& source) {
      return source.components <= 1 && (source.bits == 0 ? free_size : source.bits) == size;
    });
    if (!has_same_sizes || !IsFloatWidth(size) || !IsFloatWidth(bits)) continue;
    std::vector<uint64_t> values;
    for (const double value :
         std::vector<double>{0.0, -0.0, 1.0, -1.0, 0.75, -2.5, 3.0, 6e-8, -6e-8, 65504.0, INFINITY, -INFINITY, NAN}) {
      values.push_back(FloatToBits(value, size));
    }
    const absl::StatusOr<const RowMeaning*> meaning = MeaningOf(row);
    ASSERT_TRUE(meaning.ok()) << row.name;
    const uint64_t sign = uint64_t{1} << (size - 1);
    bool differs = false;
    std::vector<uint64_t> operands;
    ForEachOperands(values, row.sources.size(), &operands, [&] {
      const uint64_t result = ValueOf(row, (*meaning)->meaning[0], size, bits, operands);
      for (size_t k = 0; k < operands.size() && !differs; ++k) {
        if ((operands[k] & ~sign) != 0 || row.sources[k].base != BaseType::kFloat) continue;
        std::vector<uint64_t> other = operands;
        for (uint64_t& operand : other) operand = operand == operands[k] ? operand ^ sign : operand;
        differs = !AreEqualExceptForZeros(result, ValueOf(row, (*meaning)->meaning[0], size, bits, other), bits);
      }
    });
    EXPECT_FALSE(differs && !ReadsSignOfZero(row)) << row.name;
    (differs ? sensitive : insensitive).insert(row.name);
  }
  for (const char* name : {"fadd", "fmul", "ffma", "flrp", "fmin", "fcsel", "ffmaz"})
    EXPECT_TRUE(insensitive.contains(name)) << name;
  for (const char* name : {"frcp", "fdiv"}) EXPECT_TRUE(sensitive.contains(name)) << name;
}

}  // namespace
}  // namespace rewrought::ir
