// Generates the known answers of packing, unpacking, byte and word extraction, and vector building.
#include <algorithm>
#include <cmath>

#include "tools/known_answers/families.h"
#include "tools/known_answers/float_values.h"
#include "tools/known_answers/integer_values.h"

namespace rewrought::known_answers {
namespace {

// Returns the spec of an op that packs `lanes` integers of `lane` bits, with the first integer in the lowest bits.
OpSpec PackIntegers(const std::string& name, int lanes, int lane) {
  OpSpec spec{name,
              0,
              {lanes * lane, false},
              {{lane, false, lanes}},
              Flushing::kNone,
              "SPIR-V 1.6 OpBitcast: component 0 in the low bits",
              {}};
  spec.evaluate = [=](const Inputs& in) {
    uint64_t result = 0;
    for (int i = 0; i < lanes; ++i) result |= in[0][i] << (i * lane);
    return std::vector<Outcome>{Bits(result)};
  };
  return spec;
}

Values Lanes(int lanes, int lane, uint64_t seed) {
  Values values;
  for (int i = 0; i < lanes; ++i) values.push_back((seed >> (i * lane % 64)) & Mask(lane));
  return values;
}

void AddIntegerPacks(AnswerTable& table) {
  const uint64_t seeds[] = {0x0123456789abcdef, 0, ~uint64_t{0}, 0x8000000000000001, 0x00000000ffffffff,
                            0xff00ff0080017ffe};
  struct Shape {
    int lanes, lane;
  };
  for (Shape shape : {Shape{4, 8}, Shape{2, 16}, Shape{2, 32}, Shape{4, 16}}) {
    int total = shape.lanes * shape.lane;
    std::string suffix = std::to_string(total) + "_" + std::to_string(shape.lanes) + "x" + std::to_string(shape.lane);
    OpSpec pack = PackIntegers("pack_" + suffix, shape.lanes, shape.lane);
    OpSpec split = pack;
    split.name += "_split";
    split.sources.assign(shape.lanes, {shape.lane, false});
    split.evaluate = [pack](const Inputs& in) {
      Inputs joined(1);
      for (const auto& source : in) joined[0].push_back(source[0]);
      return pack.evaluate(joined);
    };
    OpSpec unpack{"unpack_" + suffix,
                  0,
                  {shape.lane, false, shape.lanes},
                  {{total, false}},
                  Flushing::kNone,
                  "SPIR-V 1.6 OpBitcast: component 0 from the low bits",
                  {}};
    unpack.evaluate = [=](const Inputs& in) {
      std::vector<Outcome> result;
      for (int i = 0; i < shape.lanes; ++i) result.push_back(Bits(in[0][0] >> (i * shape.lane) & Mask(shape.lane)));
      return result;
    };
    for (uint64_t seed : seeds) {
      Values lanes = Lanes(shape.lanes, shape.lane, seed);
      table.Add(pack, {lanes});
      if (suffix != "64_4x16") table.AddScalars(split, lanes);
      table.AddScalars(unpack, {seed & Mask(total)});
    }
    if (shape.lanes != 2) continue;
    for (int half = 0; half < 2; ++half) {
      OpSpec one = IntegerOp("unpack_" + suffix + (half == 0 ? "_split_x" : "_split_y"), 0, shape.lane, {total},
                             "SPIR-V 1.6 OpBitcast: x is the low half, y the high one",
                             [=](const Values& s) { return Bits(s[0] >> (half * shape.lane)); });
      for (uint64_t seed : seeds) AddAll(table, one, {{seed}});
    }
  }
  auto vector_pack = [&](const char* name, int lanes, const char* reference, const std::vector<Values>& inputs,
                         auto meaning) {
    OpSpec spec{name, 0, {32, false}, {{32, false, lanes}}, Flushing::kNone, reference, {}};
    spec.evaluate = [=](const Inputs& in) {
      uint64_t result = 0;
      for (int i = 0; i < lanes; ++i) result |= meaning(in[0][i]) << (i * 32 / lanes);
      return std::vector<Outcome>{Bits(result & Mask(32))};
    };
    for (const Values& input : inputs) table.Add(spec, {input});
  };
  std::vector<Values> twos = {{1, 2},           {0xffff, 0x10000},        {0xffffffff, 0x7fffffff},
                              {0x8000, 0x7fff}, {0x80000000, 0xffff8000}, {0, 0xffff7fff}};
  vector_pack("pack_uint_2x16", 2, "Mesa 25.0: unsigned, clamped to 16 bits", twos,
              [](uint64_t x) { return std::min<uint64_t>(x, 0xffff); });
  vector_pack("pack_sint_2x16", 2, "Mesa 25.0: signed, clamped to 16 bits", twos, [](uint64_t x) {
    return static_cast<uint64_t>(std::clamp<int64_t>(Signed(32, x), -32768, 32767)) & 0xffff;
  });
  vector_pack("pack_uvec2_to_uint", 2, "Mesa 25.0: low halves, no clamp", twos, [](uint64_t x) { return x & 0xffff; });
}

// pack_uvec4_to_uint does not mask its lanes, so bits above a lane's byte overlap the next lanes.
void AddUnmaskedPack(AnswerTable& table) {
  OpSpec spec{
      "pack_uvec4_to_uint", 0, {32, false}, {{32, false, 4}}, Flushing::kNone, "Mesa 25.0: lanes or-ed unmasked", {}};
  spec.evaluate = [](const Inputs& in) {
    return std::vector<Outcome>{Bits((in[0][0] | in[0][1] << 8 | in[0][2] << 16 | in[0][3] << 24) & Mask(32))};
  };
  for (const Values& x : std::vector<Values>{{1, 2, 3, 4},
                                             {255, 255, 255, 255},
                                             {0, 0, 0, 0},
                                             {0x80, 0, 0, 0x80},
                                             {0, 1, 0, 0},
                                             {0x7f, 0x80, 0x81, 0xfe}}) {
    table.Add(spec, {x});
  }
}

void AddByteOps(AnswerTable& table, int w) {
  uint64_t x = 0x8f1234f6fe9a80c5 >> (64 - w);
  for (int lane : {8, 16}) {
    if (lane > w) continue;
    int lanes = w / lane;
    std::vector<Values> inputs;
    for (int i = 0; i < lanes; ++i) {
      inputs.push_back({x, static_cast<uint64_t>(i)});
      inputs.push_back({~x, static_cast<uint64_t>(i)});
    }
    inputs.push_back({x, static_cast<uint64_t>(lanes)});
    inputs.push_back({x, Mask(w)});
    inputs.push_back({0, 0});
    inputs.push_back({Top(w), static_cast<uint64_t>(lanes - 1)});
    auto in_range = [=](const Values& s) { return s[1] < static_cast<uint64_t>(lanes); };
    std::string size = std::to_string(lane);
    const char* reference =
        "docs/nir.md 2.2: lane number counts from the low end; docs/float_contract.md 2.5: beyond the value poison";
    AddAll(
        table,
        IntegerOp("extract_u" + size, w, w, {w, w}, reference,
                  [=](const Values& s) { return in_range(s) ? Bits(s[0] >> (s[1] * lane) & Mask(lane)) : Poison(); }),
        inputs);
    AddAll(table,
           IntegerOp("extract_i" + size, w, w, {w, w}, reference,
                     [=](const Values& s) {
                       return in_range(s)
                                  ? Bits(static_cast<uint64_t>(Signed(lane, s[0] >> (s[1] * lane) & Mask(lane))))
                                  : Poison();
                     }),
           inputs);
    AddAll(
        table,
        IntegerOp("insert_u" + size, w, w, {w, w}, reference,
                  [=](const Values& s) { return in_range(s) ? Bits((s[0] & Mask(lane)) << (s[1] * lane)) : Poison(); }),
        inputs);
  }
}

OpSpec VectorSpec(int w, int n) {
  OpSpec spec{"vec" + std::to_string(n),
              w,
              {w, false, n},
              std::vector<Operand>(n, {w, false}),
              Flushing::kNone,
              "docs/nir.md 2: builds a vector, bits unchanged",
              {}};
  spec.evaluate = [=](const Inputs& in) {
    std::vector<Outcome> result;
    for (const auto& source : in) result.push_back(Bits(source[0]));
    return result;
  };
  return spec;
}

void AddLongVectors(AnswerTable& table, int w, int n) {
  const OpSpec spec = VectorSpec(w, n);
  const uint64_t mask = w == 64 ? ~uint64_t{0} : (uint64_t{1} << w) - 1;
  Values counting, alternating;
  for (int i = 0; i < n; ++i) {
    counting.push_back((0x0123456789abcdef + 0x1111111111111111 * static_cast<uint64_t>(i)) & mask);
    alternating.push_back(i % 3 == 0 ? mask : 0);
  }
  for (const Values& x : {counting, alternating}) AddAll(table, spec, {x});
}

void AddVectors(AnswerTable& table, int w) {
  std::vector<Values> inputs = {{1, 0, 1, 0},
                                {0, 1, 1, 1},
                                {0x7fc00001, 0x80000000, 5, 0xff},
                                {~uint64_t{0}, 0, ~uint64_t{1}, 3},
                                {0x0123456789abcdef, 0xfedcba9876543210, 0x8000000000000000, 0x7ff0000000000001},
                                {0, 0, 0, 1}};
  for (int n = 2; n <= 4; ++n) {
    const OpSpec spec = VectorSpec(w, n);
    for (Values x : inputs) {
      x.resize(n);
      AddAll(table, spec, {x});
    }
  }
  OpSpec mov = IntegerOp("mov", w, w, {w}, "docs/nir.md 2: bits unchanged, nothing flushed",
                         [](const Values& s) { return Bits(s[0]); });
  for (uint64_t x : {0ull, 1ull, 0x7f800001ull, 0xffffffffull, 0x80000000ull, 0x7ff0000000000001ull})
    AddAll(table, mov, {{x}});
}

void AddHalves(AnswerTable& table) {
  FloatValues v(32);
  auto pack_lane = [](mpfr_rnd_t rounding) {
    return [rounding](uint64_t x) { return Convert(32, 16, x, rounding).bits; };
  };
  auto add = [&](const char* name, bool vector, mpfr_rnd_t rounding, const char* reference) {
    auto lane = pack_lane(rounding);
    std::vector<Operand> sources =
        vector ? std::vector<Operand>{{32, true, 2}} : std::vector<Operand>{{32, true}, {32, true}};
    OpSpec spec{name, 0, {32, false}, sources, Flushing::kNone, reference, {}};
    spec.evaluate = [=](const Inputs& in) {
      uint64_t low = in[0][0], high = vector ? in[0][1] : in[1][0];
      return std::vector<Outcome>{Bits(lane(low) | lane(high) << 16)};
    };
    auto line = [&](uint64_t x, uint64_t y, bool preserve_only) {
      if (vector) table.Add(spec, {{x, y}}, preserve_only);
      if (!vector) table.Add(spec, {{x}, {y}}, preserve_only);
    };
    line(v(1), v(-2), false);
    line(v.zero, v.minus_zero, false);
    line(v.inf, v.minus_inf, false);
    line(v(65519.99), v(65520), false);
    line(v(1 + 0x1p-11), v(1 + 0x3p-11), false);
    line(v(1 + 0x1p-11) + 1, v(0.1), false);
    line(v(-1e10), v.max, false);
    // These results are half-precision denormals; the contract does not define flushing inside a packed word.
    line(v(0x1p-24), v(0x1p-25), true);
    line(v(0x1.8p-24), v(-0x1p-15), true);
    line(v(0x1p-14) - 1, v.min_denormal, true);
  };
  add("pack_half_2x16", true, MPFR_RNDN, "GLSL 4.60 8.4 packHalf2x16; docs/nir.md 2.2: ties to even; F16C");
  add("pack_half_2x16_split", false, MPFR_RNDN, "GLSL 4.60 8.4 packHalf2x16; docs/nir.md 2.2: ties to even; F16C");
  add("pack_half_2x16_rtz_split", false, MPFR_RNDZ, "docs/nir.md 2.2: toward zero; F16C");
  auto unpack = [&](const char* name, int first, int count) {
    OpSpec spec{name, 0, {32, true, count}, {{32, false}}, Flushing::kMust, "GLSL 4.60 8.4 unpackHalf2x16; F16C", {}};
    spec.evaluate = [=](const Inputs& in) {
      std::vector<Outcome> result;
      for (int i = 0; i < count; ++i)
        result.push_back(Plain(Convert(16, 32, in[0][0] >> (16 * (first + i)) & 0xffff).bits));
      return result;
    };
    for (uint64_t x : {0x3c00c000u, 0x80000000u, 0x00008000u, 0x7c00fc00u, 0xfc007c00u, 0x7bff0400u, 0x3555b001u,
                       0x7e003c00u, 0x3c00fe01u}) {
      table.Add(spec, {{x}});
    }
    for (uint64_t x : {0x000103ffu, 0x83ff8001u}) table.Add(spec, {{x}}, true);
  };
  unpack("unpack_half_2x16", 0, 2);
  unpack("unpack_half_2x16_split_x", 0, 1);
  unpack("unpack_half_2x16_split_y", 1, 1);
}

void AddNormalised(AnswerTable& table, int lanes, bool is_signed) {
  int lane = 32 / lanes;
  uint64_t full = is_signed ? Mask(lane - 1) : Mask(lane);
  std::string suffix =
      std::string(is_signed ? "snorm_" : "unorm_") + std::to_string(lanes) + "x" + std::to_string(lane);
  FloatValues v(32);
  // In Mesa, the 2x16 forms have a free size and the 4x8 forms are float32.
  OpSpec pack{"pack_" + suffix,
              lanes == 2 ? 32 : 0,
              {32, false},
              {{32, true, lanes}},
              Flushing::kMust,
              "GLSL 4.60 8.4: round(clamp(c) * max), ties to even; the product rounded in binary32",
              {}};
  pack.evaluate = [=](const Inputs& in) {
    uint64_t result = 0;
    for (int i = 0; i < lanes; ++i) {
      double value = std::clamp(ToDouble(32, in[0][i]), is_signed ? -1.0 : 0.0, 1.0);
      double scaled = ToDouble(32, Multiply(32, v(value), v(static_cast<double>(full))).bits);
      result |= (static_cast<uint64_t>(static_cast<int64_t>(std::nearbyint(scaled))) & Mask(lane)) << (i * lane);
    }
    return std::vector<Outcome>{Bits(result)};
  };
  double half = 0.5 / static_cast<double>(full);
  for (Values x : std::vector<Values>{{v.zero, v(1), v(0.5), v(-1)},
                                      {v.inf, v.minus_inf, v(2), v(-2)},
                                      {v.minus_zero, v(0.25), v(-0.25), v(0.75)},
                                      {v(half) - 2, v(half) + 2, v(-half) - 2, v(-half) + 2},
                                      {v.min_denormal, v(0.1), v(0.9), v(-0.6)},
                                      {v(0.5), v(-0.5), v(1) - 1, v(-1) - 1}}) {
    x.resize(lanes);
    table.Add(pack, {x});
  }
  OpSpec unpack{"unpack_" + suffix,
                0,
                {32, true, lanes},
                {{32, false}},
                Flushing::kMust,
                "GLSL 4.60 8.4: clamp(f / max), correctly rounded division",
                {}};
  unpack.evaluate = [=](const Inputs& in) {
    std::vector<Outcome> result;
    for (int i = 0; i < lanes; ++i) {
      uint64_t bits = in[0][0] >> (i * lane) & Mask(lane);
      double integer = is_signed ? static_cast<double>(Signed(lane, bits)) : static_cast<double>(bits);
      uint64_t quotient = Divide(32, v(integer), v(static_cast<double>(full))).bits;
      result.push_back(Plain(Less(32, quotient, v(-1)) ? v(-1) : quotient));
    }
    return result;
  };
  for (uint64_t x : {0u, 0xffffffffu, 0x80007fffu, 0x7fff8001u, 0x807f81ffu, 0x01fe5533u, 0x00010000u})
    table.Add(unpack, {{x}});
}

}  // namespace

std::string PackAndVectorAnswers() {
  AnswerTable table;
  AddIntegerPacks(table);
  AddUnmaskedPack(table);
  for (int w : kIntegerWidths) AddByteOps(table, w);
  for (int w : {1, 8, 16, 32, 64}) AddVectors(table, w);
  AddHalves(table);
  for (int lanes : {2, 4}) {
    AddNormalised(table, lanes, true);
    AddNormalised(table, lanes, false);
  }
  for (int w : {1, 8, 16, 32, 64}) {
    for (int n : {5, 8, 16}) AddLongVectors(table, w, n);
  }
  return table.text();
}

}  // namespace rewrought::known_answers
