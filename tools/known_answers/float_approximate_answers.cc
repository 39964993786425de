// Generates the known answers of the approximate functions in their reference interpretation, which is correct
// rounding.
#include <cmath>

#include "tools/known_answers/families.h"
#include "tools/known_answers/float_values.h"

namespace rewrought::known_answers {
namespace {

using Values = std::vector<uint64_t>;

void AddUnaries(AnswerTable& table, int w) {
  FloatValues v(w);
  auto unary = [&](const char* name, const char* reference, const Values& inputs, auto meaning) {
    OpSpec spec = FloatOp(name, w, 1, Flushing::kMust, reference, [=](const Values& s) { return meaning(s[0]); });
    for (uint64_t x : inputs) {
      // The sine of the smallest normal number is slightly less than that number. The contract does not state whether a
      // device flushes its approximation of this sine.
      table.AddScalars(spec, {x}, meaning(x).tiny);
    }
  };
  Values special = {v.zero, v.minus_zero, v.inf, v.minus_inf, v.nan, v.min_denormal, v.Negated(v.max_denormal),
                    v.one,  v(-1),        v.max, v.min_normal};
  auto with = [&](std::initializer_list<double> more) {
    Values all = special;
    for (double x : more) all.push_back(v(x));
    return all;
  };
  unary("frcp", "IEEE 754-2019 5.4.1 division of 1, 7.3; MPFR, host", with({3.0, -0.1, 7.0, 0.0002}),
        [=](uint64_t x) { return From(Divide(w, v.one, x)); });
  unary("fsqrt", "IEEE 754-2019 5.4.1 squareRoot; MPFR", with({2.0, 4.0, 0.3, 1000.0}),
        [=](uint64_t x) { return From(Apply(w, x, mpfr_sqrt)); });
  unary("frsq", "IEEE 754-2019 9.2 rSqrt, 9.2.1 of +-0; MPFR", with({2.0, 4.0, 0.3, 1000.0}), [=](uint64_t x) {
    if (x == v.minus_zero) return Plain(v.minus_inf);
    return From(Apply(w, x, mpfr_rec_sqrt));
  });
  unary("fexp2", "IEEE 754-2019 9.2 exp2; MPFR", with({0.5, -3.0, 10.0, 0.1, -2000.0, 5000.0, -14.5}),
        [=](uint64_t x) { return From(Apply(w, x, mpfr_exp2)); });
  unary("flog2", "IEEE 754-2019 9.2 log2, 9.2.1; MPFR", with({8.0, 0.25, 10.0, 0.7}),
        [=](uint64_t x) { return From(Apply(w, x, mpfr_log2)); });
  unary("fsin", "IEEE 754-2019 9.2 sin; MPFR", with({0.5, 3.140625, -2.0, 100.0}),
        [=](uint64_t x) { return From(Apply(w, x, mpfr_sin)); });
  unary("fcos", "IEEE 754-2019 9.2 cos; MPFR", with({0.5, 3.140625, -2.0, 100.0}),
        [=](uint64_t x) { return From(Apply(w, x, mpfr_cos)); });
}

void AddBinaries(AnswerTable& table, int w) {
  FloatValues v(w);
  OpSpec fdiv = FloatOp("fdiv", w, 2, Flushing::kMust, "IEEE 754-2019 5.4.1 division; MPFR, host",
                        [w](const Values& s) { return From(Divide(w, s[0], s[1])); });
  for (const Values& s : std::vector<Values>{{v(1), v(3)},
                                             {v(-7), v(2)},
                                             {v(1), v.zero},
                                             {v(1), v.minus_zero},
                                             {v.zero, v.zero},
                                             {v.inf, v.inf},
                                             {v(5), v.minus_inf},
                                             {v.inf, v(-2)},
                                             {v.nan, v(1)},
                                             {v.max, v(0.5)},
                                             {v.min_normal, v(2)},
                                             {v.min_normal - 1, v.one - 1},
                                             {v.min_normal, v.one + 1},
                                             {v.min_denormal, v.min_denormal + 2},
                                             {v.min_denormal, v.zero},
                                             {v(1), v.max_denormal},
                                             {v.minus_zero, v(3)},
                                             {v(0.7), v(0.3)}}) {
    table.AddScalars(fdiv, s);
  }
  OpSpec fpow = FloatOp("fpow", w, 2, Flushing::kMust, "IEEE 754-2019 9.2.1 pow; C17 F.10.4.4; MPFR",
                        [w](const Values& s) { return From(Apply2(w, s[0], s[1], mpfr_pow)); });
  for (const Values& s : std::vector<Values>{{v(2), v(3)},
                                             {v(2), v(-0.5)},
                                             {v(0.3), v(1.7)},
                                             {v.zero, v(2)},
                                             {v.zero, v(-1)},
                                             {v(9), v(0.5)},
                                             {v.zero, v.zero},
                                             {v(1), v.nan},
                                             {v.nan, v.zero},
                                             {v.nan, v(2)},
                                             {v(-2), v(3)},
                                             {v(-2), v(0.5)},
                                             {v.inf, v(-1)},
                                             {v(0.5), v.inf},
                                             {v(-1), v.inf},
                                             {v(10), v(100)},
                                             {v.min_denormal, v(0.5)},
                                             {v(2), v.min_denormal}}) {
    table.AddScalars(fpow, s);
  }
}

}  // namespace

std::string FloatApproximateAnswers() {
  AnswerTable table;
  for (int w : kFloatWidths) {
    AddUnaries(table, w);
    AddBinaries(table, w);
  }
  return table.text();
}

}  // namespace rewrought::known_answers
