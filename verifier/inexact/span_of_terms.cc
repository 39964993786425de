#include "verifier/inexact/span_of_terms.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace rewrought::verifier {
namespace {

constexpr size_t kMostCombined = 4;
constexpr size_t kMostDirections = 16;  // of `lower`; there are 1,820 subsets of four

// Terms that differ only by a constant factor form one direction with a weight.
struct Direction {
  Polynomial unit;  // normalized to a first coefficient of 1
  mpq_class weight = 0;
};

bool OverOneDenominator(const std::vector<Fraction>& lower, const std::vector<Fraction>& upper,
                        std::vector<Polynomial>* low, std::vector<Polynomial>* high) {
  std::map<std::string, Polynomial> denominators;
  for (const std::vector<Fraction>* side : {&lower, &upper}) {
    for (const Fraction& term : *side) denominators.emplace(Spell(term.denominator), term.denominator);
  }
  const auto widen = [&](const std::vector<Fraction>& terms, std::vector<Polynomial>* widened) {
    for (const Fraction& term : terms) {
      Polynomial product = term.numerator;
      for (const auto& [key, denominator] : denominators) {
        if (key != Spell(term.denominator)) product = Multiply(product, denominator);
      }
      if (product.too_large) return false;
      widened->push_back(std::move(product));
    }
    return true;
  };
  return widen(lower, low) && widen(upper, high);
}

std::vector<Direction> DirectionsOf(const std::vector<Polynomial>& terms) {
  std::map<std::string, Direction> found;
  for (const Polynomial& term : terms) {
    if (term.IsZero()) continue;
    const mpq_class lead = term.terms.begin()->second;
    Direction one{Scale(term, 1 / lead), 0};
    found.try_emplace(Spell(one.unit), one).first->second.weight += abs(lead);
  }
  std::vector<Direction> directions;
  for (auto& [key, direction] : found) directions.push_back(std::move(direction));
  return directions;
}

// Returns numbers for which sum(number[i] * basis[i]) = target, or nullopt if there are none. Uses elimination over the
// monomials.
std::optional<std::vector<mpq_class>> Combination(const std::vector<const Polynomial*>& basis,
                                                  const Polynomial& target) {
  const size_t n = basis.size();
  std::map<Monomial, std::vector<mpq_class>> by_monomial;
  const auto add = [&](const Polynomial& polynomial, size_t column) {
    for (const auto& [monomial, coefficient] : polynomial.terms) {
      by_monomial.try_emplace(monomial, n + 1).first->second[column] = coefficient;
    }
  };
  for (size_t i = 0; i < n; ++i) add(*basis[i], i);
  add(target, n);
  std::vector<std::vector<mpq_class>> rows;
  for (auto& [monomial, row] : by_monomial) rows.push_back(std::move(row));
  if (rows.size() < n) return std::nullopt;  // linearly dependent, so a smaller set suffices
  for (size_t column = 0; column < n; ++column) {
    const auto pivot = std::find_if(rows.begin() + static_cast<long>(column), rows.end(),
                                    [&](const auto& row) { return row[column] != 0; });
    if (pivot == rows.end()) return std::nullopt;
    std::iter_swap(rows.begin() + static_cast<long>(column), pivot);
    for (size_t r = 0; r < rows.size(); ++r) {
      if (r == column || rows[r][column] == 0) continue;
      const mpq_class factor = rows[r][column] / rows[column][column];
      for (size_t c = column; c <= n; ++c) rows[r][c] -= factor * rows[column][c];
    }
  }
  for (size_t r = n; r < rows.size(); ++r) {
    if (rows[r][n] != 0) return std::nullopt;
  }
  std::vector<mpq_class> numbers;
  for (size_t i = 0; i < n; ++i) numbers.push_back(rows[i][n] / rows[i][i]);
  return numbers;
}

// Adds to `load` the weight with which each direction bounds `target`. Tries all small sets of directions and uses the
// cheapest one. Returns false if no set bounds `target`.
bool Cover(const std::vector<Direction>& lower, const Direction& target, std::vector<mpq_class>* load) {
  std::optional<mpq_class> least;
  std::vector<std::pair<size_t, mpq_class>> best;
  std::vector<size_t> chosen;
  const auto consider = [&]() {
    std::vector<const Polynomial*> basis;
    for (const size_t i : chosen) basis.push_back(&lower[i].unit);
    const auto numbers = Combination(basis, target.unit);
    if (!numbers.has_value()) return;
    mpq_class cost = 0;
    for (size_t i = 0; i < chosen.size(); ++i) cost += abs((*numbers)[i]) / lower[chosen[i]].weight;
    if (least.has_value() && cost >= *least) return;
    least = cost;
    best.clear();
    for (size_t i = 0; i < chosen.size(); ++i) best.emplace_back(chosen[i], abs((*numbers)[i]));
  };
  const auto extend = [&](const auto& self, size_t from) -> void {
    if (!chosen.empty()) consider();
    if (chosen.size() == kMostCombined) return;
    for (size_t i = from; i < lower.size(); ++i) {
      chosen.push_back(i);
      self(self, i + 1);
      chosen.pop_back();
    }
  };
  extend(extend, 0);
  for (const auto& [at, number] : best) (*load)[at] += number * target.weight;
  return least.has_value();
}

}  // namespace

std::optional<double> FactorOfBound(const std::vector<Fraction>& lower, const std::vector<Fraction>& upper) {
  std::vector<Polynomial> low, high;
  if (!OverOneDenominator(lower, upper, &low, &high)) return std::nullopt;
  const std::vector<Direction> bounding = DirectionsOf(low);
  if (bounding.size() > kMostDirections) return std::nullopt;
  std::vector<mpq_class> load(bounding.size());
  for (const Direction& one : DirectionsOf(high)) {
    if (!Cover(bounding, one, &load)) return std::nullopt;
  }
  mpq_class factor = 0;
  for (size_t i = 0; i < bounding.size(); ++i) factor = std::max(factor, mpq_class(load[i] / bounding[i].weight));
  return factor.get_d();
}

}  // namespace rewrought::verifier
