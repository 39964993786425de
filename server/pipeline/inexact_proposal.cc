#include "server/pipeline/inexact_proposal.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "ir/site_flags.h"
#include "rules/known_rules.h"
#include "rules/termination.h"

namespace rewrought::pipeline {
namespace {

// What a search can wait for a form that normal forms do not decide.
constexpr uint32_t kSolverMilliseconds = 1000;
constexpr size_t kTerminationStates = 200;  // reached from one term; more counts as no end
constexpr size_t kMutantPoints = 64;        // tell a wrong mutant nearly always

void SetPredicates(const std::map<std::string, std::string>& predicates, ir::Term* search) {
  for (ir::Node& node : search->nodes) {
    const auto found = node.kind == ir::NodeKind::kVariable ? predicates.find(node.name) : predicates.end();
    if (found != predicates.end()) node.predicates = {found->second};
  }
}

verifier::InexactVerdict VerifyOverReals(const machine::Candidate& candidate, const ir::Term& replace,
                                         verifier::Solver* solver, const verifier::InexactOptions& options) {
  const absl::StatusOr<verifier::InexactVerdict> over_reals =
      verifier::VerifyInexact({candidate.search, replace, ir::DenormMode::kAny}, solver, options);
  return over_reals.value_or(verifier::InexactVerdict{});
}

// Variables that may be any float.
std::vector<std::string> FreeFloats(const ir::Term& search) {
  std::vector<std::string> names;
  for (const ir::Node& node : search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || node.constant_only || node.bits == 1 || !node.predicates.empty())
      continue;
    if (std::find(names.begin(), names.end(), node.name) == names.end()) names.push_back(node.name);
  }
  return names;
}

}  // namespace

bool IsInexact(machine::Candidate candidate, verifier::Solver* solver, std::stop_token stop) {
  candidate.search.nodes[candidate.search.root].flags |= ir::kInexact;
  const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  verifier::InexactOptions options;
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
  options.solver_timeout_ms = kSolverMilliseconds;
  options.cancel = stop;
  const auto verify = [&](const machine::Candidate& tried) -> std::optional<verifier::InexactVerdict> {
    const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(tried);
    if (!replace.ok() || stop.stop_requested()) return std::nullopt;
    return VerifyOverReals(tried, *replace, solver, options);
  };
  std::optional<verifier::InexactVerdict> over_reals = verify(*candidate);
  if (!over_reals.has_value() || over_reals->holds) return over_reals;
  if (!absl::StartsWith(over_reals->reals, "refuted")) return std::nullopt;
  // The signs of the constants at hand, then as few of them as are needed.
  std::map<std::string, std::string> signs;
  for (const auto& [name, number] : form.symbol_numbers) {
    if (number != 0) signs[name] = number > 0 ? "is_gt_zero" : "is_lt_zero";
  }
  if (signs.empty()) return std::nullopt;
  const machine::Candidate plain = *candidate;
  SetPredicates(signs, &candidate->search);
  over_reals = verify(*candidate);
  if (!over_reals.has_value() || !over_reals->holds) return std::nullopt;
  const std::map<std::string, std::string> all = signs;
  for (const auto& [name, sign] : all) {
    std::map<std::string, std::string> fewer = signs;
    fewer.erase(name);
    machine::Candidate weaker = plain;
    SetPredicates(fewer, &weaker.search);
    std::optional<verifier::InexactVerdict> verified = verify(weaker);
    if (!verified.has_value() || !verified->holds) continue;
    signs = std::move(fewer);
    *candidate = std::move(weaker);
    over_reals = std::move(verified);
  }
  return over_reals;
}

std::optional<machine::Candidate> Terminating(const machine::Candidate& rule) {
  const auto ends = [](const machine::Candidate& tried) {
    const auto findings = rules::CheckTermination({{tried.search, tried.replace, "", 0}}, {}, kTerminationStates);
    return findings.ok() && findings->empty();
  };
  if (ends(rule)) return rule;
  std::vector<std::map<std::string, std::string>> guards;
  for (const char* guard : {rules::kIsNoProduct, rules::kIsNoConstant}) {
    for (const std::string& name : FreeFloats(rule.search)) guards.push_back({{name, guard}});
  }
  const size_t single = guards.size();
  for (size_t i = 0; i < single; ++i) {
    for (size_t k = i + 1; k < single; ++k) {
      guards.push_back(guards[i]);
      if (!guards.back().insert(*guards[k].begin()).second) guards.pop_back();
    }
  }
  for (const auto& predicates : guards) {
    machine::Candidate tried = rule;
    SetPredicates(predicates, &tried.search);
    if (ends(tried)) return tried;
  }
  return std::nullopt;
}

verifier::MutantTally VerifyMutantsOverReals(const machine::Candidate& candidate, size_t limit, std::stop_token stop) {
  verifier::InexactOptions options;
  options.points = options.points_when_approximate = kMutantPoints;
  options.cancel = std::move(stop);
  verifier::MutantTally tally;
  for (const ir::Term& mutant : verifier::MutantsOf(candidate, limit)) {
    const verifier::InexactVerdict verified = VerifyOverReals(candidate, mutant, nullptr, options);
    ++(absl::StartsWith(verified.reals, "refuted") ? tally.refuted
       : verified.reals_equal                      ? tally.equivalent
                                                   : tally.undecided);
  }
  return tally;
}

}  // namespace rewrought::pipeline
