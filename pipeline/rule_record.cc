#include "pipeline/rule_record.h"

#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "ir/digest.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "machine/base/base_selection.h"
#include "machine/cost.h"
#include "machine/cost_message.h"
#include "machine/sample_constants.h"
#include "machine/semantics.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::pipeline {
namespace {

void FillGeneralisation(const machine::Candidate& candidate, const std::vector<ir::DenormMode>& modes,
                        v1::Generalisation* proto) {
  proto->add_widths(candidate.search.root_node().bits);
  for (const ir::DenormMode mode : modes) {
    if (mode != ir::DenormMode::kNone) proto->add_modes(verifier::ModeProto(mode));
  }
  std::set<std::string> named;
  for (const ir::Node& node : candidate.search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || !named.insert(node.name).second) continue;
    for (const std::string& predicate : node.predicates) {
      v1::Generalisation::Precondition* precondition = proto->add_preconditions();
      precondition->set_node(node.name);
      precondition->set_predicate(predicate);
    }
  }
}

void FillConfirmations(const RuleEvidence& evidence, v1::PackEntry* entry) {
  if (!evidence.solvers.empty()) {
    v1::Confirmation* confirmation = entry->add_confirmations();
    confirmation->set_axis(v1::Confirmation::AXIS_SOLVER);
    confirmation->set_by(evidence.solvers);
  }
  if (evidence.encoding.empty()) return;
  v1::Confirmation* confirmation = entry->add_confirmations();
  confirmation->set_axis(v1::Confirmation::AXIS_ENCODING);
  confirmation->set_by(evidence.encoding);
  confirmation->set_vectors(evidence.vectors);
}

// Returns the text of the search side, the replacement, and the program; one of the last two is empty.
std::tuple<std::string, std::string, std::string> TextsOf(const machine::Candidate& candidate) {
  const std::string search = ir::PrintTerm(candidate.search);
  if (!candidate.program.has_value()) return {search, ir::PrintTerm(candidate.replace), ""};
  return {search, "", machine::PrintProgram(*candidate.machine, *candidate.program)};
}

}  // namespace

store::RuleRecord RecordOfRule(const ir::Digest& fragment, const machine::Candidate& candidate,
                               const RuleEvidence& evidence) {
  const machine::Machine& machine = *candidate.machine;
  store::RuleRecord rule;
  rule.id = machine::CandidateId(candidate);
  rule.machine = machine.id();
  rule.rule_class = evidence.inexact.has_value() ? v1::RULE_CLASS_INEXACT : v1::RULE_CLASS_STRICT;
  std::tie(rule.search, rule.replace, rule.program) = TextsOf(candidate);
  rule.fragment = fragment;
  rule.semantics = machine::SemanticsOf(machine);
  SetFlagsAndOps(candidate, &rule);
  v1::PackEntry detail;
  FillGeneralisation(candidate, evidence.modes, detail.mutable_rule()->mutable_generalisation());
  const machine::Candidate sample = machine::WithSampleConstants(candidate);
  *detail.mutable_rule()->mutable_cost() =
      machine::CostMessage(machine::RightSideCost(sample).value_or(machine::Cost{}));
  absl::StatusOr<machine::Cost> base = machine::BaseCost(machine, sample.search, machine::BaseKind::kTuned);
  if (!base.ok()) base = machine::BaseCost(machine, sample.search, machine::BaseKind::kNaive);
  *detail.mutable_rule()->mutable_base_cost() = machine::CostMessage(base.value_or(machine::Cost{}));
  if (evidence.inexact.has_value()) *detail.mutable_rule()->mutable_inexact() = *evidence.inexact;
  detail.mutable_mutants()->set_refuted(static_cast<uint32_t>(evidence.mutants.refuted));
  detail.mutable_mutants()->set_equivalent(static_cast<uint32_t>(evidence.mutants.equivalent));
  detail.mutable_mutants()->set_undecided(static_cast<uint32_t>(evidence.mutants.undecided));
  FillConfirmations(evidence, &detail);
  rule.detail = detail.SerializeAsString();
  return rule;
}

bool IsOut(v1::RuleState state) { return state == v1::RULE_STATE_LOST || state == v1::RULE_STATE_REFUTED; }

void SetFlagsAndOps(const machine::Candidate& candidate, store::RuleRecord* rule) {
  rule->flags = candidate.search.root_node().flags;
  std::set<std::string> ops;
  for (const ir::NodeIndex node : ir::OpsInPrefixOrder(candidate.search))
    ops.insert(candidate.search.at(node).op->name);
  rule->ops.assign(ops.begin(), ops.end());
}

absl::StatusOr<machine::Candidate> CandidateOfTexts(const std::string& machine, absl::string_view search,
                                                    absl::string_view replace, absl::string_view program) {
  absl::StatusOr<const machine::Machine*> found = machine::FindMachine(machine);
  if (!found.ok()) return found.status();
  machine::Candidate candidate;
  candidate.machine = *found;
  absl::StatusOr<ir::Term> term = ir::ParseSearch(search);
  if (!term.ok()) return term.status();
  candidate.search = *std::move(term);
  if (program.empty()) {
    term = ir::ParseTerm(replace);
    if (!term.ok()) return term.status();
    candidate.replace = *std::move(term);
    return candidate;
  }
  absl::StatusOr<machine::Program> parsed = machine::ParseProgram(**found, program);
  if (!parsed.ok()) return parsed.status();
  candidate.program = *std::move(parsed);
  return candidate;
}

absl::StatusOr<machine::Candidate> CandidateOfRecord(const store::RuleRecord& record) {
  return CandidateOfTexts(record.machine, record.search, record.replace, record.program);
}

absl::StatusOr<machine::Candidate> AsWritten(const machine::Candidate& candidate) {
  const auto [search, replace, program] = TextsOf(candidate);
  return CandidateOfTexts(candidate.machine->id(), search, replace, program);
}

}  // namespace rewrought::pipeline
