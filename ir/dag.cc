#include "ir/dag.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "ir/scalar.h"

namespace rewrought::ir {

int Dag::Arity(const Value& value) {
  if (value.primitive == Primitive::kApprox) return ArityOf(static_cast<Approximation>(value.immediate));
  return InfoOf(value.primitive).arity;
}

int Dag::OperandWidth(const Value& value) const {
  const int arity = Arity(value);
  if (arity == 0) return value.width;
  if (value.primitive == Primitive::kIte || value.primitive == Primitive::kConcat) return at(value.operands[1]).width;
  return at(value.operands[0]).width;
}

ValueIndex Dag::Intern(const Value& value) {
  const auto [position, inserted] = index_.try_emplace(value, static_cast<ValueIndex>(values_.size()));
  if (inserted) values_.push_back(value);
  return position->second;
}

ValueIndex Dag::InputNamed(const std::string& name, int width) {
  const auto [position, inserted] = input_index_.try_emplace(name, static_cast<uint32_t>(inputs_.size()));
  if (inserted) inputs_.push_back({name, static_cast<uint8_t>(width)});
  return Intern({Primitive::kInput, static_cast<uint8_t>(width), {}, position->second});
}

ValueIndex Dag::Choice(uint32_t index, int width) {
  return Intern({Primitive::kChoice, static_cast<uint8_t>(width), {}, index});
}

ValueIndex Dag::Literal(uint64_t value, int width) {
  return Intern({Primitive::kLiteral, static_cast<uint8_t>(width), {}, value & MaskOf(width)});
}

namespace {

constexpr int kSignDepth = 3, kLowBitsDepth = 4;

// Returns the identity element of `primitive` (x op e = x for every x), or nullopt if there is none.
std::optional<uint64_t> NeutralOf(Primitive primitive) {
  switch (primitive) {
    case Primitive::kAnd:
      return ~uint64_t{0};
    case Primitive::kOr:
    case Primitive::kXor:
    case Primitive::kAdd:
      return 0;
    default:
      return std::nullopt;
  }
}

// Returns whether, for every n, the low n bits of the result depend only on the low n bits of the operands.
bool IsOfLowBits(Primitive primitive) {
  return NeutralOf(primitive).has_value() || primitive == Primitive::kSub || primitive == Primitive::kMul ||
         primitive == Primitive::kNeg || primitive == Primitive::kNot;
}

// Returns whether the first two operands may be swapped. If so, Make sorts them by index, so that a+b and b+a are the
// same value.
bool IsCommutative(Primitive primitive) {
  switch (primitive) {
    case Primitive::kAnd:
    case Primitive::kOr:
    case Primitive::kXor:
    case Primitive::kAdd:
    case Primitive::kMul:
    case Primitive::kMulhu:
    case Primitive::kMulhs:
    case Primitive::kEq:
    case Primitive::kFadd:
    case Primitive::kFmul:
    case Primitive::kFfma:
    case Primitive::kFmin:
    case Primitive::kFmax:
    case Primitive::kFeq:
    case Primitive::kFmulTiny:
    case Primitive::kFfmaTiny:
      return true;
    default:
      return false;
  }
}

// Expresses a division or remainder by a power of two, or a signed one by a negated power of two, with shifts and
// masks, because solvers are slow on divisions even by such literals. Returns nullopt for other divisors.
std::optional<ValueIndex> DividedByPower(Dag* dag, Primitive primitive, ValueIndex x, const Value& divisor) {
  if (divisor.primitive != Primitive::kLiteral) return std::nullopt;
  const int width = divisor.width;
  const auto make = [&](Primitive of, ValueIndex a, ValueIndex b) { return dag->Make(of, width, {a, b}); };
  const bool is_signed = primitive == Primitive::kSdiv || primitive == Primitive::kSrem;
  const bool negated = is_signed && (divisor.immediate >> (width - 1) & 1) != 0;
  const uint64_t power = negated ? (0 - divisor.immediate) & MaskOf(width) : divisor.immediate;
  if (!std::has_single_bit(power)) return std::nullopt;
  const ValueIndex low = dag->Literal(power - 1, width);
  const ValueIndex count = dag->Literal(static_cast<uint64_t>(std::countr_zero(power)), width);
  const bool is_quotient = primitive == Primitive::kUdiv || primitive == Primitive::kSdiv;
  const auto of_unsigned = [&](ValueIndex a) {
    return is_quotient ? make(Primitive::kLshr, a, count) : make(Primitive::kAnd, a, low);
  };
  if (!is_signed) return of_unsigned(x);
  // Divide the magnitude, and restore the sign. A remainder has the sign of x.
  const auto negative = [&](ValueIndex a) { return dag->Make(Primitive::kNeg, width, {a}); };
  const ValueIndex is_negative = dag->Make(Primitive::kSlt, 1, {x, dag->Literal(0, width)});
  const ValueIndex of_positive = of_unsigned(x), of_negative = of_unsigned(negative(x));
  if (is_quotient && negated) return dag->Ite(is_negative, of_negative, negative(of_positive));
  return dag->Ite(is_negative, negative(of_negative), of_positive);
}

}  // namespace

ValueIndex Dag::Make(Primitive primitive, int width, absl::Span<const ValueIndex> operands, uint64_t immediate) {
  Value value{primitive, static_cast<uint8_t>(width), {}, immediate};
  bool constant = true;
  for (size_t i = 0; i < operands.size(); ++i) {
    value.operands[i] = operands[i];
    constant = constant && at(operands[i]).primitive == Primitive::kLiteral;
  }
  // The result of an approximated function is not unique, so never fold it.
  if (constant && primitive != Primitive::kApprox) {
    std::array<uint64_t, 3> x = {};
    for (size_t i = 0; i < operands.size(); ++i) x[i] = at(operands[i]).immediate;
    return Literal(EvaluatePrimitive(primitive, width, OperandWidth(value), immediate, x[0], x[1], x[2]), width);
  }
  if (IsCommutative(primitive) && value.operands[0] > value.operands[1])
    std::swap(value.operands[0], value.operands[1]);
  switch (primitive) {
    case Primitive::kIte:
      return Ite(operands[0], operands[1], operands[2]);
    case Primitive::kZext:
    case Primitive::kSext:
      if (at(operands[0]).width == width) return operands[0];
      break;
    case Primitive::kExtract:
      if (immediate == 0 && at(operands[0]).width == width) return operands[0];
      if (immediate == 0) value.operands[0] = LowBits(operands[0], width, kLowBitsDepth);
      break;
    case Primitive::kShl:
      if (const Value& amount = at(operands[1]); amount.primitive == Primitive::kLiteral) {
        const auto bits = static_cast<int64_t>(width) - static_cast<int64_t>(std::min<uint64_t>(amount.immediate, 64));
        if (bits > 0) value.operands[0] = LowBits(operands[0], static_cast<int>(bits), kLowBitsDepth);
      }
      break;
    case Primitive::kUdiv:
    case Primitive::kUrem:
    case Primitive::kSdiv:
    case Primitive::kSrem:
      if (const auto divided = DividedByPower(this, primitive, operands[0], Value(at(operands[1])))) return *divided;
      break;
    case Primitive::kMul:
      for (const int k : {0, 1}) {
        const ValueIndex factor = value.operands[k], other = value.operands[1 - k];
        if (at(factor).primitive == Primitive::kIte && IsSign(factor, kSignDepth)) return WithSign(factor, other);
        if (const std::optional<ValueIndex> of = SignIsOf(factor); of.has_value()) return WithSign(SignOf(*of), other);
      }
      break;
    case Primitive::kAnd:
      if (width == 1) return And(operands[0], operands[1]);
      for (const int k : {0, 1}) {
        const Value& mask = at(value.operands[k]);
        if (mask.primitive != Primitive::kLiteral || !std::has_single_bit(mask.immediate + 1)) continue;
        const ValueIndex low = LowBits(value.operands[1 - k], std::countr_one(mask.immediate), kLowBitsDepth);
        value.operands = {std::min(low, value.operands[k]), std::max(low, value.operands[k]), 0};
        break;
      }
      break;
    case Primitive::kOr:
      if (width == 1) return Or(operands[0], operands[1]);
      break;
    default:
      break;
  }
  return Intern(value);
}

bool Dag::IsSign(ValueIndex index, int depth) const {
  const Value& value = at(index);
  if (value.primitive == Primitive::kLiteral) return value.immediate <= 1 || value.immediate == MaskOf(value.width);
  return value.primitive == Primitive::kIte && depth > 0 && IsSign(value.operands[1], depth - 1) &&
         IsSign(value.operands[2], depth - 1);
}

std::optional<Dag::Extremum> Dag::ExtremumAt(ValueIndex index) const {
  const Value& value = at(index);
  if (value.primitive != Primitive::kIte || at(value.operands[0]).primitive != Primitive::kSlt) return std::nullopt;
  const std::array<ValueIndex, 3>& test = at(value.operands[0]).operands;
  const ValueIndex then = value.operands[1], otherwise = value.operands[2];
  const bool least = then == test[0] && otherwise == test[1], most = then == test[1] && otherwise == test[0];
  if (!least && !most) return std::nullopt;
  for (const int k : {0, 1}) {
    const Value& bound = at(test[k]);
    if (bound.primitive == Primitive::kLiteral) return Extremum{most, bound.immediate, test[1 - k]};
  }
  return std::nullopt;
}

std::optional<ValueIndex> Dag::SignIsOf(ValueIndex index) const {
  const int width = at(index).width;
  const auto is_bound = [&](const Extremum& extremum) {
    return width > 1 && extremum.bound == (extremum.most ? MaskOf(width) : 1);
  };
  const std::optional<Extremum> outer = ExtremumAt(index);
  if (!outer.has_value() || !is_bound(*outer)) return std::nullopt;
  const std::optional<Extremum> inner = ExtremumAt(outer->of);
  if (!inner.has_value() || !is_bound(*inner) || inner->most == outer->most) return std::nullopt;
  return inner->of;
}

ValueIndex Dag::SignOf(ValueIndex x) {
  const int width = at(x).width;
  const ValueIndex zero = Literal(0, width);
  const ValueIndex sign = Ite(Make(Primitive::kSlt, 1, {x, zero}), Literal(MaskOf(width), width), Literal(1, width));
  return Ite(Equal(x, zero), zero, sign);
}

ValueIndex Dag::WithSign(ValueIndex sign, ValueIndex x) {
  const Value value = at(sign);  // a copy, because creating values invalidates references
  if (value.primitive == Primitive::kIte) {
    const ValueIndex then = WithSign(value.operands[1], x), otherwise = WithSign(value.operands[2], x);
    return Ite(value.operands[0], then, otherwise);
  }
  if (value.immediate == 0) return sign;
  return value.immediate == 1 ? x : Make(Primitive::kNeg, value.width, {x});
}

ValueIndex Dag::LowBits(ValueIndex index, int bits, int depth) {
  const Value value = at(index);  // a copy, because creating values invalidates references
  if (depth == 0 || !IsOfLowBits(value.primitive)) return index;
  std::array<ValueIndex, 3> operands = value.operands;
  const auto arity = static_cast<size_t>(Arity(value));
  for (size_t k = 0; k < arity; ++k) operands[k] = LowBits(operands[k], bits, depth - 1);
  if (const std::optional<uint64_t> neutral = NeutralOf(value.primitive); neutral.has_value()) {
    for (const size_t k : {0, 1}) {
      const Value& operand = at(operands[k]);
      const bool is_neutral =
          operand.primitive == Primitive::kLiteral && ((operand.immediate ^ *neutral) & MaskOf(bits)) == 0;
      if (is_neutral) return operands[1 - k];
    }
  }
  if (operands == value.operands) return index;
  return Make(value.primitive, value.width, absl::MakeConstSpan(operands.data(), arity));
}

ValueIndex Dag::Ite(ValueIndex condition, ValueIndex then, ValueIndex otherwise) {
  if (then == otherwise) return then;
  const Value& test = at(condition);
  if (test.primitive == Primitive::kLiteral) return test.immediate ? then : otherwise;
  return Intern({Primitive::kIte, at(then).width, {condition, then, otherwise}, 0});
}

ValueIndex Dag::And(ValueIndex x, ValueIndex y) {
  if (x == y) return x;
  if (at(x).primitive == Primitive::kLiteral) return at(x).immediate ? y : x;
  if (at(y).primitive == Primitive::kLiteral) return at(y).immediate ? x : y;
  return Intern({Primitive::kAnd, 1, {x, y, 0}, 0});
}

ValueIndex Dag::Or(ValueIndex x, ValueIndex y) {
  if (x == y) return x;
  if (at(x).primitive == Primitive::kLiteral) return at(x).immediate ? x : y;
  if (at(y).primitive == Primitive::kLiteral) return at(y).immediate ? y : x;
  return Intern({Primitive::kOr, 1, {x, y, 0}, 0});
}

ValueIndex Dag::Not(ValueIndex x) { return Make(Primitive::kNot, at(x).width, {x}); }

ValueIndex Dag::Truth(Primitive primitive, ValueIndex x) { return Make(primitive, 1, {x}); }

ValueIndex Dag::Equal(ValueIndex x, ValueIndex y) {
  if (x == y) return Literal(1, 1);
  return Make(Primitive::kEq, 1, {x, y});
}

std::vector<ValueIndex> Dag::Below(absl::Span<const ValueIndex> roots) const {
  // Operands have lower indices than their users, so a single backward sweep marks all wanted values, and index order
  // is topological.
  std::vector<bool> wanted(values_.size(), false);
  ValueIndex highest = 0;
  for (ValueIndex root : roots) {
    wanted[root] = true;
    highest = std::max(highest, root);
  }
  std::vector<ValueIndex> order;
  if (roots.empty()) return order;
  for (ValueIndex i = highest + 1; i-- > 0;) {
    if (!wanted[i]) continue;
    order.push_back(i);
    for (int k = 0; k < Arity(values_[i]); ++k) wanted[values_[i].operands[k]] = true;
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace rewrought::ir
