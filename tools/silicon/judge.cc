#include "tools/silicon/judge.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/batch.h"
#include "ir/exclusion.h"
#include "ir/scalar.h"
#include "machine/program_term.h"
#include "tools/silicon/ir_side.h"

namespace rewrought::silicon {
namespace {

constexpr uint64_t kSign = 0x80000000u, kMagnitude = 0x7fffffffu, kInfinity = 0x7f800000u,
                   kSmallestNormal = 0x00800000u;

bool IsNan32(uint64_t bits) { return (bits & kMagnitude) > kInfinity; }
bool IsDenormal32(uint64_t bits) { return (bits & kMagnitude) - 1 < kSmallestNormal - 1; }

// Maps floats to integers, preserving their order.
int64_t Ordinal(uint64_t bits) {
  const int64_t magnitude = static_cast<int64_t>(bits & kMagnitude);
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}
double UlpDistance(uint64_t x, uint64_t y) { return std::abs(static_cast<double>(Ordinal(x) - Ordinal(y))); }

std::string AllowedText(const ir::AllowedSet& set, int bits) {
  std::vector<std::string> results;
  for (const ir::AllowedResult& result : set.results) {
    switch (result[0].kind) {
      case ir::AllowedKind::kValue:
        results.push_back(bits == 1 ? absl::StrCat(result[0].value) : absl::StrFormat("0x%08x", result[0].value));
        break;
      case ir::AllowedKind::kAnyNan:
        results.push_back("nan");
        break;
      case ir::AllowedKind::kAnyValue:
        results.push_back("any");
        break;
    }
  }
  if (!set.complete) results.push_back("...");
  return results.size() == 1 ? results[0] : absl::StrCat("{", absl::StrJoin(results, ", "), "}");
}

}  // namespace

// One meaning of a case in its mode, either the description's or the IR's.
class Side {
 public:
  // Creates the side whose meaning is `term`, a term over the case's inputs.
  static absl::StatusOr<std::unique_ptr<Side>> Create(const Case& one, const ir::Term& term) {
    auto side = std::make_unique<Side>(one);
    for (const ir::Node& node : term.nodes) {
      side->approximate_ |= node.kind == ir::NodeKind::kOp && (node.op->properties & ir::kApproximate) != 0;
    }
    if (absl::Status status = side->Lower(term, one.mode, &side->asked_); !status.ok()) return status;
    const ir::DenormMode other =
        one.mode == ir::DenormMode::kFlush ? ir::DenormMode::kPreserve : ir::DenormMode::kFlush;
    if (one.mode != ir::DenormMode::kNone) {
      if (absl::Status status = side->Lower(term, other, &side->other_); !status.ok()) return status;
    }
    return side;
  }

  explicit Side(const Case& one) : case_(one) {}

  // Adds the deviations of `lanes` to `deviations`. For approximations, adds measurements to `tally` unless it is
  // null.
  void Compare(uint64_t first, const std::vector<std::vector<uint64_t>>& inputs, absl::Span<const uint32_t> outputs,
               Deviations* deviations, Tally* tally) const;

  const ir::Dag& dag() const { return asked_.dag; }
  const std::vector<ir::ValueIndex>& roots() const { return asked_.term.lowered.root; }

 private:
  // The meaning in one mode. The Dag orders the case's inputs differently.
  struct Lowered {
    ir::Dag dag;
    ir::ChoiceTerm term;
    std::vector<size_t> inputs;  // maps the Dag's inputs to the case's
    bool has_narrow = false;     // a 1-bit choice

    std::vector<uint64_t> Order(const std::vector<uint64_t>& values) const {
      std::vector<uint64_t> ordered;
      for (const size_t i : inputs) ordered.push_back(values[i]);
      return ordered;
    }
  };

  absl::Status Lower(const ir::Term& term, ir::DenormMode mode, Lowered* lowered) const {
    absl::StatusOr<ir::ChoiceTerm> with_choices = ir::LowerWithChoices(&lowered->dag, term, mode, 0);
    if (!with_choices.ok()) return with_choices.status();
    lowered->term = *std::move(with_choices);
    if (lowered->term.lowered.root.size() != 1) return absl::InvalidArgumentError("the result has several components");
    for (const ir::Input& input : lowered->dag.inputs()) {
      size_t i = 0;
      while (i < case_.inputs.size() && case_.inputs[i].name != input.name) ++i;
      if (i == case_.inputs.size() || case_.inputs[i].bits != input.width) {
        return absl::InvalidArgumentError(absl::StrCat(case_.name(), ": no input '", input.name, "'"));
      }
      lowered->inputs.push_back(i);
    }
    for (const ir::Choice& choice : lowered->term.choices) lowered->has_narrow |= !ir::IsWide(choice);
    return absl::OkStatus();
  }

  // Returns the results in which every wide choice equals the device's output (or the canonical NaN if the output is
  // not a NaN), and every other choice is `narrow`.
  std::vector<uint64_t> Results(const std::vector<std::vector<uint64_t>>& inputs, const std::vector<uint64_t>& outputs,
                                uint64_t narrow) const {
    ir::BatchLeaves leaves;
    for (const size_t i : asked_.inputs) leaves.inputs.push_back(inputs[i]);
    for (const ir::Choice& choice : asked_.term.choices) {
      leaves.choices.push_back(ir::IsWide(choice) ? outputs : std::vector<uint64_t>(outputs.size(), narrow));
    }
    return ir::EvaluateBatch(asked_.dag, roots(), leaves, outputs.size())[0];
  }

  void CompareOne(Answer answer, uint64_t reference, Deviations* deviations, Tally* tally) const;
  bool WithinBound(const Answer& answer, uint64_t reference, double* error) const;
  std::string KindOf(const Answer& answer, const ir::AllowedSet& allowed) const;

  const Case& case_;
  Lowered asked_, other_;
  bool approximate_ = false;
};

void Side::Compare(uint64_t first, const std::vector<std::vector<uint64_t>>& inputs, absl::Span<const uint32_t> outputs,
                   Deviations* deviations, Tally* tally) const {
  const std::vector<uint64_t> given(outputs.begin(), outputs.end());
  const std::vector<uint64_t> results = Results(inputs, given, 0);
  std::vector<size_t> open;
  for (size_t lane = 0; lane < given.size(); ++lane) {
    if (results[lane] != given[lane]) open.push_back(lane);
  }
  if (open.empty()) return;
  std::vector<uint64_t> again;
  if (asked_.has_narrow) {
    std::vector<std::vector<uint64_t>> few(inputs.size());
    std::vector<uint64_t> few_given;
    for (const size_t lane : open) {
      for (size_t i = 0; i < inputs.size(); ++i) few[i].push_back(inputs[i][lane]);
      few_given.push_back(given[lane]);
    }
    again = Results(few, few_given, 1);
  }
  for (size_t k = 0; k < open.size(); ++k) {
    const size_t lane = open[k];
    if (!again.empty() && again[k] == given[lane]) continue;
    Answer answer{first + lane, {}, given[lane]};
    for (const std::vector<uint64_t>& column : inputs) answer.inputs.push_back(column[lane]);
    CompareOne(std::move(answer), results[lane], deviations, tally);
  }
}

// Classifies an answer that neither result of Results allows: it is within the bound of an approximation, allowed by
// other choices, or a deviation.
void Side::CompareOne(Answer answer, uint64_t reference, Deviations* deviations, Tally* tally) const {
  if (approximate_) {
    double error = 0;
    const bool within = WithinBound(answer, reference, &error);
    if (tally != nullptr && error > tally->worst_error) {
      tally->worst_error = error;
      tally->worst = answer;
    }
    if (within) return;
  }
  const std::vector<uint64_t> inputs = asked_.Order(answer.inputs);
  const ir::MembershipResult member = ir::IsAllowed(asked_.dag, asked_.term, inputs, {answer.output});
  if (member.membership == ir::Membership::kMember) return;
  if (member.membership == ir::Membership::kNotFound) {
    ++deviations->undecided;
    return;
  }
  const ir::AllowedSet allowed = ir::AllowedResults(asked_.dag, asked_.term, inputs, 8);
  const std::string kind = KindOf(answer, allowed);
  deviations->Add(kind, {std::move(answer), AllowedText(allowed, case_.result_bits)});
}

// Returns whether the answer is within the row's bound. Returns false if the first input is zero, infinite, NaN, or a
// flushed denormal, or if a result is NaN, because these results must be exact. Absolute and relative bounds are
// widened by one ULP, because the reference is rounded too. If the bound does not apply to the inputs, every number
// counts as within it, including a zero of either sign. Sets `error` to the measured error as a fraction of the bound.
bool Side::WithinBound(const Answer& answer, uint64_t reference, double* error) const {
  const Bound& bound = case_.bound;
  const uint64_t output = answer.output, input = answer.inputs[0] & kMagnitude;
  const bool flush = case_.mode == ir::DenormMode::kFlush;
  if (input == 0 || input >= kInfinity || (flush && IsDenormal32(input))) return false;
  if (!bound.stated() || IsNan32(output) || IsNan32(reference)) return false;
  if (flush && IsDenormal32(output)) return false;
  if (flush && (reference & kMagnitude) == 0) {
    // The reference may have been flushed, so compare the output with the unflushed reference.
    const std::vector<uint64_t> inputs = other_.Order(answer.inputs);
    ir::Evaluator evaluator(&other_.dag);
    evaluator.Start(inputs, [](uint32_t) { return uint64_t{0}; });
    reference = evaluator.Evaluate(other_.term.lowered.root[0]);
  }
  if (bound.within > 0 && ir::BitsToFloat(input, 32) > bound.within) return true;
  if ((reference & kMagnitude) == 0 && (output & kMagnitude) == 0) return reference == output;
  const double ulp = UlpDistance(output, reference);
  if ((reference & kMagnitude) == kInfinity || (output & kMagnitude) == kInfinity)
    return ulp <= std::max(1.0, bound.ulp);
  const double expected = ir::BitsToFloat(reference, 32), distance = std::abs(ir::BitsToFloat(output, 32) - expected);
  const double unit = std::max(std::ldexp(1.0, -149), std::abs(expected) * std::ldexp(1.0, -23));
  double fraction = std::numeric_limits<double>::infinity();
  if (bound.ulp > 0) fraction = ulp / bound.ulp;
  if (bound.absolute > 0) fraction = std::min(fraction, distance / bound.absolute);
  if (bound.relative > 0 && expected != 0)
    fraction = std::min(fraction, distance / (bound.relative * std::abs(expected)));
  if (std::isfinite(fraction)) *error = fraction;
  return (bound.ulp > 0 && ulp <= bound.ulp) || (bound.absolute > 0 && distance <= bound.absolute + unit) ||
         (bound.relative > 0 && distance <= bound.relative * std::abs(expected) + unit);
}

std::string Side::KindOf(const Answer& answer, const ir::AllowedSet& allowed) const {
  const uint64_t output = answer.output;
  const bool flush = case_.mode == ir::DenormMode::kFlush;
  bool allows_nan = false, allows_zero = false;
  double ulp = std::numeric_limits<double>::infinity();
  for (const ir::AllowedResult& result : allowed.results) {
    allows_nan |= result[0].kind == ir::AllowedKind::kAnyNan;
    if (result[0].kind != ir::AllowedKind::kValue) continue;
    allows_zero |= (result[0].value & kMagnitude) == 0;
    if (!IsNan32(result[0].value)) ulp = std::min(ulp, UlpDistance(output, result[0].value));
  }
  if (case_.float_result) {
    if (IsNan32(output)) return "NaN for a number";
    if (allows_nan) return "number for a NaN";
    if (case_.saturates && output != kSign && output > 0x3f800000u) return "clamp";
    if ((output & kMagnitude) == 0 && allows_zero) return "sign of zero";
    if (flush && IsDenormal32(output)) return "denormal kept";
  }
  if (case_.mode != ir::DenormMode::kNone && !approximate_) {
    const std::vector<uint64_t> inputs = other_.Order(answer.inputs);
    if (ir::IsAllowed(other_.dag, other_.term, inputs, {output}).membership == ir::Membership::kMember) {
      return flush ? "denormal kept" : "denormal flushed";
    }
  }
  if (case_.result_bits == 1) return "other truth";
  if (case_.float_result && approximate_) return "beyond the bound";
  if (case_.float_result && ulp <= 16) return absl::StrCat("off by ", ulp, " ULP");
  return "other value";
}

uint64_t Deviations::count() const {
  uint64_t count = 0;
  for (const auto& [name, kind] : kinds) count += kind.count;
  return count;
}

void Deviations::Add(const std::string& name, Example example) {
  Kind& kind = kinds[name];
  ++kind.count;
  kind.examples.insert(std::upper_bound(kind.examples.begin(), kind.examples.end(), example), std::move(example));
  if (kind.examples.size() > kExamples) kind.examples.pop_back();
}

void Deviations::Merge(const Deviations& other) {
  undecided += other.undecided;
  for (const auto& [name, kind] : other.kinds) {
    const uint64_t before = kinds[name].count;
    for (const Example& example : kind.examples) Add(name, example);
    kinds[name].count = before + kind.count;
  }
}

void Tally::Merge(const Tally& other) {
  lanes += other.lanes;
  description.Merge(other.description);
  ir.Merge(other.ir);
  // Among equal errors, keep the lowest lane, so that the result does not depend on thread timing.
  const bool worse = other.worst_error > worst_error;
  if (worse || (other.worst_error == worst_error && worst_error > 0 && other.worst.lane < worst.lane)) {
    worst_error = other.worst_error;
    worst = other.worst;
  }
}

absl::StatusOr<std::unique_ptr<Judge>> Judge::Create(const machine::Machine& machine, const Case& one) {
  std::unique_ptr<Judge> judge(new Judge);
  const absl::StatusOr<ir::Term> term = machine::ProgramTerm(machine, one.program);
  if (!term.ok()) return term.status();
  absl::StatusOr<std::unique_ptr<Side>> side = Side::Create(one, *term);
  if (!side.ok()) return side.status();
  judge->description_ = *std::move(side);
  const absl::StatusOr<std::optional<IrSide>> ir = IrSideOf(machine, one);
  if (!ir.ok()) return ir.status();
  if (ir->has_value()) {
    side = Side::Create(one, (*ir)->term);
    if (!side.ok()) return side.status();
    judge->ir_ = *std::move(side);
    judge->ir_text_ = (*ir)->text;
    for (const v1::Deviation& deviation : machine.description().deviations()) {
      judge->deviation_listed_ |= deviation.op() == (*ir)->op;
    }
  }
  return judge;
}

Judge::~Judge() = default;

const ir::Dag& Judge::dag() const { return description_->dag(); }
const std::vector<ir::ValueIndex>& Judge::roots() const { return description_->roots(); }

void Judge::Compare(uint64_t first, const std::vector<std::vector<uint64_t>>& inputs,
                    absl::Span<const uint32_t> outputs, Tally* tally) const {
  tally->lanes += outputs.size();
  description_->Compare(first, inputs, outputs, &tally->description, tally);
  if (ir_ != nullptr) ir_->Compare(first, inputs, outputs, &tally->ir, nullptr);
}

}  // namespace rewrought::silicon
