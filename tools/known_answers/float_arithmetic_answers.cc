// Generates the known answers of the float arithmetic family.
#include <cmath>

#include "tools/known_answers/families.h"
#include "tools/known_answers/float_values.h"

namespace rewrought::known_answers {
namespace {

using Values = std::vector<uint64_t>;

// Returns the width of an op's intermediate results. A half-precision op computes in binary32 and rounds once at the
// end (docs/nir.md 2.1).
int WorkWidth(int width) { return width == 16 ? 32 : width; }
uint64_t Up(int width, uint64_t bits) { return Convert(width, WorkWidth(width), bits).bits; }
Outcome Down(int width, uint64_t bits) { return Plain(Convert(WorkWidth(width), width, bits).bits); }

uint64_t Floor(int width, uint64_t a) {
  return Apply(width, a, [](mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) { return mpfr_rint_floor(out, x, mode); })
      .bits;
}
uint64_t Ceil(int width, uint64_t a) {
  return Apply(width, a, [](mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) { return mpfr_rint_ceil(out, x, mode); })
      .bits;
}
uint64_t Trunc(int width, uint64_t a) {
  return Apply(width, a, [](mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) { return mpfr_rint_trunc(out, x, mode); })
      .bits;
}
uint64_t RoundEven(int width, uint64_t a) {
  return Apply(width, a, [](mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_rint(out, x, MPFR_RNDN); }).bits;
}

// Returns minNum or maxNum with -0 less than +0; compares patterns as sign and magnitude.
uint64_t MinMax(int width, uint64_t a, uint64_t b, bool want_max) {
  if (IsNan(width, a)) return b;
  if (IsNan(width, b)) return a;
  auto key = [width](uint64_t bits) {
    __int128 magnitude = bits & (SignBit(width) - 1);
    return (bits & SignBit(width)) != 0 ? -magnitude - 1 : magnitude;
  };
  return (key(a) < key(b)) == want_max ? b : a;
}

void AddUnaries(AnswerTable& table, int w) {
  FloatValues v(w);
  Values corners = {v.zero,       v.minus_zero,    v(1),
                    v(-1.5),      v.inf,           v.minus_inf,
                    v.nan,        v.min_denormal,  v.Negated(v.max_denormal),
                    v.min_normal, v.Negated(v.max)};
  Values rounding = {v.zero,         v.minus_zero,
                     v(0.5),         v(-0.5),
                     v(1.5),         v(2.5),
                     v(-2.5),        v(-3.5),
                     v(-0.25),       v(0.75),
                     v(1023.5),      v.inf,
                     v.minus_inf,    v.nan,
                     v.min_denormal, v.Negated(v.min_denormal),
                     v.max,          v.Negated(v.min_normal)};
  auto unary = [&](const char* name, Flushing flushing, const char* reference, const Values& inputs, auto meaning) {
    OpSpec spec = FloatOp(name, w, 1, flushing, reference, [meaning](const Values& s) { return meaning(s[0]); });
    for (uint64_t x : inputs) table.AddScalars(spec, {x});
  };
  uint64_t sign = SignBit(w);
  unary("fneg", Flushing::kOptional, "IEEE 754-2019 5.5.1 negate; docs/float_contract.md 3: may flush, NaN is any NaN",
        corners, [sign](uint64_t x) { return Plain(x ^ sign); });
  unary("fabs", Flushing::kOptional, "IEEE 754-2019 5.5.1 abs; docs/float_contract.md 3: may flush, NaN is any NaN",
        corners, [sign](uint64_t x) { return Plain(x & ~sign); });
  Values saturating = corners;
  for (double x : {0.5, 0.99, 2.0, -0.25}) saturating.push_back(v(x));
  saturating.push_back(v.nan | sign);
  saturating.push_back(v.one + 1);
  saturating.push_back(v.one - 1);
  unary("fsat", Flushing::kOptional, "docs/nir.md 2.2: fsat(NaN) is +0; C17 F.10.9.2: fmax(-0, +0) is either zero",
        saturating, [w, v](uint64_t x) {
          Outcome result = Plain(MinMax(w, MinMax(w, x, 0, true), v.one, false));
          result.free_zero = x == SignBit(w);
          return result;
        });
  unary("fsat_signed", Flushing::kMust, "docs/nir.md 2.2: NaN gives -1", saturating,
        [w, v](uint64_t x) { return Plain(MinMax(w, MinMax(w, x, v.Negated(v.one), true), v.one, false)); });
  Values clamped = saturating;
  std::erase(clamped, v.minus_zero);
  std::erase_if(clamped, [w, sign](uint64_t x) { return IsDenormal(w, x) && (x & sign) != 0; });
  unary("fclamp_pos", Flushing::kMust, "docs/nir.md 2.2: NaN gives +0", clamped,
        [w](uint64_t x) { return Plain(MinMax(w, x, 0, true)); });
  unary("fsign", Flushing::kMust,
        "Mesa 25.0.7 nir_opcodes.py fsign: +0 of a NaN and the sign of fsign(+-0) are preferred, not required",
        saturating, [w, v](uint64_t x) {
          if (IsNan(w, x)) return Outcome{0, false, true, false};
          if (IsZero(w, x)) return Outcome{x, false, true, false};
          return Plain((x & SignBit(w)) | v.one);
        });
  unary("ffloor", Flushing::kMust, "IEEE 754-2019 5.9 roundToIntegralTowardNegative; MPFR", rounding,
        [w](uint64_t x) { return Plain(Floor(w, x)); });
  unary("fceil", Flushing::kMust, "IEEE 754-2019 5.9 roundToIntegralTowardPositive; MPFR", rounding,
        [w](uint64_t x) { return Plain(Ceil(w, x)); });
  unary("ftrunc", Flushing::kMust, "IEEE 754-2019 5.9 roundToIntegralTowardZero; MPFR", rounding,
        [w](uint64_t x) { return Plain(Trunc(w, x)); });
  unary("fround_even", Flushing::kMust, "IEEE 754-2019 5.9 roundToIntegralTiesToEven; MPFR", rounding,
        [w](uint64_t x) { return Plain(RoundEven(w, x)); });
  unary("ffract", Flushing::kMust, "docs/nir.md 2.2: x - floor(x), rounded; tiny negatives give 1; MPFR", rounding,
        [w](uint64_t x) { return From(Subtract(w, x, Floor(w, x))); });
}

void AddBinaries(AnswerTable& table, int w) {
  FloatValues v(w);
  auto binary = [&](const char* name, Flushing flushing, const char* reference, const std::vector<Values>& inputs,
                    auto meaning) {
    OpSpec spec = FloatOp(name, w, 2, flushing, reference, [meaning](const Values& s) { return meaning(s[0], s[1]); });
    for (const Values& x : inputs) table.AddScalars(spec, x);
  };
  uint64_t half_ulp = FromDouble(w, 1.0) - (v.min_normal * (w == 16 ? 11 : w == 32 ? 24 : 53));  // half an ulp of 1
  std::vector<Values> sums = {{v(1), v(2)},
                              {v.zero, v.minus_zero},
                              {v.minus_zero, v.minus_zero},
                              {v(1.5), v(-1.5)},
                              {v.inf, v.minus_inf},
                              {v.inf, v.Negated(v.max)},
                              {v.nan, v(1)},
                              {v.max, v.max},
                              {v.one, half_ulp},
                              {v.one + 1, half_ulp},
                              {v.one, half_ulp + 1},
                              {v.min_normal, v.Negated(v.min_normal + 1)},
                              {v.min_denormal, v.max_denormal},
                              {v.min_denormal, v.zero},
                              {v.Negated(v.min_denormal), v.minus_zero},
                              {v.max_denormal, v.one},
                              {v.min_normal, v.Negated(v.min_denormal)},
                              {v(0.1), v(0.2)}};
  binary("fadd", Flushing::kMust, "IEEE 754-2019 5.4.1 addition; MPFR, host", sums,
         [w](uint64_t a, uint64_t b) { return From(Add(w, a, b)); });
  binary("fsub", Flushing::kMust, "IEEE 754-2019 5.4.1 subtraction; MPFR, host", sums,
         [w](uint64_t a, uint64_t b) { return From(Subtract(w, a, b)); });
  binary("fsub", Flushing::kMust, "IEEE 754-2019 6.3 sign of an exact zero; MPFR, host",
         {{v.zero, v.zero}, {v.minus_zero, v.zero}, {v.minus_zero, v.minus_zero}, {v.inf, v.inf}},
         [w](uint64_t a, uint64_t b) { return From(Subtract(w, a, b)); });
  uint64_t near_one = v.one - 1;
  std::vector<Values> products = {{v(3), v(-0.5)},
                                  {v.zero, v(-1)},
                                  {v.minus_zero, v(-5)},
                                  {v.zero, v.inf},
                                  {v.inf, v(-2)},
                                  {v.nan, v.zero},
                                  {v.max, v(2)},
                                  {v.one + 1, v.one + 1},
                                  {v.min_normal, v(0.5)},
                                  {v.min_normal, v(-0.5)},
                                  {v.min_normal, near_one},
                                  {v.Negated(v.min_normal), near_one},
                                  {v.min_normal + 1, v(0.5)},
                                  {v.min_denormal, v.one},
                                  {v.max_denormal, v.inf},
                                  {v.max_denormal, v(2)},
                                  {v.min_denormal, v(0.5)},
                                  {v(0.1), v(0.3)}};
  binary("fmul", Flushing::kMust, "IEEE 754-2019 5.4.1 multiplication; MPFR, host", products,
         [w](uint64_t a, uint64_t b) { return From(Multiply(w, a, b)); });
  std::vector<Values> orders = {{v(1), v(2)},
                                {v(2), v(-1)},
                                {v.zero, v.minus_zero},
                                {v.minus_zero, v.zero},
                                {v.minus_zero, v.minus_zero},
                                {v.nan, v(1)},
                                {v(-1), v.nan},
                                {v.nan, v.nan},
                                {v.nan, v.minus_inf},
                                {v.inf, v.minus_inf},
                                {v.inf, v.nan},
                                {v.nan ^ (v.min_normal >> 1), v(3)},
                                {v.min_denormal, v.one},
                                {v.min_denormal, v.zero},
                                {v.minus_zero, v.max_denormal},
                                {v.Negated(v.min_denormal), v.zero},
                                {v.min_denormal, v.max_denormal},
                                {v.nan, v.min_denormal}};
  binary("fmin", Flushing::kOptional,
         "IEEE 754-2008 5.3.1 minNum; SPIR-V orders -0 below +0; docs/float_contract.md 3: may flush", orders,
         [w](uint64_t a, uint64_t b) { return Plain(MinMax(w, a, b, false)); });
  binary("fmax", Flushing::kOptional,
         "IEEE 754-2008 5.3.1 maxNum; SPIR-V orders -0 below +0; docs/float_contract.md 3: may flush", orders,
         [w](uint64_t a, uint64_t b) { return Plain(MinMax(w, a, b, true)); });
  std::vector<Values> quotients = {{v(5.5), v(2)},        {v(-5.5), v(2)}, {v(5.5), v(-2)}, {v(-5.5), v(-2)},
                                   {v(6), v(3)},          {v(-6), v(3)},   {v(1), v.zero},  {v.inf, v(2)},
                                   {v(2), v.nan},         {v(0.75), v(1)}, {v.zero, v(3)},  {v.minus_zero, v(3)},
                                   {v.min_denormal, v(4)}};
  auto mod = [w](auto integral) {
    return [w, integral](uint64_t a, uint64_t b) {
      int work = WorkWidth(w);
      uint64_t x = Up(w, a), y = Up(w, b);
      uint64_t whole = integral(work, Divide(work, x, y).bits);
      return Down(w, Subtract(work, x, Multiply(work, y, whole).bits).bits);
    };
  };
  binary("fmod", Flushing::kMust, "GLSL 4.60 8.3 mod: x - y * floor(x / y)", quotients, mod(Floor));
  binary("frem", Flushing::kMust, "SPIR-V 1.6 OpFRem: x - y * trunc(x / y)", quotients, mod(Trunc));
}

void AddTernaries(AnswerTable& table, int w) {
  FloatValues v(w);
  OpSpec ffma = FloatOp("ffma", w, 3, Flushing::kMust, "IEEE 754-2019 5.4.1 fusedMultiplyAdd, rounded once; MPFR, host",
                        [w](const Values& s) { return From(FusedMultiplyAdd(w, s[0], s[1], s[2])); });
  uint64_t next = v.one + 1;
  for (const Values& s : std::vector<Values>{{v(2), v(3), v(4)},
                                             {next, next, v.Negated(v(1) + 2)},
                                             {v.zero, v.inf, v(1)},
                                             {v.inf, v(1), v.minus_inf},
                                             {v.zero, v(-1), v.zero},
                                             {v.zero, v(-1), v.minus_zero},
                                             {v(2), v(-3), v(6)},
                                             {v.max, v(2), v.minus_inf},
                                             {v.max, v(2), v.Negated(v.max)},
                                             {v.nan, v.zero, v(1)},
                                             {v.zero, v.inf, v.nan},
                                             {v.min_normal, v(0.5), v.zero},
                                             {v.min_normal, v.one - 1, v.zero},
                                             {v.min_denormal, v(4), v.zero},
                                             {v.zero, v(2), v.max_denormal},
                                             {v.min_denormal, v.inf, v(1)},
                                             {v(0.1), v(0.1), v(0.1)}}) {
    table.AddScalars(ffma, s);
  }
  if (w == 16) {
    // Search for cases in which a binary32 fma lands halfway between two half-precision values, so that the second
    // rounding goes the wrong way.
    ffma.reference = "rounded once; a binary32 fma followed by a rounding to half gives another result; MPFR";
    int found = 0;
    for (uint64_t a = 0x3c01; a < 0x4000 && found < 6; a += 7) {
      for (uint64_t b = 0x3c01; b < 0x4000 && found < 6; b += 5) {
        // The product lies halfway between two half-precision values, and the tiny addend is lost in binary32.
        for (uint64_t c : {uint64_t{0x0001}, uint64_t{0x8001}, uint64_t{0x0203}}) {
          uint64_t once = FusedMultiplyAdd(16, a, b, c).bits;
          uint64_t wide =
              FusedMultiplyAdd(32, Convert(16, 32, a).bits, Convert(16, 32, b).bits, Convert(16, 32, c).bits).bits;
          if (once == Convert(32, 16, wide).bits) continue;
          table.AddScalars(ffma, {a, b, c});
          a += 40;
          ++found;
          break;
        }
      }
    }
  }
  OpSpec flrp = FloatOp("flrp", w, 3, Flushing::kMust,
                        "docs/nir.md 2.2: a*(1-t) + b*t, each step rounded; at 16 in binary32", [w](const Values& s) {
                          int work = WorkWidth(w);
                          uint64_t a = Up(w, s[0]), b = Up(w, s[1]), t = Up(w, s[2]);
                          uint64_t rest = Subtract(work, FromDouble(work, 1.0), t).bits;
                          uint64_t left = Multiply(work, a, rest).bits;
                          return Down(w, Add(work, left, Multiply(work, b, t).bits).bits);
                        });
  for (const Values& s : std::vector<Values>{{v(2), v(4), v(0.5)},
                                             {v(1), v(3), v.zero},
                                             {v(1), v(3), v(1)},
                                             {v(1), v.inf, v.zero},
                                             {v.inf, v(1), v(1)},
                                             {v(0.1), v(0.7), v(0.3)},
                                             {v(8), v(-8), v(2)},
                                             {v.nan, v(1), v(0.5)},
                                             {v.minus_zero, v.minus_zero, v(0.5)},
                                             {v.max_denormal, v.zero, v.zero},
                                             {v(3.3), v(7.7), v(0.9)}}) {
    table.AddScalars(flrp, s);
  }
}

void AddHorizontal(AnswerTable& table, int w) {
  FloatValues v(w);
  int work = WorkWidth(w);
  auto products = [w, work](const Inputs& in) {
    Values result;
    for (size_t i = 0; i < in[0].size(); ++i) result.push_back(Multiply(work, Up(w, in[0][i]), Up(w, in[1][i])).bits);
    return result;
  };
  auto sum = [work](uint64_t a, uint64_t b) { return Add(work, a, b).bits; };
  // The inputs include rows for which the order of additions matters; adding 1 to `huge` has no effect.
  double huge = w == 16 ? 32768.0 : w == 32 ? 16777216.0 : 9007199254740992.0;
  std::vector<Values> vectors = {{v(1), v(2), v(3), v(4)},
                                 {v(huge), v(1), v(1), v(-huge)},
                                 {v(huge), v(1), v(-huge), v(1)},
                                 {v(1), v(-huge), v(huge), v(1)},
                                 {v.minus_zero, v.minus_zero, v.minus_zero, v.minus_zero},
                                 {v.inf, v(1), v(2), v.minus_inf},
                                 {v(1), v.nan, v(2), v(3)},
                                 {v.minus_inf, v.inf, v(1), v(1)},
                                 {v.min_denormal, v.zero, v.zero, v.zero}};
  for (int n = 2; n <= 4; ++n) {
    OpSpec fsum{"fsum" + std::to_string(n),
                w,
                {w, true},
                {{w, true, n}},
                Flushing::kMust,
                "Mesa 25.0 evaluator: ((x+y)+z)+w; at 16 in binary32, rounded once",
                {}};
    fsum.evaluate = [=](const Inputs& in) {
      Values s;
      for (uint64_t x : in[0]) s.push_back(Up(w, x));
      uint64_t low = sum(s[0], s[1]);
      if (n >= 3) low = sum(low, s[2]);
      if (n == 4) low = sum(low, s[3]);
      return std::vector<Outcome>{Down(w, low)};
    };
    OpSpec fdot{"fdot" + std::to_string(n),
                w,
                {w, true},
                {{w, true, n}, {w, true, n}},
                Flushing::kMust,
                "Mesa 25.0 evaluator: products summed ((w+z)+y)+x; at 16 in binary32, rounded once",
                {}};
    fdot.evaluate = [=](const Inputs& in) {
      Values p = products(in);
      if (n == 2) return std::vector<Outcome>{Down(w, sum(p[1], p[0]))};
      if (n == 3) return std::vector<Outcome>{Down(w, sum(sum(p[2], p[1]), p[0]))};
      return std::vector<Outcome>{Down(w, sum(sum(sum(p[3], p[2]), p[1]), p[0]))};
    };
    OpSpec replicated = fdot;
    replicated.name += "_replicated";
    Values ones(n, v.one);
    for (const Values& full : vectors) {
      Values x(full.begin(), full.begin() + n);
      table.Add(fsum, {x});
      table.Add(fdot, {x, ones});
      table.Add(fdot, {ones, x});
    }
    Values weights = {v(0.5), v(-2), v(4), v(0.25)};
    Values x = {v(3), v(5), v(-7), v(9)};
    weights.resize(n);
    x.resize(n);
    table.Add(fdot, {x, weights});
    for (int i = 0; i < 4; ++i) {
      Values y(vectors[i].begin(), vectors[i].begin() + n);
      table.Add(replicated, {y, ones});
    }
    table.Add(replicated, {x, weights});
    table.Add(replicated, {weights, x});
  }
  for (const char* name : {"fdph", "fdph_replicated"}) {
    OpSpec fdph{name,
                w,
                {w, true},
                {{w, true, 3}, {w, true, 4}},
                Flushing::kMust,
                "docs/nir.md 2.2: ((x+y)+z)+w; at 16 in binary32, rounded once",
                {}};
    fdph.evaluate = [=](const Inputs& in) {
      Values p = products(in);
      return std::vector<Outcome>{Down(w, sum(sum(sum(p[0], p[1]), p[2]), Up(w, in[1][3])))};
    };
    Values ones(4, v.one);
    for (const Values& full : vectors) table.Add(fdph, {Values(ones.begin(), ones.begin() + 3), full});
    table.Add(fdph, {{v(1), v(2), v(3)}, {v(4), v(5), v(6), v(7)}});
  }
}

// Adds fdot5, fdot8 or fdot16, which sum the products from the last component down.
void AddLongDots(AnswerTable& table, int w, size_t n) {
  FloatValues v(w);
  const int work = WorkWidth(w);
  OpSpec fdot{"fdot" + std::to_string(n),
              w,
              {w, true},
              {{w, true, static_cast<int>(n)}, {w, true, static_cast<int>(n)}},
              Flushing::kMust,
              "Mesa 25.0 evaluator: products summed from the last component down; at 16 in binary32, rounded once",
              {}};
  fdot.evaluate = [=](const Inputs& in) {
    uint64_t total = Multiply(work, Up(w, in[0][n - 1]), Up(w, in[1][n - 1])).bits;
    for (size_t i = n - 1; i-- > 0;) {
      total = Add(work, total, Multiply(work, Up(w, in[0][i]), Up(w, in[1][i])).bits).bits;
    }
    return std::vector<Outcome>{Down(w, total)};
  };
  OpSpec replicated = fdot;
  replicated.name += "_replicated";
  const double huge = w == 16 ? 32768.0 : w == 32 ? 16777216.0 : 9007199254740992.0;
  const Values ones(n, v.one);
  Values counting, absorbed(n, v.one), weights, zeros(n, v.minus_zero), nan = ones, tiny(n, v.zero);
  for (size_t i = 0; i < n; ++i) {
    counting.push_back(v(static_cast<double>(i) - 2.5));
    weights.push_back(v(i % 2 == 0 ? 0.375 * static_cast<double>(i + 1) : -2.0));
  }
  absorbed[0] = v(-huge);
  absorbed[n - 1] = v(huge);
  nan[n - 2] = v.nan;
  tiny[n - 1] = v.min_denormal;
  Values other = absorbed;
  std::swap(other[0], other[n - 2]);
  for (const Values& x : {counting, absorbed, other, zeros, nan, tiny}) {
    table.Add(fdot, {x, ones});
    table.Add(replicated, {ones, x});
  }
  table.Add(fdot, {counting, weights});
  table.Add(replicated, {weights, counting});
}

void AddSizedMultiplies(AnswerTable& table) {
  FloatValues v(32);
  OpSpec fmulz{"fmulz",
               0,
               {32, true},
               {{32, true}, {32, true}},
               Flushing::kMust,
               "docs/nir.md 2.2: anything times zero is a zero of either sign",
               {}};
  fmulz.evaluate = [](const Inputs& in) {
    bool zero = IsZero(32, in[0][0]) || IsZero(32, in[1][0]);
    if (zero) return std::vector<Outcome>{{0, false, true, false}};
    return std::vector<Outcome>{From(Multiply(32, in[0][0], in[1][0]))};
  };
  for (const Values& s : std::vector<Values>{{v(2), v(3)},
                                             {v.zero, v.inf},
                                             {v.nan, v.minus_zero},
                                             {v.inf, v(-1)},
                                             {v.nan, v(2)},
                                             {v.zero, v(-3)},
                                             {v.min_denormal, v.inf},
                                             {v.min_denormal, v.nan},
                                             {v.min_normal, v(0.25)},
                                             {v.min_denormal, v(-0.25)},
                                             {v.max, v(-4)}}) {
    table.AddScalars(fmulz, s);
  }
  OpSpec ffmaz{"ffmaz",
               0,
               {32, true},
               {{32, true}, {32, true}, {32, true}},
               Flushing::kMust,
               "docs/nir.md 2.2: either zero plus the addend when a factor is zero",
               {}};
  ffmaz.evaluate = [](const Inputs& in) {
    uint64_t addend = in[2][0];
    bool zero = IsZero(32, in[0][0]) || IsZero(32, in[1][0]);
    if (!zero) return std::vector<Outcome>{From(FusedMultiplyAdd(32, in[0][0], in[1][0], addend))};
    // (+-0) + -0 is +0 or -0; (+-0) + +0 is always +0.
    return std::vector<Outcome>{{addend, false, addend == SignBit(32), false}};
  };
  for (const Values& s : std::vector<Values>{{v(2), v(3), v(4)},
                                             {v.zero, v.inf, v(5)},
                                             {v.nan, v.zero, v(-5)},
                                             {v.minus_zero, v.inf, v.zero},
                                             {v.zero, v(2), v.minus_zero},
                                             {v.zero, v.nan, v.nan},
                                             {v(1), v.nan, v(1)},
                                             {v.inf, v(2), v.minus_inf},
                                             {v.min_denormal, v.inf, v(1)},
                                             {v.zero, v(1), v.min_denormal},
                                             {v.zero, v.inf, v.inf}}) {
    table.AddScalars(ffmaz, s);
  }
  OpSpec quantize{"fquantize2f16",
                  32,
                  {32, true},
                  {{32, true}},
                  Flushing::kMust,
                  "SPIR-V 1.6 OpQuantizeToF16; docs/nir.md 2.2: below 2^-14 a zero of the same sign; F16C",
                  {}};
  quantize.evaluate = [](const Inputs& in) {
    uint64_t x = in[0][0];
    if (!IsNan(32, x) && (x & 0x7fffffff) < FromDouble(32, 0x1p-14))
      return std::vector<Outcome>{Plain(ZeroLike(32, x))};
    return std::vector<Outcome>{Plain(Convert(16, 32, Convert(32, 16, x).bits).bits)};
  };
  for (uint64_t x : Values{v(1), v.minus_zero, v(0x1p-14), v(0x1p-14) - 1, v(-0x1p-15), v(65504), v(65519.99), v(65520),
                           v(-65520), v.inf, v.nan, v(1.0 + 0x1p-11), v(1.0 + 0x3p-11), v(0.1), v.min_denormal}) {
    table.AddScalars(quantize, {x});
  }
}

void AddScaling(AnswerTable& table, int w) {
  FloatValues v(w);
  OpSpec ldexp{"ldexp",
               w,
               {w, true},
               {{w, true}, {32, false}},
               Flushing::kMust,
               "C17 7.12.6.6; docs/nir.md 2.2: a denormal result becomes a zero of the source's sign",
               {}};
  ldexp.evaluate = [w](const Inputs& in) {
    int32_t exponent = static_cast<int32_t>(in[1][0]);
    double value = ToDouble(w, in[0][0]);
    uint64_t bits = Round(w, [&](mpfr_t out, mpfr_rnd_t mode) {
                      mpfr_set_d(out, value, mode);
                      return mpfr_mul_2si(out, out, exponent, mode);
                    }).bits;
    if (IsDenormal(w, bits)) bits = ZeroLike(w, bits);
    return std::vector<Outcome>{Plain(bits)};
  };
  int least = w == 16 ? -14 : w == 32 ? -126 : -1022;
  auto line = [&](uint64_t x, int exponent) { table.AddScalars(ldexp, {x, static_cast<uint32_t>(exponent)}); };
  line(v(1.5), 3);
  line(v(1), least);
  line(v(1), least - 1);
  line(v(-1.75), least - 1);
  line(v(-1), least - 100);
  line(v(1), -least + 1);
  line(v(-1), -least + 2);
  line(v.minus_zero, 5);
  line(v.zero, -5);
  line(v.inf, -1);
  line(v.nan, 0);
  line(v.min_denormal, w == 16 ? 24 : w == 32 ? 149 : 1074);
  line(v(3), 0);

  OpSpec exponent{"frexp_exp", w, {32, false}, {{w, true}}, Flushing::kMust, "C17 7.12.6.4; Inf and NaN unspecified",
                  {}};
  OpSpec significand{"frexp_sig", w, {w, true}, {{w, true}}, Flushing::kMust, "C17 7.12.6.4; Inf and NaN unspecified",
                     {}};
  auto split = [w](uint64_t x, int& e) { return std::frexp(ToDouble(w, x), &e); };
  exponent.evaluate = [w, split](const Inputs& in) {
    Outcome result;
    int e = 0;
    split(in[0][0], e);
    result.poison = IsNan(w, in[0][0]) || IsInf(w, in[0][0]);
    result.bits = IsZero(w, in[0][0]) ? 0 : static_cast<uint32_t>(e);
    return std::vector<Outcome>{result};
  };
  significand.evaluate = [w, split](const Inputs& in) {
    int e = 0;
    Outcome result = Plain(FromDouble(w, split(in[0][0], e)));
    result.poison = IsNan(w, in[0][0]) || IsInf(w, in[0][0]);
    return std::vector<Outcome>{result};
  };
  for (uint64_t x : Values{v.zero, v.minus_zero, v(1), v(-0.5), v(3.5), v(0.3), v.max, v.min_normal, v.min_denormal,
                           v.Negated(v.max_denormal), v.inf, v.nan}) {
    table.AddScalars(exponent, {x});
    table.AddScalars(significand, {x});
  }
}

}  // namespace

std::string FloatArithmeticAnswers() {
  AnswerTable table;
  for (int w : kFloatWidths) {
    AddUnaries(table, w);
    AddBinaries(table, w);
    AddTernaries(table, w);
    AddHorizontal(table, w);
    AddScaling(table, w);
  }
  AddSizedMultiplies(table);
  for (int w : kFloatWidths) {
    for (size_t n : {5, 8, 16}) AddLongDots(table, w, n);
  }
  return table.text();
}

}  // namespace rewrought::known_answers
