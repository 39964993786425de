#include "ir/smt/smt_integer.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "absl/strings/str_cat.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

// If the polynomial of any bit of a value has more terms than this, the bits of the value become unknowns.
constexpr size_t kMostProducts = 32;

mpz_class Power(int bits) { return mpz_class(1) << bits; }

mpz_class FloorOf(const mpz_class& x, const mpz_class& divisor) {
  mpz_class quotient;
  mpz_fdiv_q(quotient.get_mpz_t(), x.get_mpz_t(), divisor.get_mpz_t());
  return quotient;
}

std::string Text(const mpz_class& x) { return x < 0 ? absl::StrCat("(- ", mpz_class(-x).get_str(), ")") : x.get_str(); }

mpz_class NumberOfBits(uint64_t x) {
  static_assert(sizeof(unsigned long) == sizeof(uint64_t));
  return mpz_class(static_cast<unsigned long>(x));
}

using Polynomial = std::map<std::vector<int>, mpz_class>;

void AddTo(Polynomial* sum, const Polynomial& x, const mpz_class& factor) {
  for (const auto& [product, coefficient] : x) {
    mpz_class& entry = (*sum)[product];
    entry += coefficient * factor;
    if (entry == 0) sum->erase(product);
  }
}

Polynomial Constant(int value) { return value == 0 ? Polynomial() : Polynomial{{{}, value}}; }

Polynomial Multiply(const Polynomial& x, const Polynomial& y) {
  Polynomial result;
  for (const auto& [left, factor] : x) {
    for (const auto& [right, other] : y) {
      std::vector<int> bits;  // a bit is its own square
      std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(bits));
      AddTo(&result, {{std::move(bits), factor}}, other);
    }
  }
  return result;
}

Polynomial Complement(const Polynomial& x) {
  Polynomial result = Constant(1);
  AddTo(&result, x, -1);
  return result;
}

// Returns the polynomial of x & y, x | y, or x ^ y.
Polynomial Combine(Primitive primitive, const Polynomial& x, const Polynomial& y) {
  Polynomial both = Multiply(x, y);
  if (primitive == Primitive::kAnd) return both;
  Polynomial result = x;
  AddTo(&result, y, 1);
  AddTo(&result, both, primitive == Primitive::kOr ? -1 : -2);
  return result;
}

// Returns whether each bit of the result is a function of single bits of the operands. For a shift, this holds only if
// the count is known.
bool IsBitwise(Primitive primitive) {
  switch (primitive) {
    case Primitive::kLiteral:
    case Primitive::kNot:
    case Primitive::kAnd:
    case Primitive::kOr:
    case Primitive::kXor:
    case Primitive::kIte:
    case Primitive::kZext:
    case Primitive::kSext:
    case Primitive::kExtract:
    case Primitive::kConcat:
    case Primitive::kBitreverse:
    case Primitive::kShl:
    case Primitive::kLshr:
    case Primitive::kAshr:
      return true;
    default:
      return false;
  }
}

// Returns whether the polynomial of any bit has too many terms to be worth writing.
bool IsTooLong(const std::vector<Polynomial>& bits) {
  return std::any_of(bits.begin(), bits.end(), [](const Polynomial& bit) { return bit.size() > kMostProducts; });
}

}  // namespace

bool SuitsIntegers(const Dag& dag, absl::Span<const ValueIndex> roots) {
  bool suits = false;
  for (const ValueIndex index : dag.Below(roots)) {
    const Primitive primitive = dag.at(index).primitive;
    if (InfoOf(primitive).is_float || primitive == Primitive::kApprox || primitive == Primitive::kI2f ||
        primitive == Primitive::kU2f) {
      return false;
    }
    switch (primitive) {
      case Primitive::kUdiv:
      case Primitive::kUrem:
      case Primitive::kSdiv:
      case Primitive::kSrem:
      case Primitive::kMulhu:
      case Primitive::kMulhs:
      case Primitive::kPopcount:
        suits = true;
        break;
      default:
        break;
    }
  }
  return suits;
}

std::string IntegerWriter::NameOf(ValueIndex index) const {
  const Value& value = dag_.at(index);
  switch (value.primitive) {
    case Primitive::kLiteral:
      if (value.width == 1) return value.immediate ? "true" : "false";
      return absl::StrCat(value.immediate);
    case Primitive::kInput:
      return absl::StrCat("i", value.immediate);
    case Primitive::kChoice:
      return absl::StrCat("c", value.immediate);
    default:
      return absl::StrCat("v", index);
  }
}

void IntegerWriter::Assert(absl::string_view term) { absl::StrAppend(&body_, "(assert ", term, ")\n"); }

std::string IntegerWriter::Text() const {
  std::string text = uses_functions_ ? "(set-logic QF_UFLIA)\n(declare-fun product (Int Int) Int)\n"
                                       "(declare-fun quotient (Int Int) Int)\n"
                                     : "(set-logic QF_LIA)\n";
  return absl::StrCat(text, body_);
}

void IntegerWriter::Define(absl::Span<const ValueIndex> roots) {
  numbers_.resize(dag_.size());
  const std::vector<ValueIndex> below = dag_.Below(roots);
  prefers_bits_ = std::any_of(below.begin(), below.end(),
                              [&](ValueIndex index) { return dag_.at(index).primitive == Primitive::kPopcount; });
  for (const ValueIndex index : below) {
    const Value& value = dag_.at(index);
    const std::string name = NameOf(index);
    numbers_[index] = {name, 0, Power(value.width) - 1};
    if (value.width == 1) numbers_[index].term = absl::StrCat("(ite ", name, " 1 0)");
    if (value.primitive == Primitive::kLiteral) {
      const mpz_class literal = NumberOfBits(value.immediate);
      numbers_[index] = {literal.get_str(), literal, literal};
      continue;
    }
    const std::string expression = Expression(value, index);
    if (!expression.empty()) {
      absl::StrAppend(&body_, "(define-fun ", name, " () ", value.width == 1 ? "Bool " : "Int ", expression, ")\n");
      continue;
    }
    absl::StrAppend(&body_, "(declare-const ", name, value.width == 1 ? " Bool)\n" : " Int)\n");
    if (value.width > 1) Assert(absl::StrCat("(<= 0 ", name, " ", numbers_[index].most.get_str(), ")"));
    if (value.primitive == Primitive::kInput || value.primitive == Primitive::kChoice)
      declared_.emplace_back(name, value.width);
  }
}

std::string IntegerWriter::Expression(const Value& value, ValueIndex index) {
  if (InfoOf(value.primitive).is_float || Dag::Arity(value) == 0) return "";
  if (InfoOf(value.primitive).width_rule == WidthRule::kTruth) return Compare(value);
  if (value.width == 1) {
    const std::string logic = Logic(value);
    if (!logic.empty()) return logic;
  }
  const std::optional<Number> number = Compute(value);
  if (!number.has_value()) return "";
  if (value.width == 1) return absl::StrCat("(= ", number->term, " 1)");
  numbers_[index].least = number->least;
  numbers_[index].most = number->most;
  return number->term;
}

// Returns the term of a 1-bit value that is a logical function of 1-bit values, or "" for other values.
std::string IntegerWriter::Logic(const Value& value) const {
  const auto name = [&](int k) { return NameOf(value.operands[k]); };
  switch (value.primitive) {
    case Primitive::kNot:
      return absl::StrCat("(not ", name(0), ")");
    case Primitive::kAnd:
      return absl::StrCat("(and ", name(0), " ", name(1), ")");
    case Primitive::kOr:
      return absl::StrCat("(or ", name(0), " ", name(1), ")");
    case Primitive::kXor:
      return absl::StrCat("(xor ", name(0), " ", name(1), ")");
    case Primitive::kIte:
      return absl::StrCat("(ite ", name(0), " ", name(1), " ", name(2), ")");
    default:
      return "";
  }
}

std::string IntegerWriter::Compare(const Value& value) {
  Number x = NumberOf(value.operands[0]), y = NumberOf(value.operands[1]);
  if (value.primitive == Primitive::kSlt || value.primitive == Primitive::kSle) {
    const int width = dag_.at(value.operands[0]).width;
    x = Signed(x, width);
    y = Signed(y, width);
  }
  const bool equal = value.primitive == Primitive::kEq;
  const bool strict = value.primitive == Primitive::kUlt || value.primitive == Primitive::kSlt;
  return absl::StrCat("(", equal ? "=" : strict ? "<" : "<=", " ", x.term, " ", y.term, ")");
}

std::optional<IntegerWriter::Number> IntegerWriter::Compute(const Value& value) {
  const int width = value.width, operand_width = dag_.OperandWidth(value);
  const auto operand = [&](int k) { return NumberOf(value.operands[k]); };
  const mpz_class all = Power(width) - 1;
  if (prefers_bits_) {
    const Bits bits = BitwiseBits(value);
    if (!bits.empty() && !IsTooLong(bits)) return SumOfBits(bits);
  }
  switch (value.primitive) {
    case Primitive::kNot:
      return Sum({all.get_str(), all, all}, Scaled(operand(0), -1));
    case Primitive::kAnd:
    case Primitive::kOr:
    case Primitive::kXor:
      return Mask(value);
    case Primitive::kNeg:
      return Modulo(Scaled(operand(0), -1), width);
    case Primitive::kAdd:
      return Modulo(Sum(operand(0), operand(1)), width);
    case Primitive::kSub:
      return Modulo(Sum(operand(0), Scaled(operand(1), -1)), width);
    case Primitive::kMul: {
      // Read literals as signed, because a factor such as -1 would otherwise make the quotient of Modulo large.
      const auto factor = [&](int k) { return IsLiteral(value.operands[k]) ? Signed(operand(k), width) : operand(k); };
      return Modulo(Product(factor(0), factor(1)), width);
    }
    case Primitive::kMulhu:
      return Divide(Product(operand(0), operand(1)), Power(width)).quotient;
    case Primitive::kMulhs: {
      const Number product = Product(Signed(operand(0), width), Signed(operand(1), width));
      return Modulo(Divide(product, Power(width)).quotient, width);
    }
    case Primitive::kUdiv: {
      const Number divisor = operand(1), ones = {all.get_str(), all, all};
      const Number quotient = DivideByUnknown(operand(0), divisor).quotient;
      return divisor.least > 0 ? quotient : Either(absl::StrCat("(= ", divisor.term, " 0)"), ones, quotient);
    }
    case Primitive::kUrem:
      return DivideByUnknown(operand(0), operand(1)).remainder;
    case Primitive::kSdiv:
    case Primitive::kSrem:
      return SignedDivision(value);
    case Primitive::kShl:
    case Primitive::kLshr:
    case Primitive::kAshr:
      return Shift(value);
    case Primitive::kIte:
      return Either(NameOf(value.operands[0]), operand(1), operand(2));
    case Primitive::kZext:
      return operand(0);
    case Primitive::kSext:
      return Modulo(Signed(operand(0), operand_width), width);
    case Primitive::kExtract: {
      const Number shifted = Divide(operand(0), Power(static_cast<int>(value.immediate))).quotient;
      return Modulo(shifted, width);
    }
    case Primitive::kConcat:
      return Sum(Scaled(operand(0), Power(operand_width)), operand(1));
    case Primitive::kPopcount: {
      const Bits& bits = BitsOf(value.operands[0]);
      if (bits.empty()) return std::nullopt;
      Polynomial count;
      for (const Polynomial& bit : bits) AddTo(&count, bit, 1);
      return SumOf(count, std::min<mpz_class>(all, width));
    }
    default:
      return std::nullopt;
  }
}

// A shift by an unknown count is an unknown.
std::optional<IntegerWriter::Number> IntegerWriter::Shift(const Value& value) {
  if (!IsLiteral(value.operands[1])) return std::nullopt;
  const int width = value.width;
  const Number x = NumberOf(value.operands[0]);
  const int count = static_cast<int>(std::min<uint64_t>(dag_.at(value.operands[1]).immediate, 64));
  switch (value.primitive) {
    case Primitive::kShl:
      return Modulo(Scaled(x, Power(count)), width);
    case Primitive::kLshr:
      return Divide(x, Power(count)).quotient;
    default:
      return Modulo(Divide(Signed(x, width), Power(count)).quotient, width);
  }
}

// Returns x & mask, computed by divisions, for a literal mask whose set bits are contiguous. Other bitwise functions
// are sums of bits.
std::optional<IntegerWriter::Number> IntegerWriter::Mask(const Value& value) {
  for (const int k : {0, 1}) {
    if (value.primitive != Primitive::kAnd || !IsLiteral(value.operands[k])) continue;
    const uint64_t mask = dag_.at(value.operands[k]).immediate;
    if (mask == 0) return Number{"0", 0, 0};
    const int low = std::countr_zero(mask), ones = std::countr_one(mask >> low);
    if (std::popcount(mask) != ones) continue;
    const Number shifted = Divide(NumberOf(value.operands[1 - k]), Power(low)).quotient;
    return Scaled(Modulo(shifted, ones), Power(low));
  }
  const Bits bits = BitwiseBits(value);
  if (bits.empty() || IsTooLong(bits)) return std::nullopt;
  return SumOfBits(bits);
}

// Divides the magnitudes. A quotient is negative if the signs differ, and a remainder has the sign of the dividend.
IntegerWriter::Number IntegerWriter::SignedDivision(const Value& value) {
  const int width = value.width;
  const Number x = NumberOf(value.operands[0]), y = NumberOf(value.operands[1]);
  const auto negative = [&](const Number& number) {
    return absl::StrCat("(>= ", number.term, " ", Power(width - 1).get_str(), ")");
  };
  const auto magnitude = [&](const Number& number) {
    if (number.least == number.most) {
      const mpz_class least = std::min<mpz_class>(number.least, Power(width) - number.least);
      return Number{least.get_str(), least, least};
    }
    Number result = Sum({Power(width).get_str(), Power(width), Power(width)}, Scaled(number, -1));
    result = Named(Either(negative(number), result, number));
    return Number{result.term, 0, Power(width - 1)};
  };
  const Division division = DivideByUnknown(magnitude(x), magnitude(y));
  if (value.primitive == Primitive::kSrem) {
    const Number& rest = division.remainder;
    return Modulo(Named(Either(negative(x), Scaled(rest, -1), rest)), width);
  }
  const Number& quotient = division.quotient;
  const std::string differs = absl::StrCat("(xor ", negative(x), " ", negative(y), ")");
  const Number result = Modulo(Named(Either(differs, Scaled(quotient, -1), quotient)), width);
  if (y.least > 0) return result;
  const mpz_class all = Power(width) - 1;
  const Number by_zero = Either(negative(x), {"1", 1, 1}, {all.get_str(), all, all});
  return Either(absl::StrCat("(= ", y.term, " 0)"), by_zero, result);
}

IntegerWriter::Number IntegerWriter::NumberOf(ValueIndex value) const { return numbers_[value]; }

IntegerWriter::Number IntegerWriter::Named(const Number& number) {
  std::string& name = names_of_[number.term];
  if (name.empty()) {
    name = absl::StrCat("t", names_++);
    absl::StrAppend(&body_, "(define-fun ", name, " () Int ", number.term, ")\n");
  }
  return {name, number.least, number.most};
}

IntegerWriter::Number IntegerWriter::Declare(const mpz_class& least, const mpz_class& most) {
  const std::string name = absl::StrCat("n", names_++);
  absl::StrAppend(&body_, "(declare-const ", name, " Int)\n");
  Assert(absl::StrCat("(<= ", ir::Text(least), " ", name, " ", ir::Text(most), ")"));
  return {name, least, most};
}

IntegerWriter::Number IntegerWriter::Sum(const Number& x, const Number& y) const {
  return {absl::StrCat("(+ ", x.term, " ", y.term, ")"), x.least + y.least, x.most + y.most};
}

IntegerWriter::Number IntegerWriter::Scaled(const Number& x, const mpz_class& factor) const {
  const mpz_class least = x.least * factor, most = x.most * factor;
  return {absl::StrCat("(* ", ir::Text(factor), " ", x.term, ")"), std::min(least, most), std::max(least, most)};
}

IntegerWriter::Number IntegerWriter::Either(const std::string& condition, const Number& then,
                                            const Number& otherwise) const {
  return {absl::StrCat("(ite ", condition, " ", then.term, " ", otherwise.term, ")"),
          std::min(then.least, otherwise.least), std::max(then.most, otherwise.most)};
}

IntegerWriter::Number IntegerWriter::Product(const Number& x, const Number& y) {
  if (x.least == x.most) return Scaled(y, x.least);
  if (y.least == y.most) return Scaled(x, y.least);
  const std::string term = absl::StrCat("(product ", std::min(x.term, y.term), " ", std::max(x.term, y.term), ")");
  const auto found = products_.find(term);
  if (found != products_.end()) return found->second;
  uses_functions_ = true;
  const std::initializer_list<mpz_class> corners = {x.least * y.least, x.least * y.most, x.most * y.least,
                                                    x.most * y.most};
  const Number product = {term, std::min(corners), std::max(corners)};
  Assert(absl::StrCat("(<= ", ir::Text(product.least), " ", term, " ", ir::Text(product.most), ")"));
  return products_[term] = product;
}

IntegerWriter::Division IntegerWriter::Divide(const Number& x, const mpz_class& divisor) {
  const mpz_class least = FloorOf(x.least, divisor), most = FloorOf(x.most, divisor);
  if (divisor == 1) return {x, {"0", 0, 0}};
  const auto rest = [&](const Number& quotient) { return Sum(x, Scaled(quotient, -divisor)); };
  if (least == most) {
    const Number quotient = {ir::Text(least), least, least};
    return {quotient,
            least == 0 ? x : Number{rest(quotient).term, x.least - least * divisor, x.most - least * divisor}};
  }
  const auto [position, is_new] = divisions_.try_emplace({x.term, divisor.get_str()});
  Division& division = position->second;
  if (!is_new) return division;
  division.quotient = Declare(least, most);
  division.remainder = Named(rest(division.quotient));
  division.remainder.least = 0;
  division.remainder.most = divisor - 1;
  Assert(absl::StrCat("(<= 0 ", division.remainder.term, " ", division.remainder.most.get_str(), ")"));
  return division;
}

IntegerWriter::Division IntegerWriter::DivideByUnknown(const Number& x, const Number& divisor) {
  if (divisor.least == divisor.most) return divisor.least == 0 ? Division{{"0", 0, 0}, x} : Divide(x, divisor.least);
  const auto [position, is_new] = divisions_.try_emplace({x.term, divisor.term});
  Division& division = position->second;
  if (!is_new) return division;
  uses_functions_ = true;
  division.quotient = Named({absl::StrCat("(quotient ", x.term, " ", divisor.term, ")"), 0, x.most});
  const Number product = Product(division.quotient, divisor);
  division.remainder = Named({absl::StrCat("(- ", x.term, " ", product.term, ")"), 0, x.most});
  const std::string& quotient = division.quotient.term;
  Assert(absl::StrCat("(<= 0 ", quotient, " ", x.term, ")"));
  Assert(absl::StrCat("(<= 0 ", product.term, " ", x.term, ")"));
  Assert(absl::StrCat("(ite (= ", divisor.term, " 0) (= ", quotient, " ", product.term, " 0) (< ",
                      division.remainder.term, " ", divisor.term, "))"));
  return division;
}

IntegerWriter::Number IntegerWriter::Signed(const Number& x, int width) {
  const mpz_class half = Power(width - 1);
  if (x.most < half) return x;
  const Number lowered = Sum(x, {ir::Text(-2 * half), -2 * half, -2 * half});
  if (x.least == x.most) return {ir::Text(lowered.least), lowered.least, lowered.most};
  Number result = Named(Either(absl::StrCat("(>= ", x.term, " ", half.get_str(), ")"), lowered, x));
  result.least = -half;
  result.most = half - 1;
  return result;
}

const IntegerWriter::Bits& IntegerWriter::BitsOf(ValueIndex index) {
  const auto found = bits_of_.find(index);
  if (found != bits_of_.end()) return found->second;
  const Value& value = dag_.at(index);
  const bool is_leaf =
      value.width == 1 || value.primitive == Primitive::kInput || value.primitive == Primitive::kChoice;
  Bits bits = BitwiseBits(value);
  if (IsTooLong(bits)) bits.clear();
  if (bits.empty() && is_leaf) bits = Unknowns(index);
  return bits_of_[index] = std::move(bits);
}

// Returns the bits of a value if they are functions of single bits of its operands. Returns none for any other value,
// or if BitsOf returns none for an operand.
IntegerWriter::Bits IntegerWriter::BitwiseBits(const Value& value) {
  const auto width = static_cast<size_t>(value.width);
  Bits bits;
  const bool is_shift =
      value.primitive == Primitive::kShl || value.primitive == Primitive::kLshr || value.primitive == Primitive::kAshr;
  if (!IsBitwise(value.primitive) || (is_shift && !IsLiteral(value.operands[1]))) return bits;
  std::vector<Bits> operands;
  for (int k = 0; k < (is_shift ? 1 : Dag::Arity(value)); ++k) {
    operands.push_back(BitsOf(value.operands[k]));
    if (operands.back().empty()) return bits;
  }
  switch (value.primitive) {
    case Primitive::kLiteral:
      for (size_t i = 0; i < width; ++i) bits.push_back(Constant(static_cast<int>(value.immediate >> i & 1)));
      break;
    case Primitive::kNot:
      for (const Polynomial& bit : operands[0]) bits.push_back(Complement(bit));
      break;
    case Primitive::kIte:
      for (size_t i = 0; i < width; ++i) {
        const Polynomial& condition = operands[0][0];
        bits.push_back(Multiply(condition, operands[1][i]));
        AddTo(&bits.back(), Multiply(Complement(condition), operands[2][i]), 1);
      }
      break;
    case Primitive::kZext:
    case Primitive::kSext: {
      bits = operands[0];
      const Polynomial top = value.primitive == Primitive::kZext ? Polynomial() : bits.back();
      bits.resize(width, top);
      break;
    }
    case Primitive::kExtract: {
      const auto first = operands[0].begin() + static_cast<ptrdiff_t>(value.immediate);
      bits.assign(first, first + static_cast<ptrdiff_t>(width));
      break;
    }
    case Primitive::kConcat:
      bits = operands[1];
      bits.insert(bits.end(), operands[0].begin(), operands[0].end());
      break;
    case Primitive::kBitreverse:
      bits.assign(operands[0].rbegin(), operands[0].rend());
      break;
    case Primitive::kShl:
    case Primitive::kLshr:
    case Primitive::kAshr: {
      const Bits& x = operands[0];
      const auto count = static_cast<size_t>(std::min<uint64_t>(dag_.at(value.operands[1]).immediate, width));
      const Polynomial fill = value.primitive == Primitive::kAshr ? x.back() : Polynomial();
      for (size_t i = 0; i < width; ++i) {
        const bool inside = value.primitive == Primitive::kShl ? i >= count : i + count < width;
        bits.push_back(!inside ? fill : value.primitive == Primitive::kShl ? x[i - count] : x[i + count]);
      }
      break;
    }
    default:  // and, or, xor
      for (size_t i = 0; i < width; ++i) bits.push_back(Combine(value.primitive, operands[0][i], operands[1][i]));
      break;
  }
  return bits;
}

// Declares the bits of a value as unknowns, and asserts that their weighted sum is the value.
IntegerWriter::Bits IntegerWriter::Unknowns(ValueIndex index) {
  const Number number = NumberOf(index);
  const int width = dag_.at(index).width;
  if (width == 1) return {{{{NewBit(number.term)}, 1}}};
  Bits bits;
  for (int i = 0; i < width; ++i) bits.push_back({{{NewBit(Declare(0, 1).term)}, 1}});
  Assert(absl::StrCat("(= ", number.term, " ", SumOfBits(bits).term, ")"));
  return bits;
}

int IntegerWriter::NewBit(std::string term) {
  bits_.push_back(std::move(term));
  return static_cast<int>(bits_.size()) - 1;
}

IntegerWriter::Number IntegerWriter::SumOf(const Polynomial& polynomial, const mpz_class& most) {
  std::string terms = "(+ 0 0";
  for (const auto& [bits, coefficient] : polynomial) {
    absl::StrAppend(&terms, " (* ", ir::Text(coefficient), " ", ProductOfBits(bits), ")");
  }
  return {absl::StrCat(terms, ")"), 0, most};
}

// Returns the number with the given bits.
IntegerWriter::Number IntegerWriter::SumOfBits(const Bits& bits) {
  Polynomial sum;
  for (size_t i = 0; i < bits.size(); ++i) AddTo(&sum, bits[i], Power(static_cast<int>(i)));
  return SumOf(sum, Power(static_cast<int>(bits.size())) - 1);
}

// Returns the product as a new unknown p with p <= b for each factor b, and p >= 1 if all factors are 1.
std::string IntegerWriter::ProductOfBits(const std::vector<int>& bits) {
  if (bits.empty()) return "1";
  if (bits.size() == 1) return bits_[static_cast<size_t>(bits[0])];
  std::string& name = bit_products_[bits];
  if (!name.empty()) return name;
  name = Declare(0, 1).term;
  std::string sum;
  for (const int bit : bits) {
    const std::string& factor = bits_[static_cast<size_t>(bit)];
    Assert(absl::StrCat("(<= ", name, " ", factor, ")"));
    absl::StrAppend(&sum, " ", factor);
  }
  Assert(absl::StrCat("(<= (+", sum, ") (+ ", name, " ", bits.size() - 1, "))"));
  return name;
}

}  // namespace rewrought::ir
