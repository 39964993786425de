#include "verifier/inexact/inexact_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "ir/scalar.h"
#include "verifier/inexact/inexact_number.h"

namespace rewrought::verifier {
namespace {

constexpr double kTelling[] = {0, 1, -1, 2, -2, 0.5, -0.5, 3, 1.5, -0.25, 7};
constexpr size_t kMaxGrid = 1400;
constexpr size_t kApproachEach = 8;  // sums cancel at one in this many sampled points

// Returns whether the preconditions hold. All choices are 0, because preconditions make none.
bool IsAdmitted(const PreparedCase& prepared, ir::Evaluator* evaluator, const std::vector<uint64_t>& point) {
  evaluator->Start(point, [](uint32_t) { return uint64_t{0}; });
  return evaluator->Evaluate(prepared.assumption()) != 0;
}

// Draws values of inputs. std::mt19937_64 is portable, but the standard library's distributions are not.
class Sampler {
 public:
  explicit Sampler(uint64_t seed) : random_(seed) {}

  uint64_t Draw(const ir::Input& input, InputReading reading, bool integral) {
    if (input.width == 1 || reading == InputReading::kTruth) return random_() % 2 ? ir::MaskOf(input.width) : 0;
    if (!ir::IsFloatWidth(input.width)) return random_() & ir::MaskOf(input.width);
    if (integral) return ir::FloatToBits(static_cast<double>(random_() % 17) - 8, input.width);
    const uint64_t form = random_() % 4;
    if (form >= 2) {
      const double value = Unit();
      return value < std::ldexp(1.0, kSmallestInputExponent) ? 0 : ir::FloatToBits(value, input.width);
    }
    const double span = kLargestInputExponent - kSmallestInputExponent;
    const double magnitude = std::exp2(kSmallestInputExponent + span * Unit());
    return ir::FloatToBits(form == 0 ? magnitude : -magnitude, input.width);
  }

  // Moves one number in `point` close to another one or to a constant of the terms, with either sign, so that sums
  // cancel.
  void Approach(const PreparedCase& prepared, const std::vector<InputReading>& readings, std::vector<uint64_t>* point) {
    const std::vector<ir::Input>& inputs = prepared.dag().inputs();
    const size_t moved = random_() % inputs.size();
    const int width = inputs[moved].width;
    if (!IsNumber(inputs[moved], readings[moved])) return;
    std::vector<uint64_t> near;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i != moved && inputs[i].width == width && readings[i] != InputReading::kTruth && !IsZeroSign(inputs[i]))
        near.push_back((*point)[i]);
    }
    for (ir::ValueIndex i = 0; i < prepared.dag().size(); ++i) {
      const ir::Value& value = prepared.dag().at(i);
      if (value.primitive == ir::Primitive::kLiteral && value.width == width) near.push_back(value.immediate);
    }
    if (near.empty()) return;
    StoreNear(ir::BitsToFloat(near[random_() % near.size()], width), 4, 12, width, &(*point)[moved]);
  }

  // Moves one number in `point` by a small or large amount, or close to another number.
  void Step(const PreparedCase& prepared, const std::vector<InputReading>& readings, std::vector<uint64_t>* point) {
    if (random_() % 3 == 0) return Approach(prepared, readings, point);
    const std::vector<ir::Input>& inputs = prepared.dag().inputs();
    const size_t moved = random_() % inputs.size();
    if (inputs[moved].width == 1) {
      if (!IsZeroSign(inputs[moved])) (*point)[moved] ^= 1;
    } else if (IsNumber(inputs[moved], readings[moved])) {
      const int width = inputs[moved].width;
      const auto bits = static_cast<unsigned>(ir::FormatOf(width).mantissa_bits);
      StoreNear(ir::BitsToFloat((*point)[moved], width), 1, bits, width, &(*point)[moved]);
    }
  }

 private:
  static bool IsNumber(const ir::Input& input, InputReading reading) {
    return ir::IsFloatWidth(input.width) && reading != InputReading::kTruth && !IsZeroSign(input);
  }

  // Stores a number within a relative distance of 2^-nearest..2^-(nearest + spread) of `number`, with either sign, if
  // it is in range.
  void StoreNear(double number, int nearest, unsigned spread, int width, uint64_t* pattern) {
    const double least = std::ldexp(1.0, kSmallestInputExponent), most = std::ldexp(1.0, kLargestInputExponent);
    const double distance = std::exp2(-nearest - static_cast<double>(random_() % spread));
    const double moved = (random_() % 2 ? number : -number) * (1 + (random_() % 2 ? distance : -distance));
    if (std::fabs(moved) >= least && std::fabs(moved) <= most) *pattern = ir::FloatToBits(moved, width);
  }

  double Unit() { return static_cast<double>(random_() >> 11) / 9007199254740992.0; }

  std::mt19937_64 random_;
};

double Median(std::vector<double>* values) {
  std::sort(values->begin(), values->end());
  return (*values)[values->size() / 2];
}

class Measurement {
 public:
  explicit Measurement(const PreparedCase& prepared) : prepared_(prepared), evaluator_(&prepared.dag()) {}

  absl::Status AddPoint(const std::vector<uint64_t>& point) {
    NumberDomain domain(&prepared_.dag(), point);
    RealReader<NumberDomain> reader(&prepared_.dag(), &domain);
    bool defined = true;
    ++result_.admitted_points;
    const auto& search = prepared_.search().lowered.root;
    const auto& replace = prepared_.replace().lowered.root;
    for (size_t c = 0; c < search.size(); ++c) {
      const uint64_t before = Float(point, search[c]), after = Float(point, replace[c]);
      if (IsTruth(prepared_.dag(), search[c]) || IsTruth(prepared_.dag(), replace[c])) {
        const auto exact = reader.ReadTruth(search[c]);
        if (!exact.ok()) return exact.status();
        defined = defined && exact->exists;
        if (!exact->exists || !domain.reliable()) continue;
        ++result_.points;
        result_.wrong_before += (before != 0) != exact->truth;
        result_.wrong_after += (after != 0) != exact->truth;
      } else {
        const auto exact = reader.ReadReal(search[c]);
        if (!exact.ok()) return exact.status();
        defined = defined && exact->exists;
        if (exact->exists && domain.reliable()) AddNumber(*exact->value, before, after, WidthOf(search[c]));
      }
    }
    result_.defined_points += defined;
    return absl::OkStatus();
  }

  // Returns the errors at `point`, or nullopt if they cannot be measured.
  absl::StatusOr<std::optional<PointError>> ErrorAt(const std::vector<uint64_t>& point) {
    result_ = {};
    before_.clear(), after_.clear();
    if (absl::Status added = AddPoint(point); !added.ok()) return added;
    const double lost = std::numeric_limits<double>::infinity();
    if (result_.lost_before + result_.lost_after > 0)
      return PointError{result_.lost_before > 0 ? lost : 0, result_.lost_after > 0 ? lost : 0};
    if (before_.empty()) return std::nullopt;
    return PointError{*std::max_element(before_.begin(), before_.end()),
                      *std::max_element(after_.begin(), after_.end())};
  }

  MeasuredError Finish() {
    if (!before_.empty()) {
      result_.before_max = *std::max_element(before_.begin(), before_.end());
      result_.before_median = Median(&before_);
      result_.after_max = *std::max_element(after_.begin(), after_.end());
      result_.after_median = Median(&after_);
    }
    return result_;
  }

 private:
  int WidthOf(ir::ValueIndex value) const { return prepared_.dag().at(value).width; }

  uint64_t Float(const std::vector<uint64_t>& point, ir::ValueIndex root) {
    evaluator_.Start(point, [](uint32_t) { return uint64_t{0}; });
    return evaluator_.Evaluate(root);
  }

  void AddNumber(const BigNumber& exact, uint64_t before_bits, uint64_t after_bits, int width) {
    const double before = ir::BitsToFloat(before_bits, width), after = ir::BitsToFloat(after_bits, width);
    const bool zero = mpfr_zero_p(exact.get()) != 0;
    const bool lost_before = !std::isfinite(before) || (zero && before != 0);
    const bool lost_after = !std::isfinite(after) || (zero && after != 0);
    result_.lost_before += lost_before;
    result_.lost_after += lost_after;
    ++result_.points;
    if (lost_before || lost_after) return;
    before_.push_back(zero ? 0 : Visible(ErrorInUlp(exact, before, width)));
    after_.push_back(zero ? 0 : Visible(ErrorInUlp(exact, after, width)));
  }

  // Ignores differences so small that they may be errors of the reference.
  static double Visible(double ulp) { return ulp < 1e-30 ? 0 : ulp; }

  const PreparedCase& prepared_;
  ir::Evaluator evaluator_;
  std::vector<double> before_, after_;
  MeasuredError result_;
};

// Climbs from the point with the greatest `worth` to better points.
class Climb {
 public:
  Climb(const PreparedCase& prepared, const std::vector<InputReading>& readings, uint64_t seed)
      : prepared_(prepared), readings_(readings), evaluator_(&prepared.dag()), measurement_(prepared), sampler_(seed) {}

  absl::Status Start(const std::vector<std::vector<uint64_t>>& points) {
    for (const std::vector<uint64_t>& point : points) {
      const auto error = measurement_.ErrorAt(point);
      if (!error.ok()) return error.status();
      if (error->has_value()) starts_.push_back({point, **error});
    }
    return absl::OkStatus();
  }

  // Returns the input with the greatest `worth` that was found, or nullopt if no point could be measured.
  template <typename Worth>
  absl::StatusOr<std::optional<HardInput>> Run(size_t steps, const Worth& worth) {
    if (starts_.empty()) return std::nullopt;
    HardInput best = *std::max_element(starts_.begin(), starts_.end(), [&](const HardInput& x, const HardInput& y) {
      return worth(x.error) < worth(y.error);
    });
    for (size_t step = 0; step < steps; ++step) {
      std::vector<uint64_t> next = best.point;
      sampler_.Step(prepared_, readings_, &next);
      if (!IsAdmitted(prepared_, &evaluator_, next)) continue;
      const auto error = measurement_.ErrorAt(next);
      if (!error.ok()) return error.status();
      if (error->has_value() && worth(**error) > worth(best.error)) best = {next, **error};
    }
    return best;
  }

 private:
  const PreparedCase& prepared_;
  const std::vector<InputReading>& readings_;
  ir::Evaluator evaluator_;
  Measurement measurement_;
  Sampler sampler_;
  std::vector<HardInput> starts_;
};

}  // namespace

bool IsZeroSign(const ir::Input& input) {
  const absl::string_view name = input.name;
  return input.width == 1 && name.size() > 4 && absl::StartsWith(name, "zero") &&
         std::all_of(name.begin() + 4, name.end(), absl::ascii_isdigit);
}

std::vector<std::vector<uint64_t>> SampledPoints(const PreparedCase& prepared,
                                                 const std::vector<InputReading>& readings, size_t count,
                                                 uint64_t seed) {
  const std::vector<ir::Input>& inputs = prepared.dag().inputs();
  ir::Evaluator evaluator(&prepared.dag());
  Sampler sampler(seed);
  std::vector<std::vector<uint64_t>> points;
  for (size_t attempt = 0; attempt < 8 * count && points.size() < count; ++attempt) {
    std::vector<uint64_t> point;
    for (size_t i = 0; i < inputs.size(); ++i) {
      // Small integers satisfy preconditions that most numbers violate, such as is_integral.
      const uint64_t value = sampler.Draw(inputs[i], readings[i], attempt >= 4 * count);
      point.push_back(IsZeroSign(inputs[i]) ? 0 : value);
    }
    if (attempt % kApproachEach == 0 && !inputs.empty()) sampler.Approach(prepared, readings, &point);
    if (IsAdmitted(prepared, &evaluator, point)) points.push_back(std::move(point));
  }
  return points;
}

std::vector<std::vector<uint64_t>> DistinguishingPoints(const PreparedCase& prepared,
                                                        const std::vector<InputReading>& readings, size_t count,
                                                        uint64_t seed) {
  const std::vector<ir::Input>& inputs = prepared.dag().inputs();
  ir::Evaluator evaluator(&prepared.dag());
  std::vector<std::vector<uint64_t>> points;
  size_t total = 1;
  for (const ir::Input& input : inputs) {
    if (total < kMaxGrid) total *= IsZeroSign(input) ? 1 : input.width == 1 ? 2 : std::size(kTelling);
  }
  const bool complete = total <= kMaxGrid;
  std::mt19937_64 random(seed);
  for (size_t n = 0; n < (complete ? total : kMaxGrid); ++n) {
    std::vector<uint64_t> point;
    size_t rest = n;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool truth = inputs[i].width == 1 || readings[i] == InputReading::kTruth;
      const size_t values = IsZeroSign(inputs[i]) ? 1 : truth ? 2 : std::size(kTelling);
      const size_t at = complete ? rest % values : random() % values;
      rest /= values;
      point.push_back(truth                               ? (at ? ir::MaskOf(inputs[i].width) : 0)
                      : ir::IsFloatWidth(inputs[i].width) ? ir::FloatToBits(kTelling[at], inputs[i].width)
                                                          : at);
    }
    if (IsAdmitted(prepared, &evaluator, point)) points.push_back(std::move(point));
  }
  for (std::vector<uint64_t>& point : SampledPoints(prepared, readings, count, seed))
    points.push_back(std::move(point));
  return points;
}

absl::StatusOr<MeasuredError> MeasureError(const PreparedCase& prepared,
                                           const std::vector<std::vector<uint64_t>>& points) {
  Measurement measurement(prepared);
  for (const std::vector<uint64_t>& point : points) {
    const absl::Status status = measurement.AddPoint(point);
    if (!status.ok()) return status;
  }
  return measurement.Finish();
}

absl::StatusOr<HardInputs> ClimbToHardInputs(const PreparedCase& prepared, const std::vector<InputReading>& readings,
                                             const std::vector<std::vector<uint64_t>>& points, size_t steps,
                                             uint64_t seed) {
  HardInputs hard;
  if (prepared.dag().inputs().empty()) return hard;
  Climb climb(prepared, readings, seed);
  if (absl::Status started = climb.Start(points); !started.ok()) return started;
  const auto finite = [](double ulp) { return std::isfinite(ulp) ? ulp : -1; };
  const auto before = climb.Run(steps, [&](const PointError& error) { return finite(error.before); });
  if (!before.ok()) return before.status();
  const auto after = climb.Run(steps, [&](const PointError& error) { return finite(error.after); });
  if (!after.ok()) return after.status();
  const auto ratio = climb.Run(steps, [](const PointError& error) { return error.Growth(); });
  if (!ratio.ok()) return ratio.status();
  if (before->has_value() && std::isfinite((*before)->error.before)) hard.before_max = (*before)->error.before;
  if (after->has_value() && std::isfinite((*after)->error.after)) hard.after_max = (*after)->error.after;
  hard.hardest = *ratio;
  // The climb for the ratio may have found larger errors than the other two climbs.
  const auto raise = [](double ulp, std::optional<double>* most) {
    if (std::isfinite(ulp)) *most = std::max(most->value_or(0), ulp);
  };
  if (ratio->has_value())
    raise((*ratio)->error.before, &hard.before_max), raise((*ratio)->error.after, &hard.after_max);
  return hard;
}

}  // namespace rewrought::verifier
