// Represents both sides of a rule over the reals by exact rational functions of variables, approximated functions and
// case splits. Records the real identities that a proof uses, and the condition under which each value is defined.
#ifndef REWROUGHT_VERIFIER_INEXACT_INEXACT_REALS_H_
#define REWROUGHT_VERIFIER_INEXACT_INEXACT_REALS_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/dag.h"
#include "verifier/inexact/inexact_formula.h"
#include "verifier/inexact/inexact_polynomial.h"

namespace rewrought::verifier {

// An assumption about approximated or piecewise functions that does not follow from congruence. `condition` states
// where the identity holds; it is satisfied wherever both sides are defined.
struct RealIdentity {
  absl::string_view name;
  absl::string_view statement;
  absl::string_view condition;
};
absl::Span<const RealIdentity> RealIdentities();

enum class AtomKind : uint8_t {
  kInput,
  kMinimum,
  kSelect,
  kFloor,
  kRoundEven,
  kExp2,
  kLog2,
  kSqrt,
  kSin,
  kCos,
};

// The meaning of a polynomial's atom. Its operands contain only atoms with lower numbers.
struct RealAtom {
  AtomKind kind = AtomKind::kInput;
  uint32_t input = 0;                  // kInput: input of the Dag; kSin, kCos: for sin(2 pi x / input), or 0 for sin(x)
  std::vector<Fraction> operands;      // kMinimum and kSelect: two; functions: one
  FormulaId condition = kTrueFormula;  // kSelect
};

// The domain of RealReader whose values are normal forms. `exists` is the condition under which a value is defined over
// the reals: divisors are not 0; fsqrt needs x >= 0; frsq, flog2 and fpow's base need x > 0 (at 0, IEEE has an infinity
// or a limit); and the selected operand of a select is defined.
class NormalForms {
 public:
  struct Real {
    Fraction value;
    FormulaId exists = kTrueFormula;
  };
  struct Truth {
    FormulaId truth = kFalseFormula;
    FormulaId exists = kTrueFormula;
  };

  // All conclusions assume that each of `positive_inputs` (indices of the Dag's inputs) is positive.
  explicit NormalForms(std::set<uint32_t> positive_inputs = {});
  NormalForms(const NormalForms&) = delete;
  NormalForms& operator=(const NormalForms&) = delete;

  Real Literal(double value) const;
  Real RealInput(uint32_t input);
  Truth TruthInput(uint32_t input);
  Real Apply(const ir::Value& value, absl::Span<const Real> operands);
  Real CopySign(double magnitude, const Real& x);
  Real Select(const Truth& condition, const Real& then, const Real& otherwise);
  Truth SelectTruth(const Truth& condition, const Truth& then, const Truth& otherwise);
  Truth FromBool(bool value) const;
  Truth Compare(ir::Primitive comparison, const Real& x, const Real& y);
  Truth Not(const Truth& x);
  Truth And(const Truth& x, const Truth& y);

  FormulaStore& formulas() { return formulas_; }
  const FormulaStore& formulas() const { return formulas_; }
  const std::vector<RealAtom>& atoms() const { return atoms_; }
  bool IsPositiveAtom(AtomId atom) const;
  // Returns whether no term of `polynomial` can be negative.
  bool IsNonnegative(const Polynomial& polynomial) const;
  // Returns the inputs whose positivity is a conjunct of `formula`.
  std::set<uint32_t> PositiveInputs(FormulaId formula) const;
  const std::set<absl::string_view>& used_identities() const { return used_; }  // names
  bool too_large() const { return too_large_; }  // a polynomial exceeded its limits, so no conclusion is valid

 private:
  Fraction Atom(RealAtom atom);
  Fraction Use(absl::string_view identity, Fraction value);
  Fraction Finish(Fraction value);
  Polynomial SquareRoots(const Polynomial& polynomial);
  bool IsIntegral(const Monomial& monomial) const;
  bool AllPositive(const Monomial& monomial) const;
  FormulaId IsNegative(const Fraction& x);
  FormulaId IsPositive(const Fraction& x) { return IsNegative(Negate(x)); }

  Fraction Sum(const Fraction& x, const Fraction& y) { return Finish(Add(x, y)); }
  Fraction Product(const Fraction& x, const Fraction& y) { return Finish(Multiply(x, y)); }
  Fraction Minimum(const Fraction& x, const Fraction& y);
  Fraction Maximum(const Fraction& x, const Fraction& y);
  Fraction Choose(FormulaId condition, const Fraction& then, const Fraction& otherwise);
  Fraction Floor(const Fraction& x);
  Fraction Ceiling(const Fraction& x);
  Fraction RoundEven(const Fraction& x);
  Fraction Exp2(const Fraction& x);
  Fraction Exp2OfTerm(const Monomial& monomial, const mpq_class& coefficient);
  Fraction Log2(const Fraction& x);
  Fraction Log2OfPolynomial(const Polynomial& x);
  Fraction Sqrt(const Fraction& x);
  Fraction Sine(const Fraction& x, uint32_t unit);
  Fraction Cosine(const Fraction& x, uint32_t unit);
  Real ApplyApproximation(ir::Approximation function, absl::Span<const Real> x);

  const std::set<uint32_t> positive_inputs_;
  std::vector<RealAtom> atoms_;
  absl::flat_hash_map<std::string, AtomId> atom_index_;
  FormulaStore formulas_;
  std::set<absl::string_view> used_;
  bool too_large_ = false;
};

// Returns the SMT-LIB text (a query for Tactic::kReal) that asks for an assignment that satisfies `goal`. The atoms of
// `goal` are declared as real constants, with the facts that hold for every input. "unsat" proves that `goal` holds
// nowhere.
std::string RealQuery(const NormalForms& forms, FormulaId goal);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_REALS_H_
