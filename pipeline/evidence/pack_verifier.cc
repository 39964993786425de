#include "pipeline/evidence/pack_verifier.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "emitter/entry_cost.h"
#include "emitter/entry_rule.h"
#include "emitter/proved_cases.h"
#include "machine/machine.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"
#include "proto/names.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {
namespace {

using google::protobuf::util::MessageDifferencer;

// The maximum number of mutants created for an entry, even if the pack states more; discovery creates 8.
constexpr uint32_t kMostMutants = 64;

// A solver that counts the queries to another solver.
class CountingSolver : public verifier::Solver {
 public:
  CountingSolver(verifier::Solver* solver, std::atomic<uint64_t>* asked) : solver_(solver), asked_(asked) {}
  verifier::SolverAnswer Solve(const verifier::SolverQuery& query) override {
    ++*asked_;
    return solver_->Solve(query);
  }
  std::string name_and_version() override { return solver_->name_and_version(); }

 private:
  verifier::Solver* const solver_;
  std::atomic<uint64_t>* const asked_;
};

uint32_t MutantsOf(const v1::PackEntry& entry) {
  const v1::MutantCounts& counts = entry.mutants();
  return std::min<uint64_t>(kMostMutants, uint64_t{counts.refuted()} + counts.equivalent() + counts.undecided());
}

// Clears the fields that may differ between two verifications, in the certificate and its nested certificates.
void ClearIncidentals(v1::Certificate* certificate) {
  certificate->clear_ms();
  certificate->clear_timeout_ms();
  certificate->clear_solver();
  for (v1::Certificate& coinciding : *certificate->mutable_coinciding()) ClearIncidentals(&coinciding);
  for (v1::CertificatePart& part : *certificate->mutable_parts()) {
    if (part.has_certificate()) ClearIncidentals(part.mutable_certificate());
  }
}

// Returns the verdict without the fields that may differ between two verifications, such as times and the names of the
// solvers.
v1::CaseVerdict Comparable(v1::CaseVerdict verdict) {
  verdict.clear_ms();
  verdict.clear_confirmed_by();
  verdict.clear_reason();
  ClearIncidentals(verdict.mutable_certificate());
  return verdict;
}

// Compares an entry's claims with the verified results and calls `add` for each difference.
class EntryComparison {
 public:
  EntryComparison(const v1::PackEntry& entry, std::function<void(const std::string&)> add)
      : entry_(entry), add_(std::move(add)) {}

  void Compare(const VerifiedRule& shown, const v1::PackEntry& evidence) const {
    CompareProofs(shown.verdicts);
    for (const v1::Confirmation& claimed : entry_.confirmations()) CompareConfirmation(claimed, evidence);
    const v1::RewriteRule& rule = entry_.rule();
    Same(entry_.mutants(), evidence.mutants(), "the mutants");
    Same(rule.cost(), evidence.rule().cost(), "the cost");
    Same(rule.base_cost(), evidence.rule().base_cost(), "the cost of base selection");
    Same(WidthsAndModes(rule), WidthsAndModes(evidence.rule()), "the proved cases");
    if (rule.rule_class() == v1::RULE_CLASS_INEXACT)
      Same(rule.inexact(), evidence.rule().inexact(), "the statement over the reals");
  }

 private:
  // Returns the widths and modes in which the rule is proved, without its preconditions, because a pack may add
  // preconditions for sites (emitter::ParseEntry).
  static v1::Generalisation WidthsAndModes(const v1::RewriteRule& rule) {
    v1::Generalisation where = rule.generalisation();
    where.clear_preconditions();
    where.clear_generalised_from();
    return where;
  }

  void Same(const google::protobuf::Message& claimed, const google::protobuf::Message& shown,
            absl::string_view what) const {
    if (MessageDifferencer::Equals(claimed, shown)) return;
    add_(absl::StrCat(what, ": the pack states ", claimed.ShortDebugString(), ", but verification gives ",
                      shown.ShortDebugString()));
  }

  void CompareProofs(const std::vector<v1::CaseVerdict>& shown) const {
    for (const v1::CaseVerdict& claimed : entry_.proofs()) {
      const bool proof = claimed.verdict() == v1::VERDICT_PROVED;
      if (!proof) continue;
      const std::string mode = absl::StrCat("in mode ", std::string(v1::NameOf(claimed.mode())), ": ");
      const auto same_mode = [&](const v1::CaseVerdict& one) { return one.mode() == claimed.mode(); };
      const auto found = std::find_if(shown.begin(), shown.end(), same_mode);
      if (found == shown.end()) {
        add_(absl::StrCat(mode, "not decided again in time"));
      } else if (claimed.certificate().semantics_digest() != found->certificate().semantics_digest()) {
        add_(absl::StrCat(mode, "was proved under other semantics"));
      } else if (claimed.certificate().query_digest() != found->certificate().query_digest()) {
        add_(absl::StrCat(mode, "its query differs from the rule's query"));
      } else if (!MessageDifferencer::Equals(Comparable(claimed), Comparable(*found))) {
        add_(absl::StrCat(mode, "its certificate differs from the rule's certificate"));
      } else if (claimed.confirmed_by_size() > 0 && found->confirmed_by_size() == 0) {
        add_(absl::StrCat(mode, "the second solver did not confirm it again in time"));
      }
    }
  }

  void CompareConfirmation(const v1::Confirmation& claimed, const v1::PackEntry& evidence) const {
    for (const v1::Confirmation& shown : evidence.confirmations()) {
      if (shown.axis() != claimed.axis()) continue;
      // The version of a confirming solver may differ.
      if (claimed.axis() == v1::Confirmation::AXIS_SOLVER || MessageDifferencer::Equals(shown, claimed)) return;
    }
    add_(absl::StrCat("the confirmation \"", claimed.by(), "\" that the pack states was not reproduced"));
  }

  const v1::PackEntry& entry_;
  const std::function<void(const std::string&)> add_;
};

// Returns `evidence` with the costs that an exporter would write into the pack for the claimed rule.
v1::PackEntry WithCosts(const v1::PackEntry& claimed, v1::PackEntry evidence) {
  const absl::StatusOr<emitter::EntryRule> entry = emitter::ParseEntry(claimed.rule());
  if (!entry.ok()) return evidence;  // VerifyPack reports the error
  const absl::StatusOr<emitter::ProvedCases> proved = emitter::FindProvedCases(entry->rule, claimed);
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(claimed.rule().machine());
  if (proved.ok() && machine.ok()) FillCosts(**machine, *entry, *proved, evidence.mutable_rule()).IgnoreError();
  return evidence;
}

struct Entry {
  const v1::PackEntry* claimed = nullptr;
  RuleClaim claim;
};

}  // namespace

absl::StatusOr<PackVerdict> ProvePackAgain(const v1::Pack& pack, const verifier::Solvers& solvers,
                                           const PackVerifierOptions& options) {
  if (solvers.first() == nullptr || solvers.confirming() == nullptr)
    return absl::UnavailableError("verifying a pack requires two solvers, and one is missing");
  std::atomic<uint64_t> asked{0};
  CountingSolver first(solvers.first(), &asked), second(solvers.confirming(), &asked);
  PackVerdict verdict;
  std::map<uint32_t, std::vector<Entry>> by_mutants;  // usually, all entries have 8 mutants
  for (const v1::PackEntry& entry : pack.entries()) {
    const v1::RewriteRule& rule = entry.rule();
    absl::StatusOr<machine::Candidate> candidate =
        CandidateOfTexts(rule.machine(), rule.search(), rule.replace(), rule.program());
    if (!candidate.ok()) {
      verdict.findings.push_back({rule.id(), "", std::string(candidate.status().message())});
      continue;
    }
    by_mutants[MutantsOf(entry)].push_back(
        {&entry, {*std::move(candidate), rule.rule_class(), {entry.proofs().begin(), entry.proofs().end()}}});
  }
  size_t before = 0;
  for (const auto& [mutants, entries] : by_mutants) {
    RuleVerifierOptions rule_options{options.work_ms, mutants, options.stop};
    std::vector<RuleClaim> claims;
    for (const Entry& entry : entries) claims.push_back(entry.claim);
    const auto shown = VerifyAll(
        RuleVerifier(verifier::Solvers(&first, &second), rule_options), claims,
        [&](size_t done) {
          if (options.progress != nullptr) options.progress(before + done, static_cast<size_t>(pack.entries_size()));
        },
        options.threads);
    before += entries.size();
    for (size_t i = 0; i < entries.size(); ++i) {
      if (absl::IsCancelled(shown[i].status())) return shown[i].status();
      const auto add = [&](const std::string& what) {
        verdict.findings.push_back({entries[i].claimed->rule().id(), "", what});
      };
      ++verdict.entries;
      if (!shown[i].ok()) {
        add(absl::StrCat(absl::IsUnavailable(shown[i].status()) ? "" : "not proved: ", shown[i].status().message()));
        continue;
      }
      verdict.cases += shown[i]->verdicts.size();
      const store::RuleRecord record = RecordOfRule({}, claims[i].candidate, shown[i]->evidence);
      const size_t findings = verdict.findings.size();
      EntryComparison(*entries[i].claimed, add).Compare(*shown[i], WithCosts(*entries[i].claimed, DetailOf(record)));
      if (verdict.findings.size() == findings) ++verdict.proved;
    }
  }
  verdict.queries = asked;
  return verdict;
}

}  // namespace rewrought::pipeline
