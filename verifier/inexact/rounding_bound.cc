#include "verifier/inexact/rounding_bound.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "verifier/inexact/inexact_reading.h"
#include "verifier/inexact/inexact_reals.h"
#include "verifier/inexact/rounding_domain.h"
#include "verifier/inexact/span_of_terms.h"

namespace rewrought::verifier {
namespace {

constexpr size_t kMostCases = 256;         // maximum number of outcomes of a rule's comparisons and fusings
constexpr size_t kMostParts = 4;           // AddParts
constexpr size_t kOwnRounding = SIZE_MAX;  // denotes the rounding of the result

// The values of a side in one case, indexed by component.
struct SideReading {
  std::vector<RoundingDomain::Real> numbers;  // effects are empty for Booleans
  std::vector<int> booleans;                  // 0 or 1; -1 for a number
  RoundingDomain::Jumps jumps;
};

class Comparison {
 public:
  Comparison(const PreparedCase& prepared, Fusing fusing, const std::set<uint32_t>& positive_inputs)
      : prepared_(prepared), fusing_(fusing), forms_(positive_inputs) {}

  // Considers every maximal set of variables that may be constants.
  ErrorGrowth Run() {
    ErrorGrowth all;
    all.factor = 0;
    for (const std::set<std::string>& names : fusing_.constants) {
      constants_.clear();
      for (uint32_t i = 0; i < prepared_.dag().inputs().size(); ++i) {
        const std::string& name = prepared_.dag().inputs()[i].name;
        if (names.contains(name.substr(0, name.find('.')))) constants_.insert(i);
      }
      walk_ = {};
      const ErrorGrowth one = RunCases();
      if (!one.factor.has_value()) return one;
      all.factor = std::max(*all.factor, *one.factor);
    }
    return all;
  }

 private:
  ErrorGrowth RunCases() {
    double growth = 0;
    size_t cases = 0, occurring = 0;
    do {
      if (++cases > kMostCases) return {{}, absl::StrCat("the comparisons have more than ", kMostCases, " cases")};
      const absl::StatusOr<std::optional<double>> one = GrowthInCase();
      if (!one.ok()) return {{}, std::string(one.status().message())};
      if (!one->has_value()) continue;  // the case cannot occur
      growth = std::max(growth, **one);
      ++occurring;
    } while (walk_.Next());
    if (occurring == 0) return {{}, "no case could be compared"};
    return {growth, ""};
  }

  absl::StatusOr<SideReading> Read(bool is_search) {
    RoundingDomain::Side side{.is_search = is_search,
                              .keeps_products_of_constants = fusing_.keeps_products_of_constants,
                              .has_inner_products = is_search ? fusing_.inner_search : fusing_.inner_replace,
                              .constants = &constants_};
    const auto domain = [&]() {
      return RoundingDomain(&prepared_.dag(), &forms_, &walk_, &computations_, unit_bits_, side);
    };
    RoundingDomain counting = domain();
    absl::StatusOr<SideReading> reading = ReadRoots(is_search, &counting);
    if (!reading.ok() || !(is_search ? fusing_.search : fusing_.replace)) return reading;
    side.uses = &counting.uses();
    RoundingDomain fusing = domain();
    return ReadRoots(is_search, &fusing);
  }

  absl::StatusOr<SideReading> ReadRoots(bool is_search, RoundingDomain* domain) {
    RealReader<RoundingDomain> reader(&prepared_.dag(), domain);
    const auto& roots = is_search ? prepared_.search().lowered.root : prepared_.replace().lowered.root;
    const auto& others = is_search ? prepared_.replace().lowered.root : prepared_.search().lowered.root;
    SideReading side;
    for (size_t c = 0; c < roots.size(); ++c) {
      side.booleans.push_back(-1);
      side.numbers.emplace_back();
      if (IsTruth(prepared_.dag(), roots[c]) || IsTruth(prepared_.dag(), others[c])) {
        const auto truth = reader.ReadTruth(roots[c]);
        if (!truth.ok()) return truth.status();
        side.booleans.back() = domain->Decide(truth->formula.truth);
      } else {
        auto number = reader.ReadReal(roots[c]);
        if (!number.ok()) return number.status();
        domain->Used(*number);
        side.numbers.back() = *std::move(number);
      }
    }
    if (!domain->unsupported().empty()) return absl::UnimplementedError(domain->unsupported());
    if (forms_.too_large()) return absl::ResourceExhaustedError("polynomials grow too large");
    side.jumps = domain->jumps();
    return side;
  }

  // Returns the growth in the current case, or nullopt if no input satisfies the comparisons of the case.
  absl::StatusOr<std::optional<double>> GrowthInCase() {
    const absl::StatusOr<SideReading> before = Read(true);
    if (!before.ok()) return before.status();
    const absl::StatusOr<SideReading> after = Read(false);
    if (!after.ok()) return after.status();
    if (IsTieOrContradiction()) return std::optional<double>();
    std::optional<double> growth = 0;
    for (size_t c = 0; c < before->numbers.size(); ++c) {
      if (before->booleans[c] < 0 && after->numbers[c].effects.empty()) continue;
      const Fraction& value = before->numbers[c].number.value;
      // The sides are equal over the reals, so if they differ here, no input is in this case.
      const Polynomial difference = DifferenceNumerator(value, after->numbers[c].number.value);
      if (before->booleans[c] != after->booleans[c]) return std::optional<double>();
      if (!difference.IsZero()) {
        if (!IsDefinite(difference)) return absl::UnimplementedError("the sides have no common form");
        return std::optional<double>();
      }
      Effects floor = before->numbers[c].effects;
      floor.erase(before->numbers[c].computation);  // counts as the rounding of the result, whether or not it rounds
      if (!value.numerator.IsZero()) floor.emplace(kOwnRounding, value);
      growth = Grown(growth, floor, after->numbers[c].effects);
    }
    for (const auto& [place, all] : after->jumps) {
      const auto known = before->jumps.find(place);
      if (known == before->jumps.end())
        return absl::UnimplementedError(
            "the replacement compares or truncates a value that is rounded differently than in the search side");
      for (const Effects& effects : all) growth = Grown(growth, known->second.front(), effects);
    }
    if (!growth.has_value())
      return absl::OutOfRangeError("the replacement has an error that the search side does not have");
    return growth;
  }

  // Returns the larger of `growth` and the factor by which the bound of the replacement, `after`, exceeds that of the
  // search side, `before`. An operation may be exact at many inputs: a sum if its operands cancel (Sterbenz's lemma), a
  // product if a factor is a power of two. A rounding that is not certain therefore permits only the same rounding of
  // the replacement. Certain roundings, and the rounding of the result, permit any other rounding.
  std::optional<double> Grown(std::optional<double> growth, const Effects& before, const Effects& after) const {
    if (!growth.has_value()) return growth;
    std::vector<Fraction> certain, others;
    for (const auto& [rounding, effect] : before) {
      if (rounding == kOwnRounding || computations_.RoundingOf(rounding).certain) AddParts(effect, &certain);
    }
    double factor = *growth;
    for (const auto& [rounding, effect] : after) {
      const Fraction* const same = SameRounding(before, rounding);
      const std::optional<double> one = same == nullptr ? std::nullopt : FactorOfBound({*same}, {effect});
      if (one.has_value()) {
        factor = std::max({factor, *one, 1.0});
      } else {
        others.push_back(effect);
      }
    }
    const std::optional<double> rest = FactorOfBound(certain, others);
    if (!rest.has_value()) return std::nullopt;
    return std::max(factor, *rest);
  }

  // Adds terms whose magnitudes sum to the magnitude of `effect`: the monomials if all have the same sign, as in
  // (a^2 + b^2) c.
  void AddParts(const Fraction& effect, std::vector<Fraction>* parts) const {
    const auto& terms = effect.numerator.terms;
    Polynomial first;
    if (!terms.empty()) first.terms.insert(*terms.begin());
    if (effect.too_large() || terms.size() > kMostParts || !forms_.IsNonnegative(Multiply(effect.numerator, first))) {
      parts->push_back(effect);
      return;
    }
    for (const auto& [monomial, coefficient] : terms) {
      Polynomial part;
      part.terms.emplace(monomial, coefficient);
      parts->push_back(Multiply(Fraction::Of(std::move(part)), Invert(Fraction::Of(effect.denominator))));
    }
  }

  // Returns the effect of a rounding of the search side that errs wherever `rounding` of the replacement does, or null.
  // This is the rounding of the same computation, or one of the same real number: if that number is not a float, the
  // search side errs, and if it is a float, the replacement returns it, provided that its operands are exact.
  const Fraction* SameRounding(const Effects& before, size_t rounding) const {
    if (const auto same = before.find(rounding); same != before.end()) {
      return computations_.RoundingOf(rounding).certain ? nullptr : &same->second;
    }
    const Computations::Rounding& replacement = computations_.RoundingOf(rounding);
    if (!replacement.exact_operands) return nullptr;
    for (const auto& [known, effect] : before) {
      if (known == kOwnRounding) continue;
      const Computations::Rounding& rounded = computations_.RoundingOf(known);
      if (!rounded.certain && rounded.value == replacement.value) return &effect;
    }
    return nullptr;
  }

  // Returns whether the case assumes that some x is neither negative nor positive, or that it is both. In the first
  // case (a tie), the result depends on rounding.
  bool IsTieOrContradiction() {
    return std::any_of(walk_.taken().begin(), walk_.taken().end(), [&](const auto& one) {
      if (one.first >= kFirstFusing || forms_.formulas().at(one.first).kind != FormulaKind::kNegative) return false;
      const Polynomial x = forms_.formulas().at(one.first).polynomial;
      const auto above = walk_.taken().find(forms_.formulas().IsPositive(x));
      return above != walk_.taken().end() && above->second == one.second;
    });
  }

  // Returns whether the atoms of a nonzero polynomial are independent, so that it is nonzero almost everywhere.
  bool IsDefinite(const Polynomial& polynomial) const {
    for (const auto& [condition, truth] : walk_.taken()) {
      const bool stated = condition < kFirstFusing;
      if (stated && truth && forms_.formulas().at(condition).kind == FormulaKind::kZero) return false;
    }
    for (const auto& [monomial, coefficient] : polynomial.terms) {
      for (const auto& [atom, exponent] : monomial) {
        if (forms_.atoms()[atom].kind != AtomKind::kInput) return false;
      }
    }
    return !polynomial.too_large;
  }

  const PreparedCase& prepared_;
  const Fusing fusing_;
  NormalForms forms_;
  CaseWalk walk_;
  Computations computations_;
  std::set<uint32_t> constants_;  // inputs
  // Errors are in units in the last place of this width.
  const int unit_bits_ = ir::IsFloatWidth(prepared_.root_bits()) ? prepared_.root_bits() : 32;
};

}  // namespace

ErrorGrowth GrowthOfErrors(const PreparedCase& prepared, Fusing fusing, const std::set<uint32_t>& positive_inputs) {
  return Comparison(prepared, fusing, positive_inputs).Run();
}

}  // namespace rewrought::verifier
