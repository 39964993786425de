#include "emitter/c/plain_steps.h"

#include <gtest/gtest.h>

#include <random>

#include "ir/scalar.h"

namespace rewrought::emitter {
namespace {

using ir::Primitive;

// Returns the results of `primitive` for x and y, computed directly and in plain steps.
std::pair<uint64_t, uint64_t> Both(Primitive primitive, int width, int operands, uint64_t x, uint64_t y) {
  ir::Dag symbols, plain, values;
  const auto make = [&](ir::Dag* dag, ir::ValueIndex a, ir::ValueIndex b) {
    return operands == 1 ? dag->Make(primitive, width, {a}) : dag->Make(primitive, width, {a, b});
  };
  const int wide = operands == 1 && primitive == Primitive::kSext ? width / 2 : width == 1 ? 32 : width;
  const ir::ValueIndex wanted = make(&values, values.Literal(x, wide), values.Literal(y, wide));
  // Uses literals instead of inputs, so that the plain steps fold to a constant.
  const ir::ValueIndex a = symbols.InputNamed("a", wide), b = symbols.InputNamed("1", wide);
  ir::Dag folded;
  const auto root = InPlainSteps(symbols, make(&symbols, a, b), &plain);
  EXPECT_TRUE(root.ok()) << root.status();
  std::vector<ir::ValueIndex> done(plain.size());
  for (ir::ValueIndex i = 0; i < plain.size(); ++i) {
    const ir::Value& value = plain.at(i);
    std::vector<ir::ValueIndex> from;
    for (int k = 0; k < ir::Dag::Arity(value); ++k) from.push_back(done[value.operands[static_cast<size_t>(k)]]);
    done[i] = value.primitive == Primitive::kInput
                  ? folded.Literal(plain.inputs()[value.immediate].name == "a" ? x : y, value.width)
              : value.primitive == Primitive::kLiteral
                  ? folded.Literal(value.immediate, value.width)
                  : folded.Make(value.primitive, value.width, from, value.immediate);
  }
  return {values.at(wanted).immediate, folded.at(done[*root]).immediate};
}

TEST(PlainSteps, MatchThePrimitives) {
  struct Row {
    Primitive primitive;
    int width, operands;  // The width of the result. If it is 1, the operands have 32 bits.
  };
  constexpr Row kRows[] = {{Primitive::kNot, 32, 1},    {Primitive::kNeg, 16, 1},    {Primitive::kAshr, 32, 2},
                           {Primitive::kSext, 32, 1},   {Primitive::kUle, 1, 2},     {Primitive::kSlt, 1, 2},
                           {Primitive::kSle, 1, 2},     {Primitive::kFlt, 1, 2},     {Primitive::kFle, 1, 2},
                           {Primitive::kFeq, 1, 2},     {Primitive::kIsnan, 1, 1},   {Primitive::kIsinf, 1, 1},
                           {Primitive::kIszero, 1, 1},  {Primitive::kFtrunc, 16, 1}, {Primitive::kFtrunc, 32, 1},
                           {Primitive::kFtrunc, 64, 1}, {Primitive::kLshr, 8, 2},    {Primitive::kShl, 64, 2}};
  std::mt19937_64 random(3);
  for (const Row& row : kRows) {
    for (int i = 0; i < 3000; ++i) {
      const int width = row.width == 1 ? 32 : row.primitive == Primitive::kSext ? row.width / 2 : row.width;
      const auto value = [&] {
        const uint64_t special[] = {0,          1,          31,         32,         33,    0x7f800000,
                                    0xff800000, 0x7fc00000, 0x80000000, 0x3f800000, 0x7c00};
        const uint64_t bits = random() % 3 == 0 ? special[random() % std::size(special)] : random() >> (random() % 60);
        return bits & ir::MaskOf(width);
      };
      const uint64_t x = value(), y = random() % 4 == 0 ? x : value();
      const auto [wanted, given] = Both(row.primitive, row.width, row.operands, x, y);
      ASSERT_EQ(wanted, given) << ir::InfoOf(row.primitive).name << " " << x << " " << y;
    }
  }
}

TEST(PlainSteps, ArithmeticOfFloatsHasNone) {
  ir::Dag dag, plain;
  const ir::ValueIndex a = dag.InputNamed("a", 32);
  EXPECT_EQ(InPlainSteps(dag, dag.Make(Primitive::kFmul, 32, {a, a}), &plain).status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace rewrought::emitter
