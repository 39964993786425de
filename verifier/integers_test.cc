// Tests the queries over the integers. Each primitive must have exactly the evaluator's result on concrete operands.
// For every divisor, factor, and shift of a small width, the solver must prove exactly the identities that hold for all
// values. False rules must be refuted with a witness.
#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "ir/scalar.h"
#include "ir/smt/smt_integer.h"
#include "verifier/certificate.h"
#include "verifier/prover.h"
#include "verifier/sample_cases.h"
#include "verifier/vectors.h"
#include "verifier/worker/cvc5_process.h"

namespace rewrought::verifier {
namespace {

using ir::Dag;
using ir::Primitive;
using ir::ValueIndex;

Answer Decide(const std::string& text) {
  SolverQuery query;
  query.tactic = Tactic::kInteger;
  query.text = text;
  query.work_ms = 20000;
  return SharedPool()->Solve(query).answer;
}

// Applications of primitives to inputs and literals, with concrete values of the inputs.
struct Points {
  Dag dag;
  std::vector<uint64_t> inputs;
  std::vector<ValueIndex> roots;
  std::vector<uint64_t> results;

  ValueIndex Input(uint64_t value, int width) {
    inputs.push_back(value & ir::MaskOf(width));
    return dag.InputNamed(absl::StrCat("x", inputs.size()), width);
  }
  void Add(ValueIndex root) { roots.push_back(root); }
  void Evaluate() {
    ir::Evaluator evaluator(&dag);
    evaluator.Start(inputs, [](uint32_t) { return 0; });
    for (const ValueIndex root : roots) results.push_back(evaluator.Evaluate(root));
  }
};

std::string LiteralOf(uint64_t value, int width) {
  return width == 1 ? std::string(value ? "true" : "false") : absl::StrCat(value);
}

// Asks whether all results can equal the evaluator's or, if `differ`, whether some result can differ from it.
Answer Ask(const Points& points, bool differ) {
  ir::IntegerWriter writer(points.dag);
  writer.Define(points.roots);
  for (const auto& [name, width] : writer.declared()) {
    const auto index = static_cast<size_t>(std::stoi(name.substr(1)));
    writer.Assert(absl::StrCat("(= ", name, " ", LiteralOf(points.inputs[index], width), ")"));
  }
  std::string terms;
  for (size_t i = 0; i < points.roots.size(); ++i) {
    const ValueIndex root = points.roots[i];
    const std::string equal =
        absl::StrCat("(= ", writer.NameOf(root), " ", LiteralOf(points.results[i], points.dag.at(root).width), ")");
    absl::StrAppend(&terms, " ", differ ? absl::StrCat("(not ", equal, ")") : equal);
  }
  writer.Assert(absl::StrCat(differ ? "(or false" : "(and true", terms, ")"));
  return Decide(writer.Text());
}

constexpr Primitive kBinary[] = {Primitive::kAnd,  Primitive::kOr,   Primitive::kXor,   Primitive::kAdd,
                                 Primitive::kSub,  Primitive::kMul,  Primitive::kUdiv,  Primitive::kUrem,
                                 Primitive::kSdiv, Primitive::kSrem, Primitive::kShl,   Primitive::kLshr,
                                 Primitive::kAshr, Primitive::kEq,   Primitive::kUlt,   Primitive::kUle,
                                 Primitive::kSlt,  Primitive::kSle,  Primitive::kMulhu, Primitive::kMulhs};

int ResultWidth(Primitive primitive, int width) {
  return ir::InfoOf(primitive).width_rule == ir::WidthRule::kTruth ? 1 : width;
}

bool IsDivision(Primitive primitive) {
  return primitive == Primitive::kUdiv || primitive == Primitive::kUrem || primitive == Primitive::kSdiv ||
         primitive == Primitive::kSrem;
}

bool IsShift(Primitive primitive) {
  return primitive == Primitive::kShl || primitive == Primitive::kLshr || primitive == Primitive::kAshr;
}

// Returns pairs of operands: all of them at a small width, otherwise special and random ones.
std::vector<std::pair<uint64_t, uint64_t>> OperandPairs(int width) {
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
  if (width <= 3) {
    for (uint64_t x = 0; x <= ir::MaskOf(width); ++x) {
      for (uint64_t y = 0; y <= ir::MaskOf(width); ++y) pairs.emplace_back(x, y);
    }
    return pairs;
  }
  std::mt19937_64 random(static_cast<uint64_t>(width));
  const std::vector<uint64_t>& special = SpecialValues(width);
  const auto draw = [&] { return (random() % 2 ? special[random() % special.size()] : random()) & ir::MaskOf(width); };
  for (int i = 0; i < 12; ++i) pairs.emplace_back(draw(), draw());
  return pairs;
}

void ExpectExact(Points points, const std::string& note) {
  points.Evaluate();
  EXPECT_EQ(Ask(points, true), Answer::kUnsat) << note;
  EXPECT_EQ(Ask(points, false), Answer::kSat) << note;
}

// Solvers are slow to split a concrete number into many bits, so bitwise functions are tested at small widths only.
TEST(Integers, PrimitivesOfALiteralHaveTheEvaluatorsResult) {
  for (const int width : {1, 3, 8, 32, 64}) {
    for (const Primitive primitive : kBinary) {
      const bool is_bitwise =
          primitive == Primitive::kAnd || primitive == Primitive::kOr || primitive == Primitive::kXor;
      if (is_bitwise && width > 8) continue;
      Points points;
      for (const auto& [x, y] : OperandPairs(width)) {
        const ValueIndex literal = points.dag.Literal(y, width), input = points.Input(x, width);
        points.Add(points.dag.Make(primitive, ResultWidth(primitive, width), {input, literal}));
        if (!IsShift(primitive) && !IsDivision(primitive))
          points.Add(points.dag.Make(primitive, ResultWidth(primitive, width), {literal, input}));
      }
      ExpectExact(std::move(points), absl::StrCat(std::string(ir::InfoOf(primitive).name), width));
    }
  }
}

// Tests each primitive with a bit count beside it, which makes the writer prefer bits, and without one.
TEST(Integers, OtherPrimitivesHaveTheEvaluatorsResult) {
  for (const int width : {1, 3, 8, 32}) {
    for (const bool counts : {false, true}) {
      if (counts && width > 8) continue;
      Points points;
      for (const auto& [x, y] : OperandPairs(width)) {
        const ValueIndex input = points.Input(x, width), other = points.Input(y, width);
        points.Add(points.dag.Make(Primitive::kNot, width, {input}));
        points.Add(points.dag.Make(Primitive::kNeg, width, {input}));
        points.Add(points.dag.Make(Primitive::kZext, width + 5, {input}));
        points.Add(points.dag.Make(Primitive::kSext, width + 5, {input}));
        points.Add(points.dag.Make(Primitive::kExtract, width - width / 2, {input}, static_cast<uint64_t>(width / 2)));
        points.Add(points.dag.Make(Primitive::kConcat, width + 2, {input, points.Input(x, 2)}));
        points.Add(points.dag.Ite(points.Input(x, 1), input, other));
        if (!counts) continue;
        points.Add(
            points.dag.Make(Primitive::kPopcount, width, {points.dag.Make(Primitive::kXor, width, {input, other})}));
        points.Add(points.dag.Make(Primitive::kBitreverse, width, {input}));
        for (const Primitive shift : {Primitive::kShl, Primitive::kLshr, Primitive::kAshr})
          points.Add(points.dag.Make(shift, width, {input, points.dag.Literal(y, width)}));
      }
      ExpectExact(std::move(points), absl::StrCat(width, counts ? " with bits" : ""));
    }
  }
}

// Products, quotients, and shifts of two unknowns are not exact, but must include the evaluator's result.
TEST(Integers, PrimitivesOfUnknownsIncludeTheEvaluatorsResult) {
  for (const int width : {3, 8, 64}) {
    for (const Primitive primitive : kBinary) {
      if (primitive == Primitive::kAnd || primitive == Primitive::kOr || primitive == Primitive::kXor) continue;
      Points points;
      for (const auto& [x, y] : OperandPairs(width)) {
        points.Add(points.dag.Make(primitive, ResultWidth(primitive, width),
                                   {points.Input(x, width), points.Input(y, width)}));
        points.Add(points.dag.Make(Primitive::kClz, width, {points.Input(x, width)}));
      }
      points.Evaluate();
      EXPECT_EQ(Ask(points, false), Answer::kSat) << ir::InfoOf(primitive).name << width;
    }
  }
}

// Returns whether `x` and `y` are equal for all values of the only input, which has `width` bits.
bool EqualEverywhere(const Dag& dag, ValueIndex x, ValueIndex y, int width) {
  ir::Evaluator evaluator(&dag);
  for (uint64_t value = 0; value <= ir::MaskOf(width); ++value) {
    const std::vector<uint64_t> inputs = {value};
    evaluator.Start(inputs, [](uint32_t) { return 0; });
    if (evaluator.Evaluate(x) != evaluator.Evaluate(y)) return false;
  }
  return true;
}

// The solver must prove a claim iff it holds for all values. Stops at the first wrong answer.
struct Tally {
  int proved = 0, refuted = 0;
  bool Check(const Dag& dag, ValueIndex x, ValueIndex y, int width, const std::string& note) {
    const bool equal = EqualEverywhere(dag, x, y, width);
    ++(equal ? proved : refuted);
    ir::IntegerWriter writer(dag);
    writer.Define({x, y});
    writer.Assert(absl::StrCat("(not (= ", writer.NameOf(x), " ", writer.NameOf(y), "))"));
    EXPECT_EQ(Decide(writer.Text()), equal ? Answer::kUnsat : Answer::kSat) << note;
    return !testing::Test::HasFailure();
  }
};

TEST(Integers, NestedDivisionsAreDecidedForAllDivisors) {
  constexpr int kWidth = 4;
  Tally tally;
  for (uint64_t c = 1; c < 16; ++c) {
    for (uint64_t d = 1; d < 16; d += 2) {
      for (const uint64_t product : {c * d, c * d + 1}) {
        Dag dag;
        const ValueIndex a = dag.InputNamed("a", kWidth);
        const auto divide = [&](ValueIndex x, uint64_t by) {
          return dag.Make(Primitive::kUdiv, kWidth, {x, dag.Literal(by, kWidth)});
        };
        if (!tally.Check(dag, divide(divide(a, c), d), divide(a, product), kWidth, absl::StrCat(c, " ", d))) return;
      }
    }
  }
  EXPECT_GT(tally.proved, 25);
  EXPECT_GT(tally.refuted, 50);
}

TEST(Integers, MagicNumbersAreDecidedForAllFactorsAndShifts) {
  constexpr int kWidth = 4;
  Tally tally;
  for (const uint64_t d : {3, 5, 6, 7, 10, 11, 13}) {
    for (uint64_t shift = 0; shift < 4; ++shift) {
      const uint64_t nearest = (uint64_t{16} << shift) / d;
      for (uint64_t magic = nearest; magic <= nearest + 2 && magic < 16; ++magic) {
        Dag dag;
        const ValueIndex a = dag.InputNamed("a", kWidth);
        const ValueIndex high = dag.Make(Primitive::kMulhu, kWidth, {a, dag.Literal(magic, kWidth)});
        const ValueIndex quotient = dag.Make(Primitive::kLshr, kWidth, {high, dag.Literal(shift, kWidth)});
        const ValueIndex divided = dag.Make(Primitive::kUdiv, kWidth, {a, dag.Literal(d, kWidth)});
        if (!tally.Check(dag, quotient, divided, kWidth, absl::StrCat(d, " ", magic, " >> ", shift))) return;
      }
    }
  }
  EXPECT_GT(tally.proved, 5);
  EXPECT_GT(tally.refuted, 20);
}

struct Sample {
  const char* rule;
  int width;
};

constexpr Sample kTrue[] = {
    {"(('umod', 'a@64', 63), ('isub', 'a', ('imul', ('udiv', 'a', 63), 63)))", 64},
    {"(('udiv', 'a@64', 10), ('ushr', ('umul_high', 'a', 0xcccccccccccccccd), 3))", 64},
    {"(('idiv', 'a@32', 7), ('iadd', ('ishr', ('iadd', ('imul_high', 'a', 0x92492493), 'a'), 2), ('ushr', 'a', 31)))",
     32},
    {"(('udiv', ('udiv', 'a@16', 300), 300), 0)", 16},
    {"(('iadd', ('bit_count', ('iand', 'a@32', 'b')), ('bit_count', ('ior', 'a', 'b'))), ('iadd', ('bit_count', 'a'), "
     "('bit_count', 'b')))",
     32},
    {"(('iabs', ('idiv', 'a@64', 'b')), ('udiv', ('iabs', 'a'), ('iabs', 'b')))", 64},
};

TEST(Integers, TrueRulesAreProvedByBothSolversAndAgain) {
  Cvc5Process cvc5{Cvc5Options{}};
  ProverOptions options = SolversOnly();
  options.confirm = true;
  const Prover prover({SharedPool(), &cvc5}, options);
  for (const Sample& sample : kTrue) {
    const RuleCase rule_case = CaseOf(sample.rule, sample.width, ir::DenormMode::kNone);
    const CaseResult result = prover.Prove(rule_case);
    ASSERT_EQ(result.verdict, v1::VERDICT_PROVED) << sample.rule << result.reason;
    EXPECT_EQ(result.tier, v1::TIER_INTEGERS) << sample.rule;
    EXPECT_EQ(result.confirmed_by.size(), 1u) << sample.rule;
    const auto again = ProveAgain(rule_case, *result.certificate, {SharedPool(), &cvc5}, 5000);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->confirmed_by.size(), 1u) << sample.rule;
    EXPECT_EQ(again->certificate->query, result.certificate->query);
  }
}

// Vectors are switched off, so that the witness comes from the solver's model.
TEST(Integers, FalseRulesAreRefutedByAModel) {
  const Sample wrong[] = {
      {"(('udiv', 'a@32', 10), ('ushr', ('umul_high', 'a', 0xccccccce), 3))", 32},
      {"(('udiv', 'a@32', 10), ('ushr', ('umul_high', 'a', 0xcccccccc), 3))", 32},
      {"(('udiv', 'a@64', 10), ('ushr', ('umul_high', 'a', 0xcccccccccccccccd), 2))", 64},
      // The sides differ for only 11 values of a, the smallest of which is 0xfff88dbe.
      {"(('udiv', 'a@32', 48005), ('ushr', ('umul_high', 'a', 0xaebe9534), 15))", 32},
      // The product is 24,464 modulo 2^16.
      {"(('udiv', ('udiv', 'a@16', 300), 300), ('udiv', 'a', 24464))", 16},
      {"(('udiv', ('udiv', 'a@64', 3), 5), ('udiv', 'a', 16))", 64},
      {"(('bit_count', ('ior', 'a@32', 'b')), ('iadd', ('bit_count', 'a'), ('bit_count', 'b')))", 32},
      {"(('umod', 'a@64', 63), ('isub', 'a', ('imul', ('udiv', 'a', 63), 64)))", 64},
  };
  const Prover prover(SharedPool(), SolversOnly());
  for (const Sample& sample : wrong) {
    const CaseResult result = prover.Prove(CaseOf(sample.rule, sample.width, ir::DenormMode::kNone));
    EXPECT_EQ(result.verdict, v1::VERDICT_REFUTED) << sample.rule << result.reason;
    EXPECT_EQ(result.tier, v1::TIER_INTEGERS) << sample.rule;
    EXPECT_TRUE(result.witness.has_value()) << sample.rule;
  }
}

}  // namespace
}  // namespace rewrought::verifier
