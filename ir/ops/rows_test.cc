// Checks that the table of rows is well formed and complete and that its commutativity flags are correct. Compares
// integer rows with host arithmetic on all pairs of 8-bit values, and ldexp and frexp with the host's C library.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/evaluate.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

Term TermOf(const OpRow& row, int size) {
  Term term;
  Node node;
  node.kind = NodeKind::kOp;
  node.op = &row;
  node.bits = static_cast<uint8_t>(row.result.bits ? row.result.bits : size);
  node.components = std::max<uint8_t>(1, row.result.components);
  for (size_t k = 0; k < row.sources.size(); ++k) {
    Node variable;
    variable.name = std::string(1, static_cast<char>('a' + k));
    variable.bits = static_cast<uint8_t>(row.sources[k].bits ? row.sources[k].bits : size);
    variable.components = std::max<uint8_t>(1, row.sources[k].components);
    term.nodes.push_back(variable);
    node.sources.push_back({static_cast<NodeIndex>(k), kIdentitySwizzle});
  }
  term.nodes.push_back(node);
  term.root = static_cast<NodeIndex>(term.nodes.size() - 1);
  return term;
}

class OneOp {
 public:
  OneOp(const OpRow& row, int size, DenormMode mode = DenormMode::kPreserve) : arity_(row.sources.size()) {
    const absl::StatusOr<ChoiceTerm> lowered = LowerWithChoices(&dag_, TermOf(row, size), mode, 0);
    EXPECT_TRUE(lowered.ok()) << lowered.status().message();
    term_ = *lowered;
    for (size_t k = 0; k < arity_; ++k) {
      const std::string name(1, static_cast<char>('a' + k));
      for (int c = 0; c < std::max<int>(1, row.sources[k].components); ++c) {
        const ValueIndex input = dag_.InputNamed(row.sources[k].components > 1 ? absl::StrCat(name, ".", c) : name,
                                                 row.sources[k].bits ? row.sources[k].bits : size);
        slots_.push_back(dag_.at(input).immediate);
      }
    }
  }

  AllowedSet Allowed(const std::vector<uint64_t>& sources) {
    std::vector<uint64_t> inputs(dag_.inputs().size());
    for (size_t i = 0; i < slots_.size(); ++i) inputs[slots_[i]] = sources[i];
    return AllowedResults(dag_, term_, inputs, 16);
  }
  size_t source_values() const { return slots_.size(); }
  int WidthOf(size_t value) const { return dag_.inputs()[slots_[value]].width; }

 private:
  size_t arity_;
  Dag dag_;
  ChoiceTerm term_;
  std::vector<size_t> slots_;
};

TEST(Rows, AreWellFormed) {
  std::string previous;
  for (const OpRow* row : AllOps()) {
    EXPECT_LT(previous, row->name);
    previous = row->name;
    EXPECT_EQ(FindOp(row->name), row);
    const absl::Status status = CheckRow(*row);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(absl::StartsWith(row->reference, "Mesa 25.0.7 nir_opcodes.py ")) << row->name;
    EXPECT_EQ((row->properties & kApproximate) != 0, absl::StrContains(row->meaning, "(approx ")) << row->name;
    // Only arithmetic can round a smaller value up to the smallest normal, and only a float result has a signed zero.
    EXPECT_FALSE(!row->tiny.empty() && row->contract == Contract::kBits) << row->name;
    EXPECT_FALSE(!row->free_zero.empty() && row->result.base != BaseType::kFloat) << row->name;
  }
  EXPECT_EQ(FindOp("fad"), nullptr);
  EXPECT_EQ(FindOp(""), nullptr);
  EXPECT_EQ(FindOp("zzz"), nullptr);
}

// Returns a value biased toward corner cases.
uint64_t Draw(std::mt19937_64& random, int width) {
  const uint64_t value = random();
  if (!IsFloatWidth(width) || value % 4 == 0) return random() & MaskOf(width);
  const FloatFormat format = FormatOf(width);
  const uint64_t magnitudes[] = {0, 1, format.smallest_normal(), format.one(), format.infinity(), format.quiet_nan()};
  return magnitudes[(value >> 8) % 6] | ((value >> 16) & 1 ? format.sign() : 0);
}

TEST(Rows, CommutativeOnesAllowTheSameWithTheirSourcesSwapped) {
  std::mt19937_64 random(1);
  int rows = 0;
  for (const OpRow* row : AllOps()) {
    if (!(row->properties & kCommutative)) continue;
    ++rows;
    ASSERT_GE(row->sources.size(), 2u) << row->name;
    EXPECT_EQ(row->sources[0], row->sources[1]) << row->name;
    const size_t components = std::max<size_t>(1, row->sources[0].components);
    for (int size : FreeSizesOf(*row)) {
      OneOp op(*row, size);
      for (int trial = 0; trial < 200; ++trial) {
        std::vector<uint64_t> sources;
        for (size_t i = 0; i < op.source_values(); ++i) sources.push_back(Draw(random, op.WidthOf(i)));
        std::vector<uint64_t> swapped = sources;
        for (size_t c = 0; c < components; ++c) std::swap(swapped[c], swapped[components + c]);
        ASSERT_EQ(op.Allowed(sources).results, op.Allowed(swapped).results) << row->name << "@" << size;
      }
    }
  }
  EXPECT_GT(rows, 100);
}

struct HostOp {
  const char* name;
  std::function<int(int a, int b)> signed_result;  // takes sign-extended operands; if unset, unsigned_result applies
  std::function<int(int a, int b)> unsigned_result;
};

int Clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }
int FloorDivide(int x, int y) { return x >= 0 ? x / y : -((-x + y - 1) / y); }

TEST(Rows, AgreeWithHostArithmeticOnAllPairsOfBytes) {
  const HostOp ops[] = {
      {"iadd_sat", [](int a, int b) { return Clamp(a + b, -128, 127); }, nullptr},
      {"isub_sat", [](int a, int b) { return Clamp(a - b, -128, 127); }, nullptr},
      {"uadd_sat", nullptr, [](int a, int b) { return Clamp(a + b, 0, 255); }},
      {"usub_sat", nullptr, [](int a, int b) { return Clamp(a - b, 0, 255); }},
      {"uadd_carry", nullptr, [](int a, int b) { return a + b > 255 ? 1 : 0; }},
      {"usub_borrow", nullptr, [](int a, int b) { return a < b ? 1 : 0; }},
      {"ihadd", [](int a, int b) { return FloorDivide(a + b, 2); }, nullptr},
      {"irhadd", [](int a, int b) { return FloorDivide(a + b + 1, 2); }, nullptr},
      {"uhadd", nullptr, [](int a, int b) { return (a + b) / 2; }},
      {"urhadd", nullptr, [](int a, int b) { return (a + b + 1) / 2; }},
      {"imul_high", [](int a, int b) { return FloorDivide(a * b, 256); }, nullptr},
      {"umul_high", nullptr, [](int a, int b) { return a * b / 256; }},
      {"uabs_isub", [](int a, int b) { return std::abs(a - b); }, nullptr},
      {"uabs_usub", nullptr, [](int a, int b) { return std::abs(a - b); }},
      {"idiv", [](int a, int b) { return b == 0 ? 0 : a / b; }, nullptr},
      {"irem", [](int a, int b) { return b == 0 ? 0 : a % b; }, nullptr},
      {"imod", [](int a, int b) { return b == 0 ? 0 : a - b * static_cast<int>(std::floor(1.0 * a / b)); }, nullptr},
      {"udiv", nullptr, [](int a, int b) { return b == 0 ? 0 : a / b; }},
      {"umod", nullptr, [](int a, int b) { return b == 0 ? 0 : a % b; }},
      {"imin", [](int a, int b) { return std::min(a, b); }, nullptr},
      {"umax", nullptr, [](int a, int b) { return std::max(a, b); }},
  };
  for (const HostOp& host : ops) {
    OneOp op(*FindOp(host.name), 8);
    for (int a = 0; a < 256; ++a) {
      for (int b = 0; b < 256; ++b) {
        const bool divides = FindOp(host.name)->poison.size() > 0;
        const AllowedSet set = op.Allowed({static_cast<uint64_t>(a), static_cast<uint64_t>(b)});
        ASSERT_EQ(set.results.size(), 1u);
        if (divides && a == 0x80 && b == 0xff) {
          EXPECT_EQ(set.results[0][0].kind, AllowedKind::kAnyValue) << host.name;
          continue;
        }
        const int expected = host.signed_result ? host.signed_result(static_cast<int8_t>(a), static_cast<int8_t>(b))
                                                : host.unsigned_result(a, b);
        ASSERT_EQ(set.results[0][0].value, static_cast<uint8_t>(expected)) << host.name << " " << a << " " << b;
      }
    }
  }
}

TEST(Rows, AddressMultiplicationIsPoisonExactlyOnSignedOverflow) {
  OneOp op(*FindOp("amul"), 8);
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      const AllowedSet set = op.Allowed({static_cast<uint8_t>(a), static_cast<uint8_t>(b)});
      const bool overflows = a * b < -128 || a * b > 127;
      ASSERT_EQ(set.results[0][0].kind == AllowedKind::kAnyValue, overflows) << a << " " << b;
    }
  }
}

// Checks ldexp and frexp of random finite doubles against the C library; a denormal result becomes a zero.
TEST(Rows, ScaleAsTheHostDoes) {
  OneOp ldexp_op(*FindOp("ldexp"), 64), exponent_op(*FindOp("frexp_exp"), 64), significand_op(*FindOp("frexp_sig"), 64);
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 20000; ++trial) {
    uint64_t bits = random();
    if (trial % 3 == 0) bits &= ~(uint64_t{0x7ff} << 52);  // denormal
    const double value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    int exponent = 0;
    const double significand = std::frexp(value, &exponent);
    const int scale = static_cast<int>(random() % 4400) - 2200;
    double scaled = std::ldexp(value, scale);
    if (std::fpclassify(scaled) == FP_SUBNORMAL) scaled = std::copysign(0.0, value);
    EXPECT_EQ(ldexp_op.Allowed({bits, static_cast<uint32_t>(scale)}).results[0][0].value,
              std::bit_cast<uint64_t>(scaled));
    EXPECT_EQ(exponent_op.Allowed({bits}).results[0][0].value, static_cast<uint32_t>(exponent));
    EXPECT_EQ(significand_op.Allowed({bits}).results[0][0].value, std::bit_cast<uint64_t>(significand));
  }
}

TEST(Rows, AScaledValueThatRoundsUpToTheSmallestNormalMayBeFlushed) {
  const OpRow& row = *FindOp("ldexp");
  const std::vector<uint64_t> sources = {0x3fffffff, static_cast<uint32_t>(-127)};
  const AllowedSet kept = OneOp(row, 32).Allowed(sources),
                   flushed = OneOp(row, 32, DenormMode::kFlush).Allowed(sources);
  ASSERT_EQ(kept.results.size(), 1u);
  EXPECT_EQ(kept.results[0][0].value, 0x00800000u);
  ASSERT_EQ(flushed.results.size(), 2u);
  EXPECT_EQ(flushed.results[0][0].value, 0u);
  EXPECT_EQ(flushed.results[1][0].value, 0x00800000u);
}

// Lanes count from the low end, and a lane number beyond the value allows any result.
TEST(Rows, LanesCountFromTheLowEnd) {
  for (int bits : {8, 16}) {
    OneOp take(*FindOp(absl::StrCat("extract_u", bits)), 64), put(*FindOp(absl::StrCat("insert_u", bits)), 64);
    const uint64_t value = 0xfedcba9876543210;
    for (int lane = 0; lane < 64 / bits; ++lane) {
      const uint64_t index = static_cast<uint64_t>(lane), mask = MaskOf(bits);
      EXPECT_EQ(take.Allowed({value, index}).results[0][0].value, (value >> (bits * lane)) & mask);
      EXPECT_EQ(put.Allowed({value, index}).results[0][0].value, (value & mask) << (bits * lane));
    }
    EXPECT_EQ(take.Allowed({value, static_cast<uint64_t>(64 / bits)}).results[0][0].kind, AllowedKind::kAnyValue);
    EXPECT_EQ(put.Allowed({value, ~uint64_t{0}}).results[0][0].kind, AllowedKind::kAnyValue);
  }
}

}  // namespace
}  // namespace rewrought::ir
