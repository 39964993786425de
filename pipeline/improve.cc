#include "pipeline/improve.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "enumerator/reals/real_form_search.h"
#include "ir/facts/value_facts.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "machine/base/base_selection.h"
#include "machine/candidate.h"
#include "pipeline/discovery/inexact_proposal.h"
#include "pipeline/run_budget.h"
#include "verifier/mesa/mesa_reading.h"

namespace rewrought::pipeline {
namespace {

constexpr size_t kMostForms = 8;  // the maximum number of forms over the reals to try

// Verifies the candidate in all modes. Returns VERDICT_REFUTED if it is refuted in any mode, and VERDICT_PROVED only if
// it is proved in all modes.
v1::Verdict VerifyModes(const verifier::Prover& prover, const machine::Candidate& candidate,
                        const std::vector<ir::DenormMode>& modes) {
  absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  if (!replace.ok()) return v1::VERDICT_UNSUPPORTED;
  verifier::RuleCase rule_case = verifier::CaseAsMesa(candidate.search, *std::move(replace));
  const bool by_mode = rule_case.mode != ir::DenormMode::kNone;
  v1::Verdict verdict = v1::VERDICT_PROVED;
  for (const ir::DenormMode mode : by_mode ? modes : std::vector<ir::DenormMode>{ir::DenormMode::kNone}) {
    rule_case.mode = mode;
    const v1::Verdict one = prover.Prove(rule_case).verdict;
    if (one == v1::VERDICT_REFUTED) return one;
    if (one != v1::VERDICT_PROVED) verdict = one;
  }
  return verdict;
}

// Calls `found` with base selection's programs for forms equal to `term` over the reals. Each form is cheaper than
// `best` and than the forms before it.
void ImproveOverReals(const machine::Machine& machine, const ir::Term& term, machine::Cost best,
                      const verifier::Prover& prover, const ImproveOptions& options, RunBudget& budget,
                      const std::function<void(const Improvement&)>& found) {
  const machine::Cost base = *machine::BaseCost(machine, term, machine::BaseKind::kTuned);
  enumerator::OpPrices prices(machine);
  std::vector<enumerator::RealForm> forms =
      enumerator::FindCheaperRealForms(machine, term, best, &prices, kMostForms, budget.token());
  std::reverse(forms.begin(), forms.end());
  for (const enumerator::RealForm& form : forms) {
    if (budget.spent()) return;
    if (!machine::CheaperThan(form.cost, best)) continue;
    const absl::StatusOr<machine::Program> program =
        machine::BaseProgram(machine, form.special.replace, machine::BaseKind::kTuned);
    if (!program.ok()) continue;
    // Verify the program instead of the form, because the program may contract operations that the form rounds
    // separately.
    const machine::Candidate selected{&machine, term, *program, {}};
    const v1::Verdict verdict = VerifyModes(prover, selected, options.modes);
    Improvement improvement{machine::PrintProgram(machine, *program), machine::ProgramCost(machine, *program), base,
                            verdict, machine::CandidateId(selected).hex()};
    if (verdict == v1::VERDICT_REFUTED) {
      machine::Candidate candidate;
      const auto over_reals = VerifyInexactProposal(form, prover.solvers().first(), budget.token(), &candidate);
      improvement.inexact =
          over_reals.has_value() && over_reals->holds && over_reals->accuracy == v1::ACCURACY_CLASS_NOT_LESS_ACCURATE;
    }
    if (verdict != v1::VERDICT_PROVED && !improvement.inexact) continue;
    best = form.cost;
    found(improvement);
  }
}

}  // namespace

absl::StatusOr<ir::Term> SizedExpression(absl::string_view expression, int width) {
  absl::StatusOr<ir::Term> term = ir::ParseTerm(expression);
  if (!term.ok()) return term.status();
  if (term->root_node().kind != ir::NodeKind::kOp) return absl::InvalidArgumentError("the expression has no operation");
  ir::Rule rule;
  rule.search = *std::move(term);
  const ir::SizeOptions options{.find = &ir::FindOp, .literals_exact = true};
  absl::StatusOr<std::vector<ir::SizeAssignment>> sizes = ir::EnumerateSizes(rule, options);
  if (!sizes.ok()) return sizes.status();
  const auto wanted = std::find_if(sizes->begin(), sizes->end(),
                                   [&](const ir::SizeAssignment& assignment) { return assignment.width == width; });
  absl::StatusOr<ir::Rule> sized = ir::Instantiate(rule, wanted != sizes->end() ? *wanted : sizes->back(), options);
  if (!sized.ok()) return sized.status();
  return sized->search;
}

absl::Status Improve(absl::string_view expression, const machine::Machine& machine, enumerator::CandidateSearch* search,
                     const verifier::Solvers& solvers, const ImproveOptions& options,
                     const std::function<void(const Improvement&)>& found) {
  absl::StatusOr<ir::Term> term = SizedExpression(expression, options.width);
  if (!term.ok()) return term.status();
  RunBudget budget({options.seconds, 0, false}, options.stop);
  verifier::ProverOptions prover_options;
  prover_options.cancel = budget.token();
  const verifier::Prover prover(solvers, prover_options);
  enumerator::SearchGoal goal{*term, std::vector<ir::ValueFacts>(ir::VariablesInOrder(*term).size()), {}};
  const auto say = [&](machine::Program program) {
    machine::Candidate candidate{&machine, *term, std::move(program), {}};
    Improvement improvement{machine::PrintProgram(machine, *candidate.program),
                            machine::ProgramCost(machine, *candidate.program), goal.base,
                            VerifyModes(prover, candidate, options.modes), machine::CandidateId(candidate).hex()};
    // Base selection's program need not be equal bit for bit, because base selection contracts operations and turns
    // divisions into multiplications.
    if (improvement.verdict == v1::VERDICT_REFUTED || improvement.verdict == v1::VERDICT_UNKNOWN)
      improvement.inexact = IsInexact(candidate, solvers.first(), budget.token());
    found(improvement);
  };
  absl::StatusOr<machine::Program> base = machine::BaseProgram(machine, *term, machine::BaseKind::kTuned);
  if (base.ok()) {
    goal.base = machine::ProgramCost(machine, *base);
    say(*std::move(base));
  } else {
    goal.base.issue_cycles = 1e30;
  }
  std::optional<machine::Cost> best;
  bool told = false;
  std::vector<machine::Program> programs;
  absl::StatusOr<enumerator::SearchStatistics> statistics =
      search->Search(goal, budget.token(), [&](machine::Program program) {
        programs.push_back(std::move(program));
        return true;
      });
  if (!statistics.ok() && !(base.ok() && absl::IsUnimplemented(statistics.status()))) return statistics.status();
  // Try expensive programs first, so that each reported program improves on the programs before it.
  std::reverse(programs.begin(), programs.end());
  for (machine::Program& program : programs) {
    if (budget.spent()) break;
    machine::Candidate candidate{&machine, *term, program, {}};
    const v1::Verdict verdict = VerifyModes(prover, candidate, options.modes);
    if (verdict == v1::VERDICT_REFUTED || verdict == v1::VERDICT_UNSUPPORTED) continue;
    const machine::Cost cost = machine::ProgramCost(machine, program);
    if (best.has_value() && !machine::CheaperThan(cost, *best)) continue;
    if (verdict == v1::VERDICT_PROVED) best = cost;
    told = true;
    found({machine::PrintProgram(machine, program), cost, goal.base, verdict, machine::CandidateId(candidate).hex()});
  }
  if (!base.ok()) return told ? absl::OkStatus() : base.status();
  ImproveOverReals(machine, *term, best.value_or(goal.base), prover, options, budget, found);
  return absl::OkStatus();
}

}  // namespace rewrought::pipeline
