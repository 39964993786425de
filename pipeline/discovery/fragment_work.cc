#include "pipeline/discovery/fragment_work.h"

#include <algorithm>
#include <string>
#include <utility>

#include "corpus/fragment_form.h"
#include "enumerator/symbolic_constants.h"
#include "ir/facts/assumptions.h"
#include "ir/match/matcher_model.h"
#include "ir/site_flags.h"
#include "ir/term_order.h"
#include "machine/base/base_selection.h"
#include "machine/base/nir_form.h"
#include "machine/candidate.h"
#include "machine/cost.h"
#include "pipeline/discovery/inexact_proposal.h"
#include "pipeline/rule_record.h"
#include "rules/sharing.h"
#include "verifier/inexact/inexact.h"

namespace rewrought::pipeline {
namespace {

constexpr size_t kMostRealForms = 3;  // the maximum number of forms to verify per fragment

bool HasFloats(const machine::Candidate& candidate) {
  const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  return ir::HasFloatOperation(candidate.search) || (replace.ok() && ir::HasFloatOperation(*replace));
}

// Returns the candidate's NIR rule, which any back end can use. Its replacement is the meaning of the candidate's
// program. Returns nullopt if base selection for this replacement saves too little on this machine.
std::optional<machine::Candidate> NirForm(const machine::Candidate& candidate) {
  const machine::Machine& machine = *candidate.machine;
  absl::StatusOr<ir::Term> replace = machine::NirTermOf(machine, *candidate.program);
  if (!replace.ok()) return std::nullopt;
  const absl::StatusOr<machine::Cost> before = machine::BaseCost(machine, candidate.search, machine::BaseKind::kTuned);
  const absl::StatusOr<machine::Cost> after = machine::BaseCost(machine, *replace, machine::BaseKind::kTuned);
  if (!before.ok() || !after.ok() || !machine::WorthARule(*after, *before)) return std::nullopt;
  return machine::Candidate{&machine, candidate.search, std::nullopt, *std::move(replace)};
}

store::CandidateRecord RecordOf(const machine::Candidate& candidate, const FragmentGoal& goal) {
  return {machine::CandidateId(candidate), candidate.machine->id(), goal.fragment, machine::CandidateText(candidate)};
}

// Verifies candidates for a goal and turns them into rules.
class GoalWork {
 public:
  GoalWork(const FragmentContext& context, CandidateVerifier* verifier, const FragmentGoal& goal, std::stop_token stop,
           FragmentResult* result)
      : context_(context), verifier_(verifier), goal_(goal), stop_(std::move(stop)), result_(*result) {}

  // Both functions return whether they produced rules.
  absl::StatusOr<bool> VerifyProgram(machine::Program program);
  absl::StatusOr<bool> VerifyRealForm(const enumerator::RealForm& form);
  // Keeps the first inexact rule that was deferred because it may lose precision, unless known rules of this kind
  // already save as much. Returns whether it kept the rule.
  absl::StatusOr<bool> KeepCancelling();

 private:
  struct CancellingRule {
    machine::Candidate rule;
    machine::Cost cost;
  };

  absl::StatusOr<ir::Answer> IsProved(const machine::Candidate& candidate) const;
  absl::StatusOr<ir::Answer> ProveUnderFewest(const std::vector<ir::AssumptionSet>& sets,
                                              machine::Candidate* candidate) const;
  bool RefutedByVectors(const machine::Candidate& candidate) const;
  absl::StatusOr<bool> KeepProved(const machine::Candidate& candidate);
  absl::StatusOr<bool> KeepStrict(const machine::Candidate& candidate);
  absl::StatusOr<bool> KeepInexact(const machine::Candidate& candidate, rules::KnownRules* known);
  absl::StatusOr<bool> Keep(const RuleClaim& claim);

  const FragmentContext& context_;
  CandidateVerifier* const verifier_;
  const FragmentGoal& goal_;
  const std::stop_token stop_;
  FragmentResult& result_;
  std::optional<CancellingRule> cancelling_;
};

absl::StatusOr<ir::Answer> GoalWork::IsProved(const machine::Candidate& candidate) const {
  const absl::StatusOr<CandidateVerdict> now = verifier_->Decide(candidate, {context_.modes[0]});
  if (!now.ok()) return now.status();
  return now->proved ? ir::Answer::kHolds : now->refuted ? ir::Answer::kFails : ir::Answer::kUnknown;
}

bool GoalWork::RefutedByVectors(const machine::Candidate& candidate) const {
  const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  return replace.ok() &&
         context_.vectors->Prove({candidate.search, *replace, context_.modes[0]}).verdict == v1::VERDICT_REFUTED;
}

// Proves the candidate under the first set of assumptions in `sets` that suffices, and then weakens these assumptions
// as far as possible.
absl::StatusOr<ir::Answer> GoalWork::ProveUnderFewest(const std::vector<ir::AssumptionSet>& sets,
                                                      machine::Candidate* candidate) const {
  machine::Candidate tried = *candidate;
  const ir::Holds holds = [&](const ir::Term& search) {
    tried.search = search;
    return IsProved(tried);
  };
  // Many sets contain only flags, and vectors refute the candidate under most of them.
  const ir::Holds screened = [&](const ir::Term& search) -> absl::StatusOr<ir::Answer> {
    tried.search = search;
    const ir::AssumptionSet assumed = ir::AssumptionsIn(search);
    const bool flags_alone = !assumed.empty() && assumed.back().flag != 0;
    return flags_alone && RefutedByVectors(tried) ? ir::Answer::kFails : holds(search);
  };
  const absl::StatusOr<ir::Answer> proved = ir::FirstSufficientSet(sets, screened, &candidate->search);
  if (!proved.ok() || *proved != ir::Answer::kHolds) return proved;
  const absl::Status weakened =
      ir::Weaken(rules::WeakerAtSites(candidate->search, goal_.sites), holds, &candidate->search);
  if (!weakened.ok()) return weakened;
  return proved;
}

// Verifies the claim as if it came from another installation, and keeps the rule. Returns false if this verification
// fails.
absl::StatusOr<bool> GoalWork::Keep(const RuleClaim& claim) {
  const absl::StatusOr<VerifiedRule> shown = context_.rule_verifier->Verify(claim);
  if (absl::IsCancelled(shown.status())) return shown.status();
  if (!shown.ok()) return false;
  // A stored rule must hold in the first mode.
  const v1::DenormMode wanted = claim.verdicts.front().mode();
  if (shown->verdicts.front().mode() != wanted) return false;
  store::RuleRecord rule = RecordOfRule(goal_.fragment, claim.candidate, shown->evidence);
  if (absl::Status kept = context_.verified->Keep(rule, shown->verdicts); !kept.ok()) return kept;
  result_.rules.push_back(std::move(rule));
  return true;
}

absl::StatusOr<bool> GoalWork::KeepStrict(const machine::Candidate& candidate) {
  RuleClaim claim{candidate, v1::RULE_CLASS_STRICT, {}};
  // A rule that does not hold in all modes gets a condition in its pack.
  for (const ir::DenormMode mode : context_.modes) {
    absl::StatusOr<CandidateVerdict> one = verifier_->Decide(candidate, {mode});
    if (!one.ok()) return one.status();
    const bool first = mode == context_.modes[0];
    if (first && !one->proved) return false;
    if (!one->proved) continue;
    for (v1::CaseVerdict& verdict : one->cases) claim.verdicts.push_back(std::move(verdict));
    if (first && !HasFloats(candidate)) break;
  }
  const absl::StatusOr<bool> kept = Keep(claim);
  if (!kept.ok() || !*kept) return kept;
  context_.found->strict.Add(candidate);
  context_.found->over_reals.Add(candidate);
  return true;
}

// Keeps a proved candidate and its NIR form as rules, after replacing as many of their constants as possible with
// symbols.
absl::StatusOr<bool> GoalWork::KeepProved(const machine::Candidate& candidate) {
  const size_t before = result_.rules.size();
  std::vector<machine::Candidate> forms = {candidate};
  if (std::optional<machine::Candidate> nir = candidate.program.has_value() ? NirForm(candidate) : std::nullopt) {
    absl::StatusOr<ir::Answer> proved = IsProved(*nir);
    if (proved.ok() && *proved == ir::Answer::kFails && ir::MakeComparisonsExact(&nir->replace))
      proved = IsProved(*nir);
    if (!proved.ok() && !absl::IsInvalidArgument(proved.status())) return proved.status();
    if (proved.ok() && *proved == ir::Answer::kHolds) forms.push_back(*std::move(nir));
  }
  for (const machine::Candidate& form : forms) {
    CandidateProver prover(context_.machine, !form.program.has_value(), verifier_);
    const machine::Candidate general = enumerator::WithSymbolicConstants(form, {context_.modes[0]}, &prover, stop_);
    if (stop_.stop_requested()) return absl::CancelledError("stopped while generalizing a rule");
    if (machine::CandidateText(general) != machine::CandidateText(form)) ++result_.general;
    if (const absl::StatusOr<bool> kept = KeepStrict(general); !kept.ok()) return kept;
  }
  const bool kept = result_.rules.size() > before;
  ++(kept ? result_.proved : result_.unknown);  // unknown: the second solver did not agree
  return kept;
}

absl::StatusOr<bool> GoalWork::VerifyProgram(machine::Program program) {
  machine::Candidate candidate{&context_.machine, goal_.sought.term, std::move(program), {}};
  ir::ApplyNodeFlags(0, &candidate.search);
  result_.candidates.push_back(RecordOf(candidate, goal_));
  std::vector<ir::AssumptionSet> sets = rules::AssumptionsOfSites(candidate.search, goal_.sites);
  for (ir::AssumptionSet& set : rules::FlagsOfAnySite(candidate.search)) sets.push_back(std::move(set));
  const absl::StatusOr<ir::Answer> proved = ProveUnderFewest(sets, &candidate);
  if (absl::IsInvalidArgument(proved.status())) return false;  // the program is not legal on the machine
  if (!proved.ok()) return proved.status();
  if (*proved == ir::Answer::kHolds) return KeepProved(candidate);
  ++(*proved == ir::Answer::kFails ? result_.refuted : result_.unknown);
  return false;
}

absl::StatusOr<bool> GoalWork::KeepInexact(const machine::Candidate& candidate, rules::KnownRules* known) {
  RuleClaim claim{candidate, v1::RULE_CLASS_INEXACT, {}};
  // Also keep the verdicts on bit-for-bit equality. If the solvers do not decide one mode, do not spend time on the
  // other modes.
  for (const ir::DenormMode mode : context_.modes) {
    absl::StatusOr<CandidateVerdict> strict = verifier_->Decide(candidate, {mode});
    if (!strict.ok()) return strict.status();
    for (v1::CaseVerdict& verdict : strict->cases) claim.verdicts.push_back(std::move(verdict));
    if ((!strict->refuted && !strict->proved) || !HasFloats(candidate)) break;
  }
  const absl::StatusOr<bool> kept = Keep(claim);
  if (!kept.ok()) return kept;
  if (*kept) known->Add(candidate);
  ++(*kept ? result_.proved : result_.unknown);
  return kept;
}

// Creates a strict rule if the form is equal bit for bit under the sites' assumptions, or else an inexact rule with `~`
// if the form is proved over the reals.
absl::StatusOr<bool> GoalWork::VerifyRealForm(const enumerator::RealForm& form) {
  machine::Candidate candidate = form.special;
  result_.candidates.push_back(RecordOf(candidate, goal_));
  ir::ApplyNodeFlags(0, &candidate.search);
  // A sharing rule (rules/sharing.h) keeps its own predicate, even though no proof needs it, and gets no other
  // predicate.
  const bool shares = rules::SharingLevels(candidate.search).has_value();
  const absl::StatusOr<ir::Answer> proved =
      shares ? IsProved(candidate)
             : ProveUnderFewest(rules::AssumptionsOfSites(candidate.search, goal_.sites), &candidate);
  if (absl::IsInvalidArgument(proved.status())) return false;
  if (!proved.ok()) return proved.status();
  if (*proved == ir::Answer::kHolds) return KeepProved(candidate);
  // Treat a form that the solvers leave undecided like a refuted form, because it is not proved bit for bit.
  const std::optional<verifier::InexactVerdict> over_reals =
      VerifyInexactProposal(form, context_.solver, stop_, &candidate);
  if (stop_.stop_requested()) return absl::CancelledError("stopped while verifying a form over the reals");
  const std::optional<machine::Candidate> rule = !over_reals.has_value() ? std::nullopt
                                                 : shares                ? candidate
                                                                         : Terminating(candidate);
  if (!rule.has_value()) {
    ++result_.refuted;
    return false;
  }
  if (over_reals->accuracy == v1::ACCURACY_CLASS_NOT_LESS_ACCURATE)
    return KeepInexact(*rule, &context_.found->over_reals);
  if (!cancelling_.has_value()) cancelling_ = CancellingRule{*rule, form.cost};
  return false;
}

absl::StatusOr<bool> GoalWork::KeepCancelling() {
  if (!cancelling_.has_value()) return false;
  const absl::StatusOr<machine::Cost> known = context_.found->cancelling.CostOf(goal_.sought.term, goal_.sites.facts);
  if (known.ok() && !machine::CheaperThan(cancelling_->cost, *known)) return false;
  return KeepInexact(cancelling_->rule, &context_.found->cancelling);
}

absl::Status VerifyWorthwhile(const FragmentContext& context, const FragmentGoal& goal,
                              std::vector<machine::Program> programs, std::stop_token stop, FragmentResult* result) {
  std::erase_if(programs, [&](const machine::Program& program) {
    const machine::Cost cost = machine::ProgramCost(context.machine, program);
    return !machine::WorthARule(cost, goal.sought.base) || !rules::AnyAdmits(goal.budgets, cost);
  });
  result->found = programs.size();
  GoalWork work(context, context.verifier, goal, stop, result);
  for (size_t i = 0; i < programs.size() && i < context.max_verified; ++i) {
    const absl::StatusOr<bool> kept = work.VerifyProgram(std::move(programs[i]));
    if (!kept.ok() || *kept) return kept.status();
  }
  return absl::OkStatus();
}

absl::Status VerifyOverReals(const FragmentContext& context, const FragmentGoal& goal, std::stop_token stop,
                             FragmentResult* result) {
  machine::Cost base = goal.sought.base;
  if (absl::StatusOr<machine::Cost> known = context.found->over_reals.CostOf(goal.sought.term, goal.sites.facts);
      known.ok() && machine::CheaperThan(*known, base)) {
    base = *std::move(known);
  }
  std::vector<enumerator::RealForm> forms =
      enumerator::FindCheaperRealForms(context.machine, goal.sought.term, base, context.prices, kMostRealForms, stop);
  std::erase_if(forms, [&](const enumerator::RealForm& form) { return !rules::AnyAdmits(goal.budgets, form.cost); });
  result->found += forms.size();
  GoalWork work(context, context.quick_verifier, goal, stop, result);
  for (const enumerator::RealForm& form : forms) {
    if (stop.stop_requested()) return absl::CancelledError("stopped while verifying forms over the reals");
    const absl::StatusOr<bool> kept = work.VerifyRealForm(form);
    if (!kept.ok() || *kept) return kept.status();
  }
  return work.KeepCancelling().status();
}

// Verifies the rule that groups the operands of a chain as other chains of the shader do (rules/sharing.h). Such a rule
// makes the shader cheaper, but not the fragment itself.
absl::Status VerifySharing(const FragmentContext& context, const FragmentGoal& goal, std::stop_token stop,
                           FragmentResult* result) {
  const std::vector<std::string> names = ir::VariablesInOrder(goal.sought.term);
  for (const size_t shared : goal.sites.shared) {
    const std::optional<ir::Rule> rule =
        shared < names.size() ? rules::SharingRule(goal.sought.term, names[shared]) : std::nullopt;
    if (!rule.has_value()) continue;
    const machine::Candidate candidate{&context.machine, rule->search, std::nullopt, rule->replace};
    ++result->found;
    GoalWork work(context, context.quick_verifier, goal, stop, result);
    // Other shared variables would yield the same rule.
    return work.VerifyRealForm({candidate, candidate, {}, goal.sought.base}).status();
  }
  return absl::OkStatus();
}

}  // namespace

bool HasConstantPart(const ir::Term& term) {
  const auto is_constant = [&](const ir::Source& source) {
    return term.at(source.node).kind == ir::NodeKind::kConstant;
  };
  return std::any_of(term.nodes.begin(), term.nodes.end(), [&](const ir::Node& node) {
    if (node.kind != ir::NodeKind::kOp) return false;
    if (node.op->name == "fdiv" && is_constant(node.sources[1])) return true;
    return std::all_of(node.sources.begin(), node.sources.end(), is_constant);
  });
}

std::optional<FragmentGoal> GoalOf(const FragmentContext& context, const store::FragmentSummary& fragment,
                                   rules::SiteProfile sites) {
  absl::StatusOr<ir::Term> term = corpus::TermOfStored(fragment.fragment.text);
  if (!term.ok() || HasConstantPart(*term)) return std::nullopt;  // an error: this version cannot read the term
  ir::ApplyNodeFlags(sites.node_flags, &*term);
  // A new rule must be cheaper than both tuned baseline selection and the known rules.
  absl::StatusOr<machine::Cost> base = machine::BaseCost(context.machine, *term, machine::BaseKind::kTuned);
  if (!base.ok()) {
    base = machine::BaseCost(context.machine, *term, machine::BaseKind::kNaive);
  } else if (absl::StatusOr<machine::Cost> known = context.found->strict.CostOf(*term, sites.facts);
             known.ok() && machine::CheaperThan(*known, *base)) {
    base = std::move(known);
  }
  if (!base.ok() || base->instructions == 0) return std::nullopt;
  std::vector<rules::SiteBudget> budgets = rules::BudgetsAt(context.machine, *term, sites.multi_use);
  return FragmentGoal{fragment.digest, {*std::move(term), sites.facts, *base}, std::move(sites), std::move(budgets)};
}

absl::StatusOr<FragmentResult> VerifyPrograms(const FragmentContext& context, const FragmentGoal& goal,
                                              std::vector<machine::Program> programs, std::stop_token stop) {
  FragmentResult result;
  const absl::Status verified = VerifyWorthwhile(context, goal, std::move(programs), std::move(stop), &result);
  if (!verified.ok()) return verified;
  return result;
}

absl::StatusOr<FragmentResult> WorkOnFragment(const FragmentContext& context, const store::FragmentSummary& fragment,
                                              const rules::SiteProfile& sites, std::stop_token stop) {
  FragmentResult result;
  std::optional<FragmentGoal> goal = GoalOf(context, fragment, sites);
  if (!goal.has_value()) return result;
  std::vector<machine::Program> programs;
  const absl::StatusOr<enumerator::SearchStatistics> searched =
      context.search->Search(goal->sought, stop, [&](machine::Program program) {
        programs.push_back(std::move(program));
        return true;
      });
  if (stop.stop_requested()) return absl::CancelledError("stopped while searching a fragment");
  if (searched.ok()) {  // an error means that no bank supports the goal
    result.statistics = *searched;
    const absl::Status verified = VerifyWorthwhile(context, *goal, std::move(programs), stop, &result);
    if (!verified.ok()) return verified;
  }
  // A newly found strict rule lowers the cost that another rule must beat.
  if (!result.rules.empty()) goal = GoalOf(context, fragment, sites);
  if (!goal.has_value()) return result;
  absl::Status verified = VerifyOverReals(context, *goal, stop, &result);
  if (verified.ok()) verified = VerifySharing(context, *goal, stop, &result);
  if (!verified.ok()) return verified;
  return result;
}

}  // namespace rewrought::pipeline
