// Conditions on polynomials, hash-consed and simplified during construction. The remaining proof obligation of a rule
// over the reals is such a formula, which often folds to `false` without a solver.
#ifndef REWROUGHT_VERIFIER_INEXACT_INEXACT_FORMULA_H_
#define REWROUGHT_VERIFIER_INEXACT_INEXACT_FORMULA_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "verifier/inexact/inexact_polynomial.h"

namespace rewrought::verifier {

using FormulaId = uint32_t;
inline constexpr FormulaId kFalseFormula = 0, kTrueFormula = 1;

enum class FormulaKind : uint8_t { kFalse, kTrue, kNegative, kZero, kVariable, kNot, kAnd };

struct Formula {
  FormulaKind kind = FormulaKind::kFalse;
  Polynomial polynomial;            // kNegative: less than 0; kZero: equal to 0
  uint32_t variable = 0;            // kVariable
  std::vector<FormulaId> operands;  // kNot: one; kAnd: two or more, sorted, not of kind kAnd
};

class FormulaStore {
 public:
  // `is_positive` returns whether an atom is positive for every input.
  explicit FormulaStore(std::function<bool(AtomId)> is_positive);

  FormulaId Variable(uint32_t variable);
  FormulaId IsNegative(const Polynomial& polynomial);
  FormulaId IsZero(const Polynomial& polynomial);
  FormulaId IsPositive(const Polynomial& polynomial) { return IsNegative(Scale(polynomial, -1)); }
  FormulaId Not(FormulaId x);
  FormulaId And(const std::vector<FormulaId>& operands);
  FormulaId Or(FormulaId x, FormulaId y) { return Not(And({Not(x), Not(y)})); }
  FormulaId Choose(FormulaId condition, FormulaId then, FormulaId otherwise);

  const Formula& at(FormulaId id) const { return formulas_[id]; }

 private:
  // The sign of a polynomial at every input, as far as squares, positive atoms and constants determine it.
  enum class Sign : uint8_t { kUnknown, kPositive, kNotNegative, kNegative, kNotPositive };
  Sign SignOf(const Polynomial& polynomial) const;
  FormulaId Intern(const std::string& key, Formula formula);

  std::function<bool(AtomId)> is_positive_;
  std::vector<Formula> formulas_;
  absl::flat_hash_map<std::string, FormulaId> index_;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_FORMULA_H_
