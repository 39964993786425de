#include "tests/accuracy/worst_case.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rewrought::accuracy {
namespace {

constexpr int kNeighbors = 8;               // inputs at which roundings are observed
constexpr size_t kFarthest = 4;             // their greatest distance, in units in the last place
constexpr double kMostRelative = 1.0 / 64;  // first-order bounds are meaningful up to this relative error

struct Measurement {
  double measured = 0, bound = 0;  // as in WorstCase
  double ulp = 0;                  // of the replacement
};

class Search {
 public:
  Search(const Sides& sides, const Contraction& contraction, bool special, uint64_t seed)
      : sides_(sides), contraction_(contraction), special_(special), random_(seed) {}

  WorstCase Run(size_t restarts, size_t steps) {
    for (size_t i = 0; i < restarts; ++i) {
      ChooseConstants();
      std::vector<double> point = Start();
      if (Below(2) == 0) Cancel(&point);
      std::optional<Measurement> best = Measure(point);
      Keep(point, best);
      for (size_t step = 0; step < steps; ++step) {
        std::vector<double> next = point;
        Move(&next);
        const std::optional<Measurement> reached = Measure(next);
        Keep(next, reached);
        if (!reached.has_value()) continue;
        // The bound guides the climb; the measured error decides among equal bounds.
        if (!best.has_value() || reached->bound + 0.1 * reached->measured > best->bound + 0.1 * best->measured) {
          best = reached, point = next;
        }
      }
    }
    return std::move(worst_);
  }

 private:
  size_t Below(size_t bound) { return static_cast<size_t>(random_() % bound); }
  double Unit() { return static_cast<double>(random_() >> 11) / 9007199254740992.0; }

  // Chooses the variables that are constants. No operation of the search side has only constant operands, because a
  // compiler folds it.
  void ChooseConstants() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      TryConstants(special_ || contraction_.keeps_constants);
      if (!IsFolded(sides_.search, constants_)) break;
    }
    if (IsFolded(sides_.search, constants_)) TryConstants(false);
    search_ = Contracted(sides_.search, contraction_, constants_);
    replace_ = Contracted(sides_.replace, contraction_, constants_);
  }

  // Turns the variables that must be constants into constants and, if `more`, random others as well.
  void TryConstants(bool more) {
    constants_.assign(sides_.variables.size(), false);
    values_.assign(sides_.variables.size(), 0);
    for (size_t v = 0; v < constants_.size(); ++v) {
      const Variable& variable = sides_.variables[v];
      if (variable.width == 1) continue;
      const bool chosen = more && !variable.varies && Below(2) == 0;
      constants_[v] = variable.constant || chosen;
      if (!constants_[v]) continue;
      static constexpr double kSpecial[] = {1, 2, 0.5, 4, 0.25, 3, 8, 10, 1.5, 255};
      values_[v] = special_ ? kSpecial[Below(std::size(kSpecial))] : Number(variable);
      if (special_ && !variable.positive && Below(2) == 0) values_[v] = -values_[v];
    }
  }

  double Number(const Variable& variable) {
    if (variable.width == 1) return static_cast<double>(Below(2));
    const double spread = variable.width == 16 ? 6 : Below(3) == 0 ? 30 : 8;
    double value = std::exp2(spread * (2 * Unit() - 1));
    if (Below(3) == 0) value = std::max(Unit(), 0x1p-8);
    if (!variable.positive && Below(2) == 0) value = -value;
    return RoundTo(static_cast<Quad>(value), variable.width);
  }

  std::vector<double> Start() {
    std::vector<double> point;
    for (size_t v = 0; v < sides_.variables.size(); ++v) {
      point.push_back(constants_[v] ? values_[v] : Number(sides_.variables[v]));
    }
    return point;
  }

  std::optional<size_t> AnyNumber() {
    std::vector<size_t> movable;
    for (size_t v = 0; v < constants_.size(); ++v) {
      if (!constants_[v] && sides_.variables[v].width != 1) movable.push_back(v);
    }
    if (movable.empty()) return std::nullopt;
    return movable[Below(movable.size())];
  }

  // Moves one variable to a zero of some sum, by the secant method, and then by a few units in the last place.
  void Cancel(std::vector<double>* point) {
    const Code& code = Below(2) == 0 ? search_ : replace_;
    std::vector<size_t> sums;
    for (size_t i = 0; i < code.steps.size(); ++i) {
      if (code.steps[i].op == Op::kAdd || code.steps[i].op == Op::kFma) sums.push_back(i);
    }
    const std::optional<size_t> moved = AnyNumber();
    if (sums.empty() || !moved.has_value()) return;
    const size_t sum = sums[Below(sums.size())];
    const int width = sides_.variables[*moved].width;
    const auto at = [&](double value) {
      (*point)[*moved] = value;
      return static_cast<double>(Evaluate(code, *point).exact[sum]);
    };
    const double start = (*point)[*moved];
    double x = start, y = start * 1.0625, fx = at(x);
    for (int i = 0; i < 8; ++i) {
      const double fy = at(y);
      if (!std::isfinite(fy) || fy == fx) break;
      const double next = y - fy * (y - x) / (fy - fx);
      if (!std::isfinite(next)) break;
      x = y, fx = fy, y = next;
      if (fy == 0) break;
    }
    const double reached = RoundTo(static_cast<Quad>(y), width);
    const bool usable = std::isfinite(reached) && reached != 0 && !(sides_.variables[*moved].positive && reached < 0);
    (*point)[*moved] = usable ? Neighbor(reached, Jitter(12), width) : start;
  }

  // Returns a number of up to `bits` bits, with either sign.
  int64_t Jitter(size_t bits) {
    const auto size = static_cast<int64_t>(random_() % (uint64_t{1} << Below(bits)));
    return Below(2) == 0 ? size : -size;
  }

  // Returns a nonzero number of at most kFarthest units in the last place.
  int64_t Step() {
    const auto size = static_cast<int64_t>(1 + Below(kFarthest));
    return Below(2) == 0 ? size : -size;
  }

  void Move(std::vector<double>* point) {
    if (Below(4) == 0) return Cancel(point);
    const size_t any = Below(sides_.variables.size());
    if (sides_.variables[any].width == 1) {
      (*point)[any] = 1 - (*point)[any];
      return;
    }
    const std::optional<size_t> moved = AnyNumber();
    if (!moved.has_value()) return;
    const Variable& variable = sides_.variables[*moved];
    double& value = (*point)[*moved];
    double next = value;
    switch (Below(6)) {
      case 0:
        next = Number(variable);
        break;
      case 1:
        next = value * std::exp2(static_cast<double>(Jitter(4)));
        break;
      case 2: {
        const double other = (*point)[Below(point->size())];
        next = other == 0 ? value : Below(2) == 0 ? other : -other;
        if (Below(2) == 0)
          next = Neighbor(RoundTo(static_cast<Quad>(next), variable.width), Jitter(12), variable.width);
        break;
      }
      case 3:
        next = value * (1 + (Unit() - 0.5) * std::exp2(-static_cast<double>(Below(20))));
        break;
      case 4:
        next = -value;
        break;
      default:
        next = Neighbor(value, Jitter(variable.width == 16 ? 8 : 20), variable.width);
        break;
    }
    next = RoundTo(static_cast<Quad>(next), variable.width);
    if (std::isfinite(next) && next != 0 && !(variable.positive && next < 0)) value = next;
  }

  // Returns nullopt if the point is outside the scope of the statement.
  std::optional<Measurement> Measure(const std::vector<double>& point) {
    const Trace search = Evaluate(search_, point), replace = Evaluate(replace_, point);
    if (!search.in_range || !replace.in_range || !search.decided_alike || !replace.decided_alike) return std::nullopt;
    std::vector<bool> search_rounds = search.rounds, replace_rounds = replace.rounds;
    for (int i = 0; i < kNeighbors; ++i) {
      std::vector<double> near = point;
      for (size_t v = 0; v < near.size(); ++v) {
        const int width = sides_.variables[v].width;
        if (!constants_[v] && width != 1) near[v] = Neighbor(near[v], Step(), width);
      }
      const Trace one = Evaluate(search_, near), other = Evaluate(replace_, near);
      if (!one.in_range || !other.in_range) continue;
      for (size_t k = 0; k < one.rounds.size(); ++k) search_rounds[k] = search_rounds[k] || one.rounds[k];
      for (size_t k = 0; k < other.rounds.size(); ++k) replace_rounds[k] = replace_rounds[k] || other.rounds[k];
    }
    const auto root = static_cast<size_t>(search_.root), root_after = static_cast<size_t>(replace_.root);
    const Quad exact = search.exact[root];
    const Quad magnitude = exact < 0 ? -exact : exact;
    Quad error = static_cast<Quad>(replace.computed[root_after]) - exact;
    if (error < 0) error = -error;
    search_rounds[root] = true;  // rounding the result costs this much anyway
    const Quad before = ErrorBound(search_, search, search_rounds);
    const Quad after = ErrorBound(replace_, replace, replace_rounds);
    const Quad doubt = search.doubt[root] + replace.doubt[root_after];
    Measurement result;
    const int width = search_.steps[root].width;
    if (doubt * 1024 <= magnitude * UnitRoundoff(width)) {
      int exponent = 0;
      std::frexp(static_cast<double>(magnitude), &exponent);
      const double unit = std::ldexp(2 * UnitRoundoff(width), exponent - 1);
      result.ulp = error <= doubt ? 0 : static_cast<double>(error) / unit;
    }
    if (doubt * 1024 <= before && before <= magnitude * kMostRelative && before > 0) {
      result.measured = error <= doubt ? 0 : static_cast<double>(error / before);
      result.bound = static_cast<double>(after / before);
    }
    return result;
  }

  static bool IsInRange(double value) {
    return value == 0 || (std::fabs(value) >= 0x1p-8 && std::fabs(value) <= 0x1p8);
  }

  void Keep(const std::vector<double>& point, const std::optional<Measurement>& one) {
    if (!one.has_value()) return;
    ++worst_.points;
    if (one->measured > worst_.measured) worst_.measured = one->measured, worst_.point = point;
    if (one->bound > worst_.bound) worst_.bound = one->bound, worst_.point_of_bound = point;
    if (one->ulp > worst_.ulp_in_range && std::all_of(point.begin(), point.end(), IsInRange)) {
      worst_.ulp_in_range = one->ulp, worst_.point_in_range = point;
    }
  }

  const Sides& sides_;
  const Contraction contraction_;
  const bool special_;
  std::mt19937_64 random_;
  std::vector<bool> constants_;
  std::vector<double> values_;
  Code search_, replace_;
  WorstCase worst_;
};

}  // namespace

WorstCase FindWorstCase(const Sides& sides, const Contraction& contraction, bool special, const SearchEffort& effort) {
  if (sides.variables.empty()) return {};
  return Search(sides, contraction, special, effort.seed).Run(effort.restarts, effort.steps);
}

std::string Describe(const Sides& sides, const std::vector<double>& point) {
  std::string text;
  for (size_t v = 0; v < point.size(); ++v) {
    absl::StrAppend(&text, v == 0 ? "" : ", ", sides.variables[v].name, " = ", absl::StrFormat("%a", point[v]));
  }
  return text;
}

}  // namespace rewrought::accuracy
