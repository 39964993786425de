#include "pipeline/discovery/inexact_proposal.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "emitter/pass/pass_order.h"
#include "ir/facts/assumptions.h"
#include "ir/site_flags.h"
#include "rules/known_rules.h"
#include "rules/termination.h"
#include "verifier/inexact/target_fusing.h"

namespace rewrought::pipeline {
namespace {

// If more terms than this are reachable from one term, the rule is assumed not to terminate.
constexpr size_t kTerminationStates = 200;

verifier::InexactVerdict VerifyOverReals(const machine::Candidate& candidate, const ir::Term& replace,
                                         verifier::Solver* solver, const verifier::InexactOptions& options) {
  const absl::StatusOr<verifier::InexactVerdict> over_reals =
      verifier::VerifyInexact({candidate.search, replace, ir::DenormMode::kAny}, solver, options);
  return over_reals.value_or(verifier::InexactVerdict{});
}

// Returns one node for each variable that may be any float.
std::vector<ir::NodeIndex> FreeFloats(const ir::Term& search) {
  std::vector<ir::NodeIndex> free;
  std::set<std::string> names;
  for (ir::NodeIndex i = 0; i < search.nodes.size(); ++i) {
    const ir::Node& node = search.nodes[i];
    if (node.kind != ir::NodeKind::kVariable || node.constant_only || node.bits == 1 || !node.predicates.empty())
      continue;
    if (names.insert(node.name).second) free.push_back(i);
  }
  return free;
}

// Returns the assumptions that each symbol of the form has the sign of the constant that it replaces.
ir::AssumptionSet SignsOf(const enumerator::RealForm& form) {
  ir::AssumptionSet signs;
  const std::vector<ir::Node>& nodes = form.general.search.nodes;
  for (const auto& [name, number] : form.symbol_numbers) {
    const auto node = std::find_if(nodes.begin(), nodes.end(), [&symbol = name](const ir::Node& one) {
      return one.kind == ir::NodeKind::kVariable && one.name == symbol;
    });
    if (number == 0 || node == nodes.end()) continue;
    signs.push_back({static_cast<ir::NodeIndex>(node - nodes.begin()), 0, number > 0 ? "is_gt_zero" : "is_lt_zero"});
  }
  return signs;
}

}  // namespace

bool IsInexact(machine::Candidate candidate, verifier::Solver* solver, std::stop_token stop) {
  candidate.search.nodes[candidate.search.root].flags |= ir::kInexact;
  const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  verifier::InexactOptions options;
  options.errors = false;
  options.cancel = std::move(stop);
  return replace.ok() && VerifyOverReals(candidate, *replace, solver, options).holds;
}

std::optional<verifier::InexactVerdict> VerifyInexactProposal(const enumerator::RealForm& form,
                                                              verifier::Solver* solver, std::stop_token stop,
                                                              machine::Candidate* candidate) {
  *candidate = form.general;
  ir::ApplyNodeFlags(0, &candidate->search);
  candidate->search.nodes[candidate->search.root].flags = ir::kInexact;
  verifier::InexactOptions options;
  verifier::SetFusing(*candidate->machine, &options);
  options.solver_work_ms = verifier::kSearchRealsWork;
  options.cancel = stop;
  // The verdict of the last attempt that succeeded, and the verdict of the last attempt.
  std::optional<verifier::InexactVerdict> over_reals, last;
  const auto holds = [&](const ir::Term& search) -> absl::StatusOr<ir::Answer> {
    machine::Candidate tried = *candidate;
    tried.search = search;
    const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(tried);
    if (!replace.ok()) return replace.status();
    if (stop.stop_requested()) return absl::CancelledError("stopped while verifying a form over the reals");
    last = VerifyOverReals(tried, *replace, solver, options);
    if (last->holds) over_reals = last;
    return last->holds ? ir::Answer::kHolds : ir::Answer::kFails;
  };
  const absl::StatusOr<ir::Answer> plain = holds(candidate->search);
  if (!plain.ok()) return std::nullopt;
  if (*plain == ir::Answer::kHolds) return over_reals;
  if (!absl::StartsWith(last->reals, "refuted")) return std::nullopt;
  // Assume that the symbols have the signs of the fragment's constants, then drop as many of these assumptions as
  // possible.
  const ir::AssumptionSet signs = SignsOf(form);
  if (signs.empty()) return std::nullopt;
  const absl::StatusOr<ir::Answer> signed_answer = ir::FirstSufficientSet({signs}, holds, &candidate->search);
  if (!signed_answer.ok() || *signed_answer != ir::Answer::kHolds) return std::nullopt;
  std::vector<ir::Weakening> steps;
  for (const ir::Assumption& sign : signs) steps.push_back({{sign}, {}, {}});
  // If stopped, the result is the last set of assumptions under which the form held.
  ir::Weaken(steps, holds, &candidate->search).IgnoreError();
  return over_reals;
}

std::optional<machine::Candidate> Terminating(const machine::Candidate& rule) {
  const auto ends = [&](const ir::Term& search) -> absl::StatusOr<ir::Answer> {
    const auto findings = rules::CheckTermination({{search, rule.replace, "", 0}}, {}, kTerminationStates);
    return findings.ok() && findings->empty() ? ir::Answer::kHolds : ir::Answer::kFails;
  };
  // A pack also requires that each rule decreases the measure of its pass (docs/passes.md). If no guard achieves this,
  // the rule is still kept, and the export reports the problem.
  const auto lowers = [&](const ir::Term& search) -> absl::StatusOr<ir::Answer> {
    const ir::Rule tuple{search, rule.replace, "", 0};
    emitter::OpWeights weights;
    emitter::AddWeights(*rule.machine, tuple, &weights);
    return emitter::FindPass(tuple, weights).has_value() ? ends(search) : ir::Answer::kFails;
  };
  ir::AssumptionSet guards;
  for (const char* guard : {rules::kIsNotProduct, rules::kIsNotConstant}) {
    for (const ir::NodeIndex variable : FreeFloats(rule.search)) guards.push_back({variable, 0, guard});
  }
  std::vector<ir::AssumptionSet> sets(1);  // the empty set, with which the rule is unchanged, comes first
  for (const ir::Assumption& guard : guards) sets.push_back({guard});
  for (size_t i = 0; i < guards.size(); ++i) {
    for (size_t k = i + 1; k < guards.size(); ++k) sets.push_back({guards[i], guards[k]});
  }
  machine::Candidate guarded = rule;
  for (const ir::Holds& wanted : {ir::Holds(lowers), ir::Holds(ends)}) {
    const absl::StatusOr<ir::Answer> answer = ir::FirstSufficientSet(sets, wanted, &guarded.search);
    if (!answer.ok()) return std::nullopt;
    if (*answer == ir::Answer::kHolds) return guarded;
  }
  return std::nullopt;
}

}  // namespace rewrought::pipeline
