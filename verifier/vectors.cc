#include "verifier/vectors.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "ir/batch.h"
#include "ir/scalar.h"
#include "verifier/boundary_lanes.h"

namespace rewrought::verifier {
namespace {

using ir::ChoiceKind;
using ir::ValueIndex;

constexpr size_t kWitnessResults = 64;  // maximum number of allowed results listed in a witness

// splitmix64 (Steele, Lea, Flood 2014), which is small, seedable and portable.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  size_t Below(size_t n) { return static_cast<size_t>(Next() % n); }

 private:
  uint64_t state_;
};

std::vector<uint64_t> MakeSpecialValues(int width) {
  std::vector<uint64_t> values;
  const uint64_t mask = ir::MaskOf(width);
  const auto add = [&](uint64_t value) {
    value &= mask;
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  };
  if (ir::IsFloatWidth(width)) {
    const ir::FloatFormat f = ir::FormatOf(width);
    const uint64_t magnitudes[] = {
        f.one(), 0, f.quiet_nan(), f.infinity(), 1, f.smallest_normal() - 1, f.smallest_normal(),
        ir::FloatToBits(2.0, width), ir::FloatToBits(0.5, width), ir::FloatToBits(3.0, width), f.one() + 1, f.one() - 1,
        f.infinity() - 1, ir::FloatToBits(0.25, width), ir::FloatToBits(1.0 / 3, width), ir::FloatToBits(0.75, width),
        ir::FloatToBits(1.5, width), ir::FloatToBits(4.0, width), f.infinity() | 1, f.smallest_normal() + 1,
        2 * f.smallest_normal(), 2 * f.smallest_normal() - 1, ir::FloatToBits(255.0, width),
        // 2^p and its neighbor, where integers stop being exact, and half of the largest finite number.
        ir::FloatToBits(static_cast<double>(uint64_t{1} << (f.mantissa_bits + 1)), width),
        ir::FloatToBits(static_cast<double>(uint64_t{1} << (f.mantissa_bits + 1)), width) + 1,
        f.infinity() - 1 - f.smallest_normal(), ir::FloatToBits(3.14159265, width), f.smallest_normal() / 2};
    for (uint64_t magnitude : magnitudes) {
      add(magnitude);
      add(magnitude | f.sign());
    }
  }
  for (uint64_t value : {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 30, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256})
    add(value);
  for (int bit = 9; bit<width; bit += width> 32 ? 7 : 3) add(uint64_t{1} << bit);
  for (uint64_t value :
       {mask, mask - 1, mask >> 1, (mask >> 1) + 1, (mask >> 1) + 2, uint64_t{0x5555555555555555},
        uint64_t{0xaaaaaaaaaaaaaaaa}, mask >> (width / 2), ~(mask >> (width / 2)), uint64_t{0x12345678}}) {
    add(value);
  }
  return values;
}

bool HasApproximation(const ir::Dag& dag) {
  for (ValueIndex i = 0; i < dag.size(); ++i) {
    if (dag.at(i).primitive == ir::Primitive::kApprox) return true;
  }
  return false;
}

// Returns the lanes of every input: the Cartesian product of the special values if it fits, otherwise a mixture of
// special values, random values, and copies of another input's value, some with the top bit flipped.
std::vector<std::vector<uint64_t>> MakeInputLanes(const ir::Dag& dag, size_t lanes, Random* random) {
  const size_t count = dag.inputs().size();
  std::vector<std::vector<uint64_t>> inputs(count, std::vector<uint64_t>(lanes));
  size_t product = 1;
  for (const ir::Input& input : dag.inputs()) {
    product = std::min(
        lanes + 1, product * std::min(SpecialValues(input.width).size(), size_t{1} << std::min<int>(input.width, 30)));
  }
  for (size_t lane = 0; lane < lanes; ++lane) {
    size_t rest = lane;
    for (size_t i = 0; i < count; ++i) {
      const int width = dag.inputs()[i].width;
      const std::vector<uint64_t>& special = SpecialValues(width);
      uint64_t value;
      if (lane < product && product <= lanes) {
        value = special[rest % special.size()];
        rest /= special.size();
      } else if (i > 0 && dag.inputs()[i - 1].width == width && random->Below(4) == 0) {
        value = inputs[i - 1][lane] ^ (random->Below(2) ? uint64_t{1} << (width - 1) : 0);
      } else {
        value = random->Below(3) ? special[random->Below(special.size())] : random->Next();
      }
      inputs[i][lane] = value & ir::MaskOf(width);
    }
  }
  return inputs;
}

// Returns lanes without special values: numbers near 1 with random mantissas, for which no flag excuses a difference,
// and small integers. The Cartesian product of the special values does not exercise rounding.
std::vector<std::vector<uint64_t>> MakeOrdinaryLanes(const ir::Dag& dag, size_t lanes, Random* random) {
  constexpr int kExponents = 6;
  std::vector<std::vector<uint64_t>> inputs(dag.inputs().size(), std::vector<uint64_t>(lanes));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int width = dag.inputs()[i].width;
    for (uint64_t& value : inputs[i]) {
      value = random->Next();
      if (ir::IsFloatWidth(width) && random->Below(8) != 0) {
        const ir::FloatFormat format = ir::FormatOf(width);
        const uint64_t exponent = random->Below(2 * kExponents + 1);
        value &= format.sign() | (format.smallest_normal() - 1);
        value |= format.one() - kExponents * format.smallest_normal() + exponent * format.smallest_normal();
      } else {
        value >>= random->Below(64);
      }
      value &= ir::MaskOf(width);
    }
  }
  return inputs;
}

// The values of the replacement's choices in the lanes: all 0, all 1, or random.
enum class Policy { kZeros, kOnes, kRandom };

std::vector<std::vector<uint64_t>> MakeChoiceLanes(const ir::ChoiceTerm& term, Policy policy, size_t lanes,
                                                   Random* random) {
  std::vector<std::vector<uint64_t>> choices(term.choices.size());
  if (policy == Policy::kZeros) return choices;
  for (size_t i = 0; i < choices.size(); ++i) {
    const ir::Choice& choice = term.choices[i];
    const uint64_t mask = ir::MaskOf(choice.width);
    choices[i].resize(lanes);
    for (uint64_t& value : choices[i]) {
      value = (policy == Policy::kOnes ? ~uint64_t{0} : random->Next()) & mask;
      if (policy == Policy::kRandom && choice.kind == ChoiceKind::kNan) value |= ir::FormatOf(choice.width).infinity();
    }
  }
  return choices;
}

Witness MakeWitness(const PreparedCase& prepared, absl::Span<const uint64_t> inputs, std::vector<uint64_t> result,
                    absl::Span<const uint64_t> replace_choices) {
  Witness witness;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ir::Input& input = prepared.dag().inputs()[i];
    witness.variables.push_back({input.name, input.width, inputs[i]});
  }
  witness.replace = std::move(result);
  witness.root_bits = prepared.root_bits();
  witness.search = ir::AllowedResults(prepared.dag(), prepared.search(), inputs, kWitnessResults);
  witness.replace_choices.assign(replace_choices.begin(), replace_choices.end());
  return witness;
}

class LaneChecker {
 public:
  LaneChecker(PreparedCase* prepared, const VectorOptions& options, VectorOutcome* outcome)
      : prepared_(prepared), options_(options), outcome_(outcome) {}

  bool Check(const ir::BatchLeaves& leaves, size_t lane) {
    if (checks_++ >= options_.max_checks) return false;
    std::vector<uint64_t> inputs, choices;
    for (const auto& lanes : leaves.inputs) inputs.push_back(lanes[lane]);
    for (const auto& lanes : leaves.choices) choices.push_back(lanes.empty() ? 0 : lanes[lane]);
    PointOutcome point = VerifyPoint(*prepared_, inputs, choices);
    if (point.witness.has_value()) {
      outcome_->witness = std::move(point.witness);
      return false;
    }
    auto& copies = outcome_->copies;
    if (point.copy.has_value() && copies.size() < options_.max_copies &&
        std::find(copies.begin(), copies.end(), *point.copy) == copies.end()) {
      copies.push_back(*std::move(point.copy));
    }
    return true;
  }

 private:
  PreparedCase* prepared_;
  const VectorOptions& options_;
  VectorOutcome* outcome_;
  size_t checks_ = 0;
};

// Writes the inputs encoded in `code` to a lane; the first input is in the lowest bits.
void PutInputs(uint64_t code, const std::vector<ir::Input>& inputs, uint64_t lane, ir::BatchLeaves* leaves) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    leaves->inputs[i][lane] = code & ir::MaskOf(inputs[i].width);
    code >>= inputs[i].width;
  }
}

// Returns refuted for a lane on which the two sides differ, or unknown if evaluating the lane separately shows no
// difference.
CaseResult RefutedBy(const PreparedCase& prepared, const ir::BatchLeaves& leaves, uint64_t lane) {
  CaseResult result;
  std::vector<uint64_t> inputs;
  for (const auto& lanes : leaves.inputs) inputs.push_back(lanes[lane]);
  result.witness = VerifyPoint(prepared, inputs, {}).witness;
  if (!result.witness.has_value()) {
    result.reason = "two evaluators disagree on an input";
    return result;
  }
  result.verdict = v1::VERDICT_REFUTED;
  result.tier = v1::TIER_EXHAUSTIVE;
  return result;
}

}  // namespace

const std::vector<uint64_t>& SpecialValues(int width) {
  static std::mutex& mutex = *new std::mutex;
  static auto& cache = *new std::map<int, std::vector<uint64_t>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::vector<uint64_t>& values = cache[width];
  if (values.empty()) values = MakeSpecialValues(width);
  return values;
}

PointOutcome VerifyPoint(const PreparedCase& prepared, absl::Span<const uint64_t> inputs,
                         absl::Span<const uint64_t> replace_choices) {
  PointOutcome outcome;
  ir::Evaluator evaluator(&prepared.dag());
  evaluator.Start(inputs,
                  [&](uint32_t choice) { return choice < replace_choices.size() ? replace_choices[choice] : 0; });
  outcome.admitted = evaluator.Evaluate(prepared.assumption()) != 0;
  for (ValueIndex root : prepared.replace().lowered.root) outcome.replace.push_back(evaluator.Evaluate(root));
  if (!outcome.admitted) return outcome;
  const ir::MembershipResult member =
      ir::IsAllowed(prepared.dag(), prepared.search(), inputs, outcome.replace, replace_choices);
  if (member.membership == ir::Membership::kNotMember) {
    outcome.witness = MakeWitness(prepared, inputs, outcome.replace, replace_choices);
  } else if (member.membership == ir::Membership::kMember) {
    outcome.copy = prepared.LiteralsOf(member.choices);
  }
  return outcome;
}

absl::StatusOr<VectorOutcome> TryVectors(PreparedCase* prepared, const VectorOptions& options,
                                         const std::stop_token& cancel) {
  VectorOutcome outcome;
  Random random(options.seed);
  const size_t components = prepared->replace().lowered.root.size();
  std::vector<ValueIndex> roots = prepared->replace().lowered.root;
  for (uint64_t otherwise : {0, 1}) {
    absl::StatusOr<std::vector<ValueIndex>> copy = prepared->SearchCopy({}, CopyPolicy{otherwise, true, false});
    if (!copy.ok()) return copy.status();
    roots.insert(roots.end(), copy->begin(), copy->end());
  }
  roots.push_back(prepared->assumption());
  // Returns false once the checker needs no more lanes. Examining a single lane can take long.
  const auto try_lanes = [&](const ir::BatchLeaves& leaves, size_t lanes, LaneChecker* checker) {
    const auto values = ir::EvaluateBatch(prepared->dag(), roots, leaves, lanes);
    for (size_t lane = 0; lane < lanes; ++lane) {
      if (!values.back()[lane]) continue;
      outcome.admitted = true;
      bool first = true, second = true;
      for (size_t c = 0; c < components; ++c) {
        first = first && values[c][lane] == values[components + c][lane];
        second = second && values[c][lane] == values[2 * components + c][lane];
      }
      if (first || second) continue;
      if (cancel.stop_requested() || !checker->Check(leaves, lane)) return false;
    }
    return true;
  };
  const size_t lanes = HasApproximation(prepared->dag()) ? options.lanes_when_approximate : options.lanes;
  ir::BatchLeaves leaves;
  leaves.inputs = MakeInputLanes(prepared->dag(), lanes, &random);
  LaneChecker checker(prepared, options, &outcome);
  for (const Policy policy : {Policy::kZeros, Policy::kOnes, Policy::kRandom}) {
    leaves.choices = MakeChoiceLanes(prepared->replace(), policy, lanes, &random);
    if (!try_lanes(leaves, lanes, &checker)) break;
    if (prepared->replace().choices.empty()) break;
  }
  if (outcome.witness.has_value() || cancel.stop_requested()) return outcome;
  // Special values may have used up all checks on differences that flags excuse, so use a new checker.
  const size_t ordinary = std::max<size_t>(1, lanes / options.ordinary_share);
  leaves.inputs = MakeOrdinaryLanes(prepared->dag(), ordinary, &random);
  leaves.choices = MakeChoiceLanes(prepared->replace(), Policy::kZeros, ordinary, &random);
  LaneChecker ordinary_checker(prepared, options, &outcome);
  try_lanes(leaves, ordinary, &ordinary_checker);
  if (outcome.witness.has_value() || !MoveToBoundaries(
                                         prepared->dag(), roots, ordinary, [&] { return random.Next(); }, &leaves)) {
    return outcome;
  }
  LaneChecker boundary_checker(prepared, options, &outcome);
  try_lanes(leaves, ordinary, &boundary_checker);
  return outcome;
}

CaseResult TryExhaustive(PreparedCase* prepared, int max_bits, const std::stop_token& cancel) {
  CaseResult result;
  // The evaluators implement only one interpretation of an approximated function.
  if (HasApproximation(prepared->dag())) return result;
  int bits = 0;
  for (const ir::Input& input : prepared->dag().inputs()) bits += input.width;
  if (bits > max_bits) return result;
  // Each input must be tried with every combination of T's own choices, and a wide choice has too many values.
  for (const ir::Choice& choice : prepared->replace().choices) bits += choice.width;
  if (bits > max_bits) return result;
  std::vector<uint64_t> inputs(prepared->dag().inputs().size()), choices(prepared->replace().choices.size());
  bool admitted = false;
  for (uint64_t code = 0; code < (uint64_t{1} << bits); ++code) {
    if (code % 256 == 0 && cancel.stop_requested()) return result;
    uint64_t rest = code;
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = rest & ir::MaskOf(prepared->dag().inputs()[i].width);
      rest >>= prepared->dag().inputs()[i].width;
    }
    for (size_t i = 0; i < choices.size(); ++i) {
      choices[i] = rest & ir::MaskOf(prepared->replace().choices[i].width);
      rest >>= prepared->replace().choices[i].width;
    }
    PointOutcome point = VerifyPoint(*prepared, inputs, choices);
    if (!point.admitted) continue;
    admitted = true;
    if (point.witness.has_value()) {
      result.verdict = v1::VERDICT_REFUTED;
      result.tier = v1::TIER_EXHAUSTIVE;
      result.witness = std::move(point.witness);
      return result;
    }
    if (!point.copy.has_value()) return result;
  }
  result.verdict = admitted ? v1::VERDICT_PROVED : v1::VERDICT_VACUOUS;
  result.tier = v1::TIER_EXHAUSTIVE;
  return result;
}

CaseResult TryAllInputs(PreparedCase* prepared, int max_bits, const std::stop_token& cancel) {
  constexpr int kMostBits = 32;
  constexpr uint64_t kLanesAtOnce = 4096;  // the values of a dozen nodes fit in the L2 cache
  CaseResult result;
  if (HasApproximation(prepared->dag()) || !prepared->replace().choices.empty() || !prepared->search().choices.empty())
    return result;
  const std::vector<ir::Input>& inputs = prepared->dag().inputs();
  int bits = 0;
  for (const ir::Input& input : inputs) bits += input.width;
  if (bits > std::min(max_bits, kMostBits)) return result;
  const absl::StatusOr<std::vector<ValueIndex>> search = prepared->SearchCopy({}, {});
  if (!search.ok()) return result;
  std::vector<ValueIndex> roots = prepared->replace().lowered.root;
  const size_t components = roots.size();
  roots.insert(roots.end(), search->begin(), search->end());
  roots.push_back(prepared->assumption());
  const uint64_t lanes = std::min(kLanesAtOnce, uint64_t{1} << bits);
  ir::BatchLeaves leaves;
  leaves.inputs.assign(inputs.size(), std::vector<uint64_t>(lanes));
  bool admitted = false;
  for (uint64_t first = 0; first < uint64_t{1} << bits; first += lanes) {
    if (cancel.stop_requested()) return result;
    for (uint64_t lane = 0; lane < lanes; ++lane) PutInputs(first + lane, inputs, lane, &leaves);
    const auto values = ir::EvaluateBatch(prepared->dag(), roots, leaves, lanes);
    for (uint64_t lane = 0; lane < lanes; ++lane) {
      if (!values.back()[lane]) continue;
      admitted = true;
      for (size_t c = 0; c < components; ++c) {
        if (values[c][lane] != values[components + c][lane]) return RefutedBy(*prepared, leaves, lane);
      }
    }
  }
  if (!admitted) return result;
  result.verdict = v1::VERDICT_PROVED;
  result.tier = v1::TIER_EXHAUSTIVE;
  return result;
}

}  // namespace rewrought::verifier
