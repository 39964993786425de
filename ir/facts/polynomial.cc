#include "ir/facts/polynomial.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

// A value whose polynomial has more terms, or a term with more factors, becomes a variable.
constexpr size_t kMostTerms = 64, kMostFactors = 8;

// A variable: a value or, if `is_shift` is true, 1 shifted left by the value.
struct Variable {
  ValueIndex value = 0;
  bool is_shift = false;
  friend auto operator<=>(const Variable&, const Variable&) = default;
};
using Monomial = std::vector<Variable>;           // sorted
using Polynomial = std::map<Monomial, uint64_t>;  // maps each monomial to its coefficient, which is not 0

class Polynomials {
 public:
  explicit Polynomials(const Dag& dag) : dag_(dag) {}

  const Polynomial& Of(ValueIndex index) {
    const auto found = known_.find(index);
    if (found != known_.end()) return found->second;
    std::optional<Polynomial> expanded = Expand(index);
    return known_.emplace(index, expanded.has_value() ? *std::move(expanded) : PolynomialOf({index, false}))
        .first->second;
  }

 private:
  static Polynomial PolynomialOf(Variable variable) { return {{{variable}, 1}}; }
  static Polynomial Constant(uint64_t value, uint64_t mask) {
    return (value & mask) == 0 ? Polynomial() : Polynomial{{{}, value & mask}};
  }

  static void Add(const Monomial& monomial, uint64_t coefficient, uint64_t mask, Polynomial* sum) {
    const auto [term, added] = sum->try_emplace(monomial, 0);
    term->second = (term->second + coefficient) & mask;
    if (term->second == 0) sum->erase(term);
  }

  // Returns x + factor * y.
  static Polynomial Sum(Polynomial x, const Polynomial& y, uint64_t factor, uint64_t mask) {
    for (const auto& [monomial, coefficient] : y) Add(monomial, coefficient * factor, mask, &x);
    return x;
  }

  static std::optional<Polynomial> Product(const Polynomial& x, const Polynomial& y, uint64_t mask) {
    Polynomial product;
    for (const auto& [of_x, x_coefficient] : x) {
      for (const auto& [of_y, y_coefficient] : y) {
        if (of_x.size() + of_y.size() > kMostFactors) return std::nullopt;
        Monomial both;
        std::merge(of_x.begin(), of_x.end(), of_y.begin(), of_y.end(), std::back_inserter(both));
        Add(both, x_coefficient * y_coefficient, mask, &product);
      }
    }
    return product;
  }

  // Returns the polynomial of a literal or a ring operation. Returns nullopt for other values, or if it becomes too
  // large.
  std::optional<Polynomial> Expand(ValueIndex index) {
    const Value& value = dag_.at(index);
    const uint64_t mask = MaskOf(value.width);
    std::optional<Polynomial> result;
    switch (value.primitive) {
      case Primitive::kLiteral:
        return Constant(value.immediate, mask);
      case Primitive::kAdd:
        result = Sum(Of(value.operands[0]), Of(value.operands[1]), 1, mask);
        break;
      case Primitive::kSub:
        result = Sum(Of(value.operands[0]), Of(value.operands[1]), mask, mask);
        break;
      case Primitive::kNeg:
        result = Sum({}, Of(value.operands[0]), mask, mask);
        break;
      case Primitive::kNot:  // ~x = -1 - x
        result = Sum(Constant(mask, mask), Of(value.operands[0]), mask, mask);
        break;
      case Primitive::kMul:
        result = Product(Of(value.operands[0]), Of(value.operands[1]), mask);
        break;
      case Primitive::kShl:  // x << y = x * (1 << y), which is 0 if y is not less than the width
        result = Product(Of(value.operands[0]), PowerOfTwo(value.operands[1], value.width), mask);
        break;
      default:
        return std::nullopt;
    }
    if (result.has_value() && result->size() > kMostTerms) return std::nullopt;
    return result;
  }

  Polynomial PowerOfTwo(ValueIndex exponent, int width) const {
    const Value& value = dag_.at(exponent);
    if (value.primitive != Primitive::kLiteral) return PolynomialOf({exponent, true});
    const bool fits = value.immediate < static_cast<uint64_t>(width);
    return Constant(fits ? uint64_t{1} << value.immediate : 0, MaskOf(width));
  }

  const Dag& dag_;
  std::map<ValueIndex, Polynomial> known_;  // map, because references must stay valid
};

}  // namespace

bool AreEqualPolynomials(const Dag& dag, absl::Span<const ValueIndex> x, absl::Span<const ValueIndex> y) {
  if (x.size() != y.size()) return false;
  Polynomials polynomials(dag);
  for (size_t i = 0; i < x.size(); ++i) {
    if (dag.at(x[i]).width != dag.at(y[i]).width || polynomials.Of(x[i]) != polynomials.Of(y[i])) return false;
  }
  return true;
}

}  // namespace rewrought::ir
