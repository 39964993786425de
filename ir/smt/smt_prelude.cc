// The float functions of queries. Functions without rounding are exact bit formulas. Add, multiply, fma, divide and
// square root are either IEEE 754 operations or an uninterpreted core on canonical operands. `$` denotes the width.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "ir/scalar.h"
#include "ir/smt/smt.h"

namespace rewrought::ir {
namespace {

// These definitions are exact in both encodings.
constexpr absl::string_view kExact = R"((define-sort bits$ () (_ BitVec $))
(define-fun sign$ ((x bits$)) bits$ (bvand x @signbit))
(define-fun magnitude$ ((x bits$)) bits$ (bvand x @magnitude))
(define-fun isneg$ ((x bits$)) Bool (not (= (sign$ x) @zero)))
(define-fun isnan$ ((x bits$)) Bool (bvugt (magnitude$ x) @infinity))
(define-fun isinf$ ((x bits$)) Bool (= (magnitude$ x) @infinity))
(define-fun iszero$ ((x bits$)) Bool (= (magnitude$ x) @zero))
(define-fun isdenorm$ ((x bits$)) Bool (bvult (bvsub (magnitude$ x) @unit) (bvsub @normal @unit)))
(define-fun fneg$ ((x bits$)) bits$ (bvxor x @signbit))
(define-fun feq$ ((x bits$) (y bits$)) Bool
  (and (not (isnan$ x)) (not (isnan$ y)) (or (= x y) (and (iszero$ x) (iszero$ y)))))
(define-fun flt$ ((x bits$) (y bits$)) Bool
  (and (not (isnan$ x)) (not (isnan$ y)) (not (and (iszero$ x) (iszero$ y)))
       (ite (isneg$ x) (or (not (isneg$ y)) (bvult y x)) (and (not (isneg$ y)) (bvult x y)))))
(define-fun fle$ ((x bits$) (y bits$)) Bool (or (flt$ x y) (feq$ x y)))
(define-fun before$ ((x bits$) (y bits$)) Bool
  (ite (isneg$ x) (or (not (isneg$ y)) (bvult y x)) (and (not (isneg$ y)) (bvult x y))))
(define-fun fmin$ ((x bits$) (y bits$)) bits$
  (ite (isnan$ x) (ite (isnan$ y) @nan y) (ite (isnan$ y) x (ite (before$ x y) x y))))
(define-fun fmax$ ((x bits$) (y bits$)) bits$
  (ite (isnan$ x) (ite (isnan$ y) @nan y) (ite (isnan$ y) x (ite (before$ x y) y x))))
(define-fun exponent$ ((x bits$)) bits$ (bvlshr (magnitude$ x) @mantissabits))
(define-fun fraction$ ((x bits$)) bits$ (bvlshr @mantissamask (bvsub (exponent$ x) @bias)))
(define-fun isintegral$ ((x bits$)) Bool (bvuge (exponent$ x) @integralexponent))
(define-fun ftrunc$ ((x bits$)) bits$
  (ite (isnan$ x) @nan (ite (isintegral$ x) x (ite (bvult (magnitude$ x) @one) (sign$ x)
  (bvand x (bvnot (fraction$ x)))))))
(define-fun ffloor$ ((x bits$)) bits$
  (ite (isnan$ x) @nan (ite (isintegral$ x) x
  (ite (bvult (magnitude$ x) @one) (ite (iszero$ x) x (ite (isneg$ x) (bvor @one @signbit) @zero))
  (bvand (ite (isneg$ x) (bvadd x (fraction$ x)) x) (bvnot (fraction$ x)))))))
(define-fun fceil$ ((x bits$)) bits$ (ite (isnan$ x) @nan (fneg$ (ffloor$ (fneg$ x)))))
(define-fun froundeven$ ((x bits$)) bits$
  (ite (isnan$ x) @nan (ite (isintegral$ x) x
  (ite (bvult (magnitude$ x) @half) (sign$ x)
  (ite (bvult (magnitude$ x) @one) (ite (= (magnitude$ x) @half) (sign$ x) (bvor (sign$ x) @one))
  (let ((f (fraction$ x)))
    (bvand (bvadd x (bvadd (bvlshr f @unit) (ite (= (bvand x (bvadd f @unit)) @zero) @zero @unit))) (bvnot f))))))))
)";

// These definitions use SMT-LIB's FloatingPoint theory.
constexpr absl::string_view kNativeCore =
    R"((define-fun real$ ((x bits$)) (_ FloatingPoint @eb @sb) ((_ to_fp @eb @sb) x))
)";

// Uninterpreted cores on magnitudes. The wrappers around them define signs, NaN, infinities, zeros and commutativity.
constexpr absl::string_view kUninterpretedCore = R"((declare-fun coreadd$ (bits$ bits$) bits$)
(declare-fun coremul$ (bits$ bits$) bits$)
(declare-fun corefma$ (bits$ bits$ bits$) bits$)
(declare-fun corefmazero$ (bits$ bits$ bits$ bits$) Bool)
(declare-fun corediv$ (bits$ bits$) bits$)
(declare-fun coresqrt$ (bits$) bits$)
(declare-fun coremultiny$ (bits$ bits$) Bool)
(declare-fun corefmatiny$ (bits$ bits$ bits$) Bool)
(declare-fun coredivtiny$ (bits$ bits$) Bool)
)";

// `coreadd` takes the larger magnitude and the smaller magnitude, the latter with its sign relative to the larger
// operand. It returns the magnitude of the sum.
constexpr absl::string_view kWrappers =
    R"((define-fun larger$ ((x bits$) (y bits$)) bits$ (ite (bvult (magnitude$ x) (magnitude$ y)) y x))
(define-fun smaller$ ((x bits$) (y bits$)) bits$ (ite (bvult (magnitude$ x) (magnitude$ y)) x y))
(define-fun fadd$ ((x bits$) (y bits$)) bits$
  (ite (or (isnan$ x) (isnan$ y)) @nan
  (ite (isinf$ x) (ite (and (isinf$ y) (not (= x y))) @nan x)
  (ite (isinf$ y) y
  (ite (iszero$ x) (ite (iszero$ y) (bvand x y) y)
  (ite (iszero$ y) x
  (ite (= x (fneg$ y)) @zero
  (bvxor (coreadd$ (magnitude$ (larger$ x y)) (bvxor (smaller$ x y) (sign$ (larger$ x y)))) (sign$)"
    R"( (larger$ x y))))))))))
(define-fun least$ ((x bits$) (y bits$)) bits$ (ite (bvult (magnitude$ x) (magnitude$ y)))"
    R"( (magnitude$ x) (magnitude$ y)))
(define-fun most$ ((x bits$) (y bits$)) bits$ (ite (bvult (magnitude$ x) (magnitude$ y)) (magnitude$ y) (magnitude$ x)))
(define-fun fmul$ ((x bits$) (y bits$)) bits$
  (ite (or (isnan$ x) (isnan$ y) (and (iszero$ x) (isinf$ y)) (and (isinf$ x) (iszero$ y))) @nan
  (bvor (bvxor (sign$ x) (sign$ y))
  (ite (or (isinf$ x) (isinf$ y)) @infinity
  (ite (or (iszero$ x) (iszero$ y)) @zero
  (ite (= (magnitude$ x) @one) (magnitude$ y)
  (ite (= (magnitude$ y) @one) (magnitude$ x)
  (magnitude$ (coremul$ (least$ x y) (most$ x y))))))))))
(define-fun ffma$ ((x bits$) (y bits$) (z bits$)) bits$
  (let ((p (bvxor (sign$ x) (sign$ y))))
  (ite (or (isnan$ x) (isnan$ y) (isnan$ z) (and (iszero$ x) (isinf$ y)) (and (isinf$ x) (iszero$ y))
           (and (or (isinf$ x) (isinf$ y)) (isinf$ z) (not (= p (sign$ z))))) @nan
  (ite (or (isinf$ x) (isinf$ y)) (bvor p @infinity)
  (ite (isinf$ z) z
  (ite (or (iszero$ x) (iszero$ y)) (ite (iszero$ z) (bvand z p) z)
  (ite (iszero$ z) (fmul$ x y)
  (ite (= (magnitude$ x) @one) (fadd$ (bvxor y (sign$ x)) z)
  (ite (= (magnitude$ y) @one) (fadd$ (bvxor x (sign$ y)) z)
  (let ((m (corefma$ (least$ x y) (most$ x y) (bvxor z p))))
  (ite (iszero$ m) (ite (corefmazero$ (least$ x y) (most$ x y) (bvxor z p) p) @signbit @zero) (bvxor m p)))))))))))
)
(define-fun ffmaplain$ ((x bits$) (y bits$) (z bits$)) bits$
  (let ((p (bvxor (sign$ x) (sign$ y))))
  (ite (or (isnan$ x) (isnan$ y) (isnan$ z) (and (iszero$ x) (isinf$ y)) (and (isinf$ x) (iszero$ y))
           (and (or (isinf$ x) (isinf$ y)) (isinf$ z) (not (= p (sign$ z))))) @nan
  (ite (or (isinf$ x) (isinf$ y)) (bvor p @infinity)
  (ite (isinf$ z) z
  (ite (or (iszero$ x) (iszero$ y)) (ite (iszero$ z) (bvand z p) z)
  (let ((m (corefma$ (least$ x y) (most$ x y) (bvxor z p))))
  (ite (iszero$ m) (ite (corefmazero$ (least$ x y) (most$ x y) (bvxor z p) p) @signbit @zero) (bvxor m p)))))))))
(define-fun fdiv$ ((x bits$) (y bits$)) bits$
  (ite (or (isnan$ x) (isnan$ y) (and (iszero$ x) (iszero$ y)) (and (isinf$ x) (isinf$ y))) @nan
  (bvor (bvxor (sign$ x) (sign$ y))
  (ite (or (isinf$ x) (iszero$ y)) @infinity
  (ite (or (iszero$ x) (isinf$ y)) @zero
  (ite (= (magnitude$ y) @one) (magnitude$ x)
  (magnitude$ (corediv$ (magnitude$ x) (magnitude$ y)))))))))
(define-fun fsqrt$ ((x bits$)) bits$
  (ite (or (isnan$ x) (and (isneg$ x) (not (iszero$ x)))) @nan (ite (iszero$ x) x (ite)"
    R"( (isinf$ x) x (magnitude$ (coresqrt$ x))))))
(define-fun multiny$ ((x bits$) (y bits$)) Bool (coremultiny$ (least$ x y) (most$ x y)))
(define-fun fmatiny$ ((x bits$) (y bits$) (z bits$)) Bool
  (corefmatiny$ (least$ x y) (most$ x y) (bvxor z (bvxor (sign$ x) (sign$ y)))))
(define-fun divtiny$ ((x bits$) (y bits$)) Bool (coredivtiny$ (magnitude$ x) (magnitude$ y)))
)";

// Properties that the core functions have when they are interpreted as IEEE 754 operations. //verifier:lemmas_test
// proves wrappers and lemmas under this interpretation.
constexpr Lemma kLemmas[] = {
    {"add_is_number", Primitive::kFadd,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (not (isinf$ x)) (not (isinf$ y))) (not (isnan$ (fadd$ x y))))"},
    {"add_same_sign_grows", Primitive::kFadd,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (= (sign$ x) (sign$ y))) (and (= (sign$ (fadd$ x y)) (sign$ x)) "
     "(bvuge (magnitude$ (fadd$ x y)) (magnitude$ (larger$ x y)))))"},
    {"add_opposite_sign_shrinks", Primitive::kFadd,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (not (isinf$ x)) (not (isinf$ y)) (not (= (sign$ x) (sign$ y)))) "
     "(bvule (magnitude$ (fadd$ x y)) (magnitude$ (larger$ x y))))"},
    {"add_sign_is_larger", Primitive::kFadd,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (not (isinf$ x)) (not (isinf$ y)) (not (= (magnitude$ x) (magnitude$ "
     "y)))) "
     "(and (= (sign$ (fadd$ x y)) (sign$ (larger$ x y))) (not (iszero$ (fadd$ x y)))))"},
    // A literal this large absorbs a denormal: its distance to its neighbors is more than twice the denormal.
    {"add_of_tiny_is_other", Primitive::kFadd,
     "(=> (and (bvule (magnitude$ x) @normal) (bvuge (magnitude$ y) @hidestiny) (bvule (magnitude$ y) @infinity)) "
     "(= (fadd$ x y) y))",
     LemmaNeed::kLiteralAddend},
    // If such a literal nearly cancels the other operand, the sum is a multiple of half the literal's ulp.
    {"add_of_literal_is_no_denormal", Primitive::kFadd,
     "(=> (bvuge (magnitude$ y) @hidestiny) (or (iszero$ (fadd$ x y)) (bvuge (magnitude$ (fadd$ x y)) @normal)))",
     LemmaNeed::kLiteralAddend},
    {"mul_is_number", Primitive::kFmul,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (not (isinf$ x)) (not (isinf$ y))) (not (isnan$ (fmul$ x y))))"},
    {"mul_by_at_most_one_shrinks", Primitive::kFmul,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (not (isinf$ y)) (bvule (magnitude$ x) @one)) "
     "(bvule (magnitude$ (fmul$ x y)) (magnitude$ y)))",
     LemmaNeed::kOne},
    {"mul_by_at_most_one_shrinks_other", Primitive::kFmul,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (not (isinf$ x)) (bvule (magnitude$ y) @one)) "
     "(bvule (magnitude$ (fmul$ x y)) (magnitude$ x)))",
     LemmaNeed::kOne},
    {"mul_by_at_least_one_grows", Primitive::kFmul,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (bvuge (magnitude$ x) @one) (not (and (isinf$ x) (iszero$ y)))) "
     "(bvuge (magnitude$ (fmul$ x y)) (magnitude$ y)))",
     LemmaNeed::kOne},
    {"mul_by_at_least_one_grows_other", Primitive::kFmul,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (bvuge (magnitude$ y) @one) (not (and (isinf$ y) (iszero$ x)))) "
     "(bvuge (magnitude$ (fmul$ x y)) (magnitude$ x)))",
     LemmaNeed::kOne},
    {"mul_by_two_is_sum", Primitive::kFmul,
     "(=> (= (magnitude$ x) @two) (= (fmul$ x y) (fadd$ (bvxor y (sign$ x)) (bvxor y (sign$ x)))))", LemmaNeed::kTwo},
    {"mul_by_two_is_sum_other", Primitive::kFmul,
     "(=> (= (magnitude$ y) @two) (= (fmul$ x y) (fadd$ (bvxor x (sign$ y)) (bvxor x (sign$ y)))))", LemmaNeed::kTwo},
    {"fma_is_number", Primitive::kFfma,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (not (isnan$ z)) (not (isinf$ x)) (not (isinf$ y)) (not (isinf$ z))) "
     "(not (isnan$ (ffma$ x y z))))"},
    // With y = 2^n: (x + w) * y = fma(x, y, w * y) = x * y + w * y, if neither w nor w * y is large enough to affect
    // overflow or small enough to affect underflow. w is the literal z with its exponent reduced by n.
    {"scaled_sum_is_fma", Primitive::kFfma,
     "(let ((w (bvsub z (bvsub y @one)))) (=> (and @scales) (= (ffma$ x y z) (fmul$ (fadd$ x w) y))))",
     LemmaNeed::kScaledSum},
    {"fma_of_scaled_is_sum", Primitive::kFfma,
     "(let ((w (bvsub z (bvsub y @one)))) (=> (and @scales) (and (= (ffma$ x y z) (fadd$ (fmul$ x y) z)) "
     "(=> (bvule (magnitude$ (fmul$ x y)) @normal) (= (ffma$ x y z) z)))))",
     LemmaNeed::kScaledSum},
    {"scaled_sum_is_no_denormal", Primitive::kFfma,
     "(let ((w (bvsub z (bvsub y @one)))) (=> (and @scales) (or (iszero$ (ffma$ x y z)) (bvugt (magnitude$ (ffma$ x y "
     "z)) @normal))))",
     LemmaNeed::kScaledSum},
    {"div_is_number", Primitive::kFdiv,
     "(=> (and (not (isnan$ x)) (not (isnan$ y)) (not (isinf$ x)) (not (isinf$ y)) (not (iszero$ x)) (not (iszero$ "
     "y))) "
     "(not (isnan$ (fdiv$ x y))))"},
    {"mul_tiny_is_smallest_normal", Primitive::kFmulTiny, "(=> (multiny$ x y) (= (magnitude$ (fmul$ x y)) @normal))"},
    {"fma_tiny_is_smallest_normal", Primitive::kFfmaTiny,
     "(=> (fmatiny$ x y z) (= (magnitude$ (ffma$ x y z)) @normal))"},
    {"div_tiny_is_smallest_normal", Primitive::kFdivTiny, "(=> (divtiny$ x y) (= (magnitude$ (fdiv$ x y)) @normal))"},
};

}  // namespace

absl::string_view ArgumentFor(absl::string_view name, int width) {
  struct Argument {
    absl::string_view name;
    int width;  // 0 for all widths
    absl::string_view text;
  };
  constexpr absl::string_view kFma =
      "fma rounds the exact x * y + z once; the result is symmetric in x and y, is negated if both the product and z "
      "are negated, and equals x * y if z is zero and y + z if x = 1; rounding to nearest even commutes with negation";
  constexpr absl::string_view kSign =
      "rounding to nearest even commutes with negation, and a sum does not depend on the order of its operands";
  constexpr absl::string_view kMonotone =
      "rounding is monotone and leaves y unchanged, and |x * y| is at most (at least) |y|";
  constexpr absl::string_view kScaling =
      "both forms round the exact x * y + z once if neither x + w nor x * y overflows or underflows; x + w does not "
      "overflow, because |w| is less than half an ulp of the largest finite number; if (x + w) * y is below twice the "
      "smallest normal, x + w is exact (Sterbenz), because |z| is at least four times that bound; if x * y underflows, "
      "z absorbs it, and if x * y overflows, x * y + z exceeds the largest finite number in magnitude by more than |z|";
  constexpr absl::string_view kMultiple =
      "if x * y is not within a factor of two of -z, the sum is at least |z| / 2; otherwise, x * y and z are both "
      "multiples of the ulp just below |z| / 2, and this ulp exceeds the smallest normal";
  constexpr Argument kArguments[] = {
      {"scaled_sum_is_fma", 32, kScaling},
      {"scaled_sum_is_fma", 64, kScaling},
      {"fma_of_scaled_is_sum", 32, kScaling},
      {"fma_of_scaled_is_sum", 64, kScaling},
      {"scaled_sum_is_no_denormal", 32, kMultiple},
      {"scaled_sum_is_no_denormal", 64, kMultiple},
      {"ffma", 0, kFma},
      {"fma_is_number", 64,
       "if no operand is a NaN, x * y + z is a NaN only if it adds infinities of opposite signs or multiplies an "
       "infinity by 0"},
      {"fadd", 64, kSign},
      {"fdiv", 64, kSign},
      {"mul_by_at_most_one_shrinks", 32, kMonotone},
      {"mul_by_at_most_one_shrinks_other", 32, kMonotone},
      {"mul_by_at_most_one_shrinks", 64, kMonotone},
      {"mul_by_at_most_one_shrinks_other", 64, kMonotone},
      {"mul_by_at_least_one_grows", 64, kMonotone},
      {"mul_by_at_least_one_grows_other", 64, kMonotone},
  };
  for (const Argument& argument : kArguments) {
    if (argument.name == name && (argument.width == 0 || argument.width == width)) return argument.text;
  }
  return "";
}

absl::Span<const Lemma> AllLemmas() { return kLemmas; }

std::string ExpandFloatText(absl::string_view text, int width) {
  const FloatFormat format = FormatOf(width);
  const int exponent_bits = width - format.mantissa_bits - 1;
  const auto literal = [width](uint64_t value) { return SmtLiteral(value, width); };
  // hides_tiny is the smallest magnitude whose distance to its neighbors is more than twice any denormal. most_scaled
  // is the largest magnitude that is less than half the distance between the two largest numbers.
  const uint64_t hides_tiny = format.smallest_normal() * static_cast<uint64_t>(format.mantissa_bits + 4);
  const uint64_t most_scaled =
      format.infinity() - format.smallest_normal() * static_cast<uint64_t>(format.mantissa_bits + 2) - 1;
  // The condition that y is a power of two and that z and w are in range. If the exponent of w wraps around, the signs
  // of z and w differ.
  const std::string scales = absl::StrCat(
      "(= (bvand y @mantissamask) @zero) (not (isneg$ y)) (bvuge y @normal) (bvult y @infinity) (= (sign$ z) (sign$ "
      "w)) "
      "(bvuge (magnitude$ z) ",
      literal(hides_tiny), ") (bvule (magnitude$ z) ", literal(most_scaled),
      ") "
      "(bvuge (magnitude$ w) @normal) (bvule (magnitude$ w) ",
      literal(most_scaled), ")");
  // Longer names come first, because a name may be a prefix of another.
  return absl::StrReplaceAll(
      absl::StrReplaceAll(text, {{"@scales", scales}}),
      {{"@integralexponent", literal(static_cast<uint64_t>(format.bias() + format.mantissa_bits))},
       {"@hidestiny", literal(hides_tiny)},
       {"@mantissabits", literal(static_cast<uint64_t>(format.mantissa_bits))},
       {"@mantissamask", literal(format.mantissa_mask())},
       {"@magnitude", literal(format.magnitude_mask())},
       {"@infinity", literal(format.infinity())},
       {"@signbit", literal(format.sign())},
       {"@normal", literal(format.smallest_normal())},
       {"@zero", literal(0)},
       {"@unit", literal(1)},
       {"@half", literal(format.one() - format.smallest_normal())},
       {"@bias", literal(static_cast<uint64_t>(format.bias()))},
       {"@one", literal(format.one())},
       {"@two", literal(format.one() + format.smallest_normal())},
       {"@nan", literal(format.quiet_nan())},
       {"@eb", absl::StrCat(exponent_bits)},
       {"@sb", absl::StrCat(format.mantissa_bits + 1)},
       {"$", absl::StrCat(width)}});
}

std::string FloatPrelude(int width, FloatEncoding encoding) {
  if (encoding == FloatEncoding::kNative) return ExpandFloatText(absl::StrCat(kExact, kNativeCore), width);
  return ExpandFloatText(absl::StrCat(kExact, kUninterpretedCore, kWrappers), width);
}

}  // namespace rewrought::ir
