// Translates the GLSL.std.450 extended instructions to NIR ops (facts: Mesa 25.0 src/compiler/spirv/vtn_glsl450.c and
// nir_builtin_builder.c). Multiply-adds are not fused, and normalize becomes x * frsq(dot(x, x)), as on scalar back
// ends.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "corpus/spirv/spirv_translator.h"
#include "spirv/unified1/GLSL.std.450.h"

namespace rewrought::corpus {
namespace {

struct PlainEntry {
  uint32_t entry;
  const char* op;
  bool exact;
};
constexpr PlainEntry kPlainEntries[] = {
    {GLSLstd450Round, "fround_even", false},  {GLSLstd450RoundEven, "fround_even", false},
    {GLSLstd450Trunc, "ftrunc", false},       {GLSLstd450FAbs, "fabs", false},
    {GLSLstd450SAbs, "iabs", false},          {GLSLstd450FSign, "fsign", false},
    {GLSLstd450SSign, "isign", false},        {GLSLstd450Floor, "ffloor", false},
    {GLSLstd450Ceil, "fceil", false},         {GLSLstd450Fract, "ffract", false},
    {GLSLstd450Sin, "fsin", false},           {GLSLstd450Cos, "fcos", false},
    {GLSLstd450Pow, "fpow", false},           {GLSLstd450Exp2, "fexp2", false},
    {GLSLstd450Log2, "flog2", false},         {GLSLstd450Sqrt, "fsqrt", false},
    {GLSLstd450InverseSqrt, "frsq", false},   {GLSLstd450FMin, "fmin", false},
    {GLSLstd450UMin, "umin", false},          {GLSLstd450SMin, "imin", false},
    {GLSLstd450FMax, "fmax", false},          {GLSLstd450UMax, "umax", false},
    {GLSLstd450SMax, "imax", false},          {GLSLstd450NMin, "fmin", true},
    {GLSLstd450NMax, "fmax", true},           {GLSLstd450FMix, "flrp", false},
    {GLSLstd450Fma, "ffma", false},           {GLSLstd450Ldexp, "ldexp", false},
    {GLSLstd450FindILsb, "find_lsb", false},  {GLSLstd450FindSMsb, "ifind_msb", false},
    {GLSLstd450FindUMsb, "ufind_msb", false},
};

}  // namespace

Lanes SpirvTranslator::TranslateGlsl450(const SpirvInstruction& instruction) {
  if (instruction.operands.size() < 3 || instruction.operands[0] != module_.glsl450_set) return {};
  const uint32_t entry = instruction.operands[1];
  std::vector<Lanes> operands;
  for (size_t i = 2; i < instruction.operands.size(); ++i) {
    operands.push_back(Value(instruction.operands[i]));
    // Pointer operands (modf, frexp) and images are not supported.
    if (operands.back().empty()) return {};
  }
  const uint8_t bits = types_.at(instruction.type).bits;
  for (const PlainEntry& plain : kPlainEntries) {
    if (plain.entry != entry) continue;
    exact_ = exact_ || plain.exact;
    return EmitEach(plain.op, bits, operands);
  }
  Lanes lanes = TranslateShaping(entry, operands);
  if (lanes.empty()) lanes = TranslateGeometric(entry, operands);
  if (lanes.empty()) lanes = TranslatePacking(entry, operands);
  return lanes;
}

Lanes SpirvTranslator::TranslateShaping(uint32_t entry, const std::vector<Lanes>& operands) {
  const Lanes& a = operands[0];
  const uint8_t bits = BitsOf(a[0]);
  const auto times = [&](const Lanes& x, double factor) { return Scaled(x, Float(bits, factor)); };
  const auto clamp = [&](const char* max, const char* min) {
    return EmitEach(min, bits, {EmitEach(max, bits, {a, operands[1]}), operands[2]});
  };
  const size_t count = operands.size();
  switch (entry) {
    case GLSLstd450Radians:
      return times(a, M_PI / 180.0);
    case GLSLstd450Degrees:
      return times(a, 180.0 / M_PI);
    case GLSLstd450Exp:
      return EmitEach("fexp2", bits, {times(a, M_LOG2E)});
    case GLSLstd450Log:
      return times(EmitEach("flog2", bits, {a}), M_LN2);
    case GLSLstd450Tan:
      return EmitEach("fdiv", bits, {EmitEach("fsin", bits, {a}), EmitEach("fcos", bits, {a})});
    case GLSLstd450FClamp:
      return count == 3 ? clamp("fmax", "fmin") : Lanes{};
    case GLSLstd450UClamp:
      return count == 3 ? clamp("umax", "umin") : Lanes{};
    case GLSLstd450SClamp:
      return count == 3 ? clamp("imax", "imin") : Lanes{};
    case GLSLstd450NClamp:
      exact_ = true;
      return count == 3 ? clamp("fmax", "fmin") : Lanes{};
    case GLSLstd450Step: {
      // The result for a NaN must be 1. This is true of 1 - (x < edge), but not of x >= edge.
      if (count != 2 || a.size() != operands[1].size()) return {};
      Lanes lanes;
      for (size_t i = 0; i < a.size(); ++i) {
        const Lane below = EmitExact("flt", 1, {operands[1][i], a[i]});
        lanes.push_back(Emit("fsub", bits, {Float(bits, 1.0), Emit(absl::StrCat("b2f", bits), bits, {below})}));
      }
      return lanes;
    }
    case GLSLstd450SmoothStep: {
      if (count != 3) return {};
      const Lanes from_edge = EmitEach("fsub", bits, {operands[2], a});
      const Lanes t =
          EmitEach("fsat", bits, {EmitEach("fdiv", bits, {from_edge, EmitEach("fsub", bits, {operands[1], a})})});
      const Lanes slope = EmitEach("fsub", bits, {{Float(bits, 3.0)}, times(t, 2.0)});
      return EmitEach("fmul", bits, {t, EmitEach("fmul", bits, {t, slope})});
    }
    default:
      return {};
  }
}

Lanes SpirvTranslator::TranslateGeometric(uint32_t entry, const std::vector<Lanes>& operands) {
  const Lanes& a = operands[0];
  const uint8_t bits = BitsOf(a[0]);
  const bool pair = operands.size() >= 2 && operands[1].size() == a.size();
  switch (entry) {
    case GLSLstd450Length:
      return {Emit("fsqrt", bits, {Dot(a, a)})};
    case GLSLstd450Normalize:
      return Scaled(a, Emit("frsq", bits, {Dot(a, a)}));
    case GLSLstd450Distance: {
      if (!pair) return {};
      const Lanes difference = EmitEach("fsub", bits, {a, operands[1]});
      return {Emit("fsqrt", bits, {Dot(difference, difference)})};
    }
    case GLSLstd450Cross: {
      if (!pair || a.size() != 3) return {};
      const Lanes& b = operands[1];
      Lanes lanes;
      for (size_t i = 0; i < 3; ++i) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        const Lane left = Emit("fmul", bits, {a[j], b[k]});
        lanes.push_back(Emit("fsub", bits, {left, Emit("fmul", bits, {a[k], b[j]})}));
      }
      return lanes;
    }
    case GLSLstd450FaceForward: {
      if (!pair || operands.size() < 3 || operands[2].size() != a.size()) return {};
      const Lane facing = Emit("flt", 1, {Dot(operands[2], operands[1]), Float(bits, 0.0)});
      return EmitEach("bcsel", bits, {{facing}, a, EmitEach("fneg", bits, {a})});
    }
    case GLSLstd450Reflect: {
      if (!pair) return {};
      const Lane twice = Emit("fmul", bits, {Dot(a, operands[1]), Float(bits, 2.0)});
      return EmitEach("fsub", bits, {a, Scaled(operands[1], twice)});
    }
    case GLSLstd450Refract: {
      if (!pair || operands.size() < 3 || BitsOf(operands[2][0]) != bits) return {};
      const Lane eta = operands[2][0], one = Float(bits, 1.0), zero = Float(bits, 0.0);
      const Lane cosine = Dot(operands[1], a);
      const Lane sine2 = Emit("fsub", bits, {one, Emit("fmul", bits, {cosine, cosine})});
      const Lane k = Emit("fsub", bits, {one, Emit("fmul", bits, {eta, Emit("fmul", bits, {eta, sine2})})});
      const Lane root = Emit("fsqrt", bits, {k});
      const Lane along = Emit("fadd", bits, {Emit("fmul", bits, {eta, cosine}), root});
      const Lanes bent = EmitEach("fsub", bits, {Scaled(a, eta), Scaled(operands[1], along)});
      return EmitEach("bcsel", bits, {{Emit("flt", 1, {k, zero})}, {zero}, bent});
    }
    default:
      return {};
  }
}

// Handles packing and unpacking. Half-precision floats use scalar ops; other formats use the op of the same name.
Lanes SpirvTranslator::TranslatePacking(uint32_t entry, const std::vector<Lanes>& operands) {
  const Lanes& a = operands[0];
  const auto whole = [&](const char* op, uint8_t bits, int components) -> Lanes {
    const absl::StatusOr<ir::NodeIndex> node = builder_.AddOp(op, bits, components, {a}, 0);
    if (node.ok()) return AllLanes(*node, components);
    builder_.Note(node.status().message());
    return {};
  };
  switch (entry) {
    case GLSLstd450PackHalf2x16:
      return a.size() == 2 ? Lanes{Emit("pack_half_2x16_split", 32, {a[0], a[1]})} : Lanes{};
    case GLSLstd450UnpackHalf2x16:
      return {Emit("unpack_half_2x16_split_x", 32, {a[0]}), Emit("unpack_half_2x16_split_y", 32, {a[0]})};
    case GLSLstd450PackSnorm4x8:
      return whole("pack_snorm_4x8", 32, 1);
    case GLSLstd450PackUnorm4x8:
      return whole("pack_unorm_4x8", 32, 1);
    case GLSLstd450PackSnorm2x16:
      return whole("pack_snorm_2x16", 32, 1);
    case GLSLstd450PackUnorm2x16:
      return whole("pack_unorm_2x16", 32, 1);
    case GLSLstd450UnpackSnorm4x8:
      return whole("unpack_snorm_4x8", 32, 4);
    case GLSLstd450UnpackUnorm4x8:
      return whole("unpack_unorm_4x8", 32, 4);
    case GLSLstd450UnpackSnorm2x16:
      return whole("unpack_snorm_2x16", 32, 2);
    case GLSLstd450UnpackUnorm2x16:
      return whole("unpack_unorm_2x16", 32, 2);
    default:
      return {};
  }
}

}  // namespace rewrought::corpus
