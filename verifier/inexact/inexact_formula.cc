#include "verifier/inexact/inexact_formula.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace rewrought::verifier {

FormulaStore::FormulaStore(std::function<bool(AtomId)> is_positive) : is_positive_(std::move(is_positive)) {
  formulas_.resize(2);
  formulas_[kTrueFormula].kind = FormulaKind::kTrue;
}

FormulaId FormulaStore::Intern(const std::string& key, Formula formula) {
  const auto [place, added] = index_.try_emplace(key, static_cast<FormulaId>(formulas_.size()));
  if (added) formulas_.push_back(std::move(formula));
  return place->second;
}

FormulaStore::Sign FormulaStore::SignOf(const Polynomial& polynomial) const {
  if (polynomial.too_large || polynomial.terms.empty()) return Sign::kUnknown;
  bool some_positive = false, some_negative = false, strict = false;
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    bool never_zero = true;
    for (const auto& [atom, exponent] : monomial) {
      const bool positive = is_positive_(atom);
      if (!positive && exponent % 2 != 0) return Sign::kUnknown;
      never_zero = never_zero && positive;
    }
    (coefficient > 0 ? some_positive : some_negative) = true;
    strict = strict || never_zero;
  }
  if (some_positive && some_negative) return Sign::kUnknown;
  if (some_positive) return strict ? Sign::kPositive : Sign::kNotNegative;
  return strict ? Sign::kNegative : Sign::kNotPositive;
}

FormulaId FormulaStore::Variable(uint32_t variable) {
  return Intern(absl::StrCat("v", variable), {FormulaKind::kVariable, {}, variable, {}});
}

FormulaId FormulaStore::IsNegative(const Polynomial& polynomial) {
  if (polynomial.IsZero()) return kFalseFormula;
  const Sign sign = SignOf(polynomial);
  if (sign == Sign::kNegative) return kTrueFormula;
  if (sign == Sign::kPositive || sign == Sign::kNotNegative) return kFalseFormula;
  Polynomial scaled = polynomial;
  if (!scaled.too_large) scaled = Scale(polynomial, 1 / abs(polynomial.terms.rbegin()->second));
  return Intern(absl::StrCat("n", Spell(scaled)), {FormulaKind::kNegative, scaled, 0, {}});
}

FormulaId FormulaStore::IsZero(const Polynomial& polynomial) {
  if (polynomial.IsZero()) return kTrueFormula;
  const Sign sign = SignOf(polynomial);
  if (sign == Sign::kNegative || sign == Sign::kPositive) return kFalseFormula;
  Polynomial scaled = polynomial;
  if (!scaled.too_large) scaled = Scale(polynomial, 1 / polynomial.terms.rbegin()->second);
  return Intern(absl::StrCat("z", Spell(scaled)), {FormulaKind::kZero, scaled, 0, {}});
}

FormulaId FormulaStore::Not(FormulaId x) {
  if (x == kFalseFormula) return kTrueFormula;
  if (x == kTrueFormula) return kFalseFormula;
  if (formulas_[x].kind == FormulaKind::kNot) return formulas_[x].operands[0];
  Formula formula;
  formula.kind = FormulaKind::kNot;
  formula.operands = {x};
  return Intern(absl::StrCat("!", x), std::move(formula));
}

FormulaId FormulaStore::And(const std::vector<FormulaId>& operands) {
  std::set<FormulaId> all;
  for (const FormulaId operand : operands) {
    if (operand == kTrueFormula) continue;
    if (formulas_[operand].kind == FormulaKind::kAnd) {
      all.insert(formulas_[operand].operands.begin(), formulas_[operand].operands.end());
    } else {
      all.insert(operand);
    }
  }
  if (all.count(kFalseFormula) > 0) return kFalseFormula;
  // Simplify x and not (x and y) to x and not y.
  for (bool changed = true; changed;) {
    changed = false;
    for (const FormulaId operand : std::vector<FormulaId>(all.begin(), all.end())) {
      const Formula& formula = formulas_[operand];
      if (formula.kind != FormulaKind::kNot) continue;
      if (all.count(formula.operands[0]) > 0) return kFalseFormula;
      const Formula& inner = formulas_[formula.operands[0]];
      if (inner.kind != FormulaKind::kAnd) continue;
      std::vector<FormulaId> left;
      for (const FormulaId part : inner.operands) {
        if (all.count(part) == 0) left.push_back(part);
      }
      if (left.size() == inner.operands.size()) continue;
      const FormulaId rest = Not(And(left));
      all.erase(operand);
      if (rest == kFalseFormula) return kFalseFormula;
      if (rest != kTrueFormula) all.insert(rest);
      changed = true;
      break;
    }
  }
  if (all.empty()) return kTrueFormula;
  if (all.size() == 1) return *all.begin();
  for (const FormulaId operand : all) {
    if (formulas_[operand].kind == FormulaKind::kAnd) return And(std::vector<FormulaId>(all.begin(), all.end()));
  }
  Formula formula;
  formula.kind = FormulaKind::kAnd;
  formula.operands.assign(all.begin(), all.end());
  const std::string key = absl::StrCat("&", absl::StrJoin(formula.operands, ","));
  return Intern(key, std::move(formula));
}

FormulaId FormulaStore::Choose(FormulaId condition, FormulaId then, FormulaId otherwise) {
  if (condition == kTrueFormula || then == otherwise) return then;
  if (condition == kFalseFormula) return otherwise;
  return And({Not(And({condition, Not(then)})), Not(And({Not(condition), Not(otherwise)}))});
}

}  // namespace rewrought::verifier
