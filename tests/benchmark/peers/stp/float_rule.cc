#include "tests/benchmark/peers/stp/float_rule.h"

#include "absl/strings/str_cat.h"

namespace rewrought::peers {
namespace {

using OperandKind = FloatOperand::Kind;
using TargetKind = FloatTarget::Kind;

std::string SpellInner(FloatOp op, absl::string_view rounding) {
  const FloatOpRow& row = RowOf(op);
  std::string text = absl::StrCat("(", row.name, row.rounds ? " " : "", row.rounds ? rounding : "");
  for (int i = 0; i < row.operands; ++i) text += " x";
  return text + ")";
}

std::string ConstantName(FloatConstant constant) {
  static constexpr const char* kNames[kFloatConstants] = {"NaN", "+oo", "-oo", "+0", "-0", "+1", "-1"};
  return kNames[static_cast<size_t>(constant)];
}

std::string DescribeModes(uint8_t modes) {
  std::string names;
  for (size_t mode = 0; mode < kRoundings.size(); ++mode) {
    if ((modes >> mode & 1) != 0) absl::StrAppend(&names, names.empty() ? "" : ",", NameOf(kRoundings[mode]));
  }
  return modes == (1 << kRoundings.size()) - 1 ? "rm" : absl::StrCat("{", names, "}");
}

}  // namespace

bool FloatCandidate::Rounds() const {
  const FloatOperand* inner = Inner();
  return RowOf(op).rounds || (inner != nullptr && RowOf(inner->inner).rounds);
}

bool FloatCandidate::Chooses() const { return op == FloatOp::kMin || op == FloatOp::kMax; }

const FloatOperand* FloatCandidate::Inner() const {
  for (int i = 0; i < RowOf(op).operands; ++i) {
    if (operands[i].kind == OperandKind::kInner) return &operands[i];
  }
  return nullptr;
}

std::string FloatRule::Describe() const {
  const std::string rounding = DescribeModes(modes);
  return absl::StrCat(Spell(candidate, rounding, ConstantName), " -> ",
                      Spell(target, candidate, rounding, ConstantName));
}

uint32_t FloatMeaning::PatternOf(FloatConstant constant) const {
  switch (constant) {
    case FloatConstant::kNaN:
      return floats_.nan();
    case FloatConstant::kPlusInfinity:
    case FloatConstant::kMinusInfinity:
      return floats_.infinity(constant == FloatConstant::kMinusInfinity);
    case FloatConstant::kPlusZero:
    case FloatConstant::kMinusZero:
      return floats_.zero(constant == FloatConstant::kMinusZero);
    case FloatConstant::kPlusOne:
    case FloatConstant::kMinusOne:
      return floats_.one(constant == FloatConstant::kMinusOne);
  }
  return 0;
}

uint32_t FloatMeaning::Value(const FloatOperand& operand, Rounding rounding, uint32_t x) const {
  switch (operand.kind) {
    case OperandKind::kVariable:
      return floats_.Canonical(x);
    case OperandKind::kConstant:
      return PatternOf(operand.constant);
    case OperandKind::kInner:
      return Apply(floats_, operand.inner, rounding, ZeroChoice::kPositive, {x, x, x});
  }
  return 0;
}

uint32_t FloatMeaning::Value(const FloatCandidate& candidate, Rounding rounding, ZeroChoice choice, uint32_t x) const {
  std::array<uint32_t, 3> operands = {};
  for (int i = 0; i < RowOf(candidate.op).operands; ++i) operands[i] = Value(candidate.operands[i], rounding, x);
  return Apply(floats_, candidate.op, rounding, choice, operands);
}

uint32_t FloatMeaning::Value(const FloatTarget& target, const FloatCandidate& candidate, Rounding rounding,
                             uint32_t x) const {
  switch (target.kind) {
    case TargetKind::kVariable:
      return floats_.Canonical(x);
    case TargetKind::kNegated:
      return floats_.Neg(x);
    case TargetKind::kAbsolute:
      return floats_.Abs(x);
    case TargetKind::kConstant:
      return PatternOf(target.constant);
    case TargetKind::kInner:
      return Value(*candidate.Inner(), rounding, x);
    case TargetKind::kTrue:
      return 1;
    case TargetKind::kFalse:
      return 0;
    case TargetKind::kIsNaN:
      return floats_.IsNaN(x) ? 1 : 0;
    case TargetKind::kIsNotNaN:
      return floats_.IsNaN(x) ? 0 : 1;
    case TargetKind::kIsZero:
      return floats_.IsZero(x) ? 1 : 0;
    case TargetKind::kIsInfinite:
      return floats_.IsInfinite(x) ? 1 : 0;
    case TargetKind::kIsNegative:
      return floats_.IsNegative(x) ? 1 : 0;
    case TargetKind::kIsPositive:
      return floats_.IsPositive(x) ? 1 : 0;
  }
  return 0;
}

bool FloatMeaning::Equal(const FloatCandidate& candidate, const FloatTarget& target, Rounding rounding,
                         uint32_t x) const {
  const uint32_t wanted = Value(target, candidate, rounding, x);
  if (Value(candidate, rounding, ZeroChoice::kPositive, x) != wanted) return false;
  return !candidate.Chooses() || Value(candidate, rounding, ZeroChoice::kNegative, x) == wanted;
}

bool FloatMeaning::HoldsAt(const FloatRule& rule, uint32_t x) const {
  for (size_t mode = 0; mode < kRoundings.size(); ++mode) {
    if (rule.HoldsIn(mode) && !Equal(rule.candidate, rule.target, kRoundings[mode], x)) return false;
  }
  return true;
}

std::optional<uint32_t> FloatMeaning::FirstDifference(const FloatRule& rule) const {
  for (uint64_t x = 0; x < floats_.format().patterns(); ++x) {
    if (!HoldsAt(rule, static_cast<uint32_t>(x))) return static_cast<uint32_t>(x);
  }
  return std::nullopt;
}

std::string Spell(const FloatOperand& operand, absl::string_view rounding, SpellConstant constant) {
  switch (operand.kind) {
    case OperandKind::kVariable:
      return "x";
    case OperandKind::kConstant:
      return constant(operand.constant);
    case OperandKind::kInner:
      return SpellInner(operand.inner, rounding);
  }
  return "";
}

std::string Spell(const FloatCandidate& candidate, absl::string_view rounding, SpellConstant constant) {
  const FloatOpRow& row = RowOf(candidate.op);
  std::string text = absl::StrCat("(", row.name, row.rounds ? " " : "", row.rounds ? rounding : "");
  for (int i = 0; i < row.operands; ++i) absl::StrAppend(&text, " ", Spell(candidate.operands[i], rounding, constant));
  return text + ")";
}

std::string Spell(const FloatTarget& target, const FloatCandidate& candidate, absl::string_view rounding,
                  SpellConstant constant) {
  switch (target.kind) {
    case TargetKind::kVariable:
      return "x";
    case TargetKind::kNegated:
      return "(fp.neg x)";
    case TargetKind::kAbsolute:
      return "(fp.abs x)";
    case TargetKind::kConstant:
      return constant(target.constant);
    case TargetKind::kInner:
      return Spell(*candidate.Inner(), rounding, constant);
    case TargetKind::kTrue:
      return "true";
    case TargetKind::kFalse:
      return "false";
    case TargetKind::kIsNaN:
      return "(fp.isNaN x)";
    case TargetKind::kIsNotNaN:
      return "(not (fp.isNaN x))";
    case TargetKind::kIsZero:
      return "(fp.isZero x)";
    case TargetKind::kIsInfinite:
      return "(fp.isInfinite x)";
    case TargetKind::kIsNegative:
      return "(fp.isNegative x)";
    case TargetKind::kIsPositive:
      return "(fp.isPositive x)";
  }
  return "";
}

}  // namespace rewrought::peers
