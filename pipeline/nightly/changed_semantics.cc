#include "pipeline/nightly/changed_semantics.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "machine/candidate.h"
#include "machine/semantics.h"
#include "pipeline/discovery/candidate_verifier.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/evidence/stored_rule.h"
#include "pipeline/evidence/verified_rules.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_record.h"
#include "store/rule_store.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {
namespace {

// The result of reverifying a rule that was proved under other semantics.
struct Again {
  machine::Candidate candidate;
  std::optional<VerifiedRule> shown;
  bool refuted = false;
};

absl::StatusOr<Again> VerifyAgain(const store::RuleRecord& rule, const std::vector<ir::DenormMode>& modes,
                                  CandidateVerifier* verifier, const RuleVerifier& rule_verifier) {
  absl::StatusOr<RuleClaim> claim = ClaimOfRecord(rule, {});
  if (!claim.ok()) return Again{};
  const bool strict = claim->rule_class == v1::RULE_CLASS_STRICT;
  Again again{claim->candidate, std::nullopt, false};
  for (const ir::DenormMode mode : modes) {
    absl::StatusOr<CandidateVerdict> decided = verifier->Decide(claim->candidate, {mode});
    if (absl::IsInvalidArgument(decided.status())) return again;  // the program is no longer legal
    if (!decided.ok()) return decided.status();
    again.refuted = again.refuted || (strict && decided->refuted);
    const bool has_modes = decided->cases.front().mode() != v1::DENORM_MODE_NONE;
    for (v1::CaseVerdict& verdict : decided->cases) claim->verdicts.push_back(std::move(verdict));
    if (!has_modes) break;
  }
  // As in discovery, a strict rule must hold in the first mode.
  if (strict && claim->verdicts.front().verdict() != v1::VERDICT_PROVED) return again;
  absl::StatusOr<VerifiedRule> shown = rule_verifier.Verify(*claim);
  if (absl::IsCancelled(shown.status())) return shown.status();
  if (shown.ok()) again.shown = *std::move(shown);
  return again;
}

verifier::ProverOptions ProverOptionsOf(std::stop_token stop) {
  verifier::ProverOptions options;
  options.cancel = std::move(stop);
  return options;
}

RuleVerifierOptions RuleOptionsOf(std::stop_token stop) {
  RuleVerifierOptions options;
  options.stop = std::move(stop);
  return options;
}

// Verifies the rules of a machine one by one and updates them in the store.
class ChangedRules {
 public:
  ChangedRules(store::Store* store, const machine::Machine& machine, const verifier::Solvers& solvers,
               const std::vector<ir::DenormMode>& modes, const std::string& run, std::stop_token stop)
      : semantics_(machine::SemanticsOf(machine)),
        modes_(modes),
        run_(run),
        rules_(store),
        verified_(store),
        prover_(solvers, ProverOptionsOf(stop)),
        candidate_verifier_(store, &prover_, stop),
        rule_verifier_(solvers, RuleOptionsOf(stop)) {}

  absl::Status LookAt(const store::RuleRecord& rule);

 private:
  absl::Status Keep(const store::RuleRecord& rule, const Again& again);

  const ir::Digest semantics_;
  const std::vector<ir::DenormMode>& modes_;
  const std::string& run_;
  store::RuleStore rules_;
  VerifiedRules verified_;
  const verifier::Prover prover_;
  CandidateVerifier candidate_verifier_;
  const RuleVerifier rule_verifier_;
};

absl::Status ChangedRules::Keep(const store::RuleRecord& rule, const Again& again) {
  const store::RuleRecord now = WithEvidence(rule, again.candidate, *again.shown);
  const absl::Status kept = verified_.Keep(now, again.shown->verdicts);
  return kept.ok() ? rules_.PutRule(now) : kept;
}

absl::Status ChangedRules::LookAt(const store::RuleRecord& rule) {
  const bool is_out = IsOut(rule.state);
  if (rule.state == v1::RULE_STATE_NEW && rule.created_run != run_) {
    const absl::Status kept = rules_.SetState(rule.id, v1::RULE_STATE_KEPT, "");
    if (!kept.ok()) return kept;
  }
  if (rule.semantics == semantics_) return absl::OkStatus();
  const uint32_t work_ms = rule_verifier_.options().work_ms;
  if (is_out) {
    // Another program may have stored this state, so it counts only if this installation failed to prove the rule.
    const absl::StatusOr<bool> failed = verified_.HasFailed(rule, work_ms);
    if (!failed.ok() || *failed) return failed.status();
  }
  const absl::StatusOr<Again> again = VerifyAgain(rule, modes_, &candidate_verifier_, rule_verifier_);
  if (!again.ok()) return again.status();
  if (again->shown.has_value()) {
    const absl::Status kept = Keep(rule, *again);
    return kept.ok() && is_out ? rules_.SetState(rule.id, v1::RULE_STATE_KEPT, "") : kept;
  }
  if (absl::Status noted = verified_.NoteFailure(rule, work_ms); !noted.ok() || is_out) return noted;
  return again->refuted
             ? rules_.SetStateInRun(rule.id, v1::RULE_STATE_REFUTED, "refuted under the present semantics", run_)
             : rules_.SetStateInRun(rule.id, v1::RULE_STATE_LOST, "no longer proved", run_);
}

}  // namespace

absl::StatusOr<DroppedRules> VerifyChangedRules(store::Store* store, const machine::Machine& machine,
                                                const verifier::Solvers& solvers,
                                                const std::vector<ir::DenormMode>& modes, const std::string& run,
                                                std::stop_token stop) {
  const absl::StatusOr<std::vector<store::RuleRecord>> rules = RulesOf(store, machine.id());
  if (!rules.ok()) return rules.status();
  ChangedRules changed(store, machine, solvers, modes, run, std::move(stop));
  for (const store::RuleRecord& rule : *rules) {
    if (absl::Status looked = changed.LookAt(rule); !looked.ok()) return looked;
  }
  DroppedRules out;
  // Read the changes from the store, so that a resumed run also reports its earlier changes.
  const absl::Status told =
      store::RuleStore(store).ForEachChange(run, [&](const ir::Digest& rule, v1::RuleState state) -> absl::Status {
        const bool is_ours = std::any_of(rules->begin(), rules->end(), [&](const auto& of) { return of.id == rule; });
        if (is_ours && state == v1::RULE_STATE_REFUTED) out.refuted.push_back(rule.hex());
        if (is_ours && state == v1::RULE_STATE_LOST) out.lost.push_back(rule.hex());
        return absl::OkStatus();
      });
  if (!told.ok()) return told;
  return out;
}

}  // namespace rewrought::pipeline
