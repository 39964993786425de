#include "server/pipeline/fragment_work.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "corpus/fragment_form.h"
#include "emitter/pack.h"
#include "enumerator/symbolic_constants.h"
#include "ir/fact_predicates.h"
#include "ir/site_flags.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "machine/base_selection.h"
#include "machine/candidate.h"
#include "machine/cost.h"
#include "machine/nir_form.h"
#include "rules/site_rule.h"
#include "server/pipeline/rule_record.h"
#include "verifier/oracle/host_oracle.h"

namespace rewrought::pipeline {
namespace {

constexpr uint8_t kPermissions = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;
// The fewest first: each permission multiplies the results that a proof has to look at.
constexpr uint8_t kPermissionSets[] = {
    ir::kNoSignedZero,       ir::kNoNan,  ir::kNoInf, ir::kNoSignedZero | ir::kNoNan, ir::kNoSignedZero | ir::kNoInf,
    ir::kNoNan | ir::kNoInf, kPermissions};

// The search side says what it permits; `exact` says where a rule applies, and a strict one applies anywhere. A
// selection may pass integers on, whose bits no flag of a shader gives away: rules of ours ask for none there.
void KeepPermissionsOfFloats(ir::Term* term) {
  for (ir::Node& node : term->nodes) {
    const bool is_float = node.kind == ir::NodeKind::kOp && node.op->contract != ir::Contract::kBits;
    node.flags = is_float ? node.flags & kPermissions : 0;
  }
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

// An op on constants alone, or the reciprocal of one that a division is made of: every compiler folds it, so the
// fragment without it is the one to look at.
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

bool HasFloats(const machine::Candidate& candidate) {
  const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  return ir::HasFloatOperation(candidate.search) || (replace.ok() && ir::HasFloatOperation(*replace));
}

// Whether a program of this cost is worth a rule: bytes or latency alone are not, and no pack takes such a rule, since
// its order is issue cycles, then ops.
bool IsNews(machine::Cost cost, const machine::Cost& base) {
  cost.bytes = base.bytes;
  cost.latency = base.latency;
  return machine::CheaperThan(cost, base);
}

}  // namespace

absl::StatusOr<bool> FragmentWorker::ProvedAs(const machine::Candidate& candidate, CandidateVerdict* decided) const {
  absl::StatusOr<CandidateVerdict> now = verifier_->Decide(candidate, {options_.modes[0]});
  if (!now.ok()) return now.status();
  if (!now->proved) {
    if (decided->cases.empty() || !decided->proved) *decided = *std::move(now);
    return false;
  }
  *decided = *std::move(now);
  return true;
}

bool FragmentWorker::PaysSomewhere(const machine::Candidate& candidate, const enumerator::SearchGoal& goal,
                                   const SiteProfile& profile) const {
  if (profile.multi_use.empty()) return true;
  return std::any_of(profile.multi_use.begin(), profile.multi_use.end(), [&](uint64_t multi_use) {
    const absl::StatusOr<rules::SiteSaving> saving =
        rules::SavingAt(candidate, goal.term, profile.node_flags, multi_use, {});
    // What base selection does not cover is verified by itself.
    return !saving.ok() || saving->Pays() ||
           (saving->tuned_cycles == 0 && saving->tuned_instructions == 0 && multi_use == 0);
  });
}

absl::Status FragmentWorker::WeakenFlags(machine::Candidate* candidate, CandidateVerdict* decided) const {
  // First one permission everywhere, then node by node what is left.
  std::vector<std::pair<ir::NodeIndex, uint8_t>> tries;
  const std::vector<ir::NodeIndex> ops = ir::OpsInPrefixOrder(candidate->search);
  const auto try_without = [&](const std::vector<ir::NodeIndex>& nodes, uint8_t flag) -> absl::StatusOr<bool> {
    machine::Candidate weaker = *candidate;
    bool changed = false;
    for (const ir::NodeIndex node : nodes) {
      changed = changed || (weaker.search.nodes[node].flags & flag) != 0;
      weaker.search.nodes[node].flags &= static_cast<uint8_t>(~flag);
    }
    if (!changed) return true;
    absl::StatusOr<bool> proved = ProvedAs(weaker, decided);
    if (proved.ok() && *proved) *candidate = std::move(weaker);
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

absl::Status FragmentWorker::WeakenPredicates(const SiteProfile& profile, machine::Candidate* candidate,
                                              CandidateVerdict* decided) const {
  const std::vector<std::string> names = ir::VariablesInOrder(candidate->search);
  for (size_t i = 0; i < names.size() && i < profile.facts.size(); ++i) {
    std::vector<std::string> weaker = {""};
    for (std::string& predicate : ir::GrantedPredicates(profile.facts[i])) weaker.push_back(std::move(predicate));
    for (const std::string& predicate : weaker) {
      machine::Candidate tried = *candidate;
      SetPredicate(names[i], predicate, &tried.search);
      if (machine::CandidateText(tried) == machine::CandidateText(*candidate)) break;
      absl::StatusOr<bool> proved = ProvedAs(tried, decided);
      if (!proved.ok()) return proved.status();
      if (!*proved) continue;
      *candidate = std::move(tried);
      break;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> FragmentWorker::ProvedAtSites(const SiteProfile& profile, machine::Candidate* candidate,
                                                   CandidateVerdict* last) const {
  ir::ApplyNodeFlags(0, &candidate->search);
  absl::StatusOr<bool> proved = ProvedAs(*candidate, last);
  // Only a refutation is worth an assumption: what the solvers cannot decide rarely gets easier.
  if (!proved.ok() || *proved || !last->refuted) return proved;
  machine::Candidate assumed = *candidate;
  ir::ApplyNodeFlags(profile.node_flags, &assumed.search);
  KeepPermissionsOfFloats(&assumed.search);
  proved = ProvedWithPermissions(assumed.search, candidate, last);
  if (!proved.ok() || *proved || !last->refuted) return proved;
  proved = ProvedUnderFacts(profile, &assumed, last);
  if (!proved.ok() || !*proved) return proved;
  const absl::Status weakened = WeakenFlags(&assumed, last);
  if (!weakened.ok()) return weakened;
  *candidate = std::move(assumed);
  return true;
}

absl::StatusOr<bool> FragmentWorker::FindAssumptions(const SiteProfile& profile, machine::Candidate* candidate,
                                                     CandidateVerdict* last) const {
  absl::StatusOr<bool> proved = ProvedAtSites(profile, candidate, last);
  if (!proved.ok() || *proved || !last->refuted) return proved;
  ir::Term permissive = candidate->search;
  for (ir::Node& node : permissive.nodes) {
    if (node.kind == ir::NodeKind::kOp && node.op->contract != ir::Contract::kBits) node.flags = kPermissions;
  }
  return ProvedWithPermissions(permissive, candidate, last);
}

absl::StatusOr<bool> FragmentWorker::ProvedWithPermissions(const ir::Term& granted, machine::Candidate* candidate,
                                                           CandidateVerdict* last) const {
  for (const uint8_t permissions : kPermissionSets) {
    machine::Candidate tried = *candidate;
    uint8_t used = 0;
    for (size_t i = 0; i < tried.search.nodes.size(); ++i) {
      used |= tried.search.nodes[i].flags = granted.nodes[i].flags & permissions;
    }
    // Without what is not granted it is another set.
    if (used != permissions || RefutedByVectors(tried)) continue;
    absl::StatusOr<bool> proved = ProvedAs(tried, last);
    if (!proved.ok()) return proved;
    if (!*proved && last->refuted) continue;
    if (!*proved) return false;
    const absl::Status weakened = WeakenFlags(&tried, last);
    if (!weakened.ok()) return weakened;
    *candidate = std::move(tried);
    return true;
  }
  return false;
}

bool FragmentWorker::RefutedByVectors(const machine::Candidate& candidate) const {
  const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  return replace.ok() &&
         mutant_prover_->Prove({candidate.search, *replace, options_.modes[0]}).verdict == verifier::Verdict::kRefuted;
}

absl::StatusOr<bool> FragmentWorker::ProvedUnderFacts(const SiteProfile& profile, machine::Candidate* candidate,
                                                      CandidateVerdict* last) const {
  const std::vector<std::string> names = ir::VariablesInOrder(candidate->search);
  bool any = false;
  for (size_t i = 0; i < names.size() && i < profile.facts.size(); ++i) {
    if (!ReadAsFloat(candidate->search, names[i])) continue;
    const std::vector<std::string> granted = ir::GrantedPredicates(profile.facts[i]);
    if (granted.empty()) continue;
    SetPredicate(names[i], granted.back(), &candidate->search);
    any = true;
  }
  if (!any) return false;
  absl::StatusOr<bool> proved = ProvedAs(*candidate, last);
  if (!proved.ok() || !*proved) return proved;
  const absl::Status weakened = WeakenPredicates(profile, candidate, last);
  if (!weakened.ok()) return weakened;
  return true;
}

store::RuleRecord FragmentWorker::MakeRule(const store::FragmentSummary& fragment, const machine::Candidate& candidate,
                                           const CandidateVerdict& decided,
                                           const std::vector<ir::DenormMode>& modes) const {
  RuleEvidence evidence;
  evidence.modes = modes;
  evidence.mutants =
      verifier::VerifyMutants(*mutant_prover_, candidate, verifier::MutantsOf(candidate, options_.mutants));
  if (decided.confirmed) {
    std::set<std::string> by;
    for (const v1::CaseVerdict& verdict : decided.cases) {
      by.insert(verdict.confirmed_by_size() > 0 ? verdict.confirmed_by(0) : "exhaustion");
    }
    evidence.solvers = absl::StrJoin(by, ", ");
  }
  if (const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate); replace.ok()) {
    const verifier::OracleTally oracle =
        verifier::CompareWithHost(candidate.search, *replace, emitter::kConfirmingVectors);
    if (oracle.covered && oracle.disagreed == 0 && oracle.agreed >= emitter::kConfirmingVectors) {
      evidence.encoding = verifier::kHostOracleName;
      evidence.vectors = oracle.agreed;
    }
  }
  return RecordOfRule(fragment.digest, candidate, evidence);
}

// What the program does, said in NIR, is a rule for every back end, if base selection gives its cost here.
absl::StatusOr<std::optional<machine::Candidate>> FragmentWorker::NirCandidate(
    const machine::Candidate& candidate) const {
  std::optional<machine::Candidate> none;
  absl::StatusOr<ir::Term> replace = machine::NirTermOf(machine_, *candidate.program);
  if (!replace.ok()) return none;
  const absl::StatusOr<machine::Cost> before = machine::BaseCost(machine_, candidate.search, machine::BaseKind::kTuned);
  const absl::StatusOr<machine::Cost> after = machine::BaseCost(machine_, *replace, machine::BaseKind::kTuned);
  if (!before.ok() || !after.ok() || !IsNews(*after, *before)) return none;
  machine::Candidate nir{&machine_, candidate.search, std::nullopt, *std::move(replace)};
  absl::StatusOr<CandidateVerdict> decided = verifier_->Decide(nir, {options_.modes[0]});
  if (absl::IsInvalidArgument(decided.status())) return none;
  if (!decided.ok()) return decided.status();
  if (!decided->proved) return none;
  return nir;
}

absl::Status FragmentWorker::KeepRule(const store::FragmentSummary& fragment, const machine::Candidate& candidate,
                                      FragmentResult* result) const {
  // What is kept is confirmed; the attempts on the way were not worth a second solver.
  absl::StatusOr<CandidateVerdict> confirmed = verifier_->Decide(candidate, {options_.modes[0]}, true);
  if (!confirmed.ok()) return confirmed.status();
  if (!confirmed->proved) return absl::OkStatus();
  // The other modes widen where it may be applied; a rule without them carries a condition in its pack.
  std::vector<ir::DenormMode> modes = {options_.modes[0]};
  for (size_t i = 1; i < options_.modes.size() && HasFloats(candidate); ++i) {
    absl::StatusOr<CandidateVerdict> other = verifier_->Decide(candidate, {options_.modes[i]}, true);
    if (!other.ok()) return other.status();
    if (!other->proved) continue;
    modes.push_back(options_.modes[i]);
    confirmed->confirmed = confirmed->confirmed && other->confirmed;
    for (v1::CaseVerdict& verdict : other->cases) confirmed->cases.push_back(std::move(verdict));
  }
  result->rules.push_back(MakeRule(fragment, candidate, *confirmed, modes));
  known_->Add(candidate);
  known_over_reals_->Add(candidate);
  return absl::OkStatus();
}

absl::Status FragmentWorker::KeepProved(const store::FragmentSummary& fragment, const machine::Candidate& candidate,
                                        std::stop_token stop, FragmentResult* result) const {
  std::vector<machine::Candidate> candidates = {candidate};
  if (candidate.program.has_value()) {
    absl::StatusOr<std::optional<machine::Candidate>> in_nir = NirCandidate(candidate);
    if (!in_nir.ok()) return in_nir.status();
    if (in_nir->has_value()) candidates.push_back(**std::move(in_nir));
  }
  for (const machine::Candidate& proved : candidates) {
    CandidateProver prover(machine_, !proved.program.has_value(), verifier_);
    const machine::Candidate general = enumerator::WithSymbolicConstants(proved, {options_.modes[0]}, &prover, stop);
    if (stop.stop_requested()) return absl::CancelledError("stopped while a rule was generalised");
    if (machine::CandidateText(general) != machine::CandidateText(proved)) ++result->general;
    const absl::Status kept = KeepRule(fragment, general, result);
    if (!kept.ok()) return kept;
  }
  return absl::OkStatus();
}

std::optional<enumerator::SearchGoal> FragmentWorker::GoalOf(const store::FragmentSummary& fragment,
                                                             const SiteProfile& profile) const {
  absl::StatusOr<ir::Term> term = corpus::TermOfStored(fragment.fragment.text);
  if (!term.ok()) return std::nullopt;  // nothing that this version can read
  if (HasConstantPart(*term)) return std::nullopt;
  enumerator::SearchGoal goal{*std::move(term), profile.facts, {}};
  ir::ApplyNodeFlags(profile.node_flags, &goal.term);
  // What tuned baseline selection and known rules give already is no news.
  absl::StatusOr<machine::Cost> base = machine::BaseCost(machine_, goal.term, machine::BaseKind::kTuned);
  if (!base.ok()) {
    base = machine::BaseCost(machine_, goal.term, machine::BaseKind::kNaive);
  } else if (absl::StatusOr<machine::Cost> known = known_->CostOf(goal.term, profile.facts);
             known.ok() && machine::CheaperThan(*known, *base)) {
    base = std::move(known);
  }
  if (!base.ok() || base->instructions == 0) return std::nullopt;
  goal.base = *base;
  return goal;
}

absl::StatusOr<FragmentResult> FragmentWorker::Work(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                                    std::stop_token stop) const {
  const std::optional<enumerator::SearchGoal> goal = GoalOf(fragment, profile);
  if (!goal.has_value()) return FragmentResult{};
  std::vector<machine::Program> programs;
  const absl::StatusOr<enumerator::SearchStatistics> statistics =
      search_->Search(*goal, stop, [&](machine::Program program) {
        programs.push_back(std::move(program));
        return true;
      });
  if (stop.stop_requested()) return absl::CancelledError("stopped while a fragment was searched");
  FragmentResult result;
  if (statistics.ok()) {  // else no bank takes it
    absl::StatusOr<FragmentResult> verified = VerifyPrograms(fragment, profile, *goal, std::move(programs), stop);
    if (!verified.ok()) return verified.status();
    result = *std::move(verified);
    result.statistics = *statistics;
  }
  const absl::Status worked = over_reals_->WorkOverReals(fragment, profile, *goal, stop, &result);
  if (!worked.ok()) return worked;
  return result;
}

absl::StatusOr<FragmentResult> FragmentWorker::VerifyPrograms(const store::FragmentSummary& fragment,
                                                              const SiteProfile& profile,
                                                              const enumerator::SearchGoal& goal,
                                                              std::vector<machine::Program> programs,
                                                              std::stop_token stop) const {
  FragmentResult result;
  std::erase_if(programs, [&](const machine::Program& program) {
    return !IsNews(machine::ProgramCost(machine_, program), goal.base) ||
           !PaysSomewhere({&machine_, goal.term, program, {}}, goal, profile);
  });
  result.found = programs.size();
  for (size_t i = 0; i < programs.size() && i < options_.max_verified; ++i) {
    machine::Candidate candidate{&machine_, goal.term, std::move(programs[i]), {}};
    machine::Candidate as_found = candidate;
    ir::ApplyNodeFlags(0, &as_found.search);
    result.candidates.push_back(
        {machine::CandidateId(as_found), machine_.id(), fragment.digest, machine::CandidateText(as_found)});
    CandidateVerdict decided;
    absl::StatusOr<bool> proved = FindAssumptions(profile, &candidate, &decided);
    if (!proved.ok()) {
      if (absl::IsInvalidArgument(proved.status())) continue;  // a program that the machine's rules refuse
      return proved.status();
    }
    if (!*proved) {
      ++(decided.refuted ? result.refuted : result.unknown);
      continue;
    }
    const absl::Status kept = KeepProved(fragment, candidate, stop, &result);
    if (!kept.ok()) return kept;
    if (result.rules.empty()) {  // the second solver did not agree
      ++result.unknown;
      continue;
    }
    ++result.proved;
    break;
  }
  return result;
}

}  // namespace rewrought::pipeline
