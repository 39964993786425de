#include "server/pipeline/fragment_work.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"
#include "machine/base_selection.h"
#include "machine/cost.h"
#include "machine/nir_form.h"
#include "server/pipeline/fact_predicates.h"
#include "server/pipeline/fragment_form.h"
#include "server/pipeline/host_oracle.h"

namespace rewrought::pipeline {
namespace {

constexpr uint64_t kOracleVectors = 100000;  // design, section 8
constexpr uint8_t kPermissions = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;

// The search side says what it permits; `exact` says where a rule applies, and a strict one applies anywhere.
void DropExact(ir::Term* term) {
  for (ir::Node& node : term->nodes) node.flags &= kPermissions;
}

void SetPredicate(const std::string& variable, const std::string& predicate, ir::Term* term) {
  for (ir::Node& node : term->nodes) {
    if (node.kind != ir::NodeKind::kVariable || node.name != variable) continue;
    node.predicates.clear();
    if (!predicate.empty()) node.predicates.push_back(predicate);
  }
}

bool ReadAsFloat(const ir::Term& term, const std::string& variable) {
  for (const ir::Node& node : term.nodes) {
    for (size_t s = 0; s < node.sources.size(); ++s) {
      const ir::Node& source = term.at(node.sources[s].node);
      if (source.kind == ir::NodeKind::kVariable && source.name == variable &&
          node.op->sources[s].base == ir::BaseType::kFloat) {
        return true;
      }
    }
  }
  return false;
}

// Whether no program can be cheaper: one instruction that issues as fast as any.
bool IsCheapest(const machine::Machine& machine, const machine::Cost& cost) {
  double least = cost.issue_cycles;
  for (const machine::Variant& variant : machine.variants()) least = std::min(least, variant.cost->issue_cycles);
  return cost.instructions <= 1 && cost.issue_cycles <= least;
}

void FillCost(const machine::Cost& cost, v1::ProgramCost* proto) {
  proto->set_instructions(static_cast<uint32_t>(cost.instructions));
  proto->set_cycles(cost.issue_cycles);
  proto->set_latency(cost.latency);
  proto->set_bytes(static_cast<uint32_t>(cost.bytes));
}

void FillGeneralisation(const RuleDraft& draft, const std::vector<ir::DenormMode>& modes, v1::Generalisation* proto) {
  proto->add_widths(draft.search.root_node().bits);
  for (const ir::DenormMode mode : modes) {
    if (mode == ir::DenormMode::kAny) proto->add_modes(v1::DENORM_MODE_ANY);
    if (mode == ir::DenormMode::kFlush) proto->add_modes(v1::DENORM_MODE_FLUSH);
    if (mode == ir::DenormMode::kPreserve) proto->add_modes(v1::DENORM_MODE_PRESERVE);
  }
  std::set<std::string> named;
  for (const ir::Node& node : draft.search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || !named.insert(node.name).second) continue;
    for (const std::string& predicate : node.predicates) {
      v1::Generalisation::Precondition* precondition = proto->add_preconditions();
      precondition->set_node(node.name);
      precondition->set_predicate(predicate);
    }
  }
}

}  // namespace

absl::StatusOr<bool> FragmentWorker::ProvedAs(const RuleDraft& draft, Judgement* judgement) const {
  absl::StatusOr<Judgement> now = judge_->Decide(draft, options_.modes);
  if (!now.ok()) return now.status();
  if (!now->proved) {
    if (judgement->cases.empty() || !judgement->proved) *judgement = *std::move(now);
    return false;
  }
  *judgement = *std::move(now);
  return true;
}

absl::Status FragmentWorker::WeakenFlags(RuleDraft* draft, Judgement* judgement) const {
  // First one permission everywhere, then node by node what is left.
  std::vector<std::pair<ir::NodeIndex, uint8_t>> tries;
  const std::vector<ir::NodeIndex> ops = OpsInPrefixOrder(draft->search);
  const auto try_without = [&](const std::vector<ir::NodeIndex>& nodes, uint8_t flag) -> absl::StatusOr<bool> {
    RuleDraft weaker = *draft;
    bool changed = false;
    for (const ir::NodeIndex node : nodes) {
      changed = changed || (weaker.search.nodes[node].flags & flag) != 0;
      weaker.search.nodes[node].flags &= static_cast<uint8_t>(~flag);
    }
    if (!changed) return true;
    absl::StatusOr<bool> proved = ProvedAs(weaker, judgement);
    if (proved.ok() && *proved) *draft = std::move(weaker);
    return proved;
  };
  for (const uint8_t flag : {ir::kNoInf, ir::kNoNan, ir::kNoSignedZero}) {
    absl::StatusOr<bool> dropped = try_without(ops, flag);
    if (!dropped.ok()) return dropped.status();
    if (*dropped || ops.size() < 2) continue;
    for (const ir::NodeIndex node : ops) {
      absl::StatusOr<bool> one = try_without({node}, flag);
      if (!one.ok()) return one.status();
    }
  }
  return absl::OkStatus();
}

absl::Status FragmentWorker::WeakenPredicates(const SiteProfile& profile, RuleDraft* draft,
                                              Judgement* judgement) const {
  const std::vector<std::string> names = VariablesInOrder(draft->search);
  for (size_t i = 0; i < names.size() && i < profile.facts.size(); ++i) {
    std::vector<std::string> weaker = {""};
    for (std::string& predicate : GrantedPredicates(profile.facts[i])) weaker.push_back(std::move(predicate));
    for (const std::string& predicate : weaker) {
      RuleDraft tried = *draft;
      SetPredicate(names[i], predicate, &tried.search);
      if (DraftText(tried) == DraftText(*draft)) break;
      absl::StatusOr<bool> proved = ProvedAs(tried, judgement);
      if (!proved.ok()) return proved.status();
      if (!*proved) continue;
      *draft = std::move(tried);
      break;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> FragmentWorker::FindAssumptions(const SiteProfile& profile, RuleDraft* draft,
                                                     Judgement* last) const {
  RuleDraft plain = *draft;
  ApplyMarks(0, &plain.search);
  absl::StatusOr<bool> proved = ProvedAs(plain, last);
  if (!proved.ok() || *proved) {
    *draft = std::move(plain);
    return proved;
  }
  // Only a refutation is worth an assumption: what the solvers cannot decide rarely gets easier.
  if (!last->refuted) return false;
  RuleDraft flagged = plain;
  ApplyMarks(profile.marks, &flagged.search);
  DropExact(&flagged.search);
  proved = ProvedAs(flagged, last);
  if (!proved.ok()) return proved;
  RuleDraft assumed = flagged;
  if (!*proved) {
    if (!last->refuted) return false;
    const std::vector<std::string> names = VariablesInOrder(assumed.search);
    bool any = false;
    for (size_t i = 0; i < names.size() && i < profile.facts.size(); ++i) {
      if (!ReadAsFloat(assumed.search, names[i])) continue;
      const std::vector<std::string> granted = GrantedPredicates(profile.facts[i]);
      if (granted.empty()) continue;
      SetPredicate(names[i], granted.back(), &assumed.search);
      any = true;
    }
    if (!any) return false;
    proved = ProvedAs(assumed, last);
    if (!proved.ok() || !*proved) return proved;
    const absl::Status weakened = WeakenPredicates(profile, &assumed, last);
    if (!weakened.ok()) return weakened;
  }
  const absl::Status weakened = WeakenFlags(&assumed, last);
  if (!weakened.ok()) return weakened;
  *draft = std::move(assumed);
  return true;
}

store::RuleRecord FragmentWorker::MakeRule(const store::FragmentSummary& fragment, const RuleDraft& draft,
                                           const Judgement& judgement, const machine::Cost& base) const {
  store::RuleRecord rule;
  rule.id = DraftId(draft);
  rule.machine = machine_.id();
  rule.search = ir::PrintTerm(draft.search);
  if (draft.program.has_value()) {
    rule.program = machine::PrintProgram(machine_, *draft.program);
  } else {
    rule.replace = ir::PrintTerm(draft.replace);
  }
  rule.flags = draft.search.root_node().flags;
  rule.fragment = fragment.digest;
  rule.semantics = SemanticsOf(machine_);
  std::set<std::string> ops;
  for (const ir::NodeIndex node : OpsInPrefixOrder(draft.search)) ops.insert(draft.search.at(node).op->name);
  rule.ops.assign(ops.begin(), ops.end());
  v1::PackEntry detail;
  FillGeneralisation(draft, options_.modes, detail.mutable_rule()->mutable_generalisation());
  machine::Cost cost;
  if (draft.program.has_value()) {
    cost = machine::ProgramCost(machine_, *draft.program);
  } else if (absl::StatusOr<machine::Cost> after = machine::BaseCost(machine_, draft.replace, machine::BaseKind::kStrong);
             after.ok()) {
    cost = *after;
  }
  FillCost(cost, detail.mutable_rule()->mutable_cost());
  FillCost(base, detail.mutable_rule()->mutable_base_cost());
  const MutantTally tally = JudgeMutants(*mutant_prover_, draft, MutantsOf(draft, options_.mutants));
  detail.mutable_mutants()->set_refuted(static_cast<uint32_t>(tally.refuted));
  detail.mutable_mutants()->set_equivalent(static_cast<uint32_t>(tally.equivalent));
  detail.mutable_mutants()->set_undecided(static_cast<uint32_t>(tally.undecided));
  if (judgement.confirmed) {
    v1::Confirmation* confirmation = detail.add_confirmations();
    confirmation->set_axis(v1::Confirmation::AXIS_SOLVER);
    std::set<std::string> by;
    for (const v1::CaseVerdict& verdict : judgement.cases) {
      by.insert(verdict.confirmed_by_size() > 0 ? verdict.confirmed_by(0) : "exhaustion");
    }
    std::string names;
    for (const std::string& name : by) absl::StrAppend(&names, names.empty() ? "" : ", ", name);
    confirmation->set_by(names);
  }
  const absl::StatusOr<ir::Term> replace = ReplacementTerm(draft);
  if (replace.ok()) {
    const OracleTally oracle = CompareWithHost(draft.search, *replace, kOracleVectors);
    if (oracle.covered && oracle.disagreed == 0 && oracle.agreed >= kOracleVectors) {
      v1::Confirmation* confirmation = detail.add_confirmations();
      confirmation->set_axis(v1::Confirmation::AXIS_ENCODING);
      confirmation->set_by(kHostOracleName);
      confirmation->set_vectors(oracle.agreed);
    }
  }
  rule.detail = detail.SerializeAsString();
  return rule;
}

// What the program does, said in NIR, is a rule for every back end, if base selection gives its cost here.
absl::StatusOr<std::optional<store::RuleRecord>> FragmentWorker::NirRule(const store::FragmentSummary& fragment,
                                                                         const RuleDraft& draft,
                                                                         const machine::Cost& base) const {
  std::optional<store::RuleRecord> none;
  absl::StatusOr<ir::Term> replace = machine::NirTermOf(machine_, *draft.program);
  if (!replace.ok()) return none;
  const absl::StatusOr<machine::Cost> after = machine::BaseCost(machine_, *replace, machine::BaseKind::kStrong);
  if (!after.ok() || !CheaperThan(*after, base)) return none;
  RuleDraft nir{&machine_, draft.search, std::nullopt, *std::move(replace)};
  absl::StatusOr<Judgement> judgement = judge_->Decide(nir, options_.modes, true);
  if (absl::IsInvalidArgument(judgement.status())) return none;
  if (!judgement.ok()) return judgement.status();
  if (!judgement->proved) return none;
  return MakeRule(fragment, nir, *judgement, base);
}

absl::StatusOr<FragmentResult> FragmentWorker::Work(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                                    std::stop_token stop) const {
  FragmentResult result;
  absl::StatusOr<ir::Term> term = TermOfStored(fragment.fragment.text);
  if (!term.ok()) return result;  // nothing that this version can read
  SearchGoal goal{*std::move(term), profile.facts, {}};
  ApplyMarks(profile.marks, &goal.term);
  // What strong base selection gives already is no news.
  absl::StatusOr<machine::Cost> base = machine::BaseCost(machine_, goal.term, machine::BaseKind::kStrong);
  if (!base.ok()) base = machine::BaseCost(machine_, goal.term, machine::BaseKind::kOnePerOp);
  if (!base.ok() || IsCheapest(machine_, *base)) return result;
  goal.base = *base;
  std::vector<machine::Program> programs;
  absl::StatusOr<SearchStatistics> statistics = search_->Search(goal, stop, [&](machine::Program program) {
    programs.push_back(std::move(program));
    return true;
  });
  if (stop.stop_requested()) return absl::CancelledError("stopped while a fragment was searched");
  if (!statistics.ok()) return result;
  result.statistics = *statistics;
  result.found = programs.size();
  for (size_t i = 0; i < programs.size() && i < options_.max_judged; ++i) {
    RuleDraft draft{&machine_, goal.term, std::move(programs[i]), {}};
    RuleDraft as_found = draft;
    ApplyMarks(0, &as_found.search);
    result.candidates.push_back({DraftId(as_found), machine_.id(), fragment.digest, DraftText(as_found)});
    Judgement judgement;
    absl::StatusOr<bool> proved = FindAssumptions(profile, &draft, &judgement);
    if (!proved.ok()) {
      if (absl::IsInvalidArgument(proved.status())) continue;  // a program that the machine's rules refuse
      return proved.status();
    }
    if (*proved) {
      // What is kept is confirmed; the attempts on the way were not worth a second solver.
      absl::StatusOr<Judgement> confirmed = judge_->Decide(draft, options_.modes, true);
      if (!confirmed.ok()) return confirmed.status();
      judgement = *std::move(confirmed);
    }
    if (!judgement.proved) {
      ++(judgement.refuted ? result.refuted : result.unknown);
      continue;
    }
    ++result.proved;
    result.rules.push_back(MakeRule(fragment, draft, judgement, *base));
    absl::StatusOr<std::optional<store::RuleRecord>> in_nir = NirRule(fragment, draft, *base);
    if (!in_nir.ok()) return in_nir.status();
    if (in_nir->has_value()) result.rules.push_back(**std::move(in_nir));
    break;
  }
  return result;
}

}  // namespace rewrought::pipeline
