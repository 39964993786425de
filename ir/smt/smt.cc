#include "ir/smt/smt.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

using Terms = absl::Span<const std::string>;

std::string Call(absl::string_view function, Terms x) {
  return absl::StrCat("(", function, " ", absl::StrJoin(x, " "), ")");
}

std::string BitsType(int width) { return width == 1 ? std::string("Bool") : absl::StrCat("(_ BitVec ", width, ")"); }

std::string ToBit(const std::string& truth) { return absl::StrCat("(ite ", truth, " #b1 #b0)"); }
std::string ToBool(const std::string& bit) { return absl::StrCat("(= ", bit, " #b1)"); }

// Returns the SMT-LIB function for a bit-vector primitive whose operands and result have the same width, or "".
absl::string_view BitVectorFunction(Primitive primitive) {
  switch (primitive) {
    case Primitive::kNot:
      return "bvnot";
    case Primitive::kAnd:
      return "bvand";
    case Primitive::kOr:
      return "bvor";
    case Primitive::kXor:
      return "bvxor";
    case Primitive::kNeg:
      return "bvneg";
    case Primitive::kAdd:
      return "bvadd";
    case Primitive::kSub:
      return "bvsub";
    case Primitive::kMul:
      return "bvmul";
    case Primitive::kUdiv:
      return "bvudiv";
    case Primitive::kUrem:
      return "bvurem";
    case Primitive::kSdiv:
      return "bvsdiv";
    case Primitive::kSrem:
      return "bvsrem";
    case Primitive::kShl:
      return "bvshl";
    case Primitive::kLshr:
      return "bvlshr";
    case Primitive::kAshr:
      return "bvashr";
    case Primitive::kUlt:
      return "bvult";
    case Primitive::kUle:
      return "bvule";
    case Primitive::kSlt:
      return "bvslt";
    case Primitive::kSle:
      return "bvsle";
    default:
      return "";
  }
}

std::string Extract(int high, int low, const std::string& x) {
  return absl::StrFormat("((_ extract %d %d) %s)", high, low, x);
}

std::string ZeroExtend(int by, const std::string& x) {
  return by == 0 ? x : absl::StrFormat("((_ zero_extend %d) %s)", by, x);
}
std::string SignExtendTerm(int by, const std::string& x) {
  return by == 0 ? x : absl::StrFormat("((_ sign_extend %d) %s)", by, x);
}

// Returns nested ites in which the highest (or lowest) set bit determines the result. The ite for the bit with the
// highest priority is outermost.
std::string CountZeros(const std::string& x, int width, bool leading) {
  std::string term = SmtLiteral(static_cast<uint64_t>(width), width);
  for (int i = 0; i < width; ++i) {
    const int bit = leading ? i : width - 1 - i;
    term = absl::StrFormat("(ite (= %s #b1) %s %s)", Extract(bit, bit, x),
                           SmtLiteral(static_cast<uint64_t>(width - 1 - i), width), term);
  }
  return term;
}

// Returns a balanced tree of sums, each only as wide as it needs to be. Solvers need up to ten times as long for a
// chain of sums.
std::string Popcount(const std::string& x, int width) {
  std::vector<std::pair<std::string, int>> sums;  // with their widths
  for (int i = 0; i < width; ++i) sums.emplace_back(Extract(i, i, x), 1);
  while (sums.size() > 1) {
    std::vector<std::pair<std::string, int>> next;
    for (size_t i = 0; i + 1 < sums.size(); i += 2) {
      const auto& [left, left_width] = sums[i];
      const auto& [right, right_width] = sums[i + 1];
      const int wide = std::max(left_width, right_width) + 1;
      next.emplace_back(
          absl::StrCat("(bvadd ", ZeroExtend(wide - left_width, left), " ", ZeroExtend(wide - right_width, right), ")"),
          wide);
    }
    if (sums.size() % 2 == 1) next.push_back(std::move(sums.back()));
    sums = std::move(next);
  }
  return ZeroExtend(width - sums[0].second, sums[0].first);
}

std::string Bitreverse(const std::string& x, int width) {
  std::vector<std::string> bits;
  for (int i = 0; i < width; ++i) bits.push_back(Extract(i, i, x));
  return Call("concat", bits);
}

std::string MultiplyHigh(Terms x, int width, bool is_signed) {
  const auto extend = is_signed ? SignExtendTerm : ZeroExtend;
  return Extract(2 * width - 1, width, absl::StrCat("(bvmul ", extend(width, x[0]), " ", extend(width, x[1]), ")"));
}

std::string FloatType(int width) {
  const FloatFormat format = FormatOf(width);
  return absl::StrCat(width - format.mantissa_bits - 1, " ", format.mantissa_bits + 1);
}

}  // namespace

std::string SmtLiteral(uint64_t value, int width) {
  if (width == 1) return (value & 1) ? "true" : "false";
  if (width % 4 == 0) return absl::StrFormat("#x%0*x", width / 4, value & MaskOf(width));
  return absl::StrFormat("(_ bv%d %d)", value & MaskOf(width), width);
}

std::string ShiftAsProduct(absl::string_view x, absl::string_view count, int width) {
  return absl::StrCat("(bvmul ", x, " (bvshl ", SmtLiteral(1, width), " ", count, "))");
}

std::string SmtWriter::NameOf(ValueIndex index) const {
  const Value& value = dag_.at(index);
  switch (value.primitive) {
    case Primitive::kLiteral:
      return SmtLiteral(value.immediate, value.width);
    case Primitive::kInput:
      return absl::StrCat("i", value.immediate);
    case Primitive::kChoice:
      return absl::StrCat("c", value.immediate);
    default:
      return absl::StrCat("v", index);
  }
}

void SmtWriter::Define(absl::Span<const ValueIndex> roots) {
  defined_.resize(dag_.size(), false);
  const auto unknown = [&](ValueIndex index) { return dag_.at(index).primitive != Primitive::kLiteral; };
  for (ValueIndex index : dag_.Below(roots)) {
    const Value& value = dag_.at(index);
    if (value.primitive == Primitive::kMul && unknown(value.operands[0]) && unknown(value.operands[1]))
      product_widths_.insert(value.width);
  }
  for (ValueIndex index : dag_.Below(roots)) {
    if (defined_[index]) continue;
    defined_[index] = true;
    const Value& value = dag_.at(index);
    if (value.primitive == Primitive::kLiteral) continue;
    if (value.primitive == Primitive::kInput || value.primitive == Primitive::kChoice) {
      declared_.emplace_back(NameOf(index), value.width);
      continue;
    }
    const std::string expression = Expression(index);
    if (!expression.empty()) {
      Name(index, value.width, expression);
    }
  }
}

void SmtWriter::Assert(absl::string_view term) { absl::StrAppend(&body_, "(assert ", term, ")\n"); }

std::string SmtWriter::Expression(ValueIndex index) {
  const Value& value = dag_.at(index);
  std::vector<std::string> x;
  for (int k = 0; k < Dag::Arity(value); ++k) x.push_back(NameOf(value.operands[k]));
  const int operand_width = dag_.OperandWidth(value);
  if (value.primitive == Primitive::kApprox) return Approximated(index, value, x);
  if (InfoOf(value.primitive).is_float || value.primitive == Primitive::kI2f || value.primitive == Primitive::kU2f) {
    return FloatExpression(index, value, x, operand_width);
  }
  return BitExpression(value, x, operand_width);
}

bool SmtWriter::IsScaling(const Value& value) const {
  return encoding_ == FloatEncoding::kUninterpreted && value.primitive == Primitive::kShl && value.width > 1 &&
         product_widths_.contains(value.width) && dag_.at(value.operands[1]).primitive != Primitive::kLiteral;
}

std::string SmtWriter::BitExpression(const Value& value, Terms x, int operand_width) {
  const int width = value.width;
  if (IsScaling(value)) return ShiftAsProduct(x[0], x[1], width);
  switch (value.primitive) {
    case Primitive::kEq:
      return Call("=", x);
    case Primitive::kIte:
      return Call("ite", x);
    case Primitive::kNot:
      if (width == 1) return Call("not", x);
      break;
    case Primitive::kAnd:
      if (width == 1) return Call("and", x);
      break;
    case Primitive::kOr:
      if (width == 1) return Call("or", x);
      break;
    case Primitive::kXor:
      if (width == 1) return Call("xor", x);
      break;
    default:
      break;
  }
  // The remaining primitives read 1-bit operands as bit vectors.
  std::vector<std::string> bits(x.begin(), x.end());
  const auto width_of = [&](int k) { return dag_.at(value.operands[k]).width; };
  for (size_t k = 0; k < bits.size(); ++k) {
    if (width_of(static_cast<int>(k)) == 1) bits[k] = ToBit(bits[k]);
  }
  std::string term;
  const absl::string_view function = BitVectorFunction(value.primitive);
  if (!function.empty()) {
    term = Call(function, bits);
    if (InfoOf(value.primitive).width_rule == WidthRule::kTruth) return term;
  } else {
    switch (value.primitive) {
      case Primitive::kZext:
        term = ZeroExtend(width - operand_width, bits[0]);
        break;
      case Primitive::kSext:
        term = SignExtendTerm(width - operand_width, bits[0]);
        break;
      case Primitive::kExtract: {
        const int low = static_cast<int>(value.immediate);
        term = Extract(low + width - 1, low, bits[0]);
        break;
      }
      case Primitive::kConcat:
        term = Call("concat", bits);
        break;
      case Primitive::kMulhu:
      case Primitive::kMulhs:
        term = MultiplyHigh(bits, width, value.primitive == Primitive::kMulhs);
        break;
      case Primitive::kPopcount:
        term = width == 1 ? bits[0] : Popcount(bits[0], width);
        break;
      case Primitive::kClz:
      case Primitive::kCtz:
        term = width == 1 ? Call("bvnot", bits) : CountZeros(bits[0], width, value.primitive == Primitive::kClz);
        break;
      case Primitive::kBitreverse:
        term = width == 1 ? bits[0] : Bitreverse(bits[0], width);
        break;
      default:
        break;
    }
  }
  return width == 1 ? ToBool(term) : term;
}

std::string SmtWriter::NativeResult(ValueIndex index, int width, const std::string& float_term) {
  // SMT-LIB's NaN has no bit pattern. Declare the result as a constant whose float interpretation equals the term. If
  // the term is a NaN, the constant has the canonical NaN pattern.
  absl::StrAppend(&body_, "(declare-const v", index, " ", BitsType(width), ")\n");
  Assert(absl::StrFormat("(= (real%d v%d) %s)", width, index, float_term));
  Assert(absl::StrFormat("(=> (isnan%d v%d) (= v%d %s))", width, index, index,
                         SmtLiteral(FormatOf(width).quiet_nan(), width)));
  return "";
}

std::string SmtWriter::FloatExpression(ValueIndex index, const Value& value, Terms x, int operand_width) {
  const int width = value.width;
  const Primitive primitive = value.primitive;
  const bool native = encoding_ == FloatEncoding::kNative;
  if (IsFloatWidth(operand_width) && InfoOf(primitive).is_float) float_widths_.insert(operand_width);
  const absl::string_view name = InfoOf(primitive).name;
  std::vector<std::string> reals;
  if (native && InfoOf(primitive).is_float) {
    for (const std::string& term : x) reals.push_back(absl::StrCat("(real", operand_width, " ", term, ")"));
  }
  const auto rounded = [&](absl::string_view function, absl::string_view rounding) {
    return absl::StrCat("(", function, " ", rounding, " ", absl::StrJoin(reals, " "), ")");
  };
  // Tests whether the result is ± the smallest normal although rounding toward zero returns the largest denormal.
  const auto tiny = [&](const std::string& nearest, const std::string& toward_zero, int result_width) {
    const FloatFormat format = FormatOf(result_width);
    const auto real = [&](uint64_t bits) {
      return absl::StrFormat("(real%d %s)", result_width, SmtLiteral(bits, result_width));
    };
    return absl::StrFormat("(and (fp.eq (fp.abs %s) %s) (fp.eq (fp.abs %s) %s))", nearest,
                           real(format.smallest_normal()), toward_zero, real(format.smallest_normal() - 1));
  };
  const auto converted = [&](absl::string_view rounding, int to) {
    return absl::StrFormat("((_ to_fp %s) %s %s)", FloatType(to), rounding, reals[0]);
  };
  // In the uninterpreted encoding, a conversion is an arbitrary function of its operand.
  const auto uninterpreted = [&](absl::string_view kind, int from, const std::string& to_type, int to) {
    const std::string function = absl::StrCat("core", kind, from, "to", to);
    extra_declarations_.insert(absl::StrFormat("(declare-fun %s (%s) %s)\n", function, BitsType(from), to_type));
    return Call(function, x);
  };
  switch (primitive) {
    case Primitive::kFadd:
      if (native) return NativeResult(index, width, rounded("fp.add", "RNE"));
      break;
    case Primitive::kFmul:
      if (native) return NativeResult(index, width, rounded("fp.mul", "RNE"));
      break;
    case Primitive::kFfma:
      if (native) return NativeResult(index, width, rounded("fp.fma", "RNE"));
      break;
    case Primitive::kFdiv:
      if (native) return NativeResult(index, width, rounded("fp.div", "RNE"));
      break;
    case Primitive::kFsqrt:
      if (native) return NativeResult(index, width, rounded("fp.sqrt", "RNE"));
      break;
    case Primitive::kFabs:
      return absl::StrCat("(magnitude", width, " ", x[0], ")");
    case Primitive::kFmulTiny:
      if (native) return tiny(rounded("fp.mul", "RNE"), rounded("fp.mul", "RTZ"), operand_width);
      AssertLemmas(value, x);
      return Call(absl::StrCat("multiny", operand_width), x);
    case Primitive::kFfmaTiny:
      if (native) return tiny(rounded("fp.fma", "RNE"), rounded("fp.fma", "RTZ"), operand_width);
      AssertLemmas(value, x);
      return Call(absl::StrCat("fmatiny", operand_width), x);
    case Primitive::kFdivTiny:
      if (native) return tiny(rounded("fp.div", "RNE"), rounded("fp.div", "RTZ"), operand_width);
      AssertLemmas(value, x);
      return Call(absl::StrCat("divtiny", operand_width), x);
    case Primitive::kF2fTiny: {
      const int to = static_cast<int>(value.immediate);
      float_widths_.insert(to);
      if (native) return tiny(converted("RNE", to), converted("RTZ", to), to);
      return uninterpreted("f2ftiny", operand_width, "Bool", to);
    }
    case Primitive::kF2f:
    case Primitive::kF2fRtz: {
      float_widths_.insert(width);
      if (width == operand_width) {
        return absl::StrFormat("(ite (isnan%d %s) %s %s)", width, x[0], SmtLiteral(FormatOf(width).quiet_nan(), width),
                               x[0]);
      }
      const bool nearest = primitive == Primitive::kF2f;
      if (native) return NativeResult(index, width, converted(nearest ? "RNE" : "RTZ", width));
      const std::string core = uninterpreted(nearest ? "f2f" : "f2frtz", operand_width, BitsType(width), width);
      return absl::StrFormat("(ite (isnan%d %s) %s %s)", operand_width, x[0],
                             SmtLiteral(FormatOf(width).quiet_nan(), width), core);
    }
    case Primitive::kI2f:
    case Primitive::kU2f: {
      float_widths_.insert(width);
      const bool is_signed = primitive == Primitive::kI2f;
      const std::string operand = operand_width == 1 ? ToBit(x[0]) : x[0];
      if (!native) return uninterpreted(is_signed ? "i2f" : "u2f", operand_width, BitsType(width), width);
      return NativeResult(
          index, width,
          absl::StrFormat("((_ %s %s) RNE %s)", is_signed ? "to_fp" : "to_fp_unsigned", FloatType(width), operand));
    }
    case Primitive::kF2i:
    case Primitive::kF2u: {
      const bool is_signed = primitive == Primitive::kF2i;
      if (!native) return uninterpreted(is_signed ? "f2i" : "f2u", operand_width, BitsType(width), width);
      if (width == 1) {  // the results are 0 and -1, or 0 and 1; Z3 4.8.12 fails on 1-bit fp.to_sbv
        const FloatFormat format = FormatOf(operand_width);
        if (!is_signed)
          return absl::StrFormat("(fle%d %s %s)", operand_width, SmtLiteral(format.one(), operand_width), x[0]);
        return absl::StrFormat("(fle%d %s %s)", operand_width, x[0],
                               SmtLiteral(format.sign() | format.one(), operand_width));
      }
      const uint64_t limit = FloatToBits(is_signed ? static_cast<double>(uint64_t{1} << (width - 1))
                                                   : 2.0 * static_cast<double>(uint64_t{1} << (width - 1)),
                                         operand_width);
      const uint64_t lowest = is_signed ? limit | FormatOf(operand_width).sign() : 0;
      std::string term = absl::StrFormat("((_ %s %d) RTZ %s)", is_signed ? "fp.to_sbv" : "fp.to_ubv", width, reals[0]);
      return absl::StrFormat("(ite (isnan%d %s) %s (ite (fle%d %s %s) %s (ite (fle%d %s %s) %s %s)))", operand_width,
                             x[0], SmtLiteral(0, width), operand_width, SmtLiteral(limit, operand_width), x[0],
                             SmtLiteral(is_signed ? MaskOf(width) >> 1 : MaskOf(width), width), operand_width, x[0],
                             SmtLiteral(lowest, operand_width),
                             SmtLiteral(is_signed ? uint64_t{1} << (width - 1) : 0, width), term);
    }
    case Primitive::kF2iInRange:
    case Primitive::kF2uInRange: {
      const bool is_signed = primitive == Primitive::kF2iInRange;
      const int to = static_cast<int>(value.immediate);
      const double limit =
          is_signed ? static_cast<double>(uint64_t{1} << (to - 1)) : 2.0 * static_cast<double>(uint64_t{1} << (to - 1));
      const uint64_t high = FloatToBits(limit, operand_width);
      const uint64_t low = is_signed ? FloatToBits(-limit, operand_width) : 0;
      // A limit beyond the format's range rounds to an infinity, and infinite operands are never in range.
      return absl::StrFormat("(and (not (isinf%d %s)) (flt%d (ftrunc%d %s) %s) (fle%d %s (ftrunc%d %s)))",
                             operand_width, x[0], operand_width, operand_width, x[0], SmtLiteral(high, operand_width),
                             operand_width, SmtLiteral(low, operand_width), operand_width, x[0]);
    }
    default:
      break;
  }
  if (!native) {
    AssertLemmas(value, x);
    if (!ArgumentFor(name, operand_width).empty()) NoteLemma(absl::StrCat(name, operand_width));
  }
  if (primitive == Primitive::kFfma) return Call(absl::StrCat(FmaFunction(operand_width), operand_width), x);
  return Call(absl::StrCat(name, operand_width), x);
}

// The full definition of fma turns an fma with a factor of ±1 into a sum. If no literal is ±1, the shorter definition
// suffices.
absl::string_view SmtWriter::FmaFunction(int width) const { return HasLiteral(0, width) ? "ffma" : "ffmaplain"; }

// Z3 4.8.12 expands a define-fun macro wherever a lemma names it; this takes half the time of an uninterpreted query.
// An equality with a fresh constant avoids the copies. The native encoding keeps macros, because bit-blasting
// preprocessing does not look through constants.
void SmtWriter::Name(ValueIndex index, int width, absl::string_view expression) {
  const std::string name = absl::StrCat("v", index);
  if (encoding_ == FloatEncoding::kNative) {
    absl::StrAppend(&body_, "(define-fun ", name, " () ", BitsType(width), " ", expression, ")\n");
  } else {
    absl::StrAppend(&body_, "(declare-const ", name, " ", BitsType(width), ")\n");
    Assert(absl::StrCat("(= ", name, " ", expression, ")"));
  }
}

bool SmtWriter::HasLiteral(int exponent_step, int width) const {
  const FloatFormat format = FormatOf(width);
  const uint64_t wanted = format.one() + static_cast<uint64_t>(exponent_step) * format.smallest_normal();
  for (ValueIndex i = 0; i < dag_.size(); ++i) {
    const Value& value = dag_.at(i);
    if (value.primitive == Primitive::kLiteral && value.width == width &&
        (value.immediate & format.magnitude_mask()) == wanted) {
      return true;
    }
  }
  return false;
}

void SmtWriter::AssertLemmas(const Value& value, Terms x) {
  const int width = dag_.OperandWidth(value);
  float_widths_.insert(width);
  for (const Lemma& lemma : AllLemmas()) {
    if (lemma.primitive != value.primitive) continue;
    if (lemma.need == LemmaNeed::kOne && !HasLiteral(0, width)) continue;
    if (lemma.need == LemmaNeed::kTwo && !HasLiteral(1, width)) continue;
    if (lemma.need == LemmaNeed::kScaledSum) continue;
    if (lemma.need == LemmaNeed::kLiteralAddend) {
      const auto is_literal = [&](int k) { return dag_.at(value.operands[k]).primitive == Primitive::kLiteral; };
      if (is_literal(1)) AssertLemma(lemma, width, x);
      if (is_literal(0)) AssertLemma(lemma, width, {x[1], x[0]});
      continue;
    }
    AssertLemma(lemma, width, x);
  }
  AssertScaledSums(value);
}

void SmtWriter::AssertLemma(const Lemma& lemma, int width, Terms x) {
  const absl::string_view names[] = {"x", "y", "z"};
  std::string bindings;
  for (size_t k = 0; k < x.size(); ++k) absl::StrAppend(&bindings, "(", names[k], " ", x[k], ")");
  const std::string text = absl::StrReplaceAll(lemma.text, {{"(ffma$", absl::StrCat("(", FmaFunction(width), "$")}});
  Assert(absl::StrCat("(let (", bindings, ") ", ExpandFloatText(text, width), ")"));
  NoteLemma(absl::StrCat(lemma.name, width));
}

void SmtWriter::NoteLemma(const std::string& name) {
  const auto known =
      std::find_if(lemmas_used_.begin(), lemmas_used_.end(), [&](const auto& lemma) { return lemma.first == name; });
  if (known == lemmas_used_.end()) {
    lemmas_used_.emplace_back(name, 1);
  } else {
    ++known->second;
  }
}

// Declares a constant for an application of an approximated function. For each earlier application, asserts that equal
// operands imply equal results. All NaN operands are considered equal, and a NaN result has the canonical pattern.
std::string SmtWriter::Approximated(ValueIndex index, const Value& value, Terms x) {
  const int width = value.width;
  float_widths_.insert(width);
  const uint64_t nan = FormatOf(width).quiet_nan();
  std::vector<std::string> operands;
  for (const std::string& term : x) {
    operands.push_back(absl::StrFormat("(ite (isnan%d %s) %s %s)", width, term, SmtLiteral(nan, width), term));
  }
  const std::string result = absl::StrCat("v", index);
  absl::StrAppend(&body_, "(declare-const ", result, " ", BitsType(width), ")\n");
  Assert(absl::StrFormat("(=> (isnan%d %s) (= %s %s))", width, result, result, SmtLiteral(nan, width)));
  for (size_t i = 0; i < approximations_.size(); ++i) {
    const auto& [function, application] = approximations_[i];
    if (function != value.immediate || application.first != width) continue;
    std::vector<std::string> equal;
    for (size_t k = 0; k < operands.size(); ++k) {
      equal.push_back(absl::StrCat("(= ", operands[k], " ", application.second[k], ")"));
    }
    const std::string all = equal.size() == 1 ? equal[0] : Call("and", equal);
    Assert(absl::StrCat("(=> ", all, " (= ", result, " ", approximation_results_[i], "))"));
  }
  approximations_.push_back({value.immediate, {width, operands}});
  approximation_results_.push_back(result);
  return "";
}

std::string SmtWriter::Text() const {
  std::string text = encoding_ == FloatEncoding::kNative
                         ? (float_widths_.empty() ? "(set-logic QF_BV)\n" : "(set-logic QF_BVFP)\n")
                         : "(set-logic QF_UFBV)\n";
  for (int width : float_widths_) absl::StrAppend(&text, FloatPrelude(width, encoding_));
  for (const std::string& declaration : extra_declarations_) absl::StrAppend(&text, declaration);
  for (const auto& [name, width] : declared_) {
    absl::StrAppend(&text, "(declare-const ", name, " ", BitsType(width), ")\n");
  }
  return absl::StrCat(text, body_);
}

}  // namespace rewrought::ir
