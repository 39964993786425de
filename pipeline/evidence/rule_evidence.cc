#include "pipeline/evidence/rule_evidence.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/evidence.h"
#include "verifier/budget.h"
#include "verifier/inexact/inexact.h"
#include "verifier/inexact/target_fusing.h"
#include "verifier/message/verdict_message.h"
#include "verifier/oracle/host_oracle.h"
#include "verifier/oracle/host_reals.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {
namespace {

constexpr size_t kMutantLanes = 1024;
constexpr size_t kMutantPoints = 64;  // these refute nearly every wrong mutant

// Returns a prover without a solver. Mutants that it can decide neither with vectors nor by trying all inputs count as
// undecided.
verifier::Prover MutantProver() {
  verifier::ProverOptions options;
  options.vectors.lanes = std::min<size_t>(options.vectors.lanes, kMutantLanes);
  options.last_resort_bits = options.exhaustive_bits;
  return verifier::Prover({}, options);
}

std::vector<ir::DenormMode> ModesOf(absl::Span<const v1::CaseVerdict> verdicts) {
  std::vector<ir::DenormMode> modes;
  for (const v1::CaseVerdict& verdict : verdicts) {
    if (const std::optional<ir::DenormMode> mode = verifier::ModeOf(verdict.mode())) modes.push_back(*mode);
  }
  return modes;
}

void TakeOracle(const verifier::OracleTally& oracle, const char* name, RuleEvidence* evidence) {
  if (oracle.disagreed > 0 || oracle.agreed < emitter::kConfirmingVectors) return;
  evidence->encoding = name;
  evidence->vectors = oracle.agreed;
}

verifier::MutantTally MutantsOverReals(const machine::Candidate& candidate, size_t limit, std::stop_token stop) {
  verifier::InexactOptions options;
  options.points = options.points_when_approximate = kMutantPoints;
  options.errors = false;
  options.cancel = std::move(stop);
  verifier::MutantTally tally;
  for (const ir::Term& mutant : verifier::MutantsOf(candidate, limit)) {
    const verifier::InexactVerdict verified =
        verifier::VerifyInexact({candidate.search, mutant, ir::DenormMode::kAny}, nullptr, options)
            .value_or(verifier::InexactVerdict{});
    ++(absl::StartsWith(verified.reals, "refuted") ? tally.refuted
       : verified.reals_equal                      ? tally.equivalent
                                                   : tally.undecided);
  }
  return tally;
}

bool NeedsNoSolver(v1::Tier tier) { return tier == v1::TIER_CANONICAL || tier == v1::TIER_EXHAUSTIVE; }

}  // namespace

bool IsConfirmed(const v1::CaseVerdict& proof) { return proof.confirmed_by_size() > 0 || NeedsNoSolver(proof.tier()); }
bool IsConfirmedResult(const verifier::CaseResult& proof) {
  return !proof.confirmed_by.empty() || NeedsNoSolver(proof.tier);
}

bool MayBeConfirmed(const v1::CaseVerdict& proof, uint32_t work_ms) {
  if (proof.verdict() != v1::VERDICT_PROVED || IsConfirmed(proof)) return false;
  return proof.certificate().timeout_ms() < work_ms || verifier::IsRetryable(proof.reason());
}

std::string ConfirmersOf(absl::Span<const v1::CaseVerdict> proofs) {
  std::set<std::string> by;
  for (const v1::CaseVerdict& proof : proofs) {
    if (!IsConfirmed(proof)) return "";
    by.insert(proof.confirmed_by_size() > 0 ? proof.confirmed_by(0) : kExhaustion);
  }
  return absl::StrJoin(by, ", ");
}

RuleEvidence StrictEvidence(const machine::Candidate& candidate, absl::Span<const v1::CaseVerdict> proofs,
                            size_t mutants) {
  RuleEvidence evidence;
  evidence.modes = ModesOf(proofs);
  evidence.solvers = ConfirmersOf(proofs);
  evidence.mutants = verifier::VerifyMutants(MutantProver(), candidate, verifier::MutantsOf(candidate, mutants));
  if (const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate); replace.ok()) {
    const verifier::OracleTally oracle =
        verifier::CompareWithHost(candidate.search, *replace, emitter::kConfirmingVectors);
    if (oracle.covered) TakeOracle(oracle, verifier::kHostOracleName, &evidence);
  }
  return evidence;
}

absl::StatusOr<RuleEvidence> InexactEvidence(const machine::Candidate& candidate, verifier::Solver* solver,
                                             absl::Span<const v1::CaseVerdict> verdicts, size_t mutants,
                                             std::stop_token stop) {
  const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  if (!replace.ok()) return replace.status();
  verifier::InexactOptions options;
  options.solver_work_ms = verifier::kSearchRealsWork;
  options.is_program = candidate.program.has_value();
  verifier::SetFusing(*candidate.machine, &options);
  options.cancel = stop;
  const absl::StatusOr<verifier::InexactVerdict> reals =
      verifier::VerifyInexact({candidate.search, *replace, ir::DenormMode::kAny}, solver, options);
  if (stop.stop_requested()) return absl::CancelledError("stopped while verifying a rule over the reals");
  if (!reals.ok()) return absl::FailedPreconditionError(reals.status().message());
  if (!reals->holds) return absl::FailedPreconditionError(absl::StrCat("over the reals: ", reals->reals));
  const verifier::OracleTally oracle =
      verifier::CompareOverHostReals(candidate.search, *replace, emitter::kConfirmingVectors);
  if (oracle.disagreed > 0)  // one of the two encodings is wrong, so the rule cannot be trusted
    return absl::FailedPreconditionError("the host's arithmetic disagrees with the proof over the reals");
  RuleEvidence evidence;
  evidence.modes = ModesOf(verdicts);
  evidence.inexact = verifier::InexactProto(*reals);
  evidence.mutants = MutantsOverReals(candidate, mutants, stop);
  TakeOracle(oracle, verifier::kHostRealsName, &evidence);
  return evidence;
}

}  // namespace rewrought::pipeline
