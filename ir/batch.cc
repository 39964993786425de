#include "ir/batch.h"

#include <bit>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

constexpr size_t kBlock = 256;  // lanes evaluated together; a value takes 2 KiB per block and stays in the cache
using Lanes = uint64_t[kBlock];

float ToFloat(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
uint64_t FromFloat(float value) {
  return value != value ? FormatOf(32).quiet_nan() : uint64_t{std::bit_cast<uint32_t>(value)};
}

template <typename Function>
void Map(uint64_t* out, size_t lanes, const uint64_t* x, Function function) {
  for (size_t i = 0; i < lanes; ++i) out[i] = function(x[i]);
}
template <typename Function>
void Map(uint64_t* out, size_t lanes, const uint64_t* x, const uint64_t* y, Function function) {
  for (size_t i = 0; i < lanes; ++i) out[i] = function(x[i], y[i]);
}

// Computes the primitive on all lanes. Returns false if the primitive has no kernel.
bool RunKernel(Primitive primitive, int width, int operand_width, uint64_t immediate, size_t lanes, const uint64_t* x,
               const uint64_t* y, const uint64_t* z, uint64_t* out) {
  const uint64_t mask = MaskOf(width), size = static_cast<uint64_t>(width);
  switch (primitive) {
    case Primitive::kNot:
      return Map(out, lanes, x, [mask](uint64_t a) { return ~a & mask; }), true;
    case Primitive::kAnd:
      return Map(out, lanes, x, y, [](uint64_t a, uint64_t b) { return a & b; }), true;
    case Primitive::kOr:
      return Map(out, lanes, x, y, [](uint64_t a, uint64_t b) { return a | b; }), true;
    case Primitive::kXor:
      return Map(out, lanes, x, y, [](uint64_t a, uint64_t b) { return a ^ b; }), true;
    case Primitive::kAdd:
      return Map(out, lanes, x, y, [mask](uint64_t a, uint64_t b) { return (a + b) & mask; }), true;
    case Primitive::kSub:
      return Map(out, lanes, x, y, [mask](uint64_t a, uint64_t b) { return (a - b) & mask; }), true;
    case Primitive::kMul:
      return Map(out, lanes, x, y, [mask](uint64_t a, uint64_t b) { return (a * b) & mask; }), true;
    case Primitive::kShl:
      return Map(out, lanes, x, y, [=](uint64_t a, uint64_t b) { return b < size ? (a << (b & 63)) & mask : 0; }), true;
    case Primitive::kLshr:
      return Map(out, lanes, x, y, [=](uint64_t a, uint64_t b) { return b < size ? a >> (b & 63) : 0; }), true;
    case Primitive::kZext:
      return Map(out, lanes, x, [](uint64_t a) { return a; }), true;
    case Primitive::kSext: {
      const uint64_t sign = uint64_t{1} << (operand_width - 1);
      return Map(out, lanes, x, [=](uint64_t a) { return ((a ^ sign) - sign) & mask; }), true;
    }
    case Primitive::kExtract:
      return Map(out, lanes, x, [=](uint64_t a) { return (a >> immediate) & mask; }), true;
    case Primitive::kConcat:
      return Map(out, lanes, x, y, [=](uint64_t a, uint64_t b) { return ((a << operand_width) | b) & mask; }), true;
    case Primitive::kEq:
      return Map(out, lanes, x, y, [](uint64_t a, uint64_t b) { return uint64_t{a == b}; }), true;
    case Primitive::kUlt:
      return Map(out, lanes, x, y, [](uint64_t a, uint64_t b) { return uint64_t{a < b}; }), true;
    case Primitive::kIte:
      for (size_t i = 0; i < lanes; ++i) out[i] = x[i] ? y[i] : z[i];
      return true;
    case Primitive::kIsnan:
    case Primitive::kIsdenorm:
    case Primitive::kIszero: {
      const FloatFormat format = FormatOf(operand_width);
      const uint64_t magnitude = format.magnitude_mask(), infinity = format.infinity();
      const uint64_t smallest = format.smallest_normal();
      if (primitive == Primitive::kIsnan) {
        Map(out, lanes, x, [=](uint64_t a) { return uint64_t{(a & magnitude) > infinity}; });
      } else if (primitive == Primitive::kIszero) {
        Map(out, lanes, x, [=](uint64_t a) { return uint64_t{(a & magnitude) == 0}; });
      } else {
        Map(out, lanes, x, [=](uint64_t a) { return uint64_t{(a & magnitude) - 1 < smallest - 1}; });
      }
      return true;
    }
    case Primitive::kFadd:
      if (width != 32) return false;
      return Map(out, lanes, x, y, [](uint64_t a, uint64_t b) { return FromFloat(ToFloat(a) + ToFloat(b)); }), true;
    case Primitive::kFmul:
      if (width != 32) return false;
      return Map(out, lanes, x, y, [](uint64_t a, uint64_t b) { return FromFloat(ToFloat(a) * ToFloat(b)); }), true;
    case Primitive::kFlt:
      if (operand_width != 32) return false;
      return Map(out, lanes, x, y, [](uint64_t a, uint64_t b) { return uint64_t{ToFloat(a) < ToFloat(b)}; }), true;
    case Primitive::kFle:
      if (operand_width != 32) return false;
      return Map(out, lanes, x, y, [](uint64_t a, uint64_t b) { return uint64_t{ToFloat(a) <= ToFloat(b)}; }), true;
    default:
      return false;
  }
}

}  // namespace

void EvaluateLanes(Primitive primitive, int width, int operand_width, uint64_t immediate, size_t lanes,
                   const uint64_t* x, const uint64_t* y, const uint64_t* z, uint64_t* out) {
  if (RunKernel(primitive, width, operand_width, immediate, lanes, x, y, z, out)) return;
  for (size_t i = 0; i < lanes; ++i) {
    out[i] = EvaluatePrimitive(primitive, width, operand_width, immediate, x ? x[i] : 0, y ? y[i] : 0, z ? z[i] : 0);
  }
}

std::vector<std::vector<uint64_t>> EvaluateBatch(const Dag& dag, absl::Span<const ValueIndex> roots,
                                                 const BatchLeaves& leaves, size_t lanes) {
  const std::vector<ValueIndex> order = dag.Below(roots);
  absl::flat_hash_map<ValueIndex, uint32_t> slots;
  for (uint32_t i = 0; i < order.size(); ++i) slots[order[i]] = i;
  std::vector<std::array<uint32_t, 3>> operands(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    for (int k = 0; k < Dag::Arity(dag.at(order[i])); ++k) operands[i][k] = slots.at(dag.at(order[i]).operands[k]);
  }
  const std::unique_ptr<Lanes[]> memory(new Lanes[order.size()]);
  std::vector<std::vector<uint64_t>> results(roots.size(), std::vector<uint64_t>(lanes));
  for (size_t start = 0; start < lanes; start += kBlock) {
    const size_t count = std::min(kBlock, lanes - start);
    for (size_t i = 0; i < order.size(); ++i) {
      const Value& value = dag.at(order[i]);
      uint64_t* out = memory[i];
      if (value.primitive == Primitive::kLiteral) {
        std::fill_n(out, count, value.immediate);
      } else if (value.primitive == Primitive::kInput || value.primitive == Primitive::kChoice) {
        const auto& all = value.primitive == Primitive::kInput ? leaves.inputs : leaves.choices;
        if (value.immediate < all.size() && !all[value.immediate].empty()) {
          std::copy_n(all[value.immediate].begin() + start, count, out);
        } else {
          std::fill_n(out, count, 0);
        }
      } else {
        const int arity = Dag::Arity(value);
        EvaluateLanes(value.primitive, value.width, dag.OperandWidth(value), value.immediate, count,
                      memory[operands[i][0]], arity > 1 ? memory[operands[i][1]] : nullptr,
                      arity > 2 ? memory[operands[i][2]] : nullptr, out);
      }
    }
    for (size_t r = 0; r < roots.size(); ++r) {
      std::copy_n(memory[slots.at(roots[r])], count, results[r].begin() + start);
    }
  }
  return results;
}

}  // namespace rewrought::ir
