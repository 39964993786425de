// Implements PTX opcodes according to the PTX ISA document.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "tools/silicon/testing/ptx_interpreter.h"

namespace rewrought::silicon {
namespace {

using Function = std::function<uint64_t(const uint64_t* operands)>;

float Float(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
// Returns the pattern of a float; a NaN becomes the document's canonical NaN.
uint64_t Bits(float value) { return std::isnan(value) ? 0x7fffffffu : std::bit_cast<uint32_t>(value); }
int32_t Signed(uint64_t bits) { return static_cast<int32_t>(static_cast<uint32_t>(bits)); }
uint32_t Word(uint64_t bits) { return static_cast<uint32_t>(bits); }

// An opcode, split into its name and suffixes.
struct Opcode {
  std::string name;
  std::set<std::string> suffixes;
  std::vector<std::string> parts;  // the suffixes in order

  explicit Opcode(const std::string& text) {
    std::istringstream stream(text);
    std::getline(stream, name, '.');
    for (std::string part; std::getline(stream, part, '.');) {
      parts.push_back(part);
      suffixes.insert(part);
    }
  }
  bool Has(const std::string& suffix) const { return suffixes.count(suffix) > 0; }
  // Returns whether all suffixes are among `allowed` and occur at most once.
  bool Only(std::initializer_list<const char*> allowed) const {
    std::set<std::string> left = suffixes;
    for (const char* suffix : allowed) left.erase(suffix);
    return left.empty() && suffixes.size() == parts.size();
  }
};

class Floats {
 public:
  Floats(const Opcode& opcode, const Quirks& quirks) : op_(opcode), quirks_(quirks) {}

  Function Arithmetic() const {
    const Quirks quirks = quirks_;
    if (op_.name == "add") return Wrap([](const float* x) { return x[0] + x[1]; });
    if (op_.name == "fma") return Wrap([](const float* x) { return std::fma(x[0], x[1], x[2]); });
    if (op_.name == "mul") {
      return Wrap([quirks](const float* x) {
        const float product = x[0] * x[1];
        return quirks.product_one_off && std::isnormal(product)
                   ? std::nextafter(product, std::copysign(std::numeric_limits<float>::infinity(), product))
                   : product;
      });
    }
    return nullptr;
  }

  Function MinMax() const {
    const bool is_min = op_.name == "min", nan_wins = quirks_.nan_maximum && op_.name == "max";
    return Wrap([is_min, nan_wins](const float* x) {
      if (std::isnan(x[0])) return nan_wins ? x[0] : x[1];
      if (std::isnan(x[1])) return nan_wins ? x[1] : x[0];
      if (x[0] == 0 && x[1] == 0) return std::signbit(x[0]) == is_min ? x[0] : x[1];  // -0 is less than +0
      return (x[0] < x[1]) == is_min ? x[0] : x[1];
    });
  }

  Function Approximation() const {
    using Real = double (*)(double);
    Real real = nullptr;
    if (op_.name == "rcp") real = [](double x) { return 1 / x; };
    if (op_.name == "rsqrt") real = [](double x) { return 1 / std::sqrt(x); };
    if (op_.name == "sqrt") real = [](double x) { return std::sqrt(x); };
    if (op_.name == "lg2") real = [](double x) { return std::log2(x); };
    if (op_.name == "ex2") real = [](double x) { return std::exp2(x); };
    if (op_.name == "sin") real = [](double x) { return std::sin(x); };
    if (op_.name == "cos") real = [](double x) { return std::cos(x); };
    if (real == nullptr) return nullptr;
    return Wrap([real](const float* x) { return static_cast<float>(real(static_cast<double>(x[0]))); });
  }

  Function Rounding() const {
    const std::string& mode = op_.parts[0];
    if (mode == "rmi") return Wrap([](const float* x) { return std::floor(x[0]); });
    if (mode == "rpi") return Wrap([](const float* x) { return std::ceil(x[0]); });
    if (mode == "rzi") return Wrap([](const float* x) { return std::trunc(x[0]); });
    if (mode == "rni") return Wrap([](const float* x) { return std::nearbyint(x[0]); });
    return nullptr;
  }

  Function ToInteger(bool is_signed) const {
    const bool ftz = Flushes();
    return [is_signed, ftz](const uint64_t* o) -> uint64_t {
      const double value = std::trunc(static_cast<double>(Float(ftz ? Flushed(o[0]) : o[0])));
      if (std::isnan(value)) return 0;
      if (is_signed) return Word(static_cast<uint64_t>(static_cast<int64_t>(std::clamp(value, -0x1p31, 0x1p31 - 1))));
      return static_cast<uint64_t>(std::clamp(value, 0.0, 0x1p32 - 1));
    };
  }

  // Returns the comparison named "lt", "ltu", "num" and so on.
  std::function<bool(uint64_t, uint64_t)> Compare() const {
    const std::string name = op_.parts[0];
    static const std::set<std::string> names = {"lt",  "le",  "gt",  "ge",  "eq",  "ne",  "ltu",
                                                "leu", "gtu", "geu", "equ", "neu", "num", "nan"};
    if (names.count(name) == 0) return nullptr;
    const bool ftz = Flushes();
    return [name, ftz](uint64_t left, uint64_t right) {
      const float x = Float(ftz ? Flushed(left) : left), y = Float(ftz ? Flushed(right) : right);
      const bool unordered = std::isnan(x) || std::isnan(y);
      if (name == "num") return !unordered;
      if (name == "nan") return unordered;
      if (unordered) return name.size() == 3;
      const std::string relation = name.substr(0, 2);
      return relation == "lt"   ? x < y
             : relation == "le" ? x <= y
             : relation == "gt" ? x > y
             : relation == "ge" ? x >= y
             : relation == "eq" ? x == y
                                : x != y;
    };
  }

 private:
  static uint64_t Flushed(uint64_t bits) { return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits; }
  bool Flushes() const { return op_.Has("ftz") && !quirks_.keeps_denormals; }

  Function Wrap(std::function<float(const float*)> function) const {
    const bool ftz = Flushes(), sat = op_.Has("sat");
    const float top = quirks_.clamps_at_two ? 2.0f : 1.0f;
    const size_t count = op_.name == "fma"                                                                  ? 3
                         : op_.name == "add" || op_.name == "mul" || op_.name == "min" || op_.name == "max" ? 2
                                                                                                            : 1;
    return [=](const uint64_t* o) -> uint64_t {
      float x[3] = {};
      for (size_t i = 0; i < count; ++i) x[i] = Float(ftz ? Flushed(o[i]) : o[i]);
      uint64_t bits = Bits(function(x));
      if (sat) {
        const float value = Float(bits);
        bits = std::isnan(value) || value <= 0 ? 0 : Bits(std::min(value, top));
      }
      return ftz ? Flushed(bits) : bits;
    };
  }

  const Opcode& op_;
  const Quirks& quirks_;
};

uint64_t FindBit(uint64_t word, bool is_signed, bool shift_amount) {
  uint32_t value = Word(word);
  if (is_signed && (value >> 31) != 0) value = ~value;
  if (value == 0) return 0xffffffffu;
  const uint32_t position = 31 - static_cast<uint32_t>(std::countl_zero(value));
  return shift_amount ? 31 - position : position;
}

uint64_t Permute(const uint64_t* o) {
  const uint64_t bytes = uint64_t{Word(o[1])} << 32 | Word(o[0]);
  uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint64_t control = o[2] >> (4 * i) & 15;
    uint64_t byte = bytes >> (8 * (control & 7)) & 0xff;
    if (control & 8) byte = byte >> 7 != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

uint64_t DotBytes(const uint64_t* o, bool a_signed, bool b_signed) {
  int64_t sum = Signed(o[2]);
  for (int i = 0; i < 4; ++i) {
    const int64_t a = static_cast<int64_t>(o[0] >> (8 * i) & 0xff), b = static_cast<int64_t>(o[1] >> (8 * i) & 0xff);
    sum += (a_signed && a > 127 ? a - 256 : a) * (b_signed && b > 127 ? b - 256 : b);
  }
  return Word(static_cast<uint64_t>(sum));
}

uint64_t BitMask(const uint64_t* o) {
  const uint64_t position = o[0] & 31, width = o[1] & 31;
  uint64_t mask = 0;
  for (uint64_t bit = position; bit < std::min<uint64_t>(32, position + width); ++bit) mask |= uint64_t{1} << bit;
  return mask;
}

uint64_t Lookup(const uint64_t* o) {
  uint64_t result = 0;
  for (int bit = 0; bit < 32; ++bit) {
    const uint64_t row = (o[0] >> bit & 1) << 2 | (o[1] >> bit & 1) << 1 | (o[2] >> bit & 1);
    result |= (o[3] >> row & 1) << bit;
  }
  return result;
}

uint64_t Reverse(uint64_t word) {
  uint64_t result = 0;
  for (int bit = 0; bit < 32; ++bit) result |= (word >> bit & 1) << (31 - bit);
  return result;
}

Function FloatFunction(const Opcode& op, const Quirks& quirks) {
  const Floats floats(op, quirks);
  const std::string& n = op.name;
  if (op.parts.back() != "f32") return nullptr;
  if ((n == "add" || n == "mul" || n == "fma") && op.Has("rn") && op.Only({"rn", "ftz", "sat", "f32"}))
    return floats.Arithmetic();
  if ((n == "min" || n == "max") && op.Only({"ftz", "f32"})) return floats.MinMax();
  if (op.Has("approx") && op.Only({"approx", "ftz", "f32"})) return floats.Approximation();
  if (n == "abs" && op.Only({"f32"})) return [](const uint64_t* o) { return o[0] & 0x7fffffffu; };
  if (n == "neg" && op.Only({"f32"})) return [](const uint64_t* o) { return o[0] ^ 0x80000000u; };
  if (n == "selp" && op.Only({"f32"})) return [](const uint64_t* o) { return o[2] ? o[0] : o[1]; };
  if (n == "setp" || n == "set") {
    const auto compare = floats.Compare();
    const size_t types = static_cast<size_t>(std::count(op.parts.begin(), op.parts.end(), "f32"));
    if (compare == nullptr || types != (n == "set" ? 2u : 1u)) return nullptr;
    const uint64_t yes = n == "set" ? 0x3f800000u : 1;
    return [compare, yes](const uint64_t* o) { return compare(o[0], o[1]) ? yes : 0; };
  }
  if (n != "cvt" || op.parts.size() < 3) return nullptr;
  const std::string& to = op.parts[op.parts.size() - 2];
  if (to == "f32") return floats.Rounding();
  if (op.parts[0] != "rzi" || (to != "s32" && to != "u32")) return nullptr;
  return floats.ToInteger(to == "s32");
}

Function IntegerFunction(const std::string& opcode, const Opcode& op) {
  const std::string& n = op.name;
  if (opcode == "cvt.rn.f32.s32") return [](const uint64_t* o) { return Bits(static_cast<float>(Signed(o[0]))); };
  if (opcode == "cvt.rn.f32.u32") return [](const uint64_t* o) { return Bits(static_cast<float>(Word(o[0]))); };
  const bool is_signed = op.parts.back() == "s32", is_word = is_signed || op.parts.back() == "u32";
  if (op.parts.size() == 1 && is_word) {
    if (n == "add") return [](const uint64_t* o) -> uint64_t { return Word(o[0] + o[1]); };
    if (n == "neg" && is_signed) return [](const uint64_t* o) -> uint64_t { return Word(0 - o[0]); };
    if (n == "abs" && is_signed)
      return [](const uint64_t* o) -> uint64_t { return Signed(o[0]) < 0 ? Word(0 - o[0]) : o[0]; };
    if (n == "min" || n == "max") {
      const bool is_min = n == "min";
      return [=](const uint64_t* o) {
        const bool less = is_signed ? Signed(o[0]) < Signed(o[1]) : o[0] < o[1];
        return less == is_min ? o[0] : o[1];
      };
    }
    if (n == "shr") {
      return [=](const uint64_t* o) -> uint64_t {
        const uint64_t count = std::min<uint64_t>(o[1], 32);
        return Word(is_signed ? static_cast<uint64_t>(int64_t{Signed(o[0])} >> count) : o[0] >> count);
      };
    }
    if (n == "bfind") return [=](const uint64_t* o) { return FindBit(o[0], is_signed, false); };
    if (n == "mov" || n == "selp")
      return n == "mov" ? Function([](const uint64_t* o) { return o[0]; })
                        : Function([](const uint64_t* o) { return o[2] ? o[0] : o[1]; });
  }
  if (n == "bfind" && op.parts[0] == "shiftamt" && is_word && op.parts.size() == 2)
    return [=](const uint64_t* o) { return FindBit(o[0], is_signed, true); };
  if (n == "mad" && op.parts[0] == "lo" && is_word)
    return [](const uint64_t* o) -> uint64_t { return Word(o[0] * o[1] + o[2]); };
  if (n == "mul" && op.parts[0] == "hi" && is_word) {
    return [=](const uint64_t* o) -> uint64_t {
      return is_signed ? Word(static_cast<uint64_t>(int64_t{Signed(o[0])} * Signed(o[1])) >> 32) : o[0] * o[1] >> 32;
    };
  }
  if (n == "dp4a" && op.parts.size() == 2) {
    const bool a = op.parts[0] == "s32", b = op.parts[1] == "s32";
    return [=](const uint64_t* o) { return DotBytes(o, a, b); };
  }
  if (n != "setp" || op.parts.size() != 2 || !is_word) return nullptr;
  const std::string relation = op.parts[0];
  static const std::set<std::string> relations = {"lt", "le", "gt", "ge", "eq", "ne"};
  if (relations.count(relation) == 0) return nullptr;
  return [=](const uint64_t* o) -> uint64_t {
    const int64_t x = is_signed ? Signed(o[0]) : static_cast<int64_t>(o[0]);
    const int64_t y = is_signed ? Signed(o[1]) : static_cast<int64_t>(o[1]);
    return relation == "lt"   ? x < y
           : relation == "le" ? x <= y
           : relation == "gt" ? x > y
           : relation == "ge" ? x >= y
           : relation == "eq" ? x == y
                              : x != y;
  };
}

// Returns the functions whose only types are .b32, .pred and .u64.
const std::map<std::string, Function>& PlainFunctions() {
  static const std::map<std::string, Function>& functions = *new std::map<std::string, Function>{
      {"mov.b32", [](const uint64_t* o) { return o[0]; }},
      {"mov.pred", [](const uint64_t* o) { return o[0]; }},
      {"not.pred", [](const uint64_t* o) { return o[0] ^ 1; }},
      {"and.pred", [](const uint64_t* o) { return o[0] & o[1]; }},
      {"or.pred", [](const uint64_t* o) { return o[0] | o[1]; }},
      {"xor.pred", [](const uint64_t* o) { return o[0] ^ o[1]; }},
      {"and.b32", [](const uint64_t* o) { return o[0] & o[1]; }},
      {"selp.b32", [](const uint64_t* o) { return o[2] ? o[0] : o[1]; }},
      {"shl.b32", [](const uint64_t* o) -> uint64_t { return o[1] > 31 ? 0 : Word(o[0] << o[1]); }},
      {"shf.l.wrap.b32",
       [](const uint64_t* o) -> uint64_t { return Word(((o[1] << 32 | o[0]) << (o[2] & 31)) >> 32); }},
      {"shf.r.wrap.b32", [](const uint64_t* o) -> uint64_t { return Word((o[1] << 32 | o[0]) >> (o[2] & 31)); }},
      {"lop3.b32", Lookup},
      {"prmt.b32", Permute},
      {"bmsk.wrap.b32", BitMask},
      {"popc.b32", [](const uint64_t* o) -> uint64_t { return static_cast<uint64_t>(std::popcount(o[0])); }},
      {"brev.b32", [](const uint64_t* o) { return Reverse(o[0]); }},
      {"mul.wide.u32", [](const uint64_t* o) { return o[0] * o[1]; }},
      {"add.u64", [](const uint64_t* o) { return o[0] + o[1]; }},
      {"cvta.to.global.u64", [](const uint64_t* o) { return o[0]; }},
  };
  return functions;
}

}  // namespace

std::function<uint64_t(const uint64_t* operands)> PtxFunction(const std::string& opcode, const Quirks& quirks) {
  if (const auto plain = PlainFunctions().find(opcode); plain != PlainFunctions().end()) return plain->second;
  const Opcode op(opcode);
  if (op.parts.empty()) return nullptr;
  if (Function function = FloatFunction(op, quirks); function != nullptr) return function;
  return IntegerFunction(opcode, op);
}

}  // namespace rewrought::silicon
