// Finds the values for which a query needs the lemmas about sums times powers of two: (x + 1) / 2 = fma(x, 0.5, 0.5) =
// x / 2 + 0.5. Uninterpreted functions do not model exponents, and solvers need more than a second for such a query in
// the FloatingPoint theory.
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/scalar.h"
#include "ir/smt/smt.h"

namespace rewrought::ir {
namespace {

// A value after removing choices and negations.
struct Stripped {
  ValueIndex value = 0;
  bool negated = false;
};

Stripped Strip(const Dag& dag, ValueIndex value) {
  Stripped stripped{value, false};
  for (;;) {
    const Value& v = dag.at(stripped.value);
    if (v.primitive == Primitive::kFneg) {
      stripped = {v.operands[0], !stripped.negated};
    } else if (v.primitive == Primitive::kIte) {
      stripped.value = v.operands[2];  // the operand without the flush, free zero or NaN pattern
    } else {
      return stripped;
    }
  }
}

// A sum or product with a literal operand: the literal and the other operand.
struct WithLiteral {
  ValueIndex other = 0;
  uint64_t literal = 0;
};

std::optional<WithLiteral> LiteralOperand(const Dag& dag, const Value& value) {
  for (const int k : {1, 0}) {
    const Value& operand = dag.at(value.operands[k]);
    if (operand.primitive == Primitive::kLiteral) return WithLiteral{value.operands[1 - k], operand.immediate};
  }
  return std::nullopt;
}

bool IsPowerOfTwo(uint64_t bits, const FloatFormat& format) {
  const uint64_t magnitude = bits & format.magnitude_mask();
  return (bits & format.mantissa_mask()) == 0 && magnitude >= format.smallest_normal() && magnitude < format.infinity();
}

}  // namespace

// Asserts that (x + w) * y, the fused x * y + z and the unfused x * y + z are equal. Here y is the magnitude of
// `factor`, z is `addend`, w * y = z, and x is negated if `negate`. The lemmas themselves restrict the literals.
void SmtWriter::AssertScaledSum(int width, ValueIndex x, bool negate, uint64_t factor, uint64_t addend) {
  const std::string name = negate ? absl::StrCat("(fneg", width, " ", NameOf(x), ")") : NameOf(x);
  const std::string operands[] = {name, SmtLiteral(factor & FormatOf(width).magnitude_mask(), width),
                                  SmtLiteral(addend, width)};
  if (!scaled_sums_.insert(absl::StrJoin(operands, " ")).second) return;
  for (const Lemma& lemma : AllLemmas()) {
    if (lemma.need == LemmaNeed::kScaledSum) AssertLemma(lemma, width, operands);
  }
}

void SmtWriter::AssertScaledSums(const Value& value) {
  const Primitive primitive = value.primitive;
  if (primitive != Primitive::kFfma && primitive != Primitive::kFmul && primitive != Primitive::kFadd) return;
  const int width = value.width;
  const FloatFormat format = FormatOf(width);
  const auto is_negative = [&](uint64_t literal) { return (literal & format.sign()) != 0; };
  if (primitive == Primitive::kFfma) {
    const Value& addend = dag_.at(value.operands[2]);
    const std::optional<WithLiteral> product = LiteralOperand(dag_, value);
    if (addend.primitive != Primitive::kLiteral || !product.has_value() || !IsPowerOfTwo(product->literal, format))
      return;
    AssertScaledSum(width, product->other, is_negative(product->literal), product->literal, addend.immediate);
    return;
  }
  const std::optional<WithLiteral> outer = LiteralOperand(dag_, value);
  if (!outer.has_value()) return;
  const Stripped part = Strip(dag_, outer->other);
  const Value& inner = dag_.at(part.value);
  if (inner.primitive != (primitive == Primitive::kFmul ? Primitive::kFadd : Primitive::kFmul)) return;
  const std::optional<WithLiteral> inside = LiteralOperand(dag_, inner);
  if (!inside.has_value()) return;
  if (primitive == Primitive::kFmul) {  // the value is (x + w) * factor
    if (!IsPowerOfTwo(outer->literal, format)) return;
    const uint64_t addend = inside->literal + (outer->literal & format.magnitude_mask()) - format.one();
    AssertScaledSum(width, inside->other, false, outer->literal, addend & MaskOf(width));
  } else {  // the value is x * factor + z
    if (!IsPowerOfTwo(inside->literal, format)) return;
    AssertScaledSum(width, inside->other, is_negative(inside->literal) != part.negated, inside->literal,
                    outer->literal);
  }
}

}  // namespace rewrought::ir
