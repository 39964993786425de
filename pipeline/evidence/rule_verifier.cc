#include "pipeline/evidence/rule_verifier.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "ir/float_contract.h"
#include "machine/semantics.h"
#include "pipeline/rule_record.h"
#include "proto/names.h"
#include "verifier/certificate.h"
#include "verifier/mesa/mesa_reading.h"
#include "verifier/message/verdict_message.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {
namespace {

absl::Status AnnotateMode(const absl::Status& status, v1::DenormMode mode) {
  return {status.code(), absl::StrCat("in mode ", std::string(v1::NameOf(mode)), ": ", status.message())};
}

// Returns a refutation if vectors refute the case, and VERDICT_UNKNOWN otherwise. This suffices for an inexact rule,
// which need not hold bit for bit.
v1::CaseVerdict RefutedOrUnknown(const verifier::RuleCase& rule_case, const std::string& semantics) {
  verifier::CaseResult result = verifier::Prover({}, verifier::ProverOptions{}).Prove(rule_case);
  if (result.verdict != v1::VERDICT_REFUTED) {
    result = verifier::CaseResult{};
    result.reason = "the difference could not be reproduced";
  }
  return verifier::CaseProto(rule_case.search, rule_case.mode, result, semantics);
}

}  // namespace

absl::StatusOr<verifier::RuleCase> CaseOfClaim(const machine::Candidate& candidate, const ir::Term& replace,
                                               const v1::CaseVerdict& verdict) {
  const std::optional<ir::DenormMode> mode = verifier::ModeOf(verdict.mode());
  if (!mode.has_value()) return absl::InvalidArgumentError("a verdict has no denormal mode");
  verifier::RuleCase rule_case = verifier::CaseAsMesa(candidate.search, replace);
  if ((rule_case.mode == ir::DenormMode::kNone) != (*mode == ir::DenormMode::kNone))
    return absl::InvalidArgumentError("a verdict is for a mode that the rule does not have");
  rule_case.mode = *mode;
  const v1::CaseVerdict own = verifier::CaseProto(candidate.search, *mode, {}, "");
  bool same = own.width() == verdict.width() && own.sizes_size() == verdict.sizes_size();
  for (const auto& [name, bits] : own.sizes()) {
    const auto found = verdict.sizes().find(name);
    same = same && found != verdict.sizes().end() && found->second == bits;
  }
  if (!same) return absl::InvalidArgumentError("a verdict is for other sizes than the rule's");
  return rule_case;
}

absl::StatusOr<std::vector<v1::CaseVerdict>> RuleVerifier::VerifyCases(const RuleClaim& claim) const {
  const machine::Candidate& candidate = claim.candidate;
  const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  if (!replace.ok()) return replace.status();
  const std::string semantics = machine::SemanticsOf(*candidate.machine).hex();
  std::vector<v1::CaseVerdict> shown;
  std::set<v1::DenormMode> modes;
  absl::Status undecided = absl::FailedPreconditionError("no case is claimed to be proved");
  for (const v1::CaseVerdict& verdict : claim.verdicts) {
    const absl::StatusOr<verifier::RuleCase> rule_case = CaseOfClaim(candidate, *replace, verdict);
    if (!rule_case.ok()) return rule_case.status();
    if (!modes.insert(verdict.mode()).second) return absl::InvalidArgumentError("two verdicts for the same case");
    if (verdict.verdict() == v1::VERDICT_VACUOUS)
      return absl::FailedPreconditionError("a discovered rule cannot have a vacuous case");
    if (verdict.verdict() == v1::VERDICT_PROVED) {
      const absl::StatusOr<verifier::Certificate> way = verifier::RecipeOf(verdict.certificate());
      if (!way.ok()) return AnnotateMode(way.status(), verdict.mode());
      absl::StatusOr<verifier::CaseResult> proved =
          verifier::ProveAgain(*rule_case, *way, solvers_, options_.work_ms, options_.stop);
      if (absl::IsUnavailable(proved.status())) {
        undecided = AnnotateMode(proved.status(), verdict.mode());
        continue;
      }
      if (!proved.ok()) return AnnotateMode(proved.status(), verdict.mode());
      shown.push_back(verifier::CaseProto(candidate.search, rule_case->mode, *proved, semantics));
    } else if (claim.rule_class == v1::RULE_CLASS_INEXACT) {
      shown.push_back(RefutedOrUnknown(*rule_case, semantics));
    }
  }
  if (shown.empty()) return undecided;
  return shown;
}

absl::StatusOr<VerifiedRule> RuleVerifier::Verify(const RuleClaim& claim) const {
  const absl::Status stopped = absl::CancelledError("stopped while verifying a rule");
  if (options_.stop.stop_requested()) return stopped;
  absl::StatusOr<std::vector<v1::CaseVerdict>> verdicts = VerifyCases(claim);
  if (!verdicts.ok()) return verdicts.status();
  // Create the evidence from the parsed text, because others must be able to reproduce it from the text alone.
  const absl::StatusOr<machine::Candidate> candidate = AsWritten(claim.candidate);
  if (!candidate.ok()) return candidate.status();
  VerifiedRule rule{*std::move(verdicts), {}};
  if (claim.rule_class == v1::RULE_CLASS_INEXACT) {
    absl::StatusOr<RuleEvidence> evidence =
        InexactEvidence(*candidate, solvers_.first(), rule.verdicts, options_.mutants, options_.stop);
    if (!evidence.ok()) return evidence.status();
    rule.evidence = *std::move(evidence);
  } else {
    rule.evidence = StrictEvidence(*candidate, rule.verdicts, options_.mutants);
  }
  if (options_.stop.stop_requested()) return stopped;
  return rule;
}

void RunEach(size_t count, const std::function<void(size_t)>& work, const std::function<void(size_t)>& progress,
             size_t threads) {
  std::mutex mutex;
  size_t next = 0, done = 0;
  if (progress != nullptr && count > 0) progress(done);  // the first call may take minutes
  const auto run = [&] {
    for (;;) {
      size_t place = 0;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (next == count) return;
        place = next++;
      }
      work(place);
      const std::lock_guard<std::mutex> lock(mutex);
      if (progress != nullptr) progress(++done);
    }
  };
  std::vector<std::thread> others;
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  for (size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

std::vector<absl::StatusOr<VerifiedRule>> VerifyEach(size_t count,
                                                     const std::function<absl::StatusOr<VerifiedRule>(size_t)>& verify,
                                                     const std::function<void(size_t)>& progress, size_t threads) {
  std::vector<absl::StatusOr<VerifiedRule>> results(count, absl::UnknownError("not verified"));
  RunEach(
      count, [&](size_t place) { results[place] = verify(place); }, progress, threads);
  return results;
}

std::vector<absl::StatusOr<VerifiedRule>> VerifyAll(const RuleVerifier& verifier, absl::Span<const RuleClaim> claims,
                                                    const std::function<void(size_t)>& progress, size_t threads) {
  return VerifyEach(
      claims.size(), [&](size_t place) { return verifier.Verify(claims[place]); }, progress, threads);
}

}  // namespace rewrought::pipeline
