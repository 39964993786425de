#include "pipeline/evidence/pack_verifier.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/entry_cost.h"
#include "emitter/entry_rule.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack_files.h"
#include "emitter/proved_cases.h"
#include "ir/digest.h"
#include "machine/base/coverage.h"
#include "machine/machine.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/evidence/target_check.h"
#include "pipeline/pack_build.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"
#include "proto/names.h"
#include "verifier/message/witness_check.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {
namespace {

using google::protobuf::util::MessageDifferencer;

// The maximum number of mutants created for an entry, even if the pack states more.
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

// Returns the number of mutants to create: at least as many as discovery creates, so that a pack cannot omit mutants.
uint32_t MutantsOf(const v1::PackEntry& entry) {
  const v1::MutantCounts& counts = entry.mutants();
  const uint64_t stated = uint64_t{counts.refuted()} + counts.equivalent() + counts.undecided();
  return static_cast<uint32_t>(std::clamp<uint64_t>(stated, RuleVerifierOptions{}.mutants, kMostMutants));
}

// Returns the name in a solver's name and version, such as "cvc5" in "cvc5 1.0.3". A pack may be verified with another
// version of the solver.
std::string NameOfSolver(absl::string_view solver) { return std::string(solver.substr(0, solver.find(' '))); }

// Clears the fields that may differ between two verifications, in the certificate and its nested certificates.
void ClearIncidentals(v1::Certificate* certificate) {
  certificate->clear_ms();
  certificate->clear_timeout_ms();
  certificate->set_solver(NameOfSolver(certificate->solver()));
  for (v1::Certificate& coinciding : *certificate->mutable_coinciding()) ClearIncidentals(&coinciding);
  for (v1::CertificatePart& part : *certificate->mutable_parts()) {
    if (part.has_certificate()) ClearIncidentals(part.mutable_certificate());
  }
}

// Returns the verdict without the fields that may differ between two verifications, such as times and the versions of
// the solvers.
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
  EntryComparison(const v1::PackEntry& entry, const machine::Candidate& candidate,
                  std::function<void(const std::string&)> add)
      : entry_(entry), candidate_(candidate), add_(std::move(add)) {}

  // `evidence` is the entry that follows from the verified results.
  void Compare(const VerifiedRule& shown, const v1::PackEntry& evidence) const {
    CompareProofs(shown.verdicts);
    CompareConfirmations(evidence);
    Same(entry_.mutants(), evidence.mutants(), "the mutants");
    CompareRule(evidence.rule());
    CheckSites();
  }

 private:
  void Same(const google::protobuf::Message& claimed, const google::protobuf::Message& shown,
            absl::string_view what) const {
    if (MessageDifferencer::Equals(claimed, shown)) return;
    add_(absl::StrCat(what, ": the pack states ", claimed.ShortDebugString(), ", but verification gives ",
                      shown.ShortDebugString()));
  }

  void CompareProofs(const std::vector<v1::CaseVerdict>& shown) const {
    for (const v1::CaseVerdict& claimed : entry_.proofs()) {
      const std::string mode = absl::StrCat("in mode ", std::string(v1::NameOf(claimed.mode())), ": ");
      if (claimed.verdict() != v1::VERDICT_PROVED) {
        if (const absl::Status status = CheckUnproved(claimed); !status.ok())
          add_(absl::StrCat(mode, status.message()));
        continue;
      }
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
      } else {
        CompareConfirmers(mode, claimed, *found);
      }
    }
  }

  // Compares the confirmations of a case. The pack may have been built with a budget that did not suffice for a
  // confirmation, and then states the reason.
  void CompareConfirmers(const std::string& mode, const v1::CaseVerdict& claimed, const v1::CaseVerdict& found) const {
    if (claimed.confirmed_by_size() == 0) {
      if (found.confirmed_by_size() > 0 && claimed.reason().empty())
        add_(absl::StrCat(mode, "does not state the confirmation by ", found.confirmed_by(0)));
    } else if (found.confirmed_by_size() == 0) {
      add_(absl::StrCat(mode, "the second solver did not confirm it again in time"));
    } else {
      for (const std::string& name : claimed.confirmed_by()) {
        const bool known = name == kExhaustion || NameOfSolver(name) == NameOfSolver(found.confirmed_by(0));
        if (!known || claimed.confirmed_by_size() > 1)
          add_(absl::StrCat(mode, "states a confirmation by \"", name, "\", but verification gives \"",
                            found.confirmed_by(0), "\""));
      }
    }
  }

  // Checks that an unproved case states no evidence of a proof, and that a refuted case has a valid witness.
  absl::Status CheckUnproved(const v1::CaseVerdict& claimed) const {
    const bool refuted = claimed.verdict() == v1::VERDICT_REFUTED;
    if (!refuted && claimed.verdict() != v1::VERDICT_UNKNOWN && claimed.verdict() != v1::VERDICT_UNSUPPORTED)
      return absl::InvalidArgumentError(
          absl::StrCat("`", std::string(v1::NameOf(claimed.verdict())), "` is not a verdict of an entry's case"));
    if (claimed.certificate().ByteSizeLong() > 0 || claimed.confirmed_by_size() > 0 || claimed.explain_size() > 0 ||
        claimed.argued_lemmas_size() > 0 || claimed.has_search_term() || claimed.has_replace_term() ||
        (!refuted && claimed.has_witness())) {
      return absl::InvalidArgumentError("states evidence of a proof, but is not proved");
    }
    if (!refuted) return absl::OkStatus();
    const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate_);
    if (!replace.ok()) return replace.status();
    const absl::StatusOr<verifier::RuleCase> rule_case = CaseOfClaim(candidate_, *replace, claimed);
    if (!rule_case.ok()) return rule_case.status();
    return verifier::CheckWitness(*rule_case, claimed.witness());
  }

  // Compares the confirmations of the rule. The second solver's confirmation must follow from the confirmations of the
  // cases.
  void CompareConfirmations(const v1::PackEntry& evidence) const {
    std::vector<v1::CaseVerdict> proofs;
    for (const v1::CaseVerdict& claimed : entry_.proofs()) {
      if (claimed.verdict() == v1::VERDICT_PROVED) proofs.push_back(claimed);
    }
    v1::PackEntry stated, wanted;
    *stated.mutable_confirmations() = entry_.confirmations();
    *wanted.mutable_confirmations() = evidence.confirmations();
    for (v1::Confirmation& one : *wanted.mutable_confirmations()) {
      if (one.axis() == v1::Confirmation::AXIS_SOLVER) one.set_by(ConfirmersOf(proofs));
    }
    Same(stated, wanted, "the confirmations");
  }

  // Compares all fields of the rule, except for those that depend on the database or the exporter's options.
  void CompareRule(v1::RewriteRule wanted) const {
    const v1::RewriteRule& stated = entry_.rule();
    const v1::Provenance& origin = stated.provenance();
    for (const std::string* digest :
         {&origin.fragment(), &origin.search_digest(), &stated.generalisation().generalised_from()}) {
      if (!digest->empty() && !ir::Digest::FromHex(*digest).ok())
        add_(absl::StrCat("it states the origin \"", absl::CHexEscape(*digest), "\", which is not a digest"));
    }
    wanted.mutable_provenance()->set_fragment(origin.fragment());
    wanted.mutable_provenance()->set_search_digest(origin.search_digest());
    wanted.mutable_provenance()->clear_created();
    wanted.mutable_generalisation()->set_generalised_from(stated.generalisation().generalised_from());
    // ParseEntry checks the preconditions that a pack adds to those of the text, and the id covers the condition, so
    // neither is compared here.
    *wanted.mutable_generalisation()->mutable_preconditions() = stated.generalisation().preconditions();
    wanted.set_condition(stated.condition());
    wanted.set_state(stated.state());
    wanted.set_reason(stated.reason());
    *wanted.mutable_measurements() = stated.measurements();
    *wanted.mutable_trials() = stated.trials();
    if (const std::string text = emitter::DifferenceText(stated, wanted); !text.empty())
      add_(absl::StrCat("verification gives different facts about the rule: ", text));
  }

  // Checks the facts about the rule's sites that follow from its text.
  void CheckSites() const {
    const auto& stated = entry_.rule().generalisation().preconditions();
    for (const uint32_t value : SingleUsePlaces(candidate_)) {
      const std::string name = absl::StrCat("n", value);
      const bool has = std::any_of(stated.begin(), stated.end(), [&](const auto& one) {
        return one.node() == name && one.predicate() == "is_used_once";
      });
      if (!has) add_(absl::StrCat("lacks the precondition ", name, ":is_used_once, without which it saves nothing"));
    }
  }

  const v1::PackEntry& entry_;
  const machine::Candidate& candidate_;
  const std::function<void(const std::string&)> add_;
};

// Checks the fields of the manifest that follow from its machine and from the solvers that this program knows.
void CheckManifest(const v1::PackManifest& manifest, const verifier::Solvers& solvers,
                   std::vector<emitter::Finding>* findings) {
  const auto add = [&](const std::string& what) {
    findings->push_back({"", std::string(emitter::kManifestFile), what});
  };
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(manifest.machine());
  if (!machine.ok()) return add(std::string(machine.status().message()));
  std::vector<std::string> uncovered;
  for (const machine::OpAtSize& op : machine::CoverageOf(**machine, machine::AllMachines()).missing)
    uncovered.push_back(machine::NameOf(op));
  if (!std::equal(uncovered.begin(), uncovered.end(), manifest.uncovered_ops().begin(), manifest.uncovered_ops().end()))
    add(absl::StrCat("states the wrong uncovered ops; the machine's uncovered ops are: ",
                     absl::StrJoin(uncovered, ", ")));
  std::set<std::string> known;
  for (const std::string& version : solvers.versions()) known.insert(NameOfSolver(version));
  for (const std::string& version : manifest.solver_versions()) {
    if (!known.contains(NameOfSolver(version)))
      add(absl::StrCat("names the solver \"", absl::CHexEscape(version), "\", which is unknown"));
  }
}

// Returns `evidence` with the costs that an exporter would write into the pack for the claimed rule.
v1::PackEntry WithCosts(const v1::PackEntry& claimed, v1::PackEntry evidence) {
  const absl::StatusOr<emitter::EntryRule> entry = emitter::ParseEntry(claimed.rule());
  if (!entry.ok()) return evidence;  // VerifyPacks reports the error
  const absl::StatusOr<emitter::ProvedCases> proved = emitter::FindProvedCases(entry->rule, claimed);
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(claimed.rule().machine());
  if (proved.ok() && machine.ok()) FillCosts(**machine, *entry, *proved, evidence.mutable_rule()).IgnoreError();
  return evidence;
}

struct Entry {
  const v1::PackEntry* claimed = nullptr;
  RuleClaim claim;
};

// Adds a finding to `verdict` for each entry of the folder that does not hold for the pack's target. Returns NotFound
// for an unknown target, and Cancelled if stopped.
absl::Status CheckTarget(const emitter::PackFolder& folder, const verifier::Solvers& solvers,
                         const PackVerifierOptions& options, PackVerdict* verdict) {
  const absl::StatusOr<const emitter::NirTarget*> target = emitter::FindNirTarget(folder.manifest.target);
  if (!target.ok()) return target.status();
  std::vector<const v1::PackEntry*> entries;
  for (const v1::PackEntry& entry : folder.pack.entries()) entries.push_back(&entry);
  const absl::StatusOr<std::vector<ModesForTarget>> modes =
      CheckForTarget(entries, **target, folder.pack.manifest().machine(), solvers, {options.threads, options.stop, {}});
  if (!modes.ok()) return modes.status();
  for (size_t i = 0; i < entries.size(); ++i) {
    if ((*modes)[i].fail.empty()) continue;
    const std::string& id = entries[i]->rule().id();
    const bool is_new = std::none_of(verdict->findings.begin(), verdict->findings.end(),
                                     [&](const emitter::Finding& finding) { return finding.entry == id; });
    if (is_new && verdict->proved > 0) --verdict->proved;
    verdict->findings.push_back({id, "", (*modes)[i].reason});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PackVerdict> ProvePackAgain(const v1::Pack& pack, const verifier::Solvers& solvers,
                                           const PackVerifierOptions& options) {
  if (solvers.first() == nullptr || solvers.confirming() == nullptr)
    return absl::UnavailableError("verifying a pack requires two solvers, and one is missing");
  std::atomic<uint64_t> asked{0};
  CountingSolver first(solvers.first(), &asked), second(solvers.confirming(), &asked);
  PackVerdict verdict;
  CheckManifest(pack.manifest(), solvers, &verdict.findings);
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
      v1::PackEntry evidence = DetailOf(record);
      *evidence.mutable_rule() = RuleMessage(record, {});
      EntryComparison(*entries[i].claimed, claims[i].candidate, add)
          .Compare(*shown[i], WithCosts(*entries[i].claimed, std::move(evidence)));
      if (verdict.findings.size() == findings) ++verdict.proved;
    }
  }
  verdict.queries = asked;
  return verdict;
}

absl::StatusOr<PackVerdict> ProvePacksAgain(const std::vector<emitter::PackFolder>& folders,
                                            const verifier::Solvers& solvers, const PackVerifierOptions& options) {
  size_t all = 0;
  for (const emitter::PackFolder& folder : folders) all += static_cast<size_t>(folder.pack.entries_size());
  PackVerdict sum;
  for (const emitter::PackFolder& folder : folders) {
    PackVerifierOptions of_folder = options;
    if (options.progress != nullptr) {
      of_folder.progress = [&](size_t done, size_t) { options.progress(sum.entries + done, all); };
    }
    absl::StatusOr<PackVerdict> verdict = ProvePackAgain(folder.pack, solvers, of_folder);
    if (!verdict.ok()) return verdict;
    const absl::Status for_target = CheckTarget(folder, solvers, options, &*verdict);
    if (!for_target.ok()) return for_target;
    for (emitter::Finding& finding : verdict->findings) {
      finding.file = emitter::PathIn(folder, finding.file);
      sum.findings.push_back(std::move(finding));
    }
    sum.entries += verdict->entries;
    sum.proved += verdict->proved;
    sum.cases += verdict->cases;
    sum.queries += verdict->queries;
  }
  return sum;
}

}  // namespace rewrought::pipeline
