// Generates the known answers of the conversion family.
#include <cmath>
#include <string>

#include "tools/known_answers/families.h"
#include "tools/known_answers/float_values.h"

namespace rewrought::known_answers {
namespace {

using Values = std::vector<uint64_t>;

constexpr int kIntWidths[] = {1, 8, 16, 32, 64};

uint64_t Mask(int bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

int64_t SignExtend(int bits, uint64_t value) { return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits); }

OpSpec Unary(const std::string& name, int free_size, Operand result, Operand source, Flushing flushing,
             const char* reference, std::function<Outcome(uint64_t)> meaning) {
  OpSpec spec{name, free_size, result, {source}, flushing, reference, {}};
  spec.evaluate = [meaning](const Inputs& in) { return std::vector<Outcome>{meaning(in[0][0])}; };
  return spec;
}

void AddAll(AnswerTable& table, const OpSpec& spec, const Values& inputs) {
  for (uint64_t x : inputs) table.AddScalars(spec, {x});
}

Values IntCorners(int bits) {
  if (bits == 1) return {0, 1};
  uint64_t top = uint64_t{1} << (bits - 1);
  Values values = {0, 1, Mask(bits), top, top - 1, 0x5a & Mask(bits), (top | 3)};
  // These values are ties or overflow in binary16, binary32 and binary64.
  if (bits == 16) values.insert(values.end(), {2049, 2051, 65519, 65520, 0xfff0});
  if (bits == 32) values.insert(values.end(), {2049, 2051, 65519, 65520, 16777217, 16777219, 0xffffff80, 0xfffeffe1});
  if (bits == 64) {
    values.insert(values.end(), {65519, 65520, 16777217, 0x20000000000001, 0x20000000000003, 0x7ffffffffffffe00,
                                 0x8000008000000001, 0xfffffffffffffbff});
  }
  return values;
}

void AddIntToFloat(AnswerTable& table, const std::string& name, int from, int to, bool is_signed, int free_size) {
  OpSpec spec = Unary(name, free_size, {to, true}, {from, false}, Flushing::kMust,
                      "IEEE 754-2019 5.4.1 convertFromInt, ties to even; MPFR", [=](uint64_t x) {
                        return From(Round(to, [&](mpfr_t out, mpfr_rnd_t mode) {
                          // If `out` is too narrow for the integer, this call rounds it, once.
                          return is_signed ? mpfr_set_sj(out, SignExtend(from, x), mode) : mpfr_set_uj(out, x, mode);
                        }));
                      });
  AddAll(table, spec, IntCorners(from));
}

void AddFloatToInt(AnswerTable& table, const std::string& name, int from, int to, bool is_signed, int free_size) {
  OpSpec spec = Unary(
      name, free_size, {to, false}, {from, true}, Flushing::kMust,
      "IEEE 754-2019 5.8 convertToIntegerTowardZero; docs/float_contract.md 2.5: out of range is poison",
      [=](uint64_t x) {
        double value = std::trunc(ToDouble(from, x));
        double least = is_signed ? -std::ldexp(1.0, to - 1) : 0.0;
        double beyond = std::ldexp(1.0, is_signed ? to - 1 : to);
        Outcome result;
        result.poison = !(value >= least && value < beyond);
        if (result.poison) return result;
        result.bits =
            (value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value)) & Mask(to);
        return result;
      });
  FloatValues v(from);
  Values inputs = {v.zero,
                   v.minus_zero,
                   v(1.9),
                   v(-0.9),
                   v(-1),
                   v(100.5),
                   v.inf,
                   v.minus_inf,
                   v.nan,
                   v.min_denormal,
                   v.Negated(v.max_denormal)};
  if (to != 1) {
    double edge = std::ldexp(1.0, is_signed ? to - 1 : to);
    if (from != 16 || edge <= 65504) {
      uint64_t at = v(edge);
      inputs.insert(inputs.end(), {at, at - 1});
      if (is_signed) inputs.insert(inputs.end(), {v.Negated(at), v.Negated(at + 1)});
    }
    // These values are just within range after truncation, if the format has fraction bits at this magnitude.
    if (to <= 16 && from != 16) inputs.push_back(v(edge - 0.5));
    if (to <= 16 && from != 16 && is_signed) inputs.push_back(v(-edge - 0.5));
  }
  AddAll(table, spec, inputs);
}

void AddFloatToFloat(AnswerTable& table, const std::string& name, int from, int to, int free_size,
                     mpfr_rnd_t rounding = MPFR_RNDN) {
  OpSpec spec = Unary(name, free_size, {to, true}, {from, true}, Flushing::kOptional,
                      rounding == MPFR_RNDN ? "IEEE 754-2019 5.4.2 convertFormat, ties to even; MPFR"
                                            : "IEEE 754-2019 4.3.2 roundTowardZero; MPFR",
                      [=](uint64_t x) { return From(Convert(from, to, x, rounding)); });
  FloatValues v(from), r(to);
  Values inputs = {
      v.zero, v.minus_zero, v(1), v(-0.1), v.inf, v.minus_inf, v.nan, v.min_denormal, v.Negated(v.max_denormal),
      v.max,  v.min_normal};
  if (to < from) {
    // The inputs are the narrow format's halfway points, overflow threshold and denormals, as values of the wide
    // format.
    uint64_t narrow_max = Convert(to, from, r.max).bits, narrow_min = Convert(to, from, r.min_normal).bits;
    double ulp = to == 16 ? 0x1p-10 : 0x1p-23, least = ToDouble(to, 1);
    double overflow = ToDouble(from, narrow_max) * (1 + ulp / (4 - 2 * ulp));  // max plus half its ulp
    inputs.insert(inputs.end(),
                  {v(1 + ulp / 2), v(1 + 3 * ulp / 2), v(1 + ulp / 2) + 1, v(1 + ulp / 2) - 1, narrow_max, v(overflow),
                   v(overflow) - 1, v.Negated(v(overflow)), narrow_min, narrow_min - 1, v.Negated(narrow_min - 1),
                   v(least), v(least / 2), v(least / 2) + 1, v(-least * 1.5), v(least * 1023.5), v(least * 5.5)});
  }
  AddAll(table, spec, inputs);
}

void AddIntToInt(AnswerTable& table, const std::string& name, int from, int to, bool is_signed, int free_size) {
  OpSpec spec = Unary(name, free_size, {to, false}, {from, false}, Flushing::kNone,
                      "SPIR-V 1.6 OpSConvert, OpUConvert: truncate or extend", [=](uint64_t x) {
                        uint64_t wide = is_signed ? static_cast<uint64_t>(SignExtend(from, x)) : x;
                        return Plain(wide & Mask(to));
                      });
  Values inputs = IntCorners(from);
  if (inputs.size() > 8) inputs.resize(8);
  AddAll(table, spec, inputs);
}

void AddBool(AnswerTable& table, const std::string& name, int from, int to, char kind) {
  uint64_t truth = kind == 'f' ? FromDouble(to, 1) : kind == 'i' ? 1 : Mask(to);
  OpSpec spec = Unary(name, from, {to, kind == 'f'}, {from, false}, Flushing::kNone,
                      "docs/nir.md 2.1: a bool is 0 or all ones; 2.2: b2f is 1.0 or 0.0, b2i is 1 or 0",
                      [=](uint64_t x) { return Plain(x != 0 ? truth : 0); });
  AddAll(table, spec, {0, Mask(from)});
}

}  // namespace

std::string ConversionAnswers() {
  AnswerTable table;
  for (int from : kIntWidths) {
    for (int to : kFloatWidths) {
      AddIntToFloat(table, "i2f" + std::to_string(to), from, to, true, from);
      AddIntToFloat(table, "u2f" + std::to_string(to), from, to, false, from);
    }
    for (int to : kIntWidths) {
      AddIntToInt(table, "i2i" + std::to_string(to), from, to, true, from);
      AddIntToInt(table, "u2u" + std::to_string(to), from, to, false, from);
    }
  }
  for (int from : kFloatWidths) {
    for (int to : kIntWidths) {
      AddFloatToInt(table, "f2i" + std::to_string(to), from, to, true, from);
      AddFloatToInt(table, "f2u" + std::to_string(to), from, to, false, from);
    }
    for (int to : kFloatWidths) AddFloatToFloat(table, "f2f" + std::to_string(to), from, to, from);
    AddFloatToFloat(table, "f2f16_rtne", from, 16, from);
    AddFloatToFloat(table, "f2f16_rtz", from, 16, from, MPFR_RNDZ);
  }
  for (int from : {1, 8, 16, 32}) {
    for (int to : kFloatWidths) AddBool(table, "b2f" + std::to_string(to), from, to, 'f');
    for (int to : kIntWidths) AddBool(table, "b2i" + std::to_string(to), from, to, 'i');
    for (int to : {1, 8, 16, 32}) AddBool(table, "b2b" + std::to_string(to), from, to, 'b');
  }
  AddFloatToFloat(table, "f2fmp", 32, 16, 0);
  AddIntToInt(table, "i2imp", 32, 16, true, 0);
  AddFloatToInt(table, "f2imp", 32, 16, true, 0);
  AddFloatToInt(table, "f2ump", 32, 16, false, 0);
  AddIntToFloat(table, "i2fmp", 32, 16, true, 0);
  AddIntToFloat(table, "u2fmp", 32, 16, false, 0);
  return table.text();
}

}  // namespace rewrought::known_answers
