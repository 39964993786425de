// Generates the known answers of integer compares, logic, shifts, bit fields and selects.
#include <bit>

#include "tools/known_answers/families.h"
#include "tools/known_answers/float_values.h"
#include "tools/known_answers/integer_values.h"

namespace rewrought::known_answers {
namespace {

struct Compare {
  const char* name;
  bool (*predicate)(int width, uint64_t a, uint64_t b);
  bool is_bit_test;
};

const Compare kCompares[] = {
    {"ieq", [](int, uint64_t a, uint64_t b) { return a == b; }, false},
    {"ine", [](int, uint64_t a, uint64_t b) { return a != b; }, false},
    {"ilt", [](int w, uint64_t a, uint64_t b) { return Signed(w, a) < Signed(w, b); }, false},
    {"ige", [](int w, uint64_t a, uint64_t b) { return Signed(w, a) >= Signed(w, b); }, false},
    {"ult", [](int, uint64_t a, uint64_t b) { return a < b; }, false},
    {"uge", [](int, uint64_t a, uint64_t b) { return a >= b; }, false},
    {"bitnz", [](int w, uint64_t a, uint64_t b) { return (a >> (b % w) & 1) != 0; }, true},
    {"bitz", [](int w, uint64_t a, uint64_t b) { return (a >> (b % w) & 1) == 0; }, true},
};

void AddCompare(AnswerTable& table, const Compare& compare, int w, int bool_bits) {
  std::string name = compare.name;
  if (bool_bits != 1) name += std::to_string(bool_bits);
  OpSpec spec = IntegerOp(name, w, bool_bits, {w, compare.is_bit_test ? 32 : w},
                          compare.is_bit_test ? "docs/nir.md 2.2: the bit number is masked to the size"
                                              : "C17 6.5.8, 6.5.9; a bool is 0 or all ones",
                          [=](const Values& s) { return Bits(compare.predicate(w, s[0], s[1]) ? ~uint64_t{0} : 0); });
  if (w == 1) {
    AddAll(table, spec, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    return;
  }
  uint64_t top = Top(w), bits = static_cast<uint64_t>(w);
  std::vector<Values> inputs = {{1, 2},       {2, 1},         {7, 7},         {Mask(w), 0},
                                {0, Mask(w)}, {top, top - 1}, {top - 1, top}, {top, top}};
  if (compare.is_bit_test) {
    inputs = {{5, 0},        {5, 1},      {top, bits - 1}, {1, bits}, {top, 0xffffffff},
              {4, bits + 2}, {top, bits}, {~top, bits - 1}};
  }
  if (bool_bits != 1) inputs.resize(4);
  AddAll(table, spec, inputs);
}

void AddVectorCompares(AnswerTable& table, int n, int w, int bool_bits) {
  std::string prefix = bool_bits == 1 ? "b" : "b" + std::to_string(bool_bits);
  for (bool any : {false, true}) {
    OpSpec spec{prefix + (any ? "any_inequal" : "all_iequal") + std::to_string(n),
                w,
                {bool_bits, false},
                {{w, false, n}, {w, false, n}},
                Flushing::kNone,
                "GLSL 4.60 5.9 operators == and != on vectors",
                {}};
    spec.evaluate = [=](const Inputs& in) {
      return std::vector<Outcome>{Bits((in[0] == in[1]) != any ? Mask(bool_bits) : 0)};
    };
    uint64_t top = Top(w);
    const Values four = {top, 0, Mask(w), 1 & Mask(w)};
    Values x;
    for (int i = 0; i < n; ++i) x.push_back(four[static_cast<size_t>(i % 4)]);
    table.Add(spec, {x, x});
    for (int i = 0; i < n; ++i) {
      Values y = x;
      y[i] ^= w == 1 || i != 0 ? 1 : top;
      table.Add(spec, {x, y});
    }
    Values all_different;
    for (uint64_t value : x) all_different.push_back(~value & Mask(w));
    table.Add(spec, {x, all_different});
    table.Add(spec, {Values(n, 0), Values(n, 0)});
    table.Add(spec, {Values(n, 0), Values(n, Mask(w))});
  }
}

void AddLogic(AnswerTable& table, int w) {
  const char* reference = "C17 6.5.10 to 6.5.12, 6.5.3.3: bitwise";
  std::vector<Values> pairs = {
      {0xc5, 0xa3}, {0, Mask(w)}, {Mask(w), Mask(w)}, {Top(w), 1}, {0x0123456789abcdef, 0xfedcba98765432f0}, {0, 0}};
  AddAll(table, IntegerOp("iand", w, w, {w, w}, reference, [](const Values& s) { return Bits(s[0] & s[1]); }), pairs);
  AddAll(table, IntegerOp("ior", w, w, {w, w}, reference, [](const Values& s) { return Bits(s[0] | s[1]); }), pairs);
  AddAll(table, IntegerOp("ixor", w, w, {w, w}, reference, [](const Values& s) { return Bits(s[0] ^ s[1]); }), pairs);
  AddAll(table, IntegerOp("inot", w, w, {w}, reference, [](const Values& s) { return Bits(~s[0]); }),
         {{0}, {Mask(w)}, {1}, {Top(w)}, {0xa5}, {0x0123456789abcdef}});
  AddAll(table,
         IntegerOp("bitfield_select", w, w, {w, w, w}, "OpenCL C 6.15.9 bitselect with the mask first",
                   [](const Values& s) { return Bits((s[0] & s[1]) | (~s[0] & s[2])); }),
         {{0xf0, 0xaa, 0x55},
          {0, 1, 2},
          {Mask(w), 1, 2},
          {Top(w), Mask(w), 0},
          {1, 0, Mask(w)},
          {0x0ff0, 0x1234, 0xabcd}});
}

void AddShifts(AnswerTable& table, int w) {
  const char* reference = "D3D11.3 22.12 shifts: only the low bits of the count";
  uint64_t n = static_cast<uint64_t>(w), x = 0x8123456789abcdefu >> (64 - w), top = Top(w);
  std::vector<Values> inputs = {{x, 0},          {x, 1},     {x, n - 1},     {x, n},       {x, n + 1},
                                {x, 0xffffffff}, {1, n - 1}, {top, n - 1},   {top - 1, 3}, {x, 5},
                                {x, 32},         {x, 64},    {x, 0x80000000}};
  auto rotate = [w](uint64_t a, uint64_t left) { return left == 0 ? a : (a << left) | (a >> (w - left)); };
  AddAll(table, IntegerOp("ishl", w, w, {w, 32}, reference, [=](const Values& s) { return Bits(s[0] << (s[1] % n)); }),
         inputs);
  AddAll(table, IntegerOp("ushr", w, w, {w, 32}, reference, [=](const Values& s) { return Bits(s[0] >> (s[1] % n)); }),
         inputs);
  AddAll(table,
         IntegerOp("ishr", w, w, {w, 32}, reference,
                   [=](const Values& s) { return Bits(static_cast<uint64_t>(Signed(w, s[0]) >> (s[1] % n))); }),
         inputs);
  AddAll(table,
         IntegerOp("urol", w, w, {w, 32}, "SPV_INTEL/OpenCL rotate left, count modulo the width",
                   [=](const Values& s) { return Bits(rotate(s[0], s[1] % n)); }),
         inputs);
  AddAll(table,
         IntegerOp("uror", w, w, {w, 32}, "rotate right, count modulo the width",
                   [=](const Values& s) { return Bits(rotate(s[0], (n - s[1] % n) % n)); }),
         inputs);
}

void AddFields(AnswerTable& table) {
  AddAll(table,
         IntegerOp("shfr", 0, 32, {32, 32, 32}, "docs/nir.md 2.2: low half of {src0,src1} >> (count & 31)",
                   [](const Values& s) { return Bits((s[0] << 32 | s[1]) >> (s[2] & 31)); }),
         {{0x12345678, 0x9abcdef0, 0},
          {0x12345678, 0x9abcdef0, 4},
          {0x12345678, 0x9abcdef0, 31},
          {0x12345678, 0x9abcdef0, 32},
          {0x12345678, 0x9abcdef0, 33},
          {1, 0, 1},
          {0xffffffff, 0, 0xffffffff}});
}

std::vector<Values> FieldInputs() {
  uint64_t x = 0x89abcdef;
  return {{x, 0, 0},   {x, 0, 32},         {x, 4, 8},          {x, 28, 4},         {x, 28, 8},  {x, 31, 1},
          {x, 0, 31},  {x, 16, 16},        {x, 32, 4},         {x, 0, 1},          {x, 31, 31}, {x, 4, 32},
          {x, 36, 40}, {x, 0xffffffff, 1}, {x, 1, 0xffffffff}, {0x7fffffff, 27, 4}};
}

void AddExtracts(AnswerTable& table) {
  auto bfe = [](const Values& s, bool is_signed) {
    uint64_t offset = s[1] & 31, bits = s[2] & 31;
    if (bits == 0) return Bits(0);
    // A field that extends beyond bit 31 is truncated, so its sign bit is bit 31.
    uint64_t kept = offset + bits < 32 ? bits : 32 - offset;
    uint64_t field = s[0] >> offset & Mask(static_cast<int>(kept));
    return Bits(is_signed ? static_cast<uint64_t>(Signed(static_cast<int>(kept), field)) : field);
  };
  const char* d3d = "D3D11.3 22.12 ubfe/ibfe: 5-bit offset and width, width 0 gives 0";
  AddAll(table, IntegerOp("ubfe", 0, 32, {32, 32, 32}, d3d, [=](const Values& s) { return bfe(s, false); }),
         FieldInputs());
  AddAll(table, IntegerOp("ibfe", 0, 32, {32, 32, 32}, d3d, [=](const Values& s) { return bfe(s, true); }),
         FieldInputs());
  auto legal = [](uint64_t offset, uint64_t bits) {
    int64_t o = Signed(32, offset), b = Signed(32, bits);
    return o >= 0 && b >= 0 && o + b <= 32;
  };
  auto extract = [=](const Values& s, bool is_signed) {
    if (!legal(s[1], s[2])) return Poison();
    if (s[2] == 0) return Bits(0);
    uint64_t field = s[0] >> s[1] & Mask(static_cast<int>(s[2]));
    return Bits(is_signed ? static_cast<uint64_t>(Signed(static_cast<int>(s[2]), field)) : field);
  };
  const char* glsl = "GLSL 4.60 8.8 bitfieldExtract; beyond the word undefined";
  std::vector<Values> inputs = FieldInputs();
  inputs.push_back({5, 32, 0});
  inputs.push_back({0x89abcdef, 0, 0x80000000});
  AddAll(table,
         IntegerOp("ubitfield_extract", 0, 32, {32, 32, 32}, glsl, [=](const Values& s) { return extract(s, false); }),
         inputs);
  AddAll(table,
         IntegerOp("ibitfield_extract", 0, 32, {32, 32, 32}, glsl, [=](const Values& s) { return extract(s, true); }),
         inputs);
  AddAll(
      table,
      IntegerOp("bitfield_insert", 0, 32, {32, 32, 32, 32}, "GLSL 4.60 8.8 bitfieldInsert; beyond the word undefined",
                [=](const Values& s) {
                  if (!legal(s[2], s[3])) return Poison();
                  uint64_t mask = s[3] == 0 ? 0 : Mask(static_cast<int>(s[3])) << s[2];
                  return Bits((s[0] & ~mask) | (s[1] << s[2] & mask));
                }),
      {{0x11111111, 0xabcdef12, 0, 0},
       {0x11111111, 0xabcdef12, 0, 32},
       {0x11111111, 0xabcdef12, 8, 8},
       {0xffffffff, 0, 31, 1},
       {0, 0xffffffff, 16, 16},
       {0x11111111, 0xabcdef12, 32, 0},
       {1, 2, 28, 5},
       {1, 2, 0xffffffff, 1},
       {1, 2, 0, 33},
       {1, 2, 4, 0x80000000},
       {0x12345678, 0xff, 4, 4}});
  AddAll(table,
         IntegerOp("bfm", 0, 32, {32, 32}, "docs/nir.md 2.2: ((1 << (bits & 31)) - 1) << (offset & 31)",
                   [](const Values& s) { return Bits(((uint64_t{1} << (s[0] & 31)) - 1) << (s[1] & 31)); }),
         {{0, 5}, {4, 8}, {31, 0}, {32, 0}, {8, 28}, {31, 31}, {33, 32}, {0xffffffff, 0xffffffff}});
  AddAll(table,
         IntegerOp("bfi", 0, 32, {32, 32, 32},
                   "docs/nir.md 2.2: insert << ctz(mask) under the mask; mask 0 gives the base",
                   [](const Values& s) {
                     if (s[0] == 0) return Bits(s[2]);
                     return Bits((s[2] & ~s[0]) | (s[1] << std::countr_zero(s[0]) & s[0]));
                   }),
         {{0, 0xff, 0x12345678},
          {0xff00, 0xabcd, 0x11111111},
          {0xffffffff, 5, 6},
          {0x80000000, 3, 0},
          {0x0f0f0000, 0x1234, 0xffffffff},
          {1, 2, 3},
          {0x00ff00f0, 0xffffffff, 0}});
}

void AddCounts(AnswerTable& table, int w) {
  auto highest = [w](uint64_t x) { return static_cast<uint64_t>(static_cast<int64_t>(63 - std::countl_zero(x))); };
  std::vector<Values> inputs = {{0}, {1}, {Mask(w)}, {Top(w)}, {Top(w) - 1}, {0x50}, {Mask(w) - 1}, {0x28}};
  AddAll(table,
         IntegerOp("bit_count", w, 32, {w}, "GLSL 4.60 8.8 bitCount",
                   [](const Values& s) { return Bits(static_cast<uint64_t>(std::popcount(s[0]))); }),
         inputs);
  AddAll(table,
         IntegerOp("find_lsb", w, 32, {w}, "GLSL 4.60 8.8 findLSB; -1 of 0",
                   [](const Values& s) {
                     return Bits(s[0] == 0 ? ~uint64_t{0} : static_cast<uint64_t>(std::countr_zero(s[0])));
                   }),
         inputs);
  AddAll(table,
         IntegerOp("ufind_msb", w, 32, {w}, "GLSL 4.60 8.8 findMSB; -1 of 0",
                   [=](const Values& s) { return Bits(highest(s[0])); }),
         inputs);
  if (w != 32) return;
  auto other_sign = [=](uint64_t x) { return (x >> 31) != 0 ? ~x & Mask(32) : x; };
  AddAll(table,
         IntegerOp("ufind_msb_rev", w, 32, {w}, "docs/nir.md 2.2: counted from the top; -1 of 0",
                   [=](const Values& s) { return Bits(s[0] == 0 ? ~uint64_t{0} : 31 - highest(s[0])); }),
         inputs);
  AddAll(table,
         IntegerOp("ifind_msb", 0, 32, {32}, "GLSL 4.60 8.8 findMSB: first bit unlike the sign; -1 of 0 and -1",
                   [=](const Values& s) { return Bits(highest(other_sign(s[0]))); }),
         inputs);
  AddAll(table,
         IntegerOp("ifind_msb_rev", 0, 32, {32}, "docs/nir.md 2.2: counted from the top; -1 of 0 and -1",
                   [=](const Values& s) {
                     uint64_t x = other_sign(s[0]);
                     return Bits(x == 0 ? ~uint64_t{0} : 31 - highest(x));
                   }),
         inputs);
  AddAll(table,
         IntegerOp("uclz", 0, 32, {32}, "docs/nir.md 2.2: 32 of 0",
                   [](const Values& s) { return Bits(static_cast<uint64_t>(std::countl_zero(s[0])) - 32); }),
         inputs);
  AddAll(table,
         IntegerOp("bitfield_reverse", 0, 32, {32}, "GLSL 4.60 8.8 bitfieldReverse",
                   [](const Values& s) {
                     uint64_t result = 0;
                     for (int i = 0; i < 32; ++i) result |= (s[0] >> i & 1) << (31 - i);
                     return Bits(result);
                   }),
         inputs);
}

void AddIntegerSelects(AnswerTable& table, int w) {
  uint64_t x = 0x0123456789abcdef & Mask(w), y = 0xfedcba9876543210 & Mask(w),
           signaling = w == 32   ? 0x7f800001
                       : w == 16 ? 0x7c01
                                 : 1;
  for (int bool_bits : {1, 8, 16, 32}) {
    std::string name = bool_bits == 1 ? "bcsel" : "b" + std::to_string(bool_bits) + "csel";
    AddAll(table,
           IntegerOp(name, w, w, {bool_bits, w, w}, "docs/nir.md 2.2: typed uint, a bit copy",
                     [](const Values& s) { return Bits(s[0] != 0 ? s[1] : s[2]); }),
           {{0, x, y},
            {Mask(bool_bits), x, y},
            {0, y, signaling},
            {Mask(bool_bits), signaling, y},
            {0, 0, Top(w)},
            {Mask(bool_bits), 0, 1}});
  }
  AddAll(table,
         IntegerOp("icsel_eqz", w, w, {w, w, w}, "Mesa 25.0: first if the condition is the integer 0",
                   [](const Values& s) { return Bits(s[0] == 0 ? s[1] : s[2]); }),
         {{0, x, y}, {1, x, y}, {Mask(w), x, y}, {Top(w), x, y}, {0, signaling, x}, {0, y, x}});
}

void AddSizedSelects(AnswerTable& table) {
  auto i32 = [](uint64_t bits) { return Signed(32, bits); };
  std::vector<Values> inputs;
  for (uint64_t condition : {0u, 1u, 0xffffffffu, 0x80000000u, 0x7fffffffu, 0x7fc00000u})
    inputs.push_back({condition, 0x7f800001, 0x89abcdef});
  AddAll(table,
         IntegerOp("i32csel_gt", 0, 32, {32, 32, 32}, "Mesa 25.0: signed integer condition above 0",
                   [=](const Values& s) { return Bits(i32(s[0]) > 0 ? s[1] : s[2]); }),
         inputs);
  AddAll(table,
         IntegerOp("i32csel_ge", 0, 32, {32, 32, 32}, "Mesa 25.0: signed integer condition at least 0",
                   [=](const Values& s) { return Bits(i32(s[0]) >= 0 ? s[1] : s[2]); }),
         inputs);
  FloatValues v(32);
  auto select = [&](const char* name, const char* reference, bool (*takes_first)(uint64_t)) {
    // The condition may be flushed. The values pass through unchanged, so they are not declared as floats.
    OpSpec spec{name, 0, {32, false}, {{32, true}, {32, false}, {32, false}}, Flushing::kOptional, reference, {}};
    spec.evaluate = [=](const Inputs& in) {
      return std::vector<Outcome>{Bits(takes_first(in[0][0]) ? in[1][0] : in[2][0])};
    };
    for (uint64_t condition :
         {v.zero, v.minus_zero, v.one, v(-2), v.nan, v.inf, v.minus_inf, v.min_denormal, v.Negated(v.min_denormal)}) {
      table.AddScalars(spec, {condition, 0x7f800001, 0x00000001});
      table.AddScalars(spec, {condition, 0x80000000, 0xffc12345});
    }
  };
  select("fcsel", "docs/nir.md 2.2: condition != 0.0 (NaN true, -0 false)",
         [](uint64_t c) { return !Equal(32, c, 0); });
  select("fcsel_gt", "docs/nir.md 2.2: ordered condition > 0.0", [](uint64_t c) { return Less(32, 0, c); });
  select("fcsel_ge", "docs/nir.md 2.2: ordered condition >= 0.0",
         [](uint64_t c) { return Less(32, 0, c) || Equal(32, 0, c); });
}

}  // namespace

std::string IntegerCompareAnswers() {
  AnswerTable table;
  for (const Compare& compare : kCompares) {
    for (int w : {1, 8, 16, 32, 64}) {
      if (w == 1 && compare.is_bit_test) continue;
      for (int bool_bits : {1, 8, 16, 32}) AddCompare(table, compare, w, bool_bits);
    }
  }
  for (int n = 2; n <= 4; ++n) {
    for (int bool_bits : {1, 8, 16, 32}) {
      for (int w : {1, 8, 16, 32, 64}) AddVectorCompares(table, n, w, bool_bits);
    }
  }
  for (int n : {5, 8, 16}) {
    for (int bool_bits : {1, 8, 16, 32}) {
      for (int w : {1, 8, 32, 64}) AddVectorCompares(table, n, w, bool_bits);
    }
  }
  return table.text();
}

std::string LogicAndShiftAnswers() {
  AnswerTable table;
  for (int w : {1, 8, 16, 32, 64}) AddLogic(table, w);
  for (int w : kIntegerWidths) AddShifts(table, w);
  AddFields(table);
  return table.text();
}

std::string BitfieldAnswers() {
  AnswerTable table;
  AddExtracts(table);
  for (int w : kIntegerWidths) AddCounts(table, w);
  return table.text();
}

std::string SelectAnswers() {
  AnswerTable table;
  for (int w : {1, 8, 16, 32, 64}) AddIntegerSelects(table, w);
  AddSizedSelects(table);
  return table.text();
}

}  // namespace rewrought::known_answers
