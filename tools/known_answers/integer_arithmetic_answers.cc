// Generates the known answers of integer arithmetic, including packed dot products and sums of absolute differences.
#include <algorithm>
#include <cstdlib>

#include "tools/known_answers/families.h"
#include "tools/known_answers/integer_values.h"

namespace rewrought::known_answers {
namespace {

using Wide = __int128;

std::vector<Values> Pairs(int w) {
  uint64_t top = Top(w), max = top - 1, ones = Mask(w);
  return {{5, 3},       {3, 5},        {ones, 1},     {top, ones},          {max, 1}, {top, top}, {max, max},
          {ones, ones}, {7, ones - 1}, {ones - 6, 2}, {ones - 6, ones - 1}, {0, top}, {top, 1},   {0x55, 0x33},
          {top | 5, 0}};
}

Wide Clamp(Wide value, Wide low, Wide high) { return value < low ? low : value > high ? high : value; }

// The signed and unsigned values of both operands.
struct Operands {
  Operands(int w, const Values& s) : a(Signed(w, s[0])), b(Signed(w, s[1])), ua(s[0]), ub(s[1]) {}
  Wide a, b;
  Wide ua, ub;
};

void AddSized(AnswerTable& table, int w) {
  Wide low = -(Wide{1} << (w - 1)), high = -low - 1, all = (Wide{1} << w) - 1;
  auto binary = [&](const char* name, const char* reference, auto meaning) {
    AddAll(table, IntegerOp(name, w, w, {w, w}, reference, [=](const Values& s) { return meaning(Operands(w, s)); }),
           Pairs(w));
  };
  auto of = [](Wide value) { return Bits(static_cast<uint64_t>(value)); };
  const char* wraps = "C17 6.2.5p9: modulo 2^n";
  const char* saturates = "OpenCL C 6.15.3 add_sat, sub_sat: clamped to the type's range";
  const char* halves = "OpenCL C 6.15.3 hadd, rhadd: no overflow in the sum";
  const char* high_half = "OpenCL C 6.15.3 mul_hi";
  binary("iadd", wraps, [=](Operands o) { return of(o.a + o.b); });
  binary("isub", wraps, [=](Operands o) { return of(o.a - o.b); });
  binary("imul", wraps, [=](Operands o) { return of(o.a * o.b); });
  binary("iadd_sat", saturates, [=](Operands o) { return of(Clamp(o.a + o.b, low, high)); });
  binary("uadd_sat", saturates, [=](Operands o) { return of(Clamp(o.ua + o.ub, 0, all)); });
  binary("isub_sat", saturates, [=](Operands o) { return of(Clamp(o.a - o.b, low, high)); });
  binary("usub_sat", saturates, [=](Operands o) { return of(Clamp(o.ua - o.ub, 0, all)); });
  binary("uabs_isub", "OpenCL C 6.15.3 abs_diff, signed",
         [=](Operands o) { return of(o.a > o.b ? o.a - o.b : o.b - o.a); });
  binary("uabs_usub", "OpenCL C 6.15.3 abs_diff, unsigned",
         [=](Operands o) { return of(o.ua > o.ub ? o.ua - o.ub : o.ub - o.ua); });
  binary("ihadd", halves, [=](Operands o) { return of((o.a + o.b) >> 1); });
  binary("uhadd", halves, [=](Operands o) { return of((o.ua + o.ub) >> 1); });
  binary("irhadd", halves, [=](Operands o) { return of((o.a + o.b + 1) >> 1); });
  binary("urhadd", halves, [=](Operands o) { return of((o.ua + o.ub + 1) >> 1); });
  binary("imul_high", high_half, [=](Operands o) { return of((o.a * o.b) >> w); });
  binary("umul_high", high_half, [=](Operands o) {
    unsigned __int128 product = static_cast<unsigned __int128>(o.ua) * static_cast<unsigned __int128>(o.ub);
    return Bits(static_cast<uint64_t>(product >> w));
  });
  binary("uadd_carry", "GLSL 4.60 8.8 uaddCarry", [=](Operands o) { return of(o.ua + o.ub > all); });
  binary("usub_borrow", "GLSL 4.60 8.8 usubBorrow", [=](Operands o) { return of(o.ua < o.ub); });
  binary("imin", "OpenCL C 6.15.3 min", [=](Operands o) { return of(std::min(o.a, o.b)); });
  binary("imax", "OpenCL C 6.15.3 max", [=](Operands o) { return of(std::max(o.a, o.b)); });
  binary("umin", "OpenCL C 6.15.3 min", [=](Operands o) { return of(std::min(o.ua, o.ub)); });
  binary("umax", "OpenCL C 6.15.3 max", [=](Operands o) { return of(std::max(o.ua, o.ub)); });
  binary("udiv", "docs/nir.md 2.2: x/0 is 0; C17 6.5.5", [=](Operands o) { return of(o.ub == 0 ? 0 : o.ua / o.ub); });
  binary("umod", "docs/nir.md 2.2: x%0 is 0; C17 6.5.5", [=](Operands o) { return of(o.ub == 0 ? 0 : o.ua % o.ub); });
  auto overflows = [=](Operands o) { return o.a == low && o.b == -1; };
  binary("idiv", "docs/nir.md 2.2: x/0 is 0; C17 6.5.5 truncates; INT_MIN/-1 is poison", [=](Operands o) {
    if (overflows(o)) return Poison();
    return of(o.b == 0 ? 0 : o.a / o.b);
  });
  binary("irem", "docs/nir.md 2.2: C's %, x%0 is 0; SPIR-V 1.6 OpSRem: INT_MIN by -1 undefined", [=](Operands o) {
    if (overflows(o)) return Poison();
    return of(o.b == 0 ? 0 : o.a % o.b);
  });
  binary("imod", "docs/nir.md 2.2: sign of the divisor, x%0 is 0; SPIR-V 1.6 OpSMod: INT_MIN by -1 undefined",
         [=](Operands o) {
           if (overflows(o)) return Poison();
           if (o.b == 0) return of(0);
           Wide rest = o.a % o.b;
           return of(rest != 0 && (rest < 0) != (o.b < 0) ? rest + o.b : rest);
         });
  // Use only pairs that overflow both as signed and as unsigned numbers, or in neither case, because `amul` serves
  // both.
  AddAll(table,
         IntegerOp("amul", w, w, {w, w}, "Mesa 25.0 amul: overflow is undefined",
                   [=](const Values& s) {
                     Operands o(w, s);
                     return o.a * o.b < low || o.a * o.b > high ? Poison() : of(o.a * o.b);
                   }),
         {{5, 3}, {Mask(w), 1}, {Mask(w) - 2, 5}, {0, Top(w)}, {Top(w), 2}, {Top(w) >> 1, 4}, {1, Top(w) - 1}});
  uint64_t top = Top(w), ones = Mask(w);
  std::vector<Values> triples = {{1, 2, 3},          {ones, ones, ones}, {top, top, 1},
                                 {top - 1, 2, ones}, {7, ones - 4, 9},   {0, top, 6}};
  AddAll(table, IntegerOp("iadd3", w, w, {w, w, w}, wraps, [](const Values& s) { return Bits(s[0] + s[1] + s[2]); }),
         triples);
  AddAll(table, IntegerOp("imad", w, w, {w, w, w}, wraps, [](const Values& s) { return Bits(s[0] * s[1] + s[2]); }),
         triples);
  std::vector<Values> singles = {{0}, {1}, {ones}, {top}, {top - 1}, {top + 1}, {0x5a}};
  AddAll(table,
         IntegerOp("ineg", w, w, {w}, "docs/nir.md 2.2: wraps, INT_MIN stays",
                   [](const Values& s) { return Bits(0 - s[0]); }),
         singles);
  AddAll(table,
         IntegerOp("iabs", w, w, {w}, "docs/nir.md 2.2: wraps, INT_MIN stays",
                   [=](const Values& s) { return Bits(Signed(w, s[0]) < 0 ? 0 - s[0] : s[0]); }),
         singles);
  AddAll(table,
         IntegerOp("isign", w, w, {w}, "GLSL 4.60 8.3 sign",
                   [=](const Values& s) {
                     int64_t value = Signed(w, s[0]);
                     return Bits(static_cast<uint64_t>(value > 0 ? 1 : value < 0 ? -1 : 0));
                   }),
         singles);
  AddAll(table,
         IntegerOp("udiv_aligned_4", w, w, {w},
                   "Mesa 25.0 udiv_aligned_4; docs/float_contract.md 2.5: poison off a multiple of 4",
                   [](const Values& s) { return (s[0] & 3) != 0 ? Poison() : Bits(s[0] / 4); }),
         {{0}, {4}, {12}, {ones - 3}, {top}, {5}, {ones}, {2}});
}

// Adds the answers for 1-bit integers, which are 0 and -1.
void AddOneBit(AnswerTable& table) {
  std::vector<Values> pairs = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  auto binary = [&](const char* name, auto meaning) {
    AddAll(table,
           IntegerOp(name, 1, 1, {1, 1}, "docs/nir.md 2.1: one-bit integers are 0 and -1",
                     [=](const Values& s) { return Bits(meaning(s[0], s[1])); }),
           pairs);
  };
  binary("iadd", [](uint64_t a, uint64_t b) { return a + b; });
  binary("isub", [](uint64_t a, uint64_t b) { return a - b; });
  binary("imul", [](uint64_t a, uint64_t b) { return a * b; });
  binary("imin", [](uint64_t a, uint64_t b) { return a | b; });
  binary("imax", [](uint64_t a, uint64_t b) { return a & b; });
  binary("umin", [](uint64_t a, uint64_t b) { return a & b; });
  binary("umax", [](uint64_t a, uint64_t b) { return a | b; });
  AddAll(
      table,
      IntegerOp("ineg", 1, 1, {1}, "docs/nir.md 2.2: wraps, INT_MIN stays", [](const Values& s) { return Bits(s[0]); }),
      {{0}, {1}});
}

void AddFixedMultiplies(AnswerTable& table) {
  auto i32 = [](uint64_t x) { return static_cast<int64_t>(static_cast<int32_t>(x)); };
  std::vector<Values> pairs = {{3, 5},
                               {0xffffffff, 7},
                               {0x80000000, 0x80000000},
                               {0x7fffffff, 0xffffffff},
                               {0xffffffff, 0xffffffff},
                               {0x00018001, 0x0001fffe},
                               {0x01000003, 0x01800005},
                               {0x00800000, 3}};
  auto binary = [&](const char* name, int result, const char* reference, auto meaning) {
    AddAll(table, IntegerOp(name, 0, result, {32, 32}, reference, [=](const Values& s) { return meaning(s[0], s[1]); }),
           pairs);
  };
  binary("imul_2x32_64", 64, "Mesa 25.0: signed 32 by 32 gives 64",
         [=](uint64_t a, uint64_t b) { return Bits(static_cast<uint64_t>(i32(a) * i32(b))); });
  binary("umul_2x32_64", 64, "Mesa 25.0: unsigned 32 by 32 gives 64",
         [](uint64_t a, uint64_t b) { return Bits(a * b); });
  binary("umul_low", 32, "docs/nir.md 2.2: product of the low halves",
         [](uint64_t a, uint64_t b) { return Bits((a & 0xffff) * (b & 0xffff)); });
  binary("imul_32x16", 32, "docs/nir.md 2.2: by the second source's low half, sign extended",
         [](uint64_t a, uint64_t b) { return Bits(a * static_cast<uint64_t>(static_cast<int16_t>(b))); });
  binary("umul_32x16", 32, "docs/nir.md 2.2: by the second source's low half, zero extended",
         [](uint64_t a, uint64_t b) { return Bits(a * (b & 0xffff)); });
  auto s24 = [](uint64_t x) { return Signed(24, x & 0xffffff); };
  binary("imul24", 32, "docs/nir.md 2.2: low 24 bits, sign extended",
         [=](uint64_t a, uint64_t b) { return Bits(static_cast<uint64_t>(s24(a) * s24(b))); });
  binary("umul24", 32, "Mesa 25.0: low 24 bits, zero extended",
         [](uint64_t a, uint64_t b) { return Bits((a & 0xffffff) * (b & 0xffffff)); });
  binary("imul24_relaxed", 32, "docs/float_contract.md 2.5: poison beyond 24 signed bits", [=](uint64_t a, uint64_t b) {
    bool fits = s24(a) == i32(a) && s24(b) == i32(b);
    return fits ? Bits(static_cast<uint64_t>(i32(a) * i32(b))) : Poison();
  });
  binary("umul24_relaxed", 32, "docs/float_contract.md 2.5: poison beyond 24 unsigned bits",
         [](uint64_t a, uint64_t b) { return ((a | b) >> 24) != 0 ? Poison() : Bits(a * b); });
  std::vector<Values> triples = {{3, 5, 7},
                                 {0xffffffff, 2, 1},
                                 {0x00ffffff, 0x00ffffff, 0xffffffff},
                                 {0x01000003, 5, 0},
                                 {0x00800000, 0x00000200, 0x80000000},
                                 {0, 0xffffffff, 9}};
  AddAll(table,
         IntegerOp("umad24", 0, 32, {32, 32, 32}, "Mesa 25.0: low 24 bits, zero extended, plus the addend",
                   [](const Values& s) { return Bits((s[0] & 0xffffff) * (s[1] & 0xffffff) + s[2]); }),
         triples);
  AddAll(table,
         IntegerOp("umad24_relaxed", 0, 32, {32, 32, 32}, "docs/float_contract.md 2.5: poison beyond 24 unsigned bits",
                   [](const Values& s) { return ((s[0] | s[1]) >> 24) != 0 ? Poison() : Bits(s[0] * s[1] + s[2]); }),
         triples);
}

// Returns acc plus the sum of the products of the lanes of x and y, in 64 bits. Each lane has `lane` bits.
int64_t Dot(uint64_t x, uint64_t y, int lane, bool x_signed, bool y_signed, int64_t acc) {
  for (int shift = 0; shift < 32; shift += lane) {
    uint64_t a = x >> shift & Mask(lane), b = y >> shift & Mask(lane);
    acc +=
        (x_signed ? Signed(lane, a) : static_cast<int64_t>(a)) * (y_signed ? Signed(lane, b) : static_cast<int64_t>(b));
  }
  return acc;
}

void AddDots(AnswerTable& table) {
  struct Kind {
    const char* name;
    int lane;
    bool x_signed, y_signed;
  };
  std::vector<Values> triples = {
      {0x04030201, 0x08070605, 10},         {0xffffffff, 0xffffffff, 0},          {0x80808080, 0x80808080, 0},
      {0x80808080, 0x7f7f7f7f, 0x80000000}, {0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff}, {0xffffffff, 0xffffffff, 0xffffffff},
      {0xff00ff00, 0x0102ff7f, 0xfffffffb}, {0x00000080, 0x000000ff, 1},          {0x0000ff80, 0x000080ff, 0x7fff0000}};
  for (Kind kind : {Kind{"sdot_4x8_iadd", 8, true, true}, Kind{"udot_4x8_uadd", 8, false, false},
                    Kind{"sudot_4x8_iadd", 8, true, false}, Kind{"sdot_2x16_iadd", 16, true, true},
                    Kind{"udot_2x16_uadd", 16, false, false}}) {
    AddAll(table,
           IntegerOp(kind.name, 0, 32, {32, 32, 32}, "SPV_KHR_integer_dot_product; Mesa 25.0 operand signs",
                     [=](const Values& s) {
                       return Bits(static_cast<uint64_t>(
                           Dot(s[0], s[1], kind.lane, kind.x_signed, kind.y_signed, static_cast<int64_t>(s[2]))));
                     }),
           triples);
    AddAll(table,
           IntegerOp(std::string(kind.name) + "_sat", 0, 32, {32, 32, 32},
                     "SPV_KHR_integer_dot_product OpSDotAccSat and kin: clamped once at the end",
                     [=](const Values& s) {
                       bool is_signed = kind.x_signed;
                       int64_t acc = is_signed ? Signed(32, s[2]) : static_cast<int64_t>(s[2]);
                       int64_t sum = Dot(s[0], s[1], kind.lane, kind.x_signed, kind.y_signed, acc);
                       int64_t low = is_signed ? INT32_MIN : 0;
                       int64_t high = is_signed ? INT32_MAX : int64_t{UINT32_MAX};
                       return Bits(static_cast<uint64_t>(std::clamp(sum, low, high)));
                     }),
           triples);
  }
  auto msad = [](uint64_t reference, uint64_t source, uint64_t acc) {
    for (int shift = 0; shift < 32; shift += 8) {
      int a = static_cast<int>(reference >> shift & 0xff), b = static_cast<int>(source >> shift & 0xff);
      if (a != 0) acc += static_cast<uint64_t>(std::abs(a - b));
    }
    return acc;
  };
  std::vector<Values> sads = triples;
  sads.push_back({0x00ff0001, 0xffffffff, 5});
  sads.push_back({0xffffffff, 0x00ff0001, 5});
  AddAll(table,
         IntegerOp("msad_4x8", 0, 32, {32, 32, 32}, "D3D11.3 22.13.4 msad: bytes whose reference (first) is not 0",
                   [=](const Values& s) { return Bits(msad(s[0], s[1], s[2])); }),
         sads);
  OpSpec mqsad{"mqsad_4x8",
               0,
               {32, false, 4},
               {{32, false}, {32, false, 2}, {32, false, 4}},
               Flushing::kNone,
               "Mesa 25.0 mqsad_4x8: msad at byte offsets 0 to 3 of the pair",
               {}};
  mqsad.evaluate = [=](const Inputs& in) {
    uint64_t pair = in[1][0] | in[1][1] << 32;
    std::vector<Outcome> result;
    for (int i = 0; i < 4; ++i) result.push_back(Bits(msad(in[0][0], pair >> (8 * i), in[2][i]) & Mask(32)));
    return result;
  };
  for (uint64_t reference : {0x04030201u, 0xff00ff00u, 0x00000001u, 0xffffffffu, 0u, 0x80017f02u}) {
    table.Add(mqsad, {{reference}, {0x0a141e28, 0xff807f01}, {0, 1, 0xffffffff, 0x100}});
  }
}

}  // namespace

std::string IntegerArithmeticAnswers() {
  AnswerTable table;
  AddOneBit(table);
  for (int w : kIntegerWidths) AddSized(table, w);
  AddFixedMultiplies(table);
  AddDots(table);
  return table.text();
}

}  // namespace rewrought::known_answers
