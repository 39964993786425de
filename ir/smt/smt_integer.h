// Writes values of a Dag as linear arithmetic over the integers. Solvers decide divisions by constants, products with
// magic numbers, and bit counts much faster in this form than after bit-blasting.
#ifndef REWROUGHT_IR_SMT_SMT_INTEGER_H_
#define REWROUGHT_IR_SMT_SMT_INTEGER_H_

#include <gmpxx.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/dag.h"

namespace rewrought::ir {

// Returns whether the values below `roots` include a division, a high product, or a bit count, and no float operation.
// The integer encoding rarely helps with other queries.
bool SuitsIntegers(const Dag& dag, absl::Span<const ValueIndex> roots);

// Writes a query, with the names of SmtWriter. A 1-bit value is a Bool. Any other value is an Int, read as an unsigned
// number. Each reduction modulo 2^n and each division by a literal is defined by its quotient: x = d q + r, 0 <= r < d.
// Bitwise functions, bit counts, and reversals are multilinear polynomials in the operands' bits.
//
// A product or quotient of two unknowns is an application of an uninterpreted function, and the query asserts the facts
// that define a quotient. The result of any other function is an unknown within the bounds of its width. An unsat query
// therefore proves that the values have no solution, but a model may assign a wrong result to such a function.
class IntegerWriter {
 public:
  explicit IntegerWriter(const Dag& dag) : dag_(dag) {}

  // Defines all values reachable from `roots`. Call it only once.
  void Define(absl::Span<const ValueIndex> roots);

  // `value` must have been defined.
  std::string NameOf(ValueIndex value) const;

  void Assert(absl::string_view term);

  // Returns the script without check-sat.
  std::string Text() const;

  // Returns the names and widths of the declared inputs and choices, in order of declaration.
  const std::vector<std::pair<std::string, int>>& declared() const { return declared_; }

 private:
  // An integer term and bounds on its value.
  struct Number {
    std::string term;
    mpz_class least, most;
  };
  struct Division {
    Number quotient, remainder;
  };
  // A polynomial over bits: maps each product of distinct bits, given by their indices in bits_, to its coefficient.
  using Polynomial = std::map<std::vector<int>, mpz_class>;
  using Bits = std::vector<Polynomial>;  // lowest bit first

  // Returns the term that defines `value` (a Bool if the value has 1 bit), or "" if the value is an unknown.
  std::string Expression(const Value& value, ValueIndex index);
  std::string Logic(const Value& value) const;
  std::string Compare(const Value& value);
  // Returns nullopt if the value is an unknown.
  std::optional<Number> Compute(const Value& value);
  std::optional<Number> Shift(const Value& value);
  std::optional<Number> Mask(const Value& value);
  Number SignedDivision(const Value& value);

  Number NumberOf(ValueIndex value) const;
  bool IsLiteral(ValueIndex value) const { return dag_.at(value).primitive == Primitive::kLiteral; }
  // Names a term, so that later terms stay short. Equal terms get the same name.
  Number Named(const Number& number);
  Number Declare(const mpz_class& least, const mpz_class& most);
  Number Sum(const Number& x, const Number& y) const;
  Number Scaled(const Number& x, const mpz_class& factor) const;
  Number Product(const Number& x, const Number& y);
  Number Either(const std::string& condition, const Number& then, const Number& otherwise) const;
  // Divides, rounding down. `divisor` must be positive.
  Division Divide(const Number& x, const mpz_class& divisor);
  // Divides a non-negative number by a non-negative one. If the divisor is 0, the quotient is 0 and the remainder is x.
  Division DivideByUnknown(const Number& x, const Number& divisor);
  Number Modulo(const Number& x, int width) { return Divide(x, mpz_class(1) << width).remainder; }
  // Returns the number that the `width`-bit pattern `x` represents in two's complement.
  Number Signed(const Number& x, int width);

  // Returns the bits of a defined value if it has 1 bit, is an input or a choice, or is a bitwise function of such
  // values. Returns none for any other value, because solvers are slow to split sums into bits.
  const Bits& BitsOf(ValueIndex value);
  Bits BitwiseBits(const Value& value);
  Bits Unknowns(ValueIndex value);
  int NewBit(std::string term);
  Number SumOf(const Polynomial& polynomial, const mpz_class& most);
  Number SumOfBits(const Bits& bits);
  std::string ProductOfBits(const std::vector<int>& bits);

  const Dag& dag_;
  std::vector<Number> numbers_;  // indexed by value
  std::vector<std::pair<std::string, int>> declared_;
  std::map<std::pair<std::string, std::string>, Division> divisions_;
  std::map<std::string, Number> products_;
  std::map<std::string, std::string> names_of_;  // keyed by term
  std::map<ValueIndex, Bits> bits_of_;
  std::vector<std::string> bits_;
  std::map<std::vector<int>, std::string> bit_products_;
  bool uses_functions_ = false;
  bool prefers_bits_ = false;  // because the query counts bits
  int names_ = 0;
  std::string body_;
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SMT_SMT_INTEGER_H_
