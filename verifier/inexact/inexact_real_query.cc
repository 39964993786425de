// Writes the SMT-LIB text of goals over the reals.
#include <utility>

#include "absl/strings/str_cat.h"
#include "verifier/inexact/inexact_reals.h"

namespace rewrought::verifier {
namespace {

// The maximum number of pairs of applications for which congruence and monotonicity axioms are written.
constexpr size_t kMaxPairs = 64;

std::string Number(const mpq_class& value) {
  const mpz_class magnitude = abs(value.get_num());
  std::string text = absl::StrCat(magnitude.get_str(), ".0");
  if (value.get_den() != 1) text = absl::StrCat("(/ ", text, " ", value.get_den().get_str(), ".0)");
  return value < 0 ? absl::StrCat("(- ", text, ")") : text;
}

class QueryWriter {
 public:
  explicit QueryWriter(const NormalForms& forms) : forms_(forms), atoms_(forms.atoms().size(), false) {}

  std::string Write(FormulaId goal) {
    const std::string name = Define(goal);
    for (size_t i = 0; i < applied_.size(); ++i) WritePairs(i);
    return absl::StrCat(body_, "(assert ", name, ")\n");
  }

 private:
  std::string Term(const Polynomial& polynomial) {
    if (polynomial.terms.empty()) return "0.0";
    std::string sum;
    for (const auto& [monomial, coefficient] : polynomial.terms) {
      std::string product = Number(coefficient);
      for (const auto& [atom, exponent] : monomial) {
        DefineAtom(atom);
        for (uint32_t i = 0; i < exponent; ++i) absl::StrAppend(&product, " x", atom);
      }
      absl::StrAppend(&sum, " ", monomial.empty() ? product : absl::StrCat("(* ", product, ")"));
    }
    return polynomial.terms.size() == 1 ? sum.substr(1) : absl::StrCat("(+", sum, ")");
  }

  std::string Term(const Fraction& fraction) {
    const std::string numerator = Term(fraction.numerator);
    if (fraction.IsPolynomial() && fraction.denominator.value() == 1) return numerator;
    return absl::StrCat("(/ ", numerator, " ", Term(fraction.denominator), ")");
  }

  // Returns the name of a formula, and defines the name on first use.
  std::string Define(FormulaId id) {
    const Formula& formula = forms_.formulas().at(id);
    if (formula.kind == FormulaKind::kFalse) return "false";
    if (formula.kind == FormulaKind::kTrue) return "true";
    const std::string name = absl::StrCat("f", id);
    if (!formulas_.insert(id).second) return name;
    if (formula.kind == FormulaKind::kVariable) {
      absl::StrAppend(&body_, "(declare-const ", name, " Bool)\n");
      return name;
    }
    std::string text;
    if (formula.kind == FormulaKind::kNegative || formula.kind == FormulaKind::kZero) {
      const std::string term = Term(formula.polynomial);
      text = absl::StrCat(formula.kind == FormulaKind::kZero ? "(= " : "(< ", term, " 0.0)");
    } else {
      text = formula.kind == FormulaKind::kNot ? "(not" : "(and";
      for (const FormulaId operand : formula.operands) absl::StrAppend(&text, " ", Define(operand));
      text += ")";
    }
    absl::StrAppend(&body_, "(define-fun ", name, " () Bool ", text, ")\n");
    return name;
  }

  void Assert(const std::string& text) { absl::StrAppend(&body_, "(assert ", text, ")\n"); }

  // Asserts that an integer is not strictly between 0 and ±1.
  void AssertIntegral(const std::string& term) {
    Assert(absl::StrCat("(or (= ", term, " 0.0) (>= ", term, " 1.0) (<= ", term, " (- 1.0)))"));
  }

  void DefineAtom(AtomId id) {
    if (atoms_[id]) return;
    atoms_[id] = true;
    const RealAtom& atom = forms_.atoms()[id];
    const std::string x = absl::StrCat("x", id);
    const std::string a = atom.operands.empty() ? "" : Term(atom.operands[0]);
    const std::string b = atom.operands.size() < 2 ? "" : Term(atom.operands[1]);
    const std::string condition = atom.kind == AtomKind::kSelect ? Define(atom.condition) : "";
    absl::StrAppend(&body_, "(declare-const ", x, " Real)\n");
    switch (atom.kind) {
      case AtomKind::kInput:
        if (forms_.IsPositiveAtom(id)) Assert(absl::StrCat("(> ", x, " 0.0)"));
        return;
      case AtomKind::kMinimum:
        return Assert(absl::StrCat("(= ", x, " (ite (<= ", a, " ", b, ") ", a, " ", b, "))"));
      case AtomKind::kSelect:
        return Assert(absl::StrCat("(= ", x, " (ite ", condition, " ", a, " ", b, "))"));
      case AtomKind::kFloor:
        Assert(absl::StrCat("(and (<= ", x, " ", a, ") (< ", a, " (+ ", x, " 1.0)))"));
        AssertIntegral(x);
        break;
      case AtomKind::kRoundEven:
        Assert(absl::StrCat("(and (<= (- ", x, " ", a, ") 0.5) (<= (- ", a, " ", x, ") 0.5))"));
        AssertIntegral(x);
        break;
      case AtomKind::kExp2:
        Assert(absl::StrCat("(and (> ", x, " 0.0) (= (< ", a, " 0.0) (< ", x, " 1.0)) (= (= ", a, " 0.0) (= ", x,
                            " 1.0)))"));
        break;
      case AtomKind::kLog2:
        Assert(absl::StrCat("(=> (> ", a, " 0.0) (and (= (< ", a, " 1.0) (< ", x, " 0.0)) (= (= ", a, " 1.0) (= ", x,
                            " 0.0))))"));
        break;
      case AtomKind::kSqrt:
        Assert(absl::StrCat("(=> (>= ", a, " 0.0) (and (>= ", x, " 0.0) (= (* ", x, " ", x, ") ", a, ")))"));
        break;
      case AtomKind::kSin:
      case AtomKind::kCos:
        Assert(absl::StrCat("(and (<= ", x, " 1.0) (<= (- 1.0) ", x, "))"));
        break;
    }
    applied_.push_back({id, a});
  }

  // Asserts the facts about application `i` paired with each earlier one: equal arguments give equal results; sums and
  // differences of integers are integers; floor, rounding, and (on their domains) exp2 and log2 are monotonic; sin^2 +
  // cos^2 = 1 for the same argument.
  void WritePairs(size_t i) {
    for (size_t j = 0; j < i && pairs_ < kMaxPairs; ++j) {
      const RealAtom &first = forms_.atoms()[applied_[i].first], &second = forms_.atoms()[applied_[j].first];
      const AtomKind left = first.kind, right = second.kind;
      const bool periodic = left == AtomKind::kSin || left == AtomKind::kCos;
      if (periodic && first.input != second.input) continue;  // their arguments have different units
      const std::string x = absl::StrCat("x", applied_[i].first), y = absl::StrCat("x", applied_[j].first);
      const std::string &a = applied_[i].second, &b = applied_[j].second;
      if ((left == AtomKind::kSin && right == AtomKind::kCos) || (left == AtomKind::kCos && right == AtomKind::kSin)) {
        Assert(absl::StrCat("(=> (= ", a, " ", b, ") (= (+ (* ", x, " ", x, ") (* ", y, " ", y, ")) 1.0))"));
        ++pairs_;
      }
      const auto integral = [](AtomKind kind) { return kind == AtomKind::kFloor || kind == AtomKind::kRoundEven; };
      if (integral(left) && integral(right)) {
        ++pairs_;
        AssertIntegral(absl::StrCat("(+ ", x, " ", y, ")"));
        AssertIntegral(absl::StrCat("(- ", x, " ", y, ")"));
      }
      if (left != right) continue;
      ++pairs_;
      Assert(absl::StrCat("(=> (= ", a, " ", b, ") (= ", x, " ", y, "))"));
      if (left == AtomKind::kFloor || left == AtomKind::kRoundEven) {
        Assert(absl::StrCat("(and (=> (<= ", a, " ", b, ") (<= ", x, " ", y, ")) (=> (<= ", b, " ", a, ") (<= ", y, " ",
                            x, ")))"));
      } else if (left == AtomKind::kExp2) {
        Assert(absl::StrCat("(= (< ", a, " ", b, ") (< ", x, " ", y, "))"));
      } else if (left == AtomKind::kLog2) {
        Assert(absl::StrCat("(=> (and (> ", a, " 0.0) (> ", b, " 0.0)) (= (< ", a, " ", b, ") (< ", x, " ", y, ")))"));
      }
    }
  }

  const NormalForms& forms_;
  std::vector<bool> atoms_;
  std::set<FormulaId> formulas_;
  std::vector<std::pair<AtomId, std::string>> applied_;  // the applied functions and the text of their arguments
  size_t pairs_ = 0;
  std::string body_;
};

}  // namespace

std::string RealQuery(const NormalForms& forms, FormulaId goal) { return QueryWriter(forms).Write(goal); }

}  // namespace rewrought::verifier
