// What discovery does with one fragment: goals from its sites, candidates from the search, the weakest assumptions
// under which one is proved, evidence for the rule.
#ifndef REWROUGHT_SERVER_PIPELINE_FRAGMENT_WORK_H_
#define REWROUGHT_SERVER_PIPELINE_FRAGMENT_WORK_H_

#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "enumerator/candidate_search.h"
#include "enumerator/real_form_search.h"
#include "ir/value_facts.h"
#include "machine/candidate.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "rules/known_rules.h"
#include "server/pipeline/candidate_verifier.h"
#include "server/store/records.h"
#include "verifier/inexact/inexact.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {

// What the sites of a fragment have in common: the most frequent flags and the facts of the sites that have them.
struct SiteProfile {
  uint64_t node_flags = 0;
  std::vector<ir::ValueFacts> facts;  // of the variables in order
  std::set<uint64_t> multi_use;       // what lives on at some site (corpus::SiteRecord); empty: nothing is known
};

struct FragmentWorkOptions {
  size_t max_verified = 4;
  size_t mutants = 8;
  // Not empty. The first is what a rule must be proved in; which of the others hold is kept with it.
  std::vector<ir::DenormMode> modes;
};

struct FragmentResult {
  std::vector<store::CandidateRecord> candidates;  // those verified
  std::vector<store::RuleRecord> rules;
  enumerator::SearchStatistics statistics;
  uint64_t found = 0, proved = 0, refuted = 0, unknown = 0, general = 0;
};

class FragmentWorker {
 public:
  // Nothing is owned. `mutant_prover` needs no solver; `solver` verifies over the reals and may be null. `over_reals`
  // does the part of the work that is about forms equal over the reals: another worker whose verifier has less time,
  // since what is unknown there may still be inexact; null: this one. Thread-safe.
  FragmentWorker(const machine::Machine& machine, enumerator::CandidateSearch* search,
                 CandidateVerifier* candidate_verifier, rules::KnownRules* known, rules::KnownRules* known_over_reals,
                 const verifier::Prover* mutant_prover, verifier::Solver* solver, const FragmentWorkOptions& options,
                 const FragmentWorker* over_reals = nullptr)
      : machine_(machine),
        search_(search),
        verifier_(candidate_verifier),
        known_(known),
        known_over_reals_(known_over_reals),
        mutant_prover_(mutant_prover),
        solver_(solver),
        options_(options),
        over_reals_(over_reals == nullptr ? this : over_reals),
        prices_(machine) {}

  // What is searched for `fragment`: programs cheaper than what base selection and the rules known so far give. None:
  // no program can be, or base selection does not cover the fragment.
  std::optional<enumerator::SearchGoal> GoalOf(const store::FragmentSummary& fragment,
                                               const SiteProfile& profile) const;

  // Searches and verifies, bit for bit and then over the reals. Cancelled: stopped midway; nothing is to be kept but
  // the verdicts that the verifier has stored. Else the store's errors.
  absl::StatusOr<FragmentResult> Work(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                      std::stop_token stop) const;

  // Verifies programs for the goal of a fragment, the cheapest first, and adds what is proved to the known rules.
  // Errors as of Work.
  absl::StatusOr<FragmentResult> VerifyPrograms(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                                const enumerator::SearchGoal& goal,
                                                std::vector<machine::Program> programs, std::stop_token stop) const;

 private:
  absl::Status KeepProved(const store::FragmentSummary& fragment, const machine::Candidate& candidate,
                          std::stop_token stop, FragmentResult* result) const;
  absl::Status KeepRule(const store::FragmentSummary& fragment, const machine::Candidate& candidate,
                        FragmentResult* result) const;
  // With the facts of the sites, then the weakest of them.
  absl::StatusOr<bool> ProvedUnderFacts(const SiteProfile& profile, machine::Candidate* candidate,
                                        CandidateVerdict* last) const;
  // With some of the flags that the nodes of `granted`, the candidate's search with others, have; as few as are enough.
  absl::StatusOr<bool> ProvedWithPermissions(const ir::Term& granted, machine::Candidate* candidate,
                                             CandidateVerdict* last) const;
  bool RefutedByVectors(const machine::Candidate& candidate) const;
  // The candidate with the fewest assumptions under which it is proved, whether or not a site grants its flags; none:
  // `*last` is what was verified last.
  absl::StatusOr<bool> FindAssumptions(const SiteProfile& profile, machine::Candidate* candidate,
                                       CandidateVerdict* last) const;
  // The same with nothing but the flags and facts of the sites.
  absl::StatusOr<bool> ProvedAtSites(const SiteProfile& profile, machine::Candidate* candidate,
                                     CandidateVerdict* last) const;
  absl::Status WeakenFlags(machine::Candidate* candidate, CandidateVerdict* decided) const;
  absl::Status WeakenPredicates(const SiteProfile& profile, machine::Candidate* candidate,
                                CandidateVerdict* decided) const;
  // Whether the candidate, about the goal's term as it is, saves at some site in spite of what lives on there.
  bool PaysSomewhere(const machine::Candidate& candidate, const enumerator::SearchGoal& goal,
                     const SiteProfile& profile) const;
  absl::StatusOr<bool> ProvedAs(const machine::Candidate& candidate, CandidateVerdict* decided) const;
  // What the program of a proved candidate does, said in NIR, as a candidate; none where it does not pay or is not
  // proved.
  absl::StatusOr<std::optional<machine::Candidate>> NirCandidate(const machine::Candidate& candidate) const;
  store::RuleRecord MakeRule(const store::FragmentSummary& fragment, const machine::Candidate& candidate,
                             const CandidateVerdict& decided, const std::vector<ir::DenormMode>& modes) const;

  // fragment_reals.cc: cheaper forms that are equal over the reals. Those that are equal bit for bit at the sites
  // become strict rules, those that are refuted so and inexact become rules with `~`.
  absl::Status WorkOverReals(const store::FragmentSummary& fragment, const SiteProfile& profile,
                             const enumerator::SearchGoal& searched, std::stop_token stop,
                             FragmentResult* result) const;
  absl::Status VerifyRealForm(const store::FragmentSummary& fragment, const SiteProfile& profile,
                              const enumerator::RealForm& form, std::stop_token stop, FragmentResult* result) const;
  absl::Status KeepInexact(const store::FragmentSummary& fragment, const machine::Candidate& candidate,
                           const verifier::InexactVerdict& decided, FragmentResult* result) const;

  const machine::Machine& machine_;
  enumerator::CandidateSearch* const search_;
  CandidateVerifier* const verifier_;
  rules::KnownRules* const known_;
  rules::KnownRules* const known_over_reals_;  // those and the inexact ones
  const verifier::Prover* const mutant_prover_;
  verifier::Solver* const solver_;
  const FragmentWorkOptions options_;
  const FragmentWorker* const over_reals_;
  mutable enumerator::OpPrices prices_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_FRAGMENT_WORK_H_
