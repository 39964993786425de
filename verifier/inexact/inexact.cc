#include "verifier/inexact/inexact.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "verifier/inexact/constant_sets.h"
#include "verifier/inexact/fused_products.h"
#include "verifier/inexact/inexact_error.h"
#include "verifier/inexact/inexact_number.h"
#include "verifier/inexact/inexact_reals.h"
#include "verifier/message/explain.h"

namespace rewrought::verifier {
namespace {

// Limits of ClimbToHardInputs for each of its three objectives.
constexpr size_t kClimbStarts = 256, kClimbSteps = 600, kClimbStepsWhenApproximate = 150;

// The search side must be defined over the reals for at least one in this many admitted inputs.
constexpr size_t kLeastDefinedShare = 16;

// Returns whether the term converts floats to a narrower type. Such a conversion rounds intentionally, and reading it
// as the identity would permit its removal.
bool NarrowsFloats(const ir::Term& term) {
  return std::any_of(term.nodes.begin(), term.nodes.end(), [&](const ir::Node& node) {
    if (node.kind != ir::NodeKind::kOp || node.op->result.base != ir::BaseType::kFloat) return false;
    if (absl::StartsWith(node.op->name, "fquantize")) return true;
    return (node.op->properties & ir::kIsConversion) != 0 && node.bits < term.at(node.sources[0].node).bits;
  });
}

class InexactCheck {
 public:
  InexactCheck(const RuleCase& rule_case, const PreparedCase& prepared, Solver* solver, const InexactOptions& options,
               const std::set<uint32_t>& positive_inputs = {})
      : rule_case_(rule_case),
        prepared_(prepared),
        solver_(solver),
        options_(options),
        forms_(positive_inputs),
        reader_(&prepared.dag(), &forms_) {
    const auto& dag = prepared_.dag();
    for (ir::ValueIndex i = 0; i < dag.size(); ++i) {
      approximate_ |= dag.at(i).primitive == ir::Primitive::kApprox;
      fuses_ |= dag.at(i).primitive == ir::Primitive::kFadd && options_.fuses && options_.fuses(dag.at(i).width);
    }
  }

  InexactVerdict Run() {
    const absl::Status stated = StateGoal();
    if (!stated.ok()) {
      verdict_.reals = absl::StrCat("unknown: ", std::string(stated.message()));
      return verdict_;
    }
    if (goal_ != kFalseFormula) {
      if (RefuteByPoints()) return verdict_;
      if (!DecideWherePositive() && !DecideBySolver()) return verdict_;
    }
    Measure();
    return verdict_;
  }

 private:
  size_t PointCount() const { return approximate_ ? options_.points_when_approximate : options_.points; }

  // Sets goal_ to a formula that holds for every admitted input on which the search side is defined, but the
  // replacement is undefined or differs.
  absl::Status StateGoal() {
    const auto& search = prepared_.search().lowered.root;
    const auto& replace = prepared_.replace().lowered.root;
    std::vector<FormulaId> exists, agrees;
    for (size_t c = 0; c < search.size(); ++c) {
      if (IsTruth(prepared_.dag(), search[c]) || IsTruth(prepared_.dag(), replace[c])) {
        const auto before = reader_.ReadTruth(search[c]);
        if (!before.ok()) return before.status();
        const auto after = reader_.ReadTruth(replace[c]);
        if (!after.ok()) return after.status();
        exists.push_back(before->exists);
        agrees.push_back(after->exists);
        agrees.push_back(forms_.formulas().Choose(before->truth, after->truth, forms_.formulas().Not(after->truth)));
      } else {
        const auto before = reader_.ReadReal(search[c]);
        if (!before.ok()) return before.status();
        const auto after = reader_.ReadReal(replace[c]);
        if (!after.ok()) return after.status();
        exists.push_back(before->exists);
        agrees.push_back(after->exists);
        agrees.push_back(forms_.Compare(ir::Primitive::kFeq, *before, *after).truth);
      }
    }
    exists_ = forms_.formulas().And(exists);
    readings_ = reader_.inputs();
    assumption_ = ReadAssumption(prepared_.assumption());
    if (assumption_ == kFalseFormula) return absl::UnimplementedError("no number meets the preconditions");
    if (forms_.too_large()) return absl::ResourceExhaustedError("polynomials grow too large");
    goal_ = forms_.formulas().And({assumption_, exists_, forms_.formulas().Not(forms_.formulas().And(agrees))});
    return absl::OkStatus();
  }

  // Returns the preconditions that can be read over the reals; omitting the others makes the proved statement stronger.
  FormulaId ReadAssumption(ir::ValueIndex index) {
    const ir::Value& value = prepared_.dag().at(index);
    if (value.primitive == ir::Primitive::kAnd) {
      const FormulaId left = ReadAssumption(value.operands[0]);
      return forms_.formulas().And({left, ReadAssumption(value.operands[1])});
    }
    const auto truth = reader_.ReadTruth(index);
    return truth.ok() && truth->exists == kTrueFormula ? truth->truth : kTrueFormula;
  }

  static std::string SpellPoint(const PreparedCase& sides, const std::vector<uint64_t>& point) {
    std::vector<std::string> values;
    for (size_t i = 0; i < point.size(); ++i) {
      const ir::Input& input = sides.dag().inputs()[i];
      if (IsZeroSign(input)) continue;
      values.push_back(absl::StrCat(input.name, " = ", FormatValue(point[i], input.width)));
    }
    return absl::StrJoin(values, ", ");
  }

  // Returns the results of both sides at `point` if they differ over the reals, else nullopt.
  std::optional<std::string> DifferenceAt(const std::vector<uint64_t>& point) {
    NumberDomain domain(&prepared_.dag(), point);
    RealReader<NumberDomain> reader(&prepared_.dag(), &domain);
    const auto& search = prepared_.search().lowered.root;
    const auto& replace = prepared_.replace().lowered.root;
    for (size_t c = 0; c < search.size(); ++c) {
      std::string before_text, after_text = "nothing";
      if (IsTruth(prepared_.dag(), search[c]) || IsTruth(prepared_.dag(), replace[c])) {
        const auto before = reader.ReadTruth(search[c]), after = reader.ReadTruth(replace[c]);
        if (!before.ok() || !after.ok() || !before->exists || !domain.reliable()) continue;
        if (after->exists && before->truth == after->truth) continue;
        before_text = before->truth ? "true" : "false";
        if (after->exists) after_text = after->truth ? "true" : "false";
      } else {
        const auto before = reader.ReadReal(search[c]), after = reader.ReadReal(replace[c]);
        if (!before.ok() || !after.ok() || !before->exists || !domain.reliable()) continue;
        if (after->exists && !domain.Differ(*before, *after)) continue;
        before_text = Spell(*before->value);
        if (after->exists) after_text = Spell(*after->value);
      }
      return absl::StrCat("the search returns ", before_text, ", the replacement ", after_text);
    }
    return std::nullopt;
  }

  bool RefuteByPoints() {
    for (const std::vector<uint64_t>& point :
         DistinguishingPoints(prepared_, readings_, PointCount() / 2, options_.seed)) {
      if (options_.cancel.stop_requested()) return false;
      const std::optional<std::string> difference = DifferenceAt(point);
      if (!difference.has_value()) continue;
      const std::string text = SpellPoint(prepared_, point);
      verdict_.reals = absl::StrCat("refuted", text.empty() ? "" : absl::StrCat(" at ", text), ": ", *difference);
      return true;
    }
    return false;
  }

  // Returns true if the goal holds nowhere. Decides again under the assumption that certain inputs are positive,
  // because the search side is defined, or the preconditions hold, only for such inputs.
  bool DecideWherePositive() {
    const std::set<uint32_t> positive = forms_.PositiveInputs(forms_.formulas().And({assumption_, exists_}));
    if (positive.empty()) return false;
    InexactCheck there(rule_case_, prepared_, solver_, options_, positive);
    if (!there.StateGoal().ok()) return false;
    if (there.goal_ != kFalseFormula && !there.DecideBySolver()) return false;
    solved_by_ = there.solved_by_;
    used_identities_ = there.forms_.used_identities();
    return true;
  }

  // Returns true if the goal holds nowhere.
  bool DecideBySolver() {
    if (solver_ == nullptr) {
      verdict_.reals = "unknown: normal forms differ, and there is no solver";
      return false;
    }
    SolverQuery query;
    query.tactic = Tactic::kReal;
    query.text = RealQuery(forms_, goal_);
    query.work_ms = options_.solver_work_ms;
    query.cancel = options_.cancel;
    const SolverAnswer answer = solver_->Solve(query);
    if (answer.answer == Answer::kUnsat) {
      solved_by_ = answer.solver;
      return true;
    }
    verdict_.reals = absl::StrCat("unknown: ", answer.answer == Answer::kSat
                                                   ? "the solver has a model that no sampled point confirms"
                                                   : answer.reason);
    return false;
  }

  std::string ProofText() const {
    std::string text = solved_by_.empty() ? "proved by normal forms" : absl::StrCat("proved by ", solved_by_);
    if (exists_ != kTrueFormula) absl::StrAppend(&text, ", where the search side exists over the reals");
    std::set<absl::string_view> used = used_identities_;
    if (used.empty()) used = forms_.used_identities();
    if (!used.empty()) absl::StrAppend(&text, "; identities: ", absl::StrJoin(used, ", "));
    return text;
  }

  // Returns the case whose errors are measured, with both sides as the target computes them. The order of its inputs
  // may differ from that of the original case.
  absl::StatusOr<std::unique_ptr<PreparedCase>> FusedCase() const {
    RuleCase fused = rule_case_;
    fused.search = WithFusedProducts(std::move(fused.search));
    if (!options_.is_program) fused.replace = WithFusedProducts(std::move(fused.replace));
    return PreparedCase::Create(fused);
  }

  std::vector<InputReading> ReadingsIn(const PreparedCase& other) const {
    std::vector<InputReading> readings;
    for (const ir::Input& input : other.dag().inputs()) {
      const auto& inputs = prepared_.dag().inputs();
      const auto place =
          std::find_if(inputs.begin(), inputs.end(), [&](const ir::Input& one) { return one.name == input.name; });
      readings.push_back(place == inputs.end() ? InputReading::kUnread
                                               : readings_[static_cast<size_t>(place - inputs.begin())]);
    }
    return readings;
  }

  void Measure() {
    if (!fuses_) return MeasureSides(prepared_);
    const absl::StatusOr<std::unique_ptr<PreparedCase>> fused = FusedCase();
    if (fused.ok()) return MeasureSides(**fused);
    verdict_.reals = absl::StrCat("unknown: ", std::string(fused.status().message()));
  }

  void MeasureSides(const PreparedCase& sides) {
    const std::vector<InputReading> readings = ReadingsIn(sides);
    auto points = SampledPoints(sides, readings, PointCount(), options_.seed);
    const absl::StatusOr<MeasuredError> measured = MeasureError(sides, points);
    if (!measured.ok()) {
      verdict_.reals = absl::StrCat("unknown: ", std::string(measured.status().message()));
      return;
    }
    if (measured->defined_points == 0 || measured->defined_points * kLeastDefinedShare < measured->admitted_points) {
      verdict_.reals = absl::StrCat("unknown: the search side exists over the reals only at ", measured->defined_points,
                                    " of ", measured->admitted_points, " sampled inputs");
      return;
    }
    verdict_.reals_equal = true;
    verdict_.reals = ProofText();
    verdict_.ulp_bound = ErrorBoundInUlp(prepared_);  // without fusing, which gives the larger bound
    verdict_.ulp_before_max = measured->before_max;
    verdict_.ulp_before_median = measured->before_median;
    verdict_.ulp_after_max = measured->after_max;
    verdict_.ulp_after_median = measured->after_median;
    verdict_.lost_before = measured->wrong_before + measured->lost_before;
    verdict_.lost_after = measured->wrong_after + measured->lost_after;
    verdict_.special = SpecialTable(rule_case_, readings_);
    AddCount("wrong Booleans", measured->wrong_before, measured->wrong_after, measured->points);
    AddCount("not finite, or not 0 where the exact value is", measured->lost_before, measured->lost_after,
             measured->points);
    verdict_.holds = measured->points > 0;
    if (options_.errors) StateAccuracy(sides, readings, std::move(points));
  }

  void StateAccuracy(const PreparedCase& sides, const std::vector<InputReading>& readings,
                     std::vector<std::vector<uint64_t>> points) {
    const std::set<uint32_t> positive = forms_.PositiveInputs(forms_.formulas().And({assumption_, exists_}));
    const Fusing as_written = AsWritten(rule_case_);
    verdict_.growth_as_written = GrowthOfErrors(prepared_, as_written, positive);
    verdict_.growth_fused = GrowthOfErrors(prepared_, FusingOf(as_written, rule_case_, options_), positive);
    if (verdict_.ulp_after_max.has_value()) {
      points.resize(std::min(points.size(), kClimbStarts));
      FindHardest(sides, readings, points);
    }
    const ErrorGrowth& growth = fuses_ ? verdict_.growth_fused : verdict_.growth_as_written;
    const bool loses = verdict_.lost_after > verdict_.lost_before;
    verdict_.accuracy = !loses && growth.factor.has_value() && *growth.factor <= kMostGrowth
                            ? v1::ACCURACY_CLASS_NOT_LESS_ACCURATE
                        : loses || verdict_.hardest_growth > kMostGrowth ? v1::ACCURACY_CLASS_CANCELLING
                                                                         : v1::ACCURACY_CLASS_UNKNOWN;
  }

  void FindHardest(const PreparedCase& sides, const std::vector<InputReading>& readings,
                   const std::vector<std::vector<uint64_t>>& starts) {
    const size_t steps = approximate_ ? kClimbStepsWhenApproximate : kClimbSteps;
    const absl::StatusOr<HardInputs> hard = ClimbToHardInputs(sides, readings, starts, steps, options_.seed);
    if (!hard.ok()) return;  // cannot happen, because the same points have been measured
    if (hard->before_max > verdict_.ulp_before_max) verdict_.ulp_before_max = hard->before_max;
    if (hard->after_max > verdict_.ulp_after_max) verdict_.ulp_after_max = hard->after_max;
    if (!hard->hardest.has_value() || hard->hardest->error.Growth() <= 1) return;
    const PointError& error = hard->hardest->error;
    verdict_.hardest_growth = error.Growth();
    verdict_.hardest =
        absl::StrFormat("%s: %.4g -> %.4g ULP", SpellPoint(sides, hard->hardest->point), error.before, error.after);
  }

  void AddCount(const char* name, size_t before, size_t after, size_t points) {
    if (before == 0 && after == 0) return;
    verdict_.special.emplace_back(name, absl::StrCat(before, " -> ", after, " of ", points, " sampled inputs"));
  }

  const RuleCase& rule_case_;
  const PreparedCase& prepared_;
  Solver* const solver_;
  const InexactOptions& options_;
  NormalForms forms_;
  RealReader<NormalForms> reader_;
  std::vector<InputReading> readings_;
  FormulaId exists_ = kTrueFormula, assumption_ = kTrueFormula, goal_ = kTrueFormula;
  std::string solved_by_;
  std::set<absl::string_view> used_identities_;  // the identities that DecideWherePositive used
  bool approximate_ = false, fuses_ = false;
  InexactVerdict verdict_;
};

}  // namespace

bool IsMarkedInexact(const ir::Term& search) {
  return std::any_of(search.nodes.begin(), search.nodes.end(),
                     [](const ir::Node& node) { return (node.flags & ir::kInexact) != 0; });
}

Fusing AsWritten(const RuleCase& rule_case) {
  Fusing fusing;
  fusing.constants = ConstantSets(rule_case.search);
  return fusing;
}

Fusing FusingOf(Fusing as_written, const RuleCase& rule_case, const InexactOptions& options) {
  Fusing fusing = std::move(as_written);
  fusing.search = true;
  fusing.replace = !options.is_program;
  fusing.keeps_products_of_constants = options.keeps_products_of_constants;
  fusing.inner_search = HasInnerProducts(rule_case.search);
  fusing.inner_replace = HasInnerProducts(rule_case.replace);
  return fusing;
}

absl::StatusOr<InexactVerdict> VerifyInexact(const RuleCase& rule_case, Solver* solver, const InexactOptions& options) {
  // Over the reals, flags permit nothing, because there is no NaN, infinity, or signed zero.
  RuleCase preserved = WithNamedFlagsOnly(rule_case);
  preserved.mode = ir::DenormMode::kPreserve;
  const absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(preserved);
  if (!prepared.ok()) return prepared.status();
  if (NarrowsFloats(rule_case.search) || NarrowsFloats(rule_case.replace)) {
    InexactVerdict verdict;
    verdict.reals = "unknown: a conversion to a narrower float has no interpretation over the reals";
    return verdict;
  }
  return InexactCheck(preserved, **prepared, solver, options).Run();
}

}  // namespace rewrought::verifier
