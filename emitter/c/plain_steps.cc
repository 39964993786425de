#include "emitter/c/plain_steps.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "ir/scalar.h"

namespace rewrought::emitter {
namespace {

using ir::Primitive;
using ir::ValueIndex;

int MantissaBits(int width) { return width == 16 ? 10 : width == 32 ? 23 : 52; }

class Plain {
 public:
  Plain(const ir::Dag& from, ir::Dag* to) : from_(from), to_(*to) {}

  absl::StatusOr<ValueIndex> Of(ValueIndex index) {
    if (const auto found = done_.find(index); found != done_.end()) return found->second;
    const ir::Value& value = from_.at(index);
    std::vector<ValueIndex> operands;
    for (int i = 0; i < ir::Dag::Arity(value); ++i) {
      const absl::StatusOr<ValueIndex> operand = Of(value.operands[static_cast<size_t>(i)]);
      if (!operand.ok()) return operand;
      operands.push_back(*operand);
    }
    const absl::StatusOr<ValueIndex> plain = Make(value, operands);
    if (plain.ok()) done_[index] = *plain;
    return plain;
  }

 private:
  absl::StatusOr<ValueIndex> Make(const ir::Value& value, const std::vector<ValueIndex>& of) {
    const int width = value.width;
    switch (value.primitive) {
      case Primitive::kLiteral:
        return to_.Literal(value.immediate, width);
      case Primitive::kInput: {
        const ir::Input& input = from_.inputs()[value.immediate];
        return to_.InputNamed(input.name, input.width);
      }
      case Primitive::kAnd:
      case Primitive::kOr:
      case Primitive::kXor:
      case Primitive::kAdd:
      case Primitive::kSub:
      case Primitive::kMul:
      case Primitive::kShl:
      case Primitive::kLshr:
      case Primitive::kEq:
      case Primitive::kUlt:
      case Primitive::kIte:
      case Primitive::kZext:
      case Primitive::kExtract:
        return to_.Make(value.primitive, width, of, value.immediate);
      case Primitive::kNot:
        return Not(of[0]);
      case Primitive::kNeg:
        return to_.Make(Primitive::kSub, width, {to_.Literal(0, width), of[0]});
      case Primitive::kAshr:
        return to_.Ite(IsSigned(of[0]), Not(to_.Make(Primitive::kLshr, width, {Not(of[0]), of[1]})),
                       to_.Make(Primitive::kLshr, width, of));
      case Primitive::kSext: {
        const ValueIndex sign = to_.Literal(Sign(of[0]), width);
        const ValueIndex turned = to_.Make(Primitive::kXor, width, {to_.Make(Primitive::kZext, width, of), sign});
        return to_.Make(Primitive::kSub, width, {turned, sign});
      }
      case Primitive::kUle:
        return Not(Less(of[1], of[0]));
      case Primitive::kSlt:
        return Less(Lifted(of[0]), Lifted(of[1]));
      case Primitive::kSle:
        return Not(Less(Lifted(of[1]), Lifted(of[0])));
      default:
        return MakeFloat(value, of);
    }
  }

  absl::StatusOr<ValueIndex> MakeFloat(const ir::Value& value, const std::vector<ValueIndex>& of) {
    switch (value.primitive) {
      case Primitive::kFlt:
        return to_.And(AreNumbers(of), Less(Ordered(of[0]), Ordered(of[1])));
      case Primitive::kFle:
        return to_.And(AreNumbers(of), Not(Less(Ordered(of[1]), Ordered(of[0]))));
      case Primitive::kFeq:
        return to_.And(AreNumbers(of), to_.Equal(Ordered(of[0]), Ordered(of[1])));
      case Primitive::kIsnan:
        return IsNan(of[0]);
      case Primitive::kIsinf:
        return to_.Equal(Magnitude(of[0]), Infinity(Width(of[0])));
      case Primitive::kIszero:
        return to_.Equal(Magnitude(of[0]), to_.Literal(0, Width(of[0])));
      case Primitive::kFtrunc:
        return Truncated(of[0]);
      default:
        return absl::UnimplementedError(
            absl::StrCat("computes ", ir::InfoOf(value.primitive).name, ", for which format c has no step"));
    }
  }

  int Width(ValueIndex x) const { return to_.at(x).width; }
  uint64_t Sign(ValueIndex x) const { return uint64_t{1} << (Width(x) - 1); }
  ValueIndex Not(ValueIndex x) {
    return to_.Make(Primitive::kXor, Width(x), {x, to_.Literal(ir::MaskOf(Width(x)), Width(x))});
  }
  ValueIndex Less(ValueIndex x, ValueIndex y) { return to_.Make(Primitive::kUlt, 1, {x, y}); }
  ValueIndex IsSigned(ValueIndex x) {
    return to_.Make(Primitive::kExtract, 1, {x}, static_cast<uint64_t>(Width(x) - 1));
  }
  // Maps signed numbers to unsigned numbers, preserving their order.
  ValueIndex Lifted(ValueIndex x) { return to_.Make(Primitive::kXor, Width(x), {x, to_.Literal(Sign(x), Width(x))}); }
  ValueIndex Magnitude(ValueIndex x) {
    return to_.Make(Primitive::kAnd, Width(x), {x, to_.Literal(Sign(x) - 1, Width(x))});
  }
  // Maps the bits of floats to unsigned numbers, preserving the order of the floats; both zeros map to the same number.
  ValueIndex Ordered(ValueIndex x) {
    const ValueIndex sign = to_.Literal(Sign(x), Width(x)), magnitude = Magnitude(x);
    return to_.Ite(IsSigned(x), to_.Make(Primitive::kSub, Width(x), {sign, magnitude}),
                   to_.Make(Primitive::kAdd, Width(x), {sign, magnitude}));
  }
  ValueIndex Infinity(int width) {
    const int mantissa = MantissaBits(width);
    return to_.Literal(ir::MaskOf(width - 1 - mantissa) << mantissa, width);
  }
  ValueIndex IsNan(ValueIndex x) { return Less(Infinity(Width(x)), Magnitude(x)); }
  ValueIndex AreNumbers(const std::vector<ValueIndex>& of) { return to_.And(Not(IsNan(of[0])), Not(IsNan(of[1]))); }

  // Truncates toward zero: returns a zero with the sign of `x` if its magnitude is below 1, and otherwise clears the
  // fraction bits. Returns the same NaN as the primitive.
  ValueIndex Truncated(ValueIndex x) {
    const int width = Width(x), mantissa = MantissaBits(width);
    const auto literal = [&](uint64_t bits) { return to_.Literal(bits, width); };
    const ValueIndex bias = literal(ir::MaskOf(width - 2 - mantissa));
    const ValueIndex exponent =
        to_.Make(Primitive::kLshr, width, {Magnitude(x), literal(static_cast<uint64_t>(mantissa))});
    const ValueIndex below_one = to_.Make(
        Primitive::kLshr, width, {literal(ir::MaskOf(mantissa)), to_.Make(Primitive::kSub, width, {exponent, bias})});
    const ValueIndex whole = to_.Make(Primitive::kAnd, width, {x, Not(below_one)});
    const ValueIndex number =
        to_.Ite(Less(exponent, bias), to_.Make(Primitive::kAnd, width, {x, literal(Sign(x))}), whole);
    const uint64_t nan = ir::MaskOf(width - mantissa) << (mantissa - 1);
    return to_.Ite(IsNan(x), literal(nan), number);
  }

  const ir::Dag& from_;
  ir::Dag& to_;
  std::map<ValueIndex, ValueIndex> done_;
};

}  // namespace

absl::StatusOr<ir::ValueIndex> InPlainSteps(const ir::Dag& from, ir::ValueIndex root, ir::Dag* to) {
  return Plain(from, to).Of(root);
}

}  // namespace rewrought::emitter
