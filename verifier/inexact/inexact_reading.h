// Interprets values of a Dag over the real numbers: each float primitive is read as the exact function that it rounds,
// and there are no NaNs, infinities or denormals. A domain (normal forms, MPFR numbers, error bounds) defines the
// results. All domains share this traversal, so the op rows also define the meaning over the reals.
#ifndef REWROUGHT_VERIFIER_INEXACT_INEXACT_READING_H_
#define REWROUGHT_VERIFIER_INEXACT_INEXACT_READING_H_

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/dag.h"
#include "ir/scalar.h"

namespace rewrought::verifier {

enum class InputReading : uint8_t { kUnread, kReal, kTruth };

// Returns the truth of a 1-bit value if it is the same for all inputs that are not a NaN, an infinity or a denormal.
inline std::optional<bool> KnownTruth(const ir::Dag& dag, ir::ValueIndex index) {
  using ir::Primitive;
  const ir::Value& value = dag.at(index);
  switch (value.primitive) {
    case Primitive::kLiteral:
      return value.immediate != 0;
    case Primitive::kIsnan:
    case Primitive::kIsinf:
    case Primitive::kIsdenorm:
    case Primitive::kFmulTiny:
    case Primitive::kFfmaTiny:
    case Primitive::kFdivTiny:
    case Primitive::kF2fTiny:
      return false;
    case Primitive::kNot: {
      const std::optional<bool> x = KnownTruth(dag, value.operands[0]);
      return x.has_value() ? std::optional<bool>(!*x) : std::nullopt;
    }
    case Primitive::kAnd:
    case Primitive::kOr: {
      const bool decisive = value.primitive == Primitive::kOr;
      const std::optional<bool> x = KnownTruth(dag, value.operands[0]), y = KnownTruth(dag, value.operands[1]);
      if (x == decisive || y == decisive) return decisive;
      if (x.has_value() && y.has_value()) return !decisive;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

// Reads values over the reals. A Domain has these members:
//   Real, Truth              copyable
//   Literal(double) -> Real; RealInput(uint32_t input) -> Real; TruthInput(uint32_t input) -> Truth
//   Apply(const ir::Value&, Span<const Real>) -> Real      the float primitives with float results
//   CopySign(double magnitude, Real) -> Real               of a nonzero number
//   Select(Truth, Real, Real) -> Real; SelectTruth(Truth, Truth, Truth) -> Truth
//   FromBool(bool) -> Truth; Compare(kFlt | kFle | kFeq, Real, Real) -> Truth
//   Not(Truth) -> Truth; And(Truth, Truth) -> Truth
// Reads each value once. Fails with Unimplemented if a value has no interpretation over the reals.
template <typename Domain>
class RealReader {
 public:
  using Real = typename Domain::Real;
  using Truth = typename Domain::Truth;

  RealReader(const ir::Dag* dag, Domain* domain)
      : dag_(dag), domain_(domain), inputs_(dag->inputs().size(), InputReading::kUnread) {}

  absl::StatusOr<Real> ReadReal(ir::ValueIndex index) {
    if (const auto found = reals_.find(index); found != reals_.end()) return found->second;
    if (++depth_ > kMaxDepth) return absl::UnimplementedError("the term is too deep to be read over the reals");
    absl::StatusOr<Real> read = ReadRealOnce(index);
    --depth_;
    if (read.ok()) reals_.emplace(index, *read);
    return read;
  }

  absl::StatusOr<Truth> ReadTruth(ir::ValueIndex index) {
    if (const auto found = truths_.find(index); found != truths_.end()) return found->second;
    if (++depth_ > kMaxDepth) return absl::UnimplementedError("the term is too deep to be read over the reals");
    absl::StatusOr<Truth> read = ReadTruthOnce(index);
    --depth_;
    if (read.ok()) truths_.emplace(index, *read);
    return read;
  }

  const std::vector<InputReading>& inputs() const { return inputs_; }

 private:
  static constexpr int kMaxDepth = 3000;

  absl::Status Unreadable(ir::ValueIndex index, absl::string_view as) const {
    const ir::Value& value = dag_->at(index);
    const absl::string_view name = value.primitive == ir::Primitive::kInput     ? "an input"
                                   : value.primitive == ir::Primitive::kChoice  ? "a free value"
                                   : value.primitive == ir::Primitive::kLiteral ? "a bit pattern"
                                                                                : ir::InfoOf(value.primitive).name;
    return absl::UnimplementedError(absl::StrCat(name, " cannot be read as a ", as, " over the reals"));
  }

  absl::Status NoteInput(uint64_t input, InputReading reading) {
    if (inputs_[input] != InputReading::kUnread && inputs_[input] != reading) {
      return absl::UnimplementedError(absl::StrCat(dag_->inputs()[input].name, " is both a number and a Boolean"));
    }
    inputs_[input] = reading;
    return absl::OkStatus();
  }

  bool IsZeroLiteral(ir::ValueIndex index) const {
    const ir::Value& value = dag_->at(index);
    if (value.primitive == ir::Primitive::kIte) {
      return IsZeroLiteral(value.operands[1]) && IsZeroLiteral(value.operands[2]);
    }
    return value.primitive == ir::Primitive::kLiteral && ir::IsFloatWidth(value.width) &&
           (value.immediate & ir::FormatOf(value.width).magnitude_mask()) == 0;
  }

  // Returns whether `condition` implies that `value` is a zero. If so, selecting a zero literal instead of `value` has
  // no effect.
  bool ImpliesZero(ir::ValueIndex condition, ir::ValueIndex value) const {
    const ir::Value& test = dag_->at(condition);
    if (test.primitive == ir::Primitive::kIszero) return test.operands[0] == value;
    if (test.primitive != ir::Primitive::kAnd) return false;
    return ImpliesZero(test.operands[0], value) || ImpliesZero(test.operands[1], value);
  }

  absl::StatusOr<Real> ReadRealOnce(ir::ValueIndex index) {
    const ir::Value value = dag_->at(index);
    switch (value.primitive) {
      case ir::Primitive::kInput: {
        if (!ir::IsFloatWidth(value.width)) return Unreadable(index, "number");
        const absl::Status noted = NoteInput(value.immediate, InputReading::kReal);
        if (!noted.ok()) return noted;
        return domain_->RealInput(static_cast<uint32_t>(value.immediate));
      }
      case ir::Primitive::kLiteral: {
        if (!ir::IsFloatWidth(value.width)) return Unreadable(index, "number");
        const double number = ir::BitsToFloat(value.immediate, value.width);
        if (!std::isfinite(number)) return absl::UnimplementedError("an infinity or a NaN is not a real number");
        return domain_->Literal(number);
      }
      case ir::Primitive::kIte:
        return ReadSelection(value);
      case ir::Primitive::kOr:
        return ReadCopiedSign(index, value);
      case ir::Primitive::kFadd:
      case ir::Primitive::kFmul:
      case ir::Primitive::kFfma:
      case ir::Primitive::kFdiv:
      case ir::Primitive::kFsqrt:
      case ir::Primitive::kFfloor:
      case ir::Primitive::kFceil:
      case ir::Primitive::kFtrunc:
      case ir::Primitive::kFroundeven:
      case ir::Primitive::kFmin:
      case ir::Primitive::kFmax:
      case ir::Primitive::kFneg:
      case ir::Primitive::kFabs:
      case ir::Primitive::kF2f:
      case ir::Primitive::kApprox: {
        std::vector<Real> operands;
        for (int k = 0; k < ir::Dag::Arity(value); ++k) {
          absl::StatusOr<Real> operand = ReadReal(value.operands[k]);
          if (!operand.ok()) return operand;
          operands.push_back(*std::move(operand));
        }
        return domain_->Apply(value, operands);
      }
      default:
        return Unreadable(index, "number");
    }
  }

  absl::StatusOr<Real> ReadSelection(const ir::Value& value) {
    const ir::ValueIndex condition = value.operands[0], then = value.operands[1], otherwise = value.operands[2];
    if (const std::optional<bool> known = KnownTruth(*dag_, condition)) return ReadReal(*known ? then : otherwise);
    if (IsZeroLiteral(then) && IsZeroLiteral(otherwise)) return domain_->Literal(0);
    if (IsZeroLiteral(then) && ImpliesZero(condition, otherwise)) return ReadReal(otherwise);
    absl::StatusOr<Truth> test = ReadTruth(condition);
    if (!test.ok()) return test.status();
    absl::StatusOr<Real> x = ReadReal(then);
    if (!x.ok()) return x;
    absl::StatusOr<Real> y = ReadReal(otherwise);
    if (!y.ok()) return y;
    return domain_->Select(*test, *x, *y);
  }

  // Reads (or literal (and x signbit)), the literal with the sign of x.
  absl::StatusOr<Real> ReadCopiedSign(ir::ValueIndex index, const ir::Value& value) {
    for (int k = 0; k < 2 && ir::IsFloatWidth(value.width); ++k) {
      const ir::Value& literal = dag_->at(value.operands[k]);
      const ir::Value& sign = dag_->at(value.operands[1 - k]);
      if (literal.primitive != ir::Primitive::kLiteral || sign.primitive != ir::Primitive::kAnd) continue;
      const double magnitude = ir::BitsToFloat(literal.immediate, value.width);
      if (std::signbit(magnitude) || !std::isfinite(magnitude)) continue;
      for (int j = 0; j < 2; ++j) {
        const ir::Value& mask = dag_->at(sign.operands[j]);
        if (mask.primitive != ir::Primitive::kLiteral || mask.immediate != ir::FormatOf(value.width).sign()) continue;
        absl::StatusOr<Real> x = ReadReal(sign.operands[1 - j]);
        if (!x.ok()) return x;
        return domain_->CopySign(magnitude, *x);
      }
    }
    return Unreadable(index, "number");
  }

  absl::StatusOr<Truth> ReadTruthOnce(ir::ValueIndex index) {
    const ir::Value value = dag_->at(index);
    if (value.width == 1) {
      if (const std::optional<bool> known = KnownTruth(*dag_, index)) return domain_->FromBool(*known);
    }
    switch (value.primitive) {
      case ir::Primitive::kInput: {
        const absl::Status noted = NoteInput(value.immediate, InputReading::kTruth);
        if (!noted.ok()) return noted;
        return domain_->TruthInput(static_cast<uint32_t>(value.immediate));
      }
      case ir::Primitive::kLiteral:
        if (value.immediate != 0 && value.immediate != ir::MaskOf(value.width)) return Unreadable(index, "Boolean");
        return domain_->FromBool(value.immediate != 0);
      case ir::Primitive::kSext:
        if (dag_->at(value.operands[0]).width != 1) return Unreadable(index, "Boolean");
        return ReadTruth(value.operands[0]);
      case ir::Primitive::kNot: {
        absl::StatusOr<Truth> x = ReadTruth(value.operands[0]);
        if (!x.ok()) return x;
        return domain_->Not(*x);
      }
      case ir::Primitive::kIszero: {
        absl::StatusOr<Real> x = ReadReal(value.operands[0]);
        if (!x.ok()) return x.status();
        return domain_->Compare(ir::Primitive::kFeq, *x, domain_->Literal(0));
      }
      case ir::Primitive::kFlt:
      case ir::Primitive::kFle:
      case ir::Primitive::kFeq: {
        absl::StatusOr<Real> x = ReadReal(value.operands[0]);
        if (!x.ok()) return x.status();
        absl::StatusOr<Real> y = ReadReal(value.operands[1]);
        if (!y.ok()) return y.status();
        return domain_->Compare(value.primitive, *x, *y);
      }
      case ir::Primitive::kIte:
        if (const std::optional<bool> known = KnownTruth(*dag_, value.operands[0])) {
          return ReadTruth(value.operands[*known ? 1 : 2]);
        }
        return ReadConnective(value);
      case ir::Primitive::kAnd:
      case ir::Primitive::kOr:
      case ir::Primitive::kXor:
      case ir::Primitive::kEq:
        return ReadConnective(value);
      default:
        return Unreadable(index, "Boolean");
    }
  }

  absl::StatusOr<Truth> ReadConnective(const ir::Value& value) {
    std::vector<Truth> x;
    for (int k = 0; k < ir::Dag::Arity(value); ++k) {
      absl::StatusOr<Truth> operand = ReadTruth(value.operands[k]);
      if (!operand.ok()) return operand;
      x.push_back(*std::move(operand));
    }
    switch (value.primitive) {
      case ir::Primitive::kAnd:
        return domain_->And(x[0], x[1]);
      case ir::Primitive::kOr:
        return domain_->Not(domain_->And(domain_->Not(x[0]), domain_->Not(x[1])));
      case ir::Primitive::kXor:
        return domain_->SelectTruth(x[0], domain_->Not(x[1]), x[1]);
      case ir::Primitive::kEq:
        return domain_->SelectTruth(x[0], x[1], domain_->Not(x[1]));
      default:
        return domain_->SelectTruth(x[0], x[1], x[2]);
    }
  }

  const ir::Dag* const dag_;
  Domain* const domain_;
  std::vector<InputReading> inputs_;
  absl::flat_hash_map<ir::ValueIndex, Real> reals_;
  absl::flat_hash_map<ir::ValueIndex, Truth> truths_;
  int depth_ = 0;
};

inline bool IsTruth(const ir::Dag& dag, ir::ValueIndex index) {
  const ir::Value& value = dag.at(index);
  if (value.width == 1) return true;
  switch (value.primitive) {
    case ir::Primitive::kSext:
      return dag.at(value.operands[0]).width == 1;
    case ir::Primitive::kNot:
      return IsTruth(dag, value.operands[0]);
    case ir::Primitive::kAnd:
    case ir::Primitive::kXor:
    case ir::Primitive::kOr:
      return IsTruth(dag, value.operands[0]) || IsTruth(dag, value.operands[1]);
    case ir::Primitive::kIte:
      return IsTruth(dag, value.operands[1]) || IsTruth(dag, value.operands[2]);
    default:
      return false;
  }
}

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_READING_H_
