// What discovery does with one fragment: goals from its sites, candidates from the search, the weakest assumptions
// under which one is proved, evidence for the rule.
#ifndef REWROUGHT_SERVER_PIPELINE_FRAGMENT_WORK_H_
#define REWROUGHT_SERVER_PIPELINE_FRAGMENT_WORK_H_

#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "server/pipeline/candidate_search.h"
#include "server/pipeline/judge.h"
#include "server/pipeline/known_rules.h"
#include "server/pipeline/real_candidates.h"
#include "server/store/records.h"
#include "verifier/inexact.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {

// What the sites of a fragment have in common: the most frequent marks and the facts of the sites that have them.
struct SiteProfile {
  uint64_t marks = 0;
  std::vector<corpus::ValueFacts> facts;  // of the variables in order
  std::set<uint64_t> survivors;           // what lives on at some site (store::SiteRecord); empty: nothing is known
};

struct FragmentWorkOptions {
  size_t max_judged = 4;
  size_t mutants = 8;
  // Not empty. The first is what a rule must be proved in; which of the others hold is kept with it.
  std::vector<ir::DenormMode> modes;
};

struct FragmentResult {
  std::vector<store::CandidateRecord> candidates;  // those judged
  std::vector<store::RuleRecord> rules;
  SearchStatistics statistics;
  uint64_t found = 0, proved = 0, refuted = 0, unknown = 0, general = 0;
};

class FragmentWorker {
 public:
  // Nothing is owned. `mutant_prover` needs no solver; `solver` judges over the reals and may be null. `over_reals`
  // does the part of the work that is about forms equal over the reals: another worker whose judge has less time, since
  // what stays open there may still be licensed; null: this one. Thread-safe.
  FragmentWorker(const machine::Machine& machine, CandidateSearch* search, Judge* judge, KnownRules* known,
                 KnownRules* known_over_reals, const verifier::Prover* mutant_prover, verifier::Solver* solver,
                 const FragmentWorkOptions& options, const FragmentWorker* over_reals = nullptr)
      : machine_(machine),
        search_(search),
        judge_(judge),
        known_(known),
        known_over_reals_(known_over_reals),
        mutant_prover_(mutant_prover),
        solver_(solver),
        options_(options),
        over_reals_(over_reals == nullptr ? this : over_reals),
        prices_(machine) {}

  // What is searched for `fragment`: programs cheaper than what base selection and the rules known so far give. None:
  // no program can be, or base selection does not cover the fragment.
  std::optional<SearchGoal> GoalOf(const store::FragmentSummary& fragment, const SiteProfile& profile) const;

  // Searches and judges, bit for bit and then over the reals. Cancelled: stopped midway; nothing is to be kept but the
  // verdicts that the judge has stored. Else the store's errors.
  absl::StatusOr<FragmentResult> Work(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                      std::stop_token stop) const;

  // Judges programs for the goal of a fragment, the cheapest first, and adds what is proved to the known rules. Errors
  // as of Work.
  absl::StatusOr<FragmentResult> JudgePrograms(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                               const SearchGoal& goal, std::vector<machine::Program> programs,
                                               std::stop_token stop) const;

 private:
  absl::Status KeepProved(const store::FragmentSummary& fragment, const RuleDraft& draft, std::stop_token stop,
                          FragmentResult* result) const;
  absl::Status KeepRule(const store::FragmentSummary& fragment, const RuleDraft& draft, FragmentResult* result) const;
  // With the facts of the sites, then the weakest of them.
  absl::StatusOr<bool> ProvedUnderFacts(const SiteProfile& profile, RuleDraft* draft, Judgement* last) const;
  // With some of the flags that the nodes of `granted`, the draft's search with others, have; as few as are enough.
  absl::StatusOr<bool> ProvedWithPermissions(const ir::Term& granted, RuleDraft* draft, Judgement* last) const;
  bool RefutedByVectors(const RuleDraft& draft) const;
  // The draft with the fewest assumptions under which it is proved, whether or not a site grants its flags; none:
  // `*last` is what was judged last.
  absl::StatusOr<bool> FindAssumptions(const SiteProfile& profile, RuleDraft* draft, Judgement* last) const;
  // The same with nothing but the flags and facts of the sites.
  absl::StatusOr<bool> ProvedAtSites(const SiteProfile& profile, RuleDraft* draft, Judgement* last) const;
  absl::Status WeakenFlags(RuleDraft* draft, Judgement* judgement) const;
  absl::Status WeakenPredicates(const SiteProfile& profile, RuleDraft* draft, Judgement* judgement) const;
  // Whether the draft, about the goal's term as it is, saves at some site in spite of what lives on there.
  bool PaysSomewhere(const RuleDraft& draft, const SearchGoal& goal, const SiteProfile& profile) const;
  absl::StatusOr<bool> ProvedAs(const RuleDraft& draft, Judgement* judgement) const;
  // What the program of a proved draft does, said in NIR, as a draft; none where it does not pay or is not proved.
  absl::StatusOr<std::optional<RuleDraft>> NirDraft(const RuleDraft& draft) const;
  store::RuleRecord MakeRule(const store::FragmentSummary& fragment, const RuleDraft& draft, const Judgement& judgement,
                             const std::vector<ir::DenormMode>& modes) const;

  // fragment_reals.cc: cheaper forms that are equal over the reals. Those that are equal bit for bit at the sites
  // become strict rules, those that are refuted so and licensed become rules with `~`.
  absl::Status WorkOverReals(const store::FragmentSummary& fragment, const SiteProfile& profile,
                             const SearchGoal& searched, std::stop_token stop, FragmentResult* result) const;
  absl::Status JudgeRealCandidate(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                  const RealCandidate& candidate, std::stop_token stop, FragmentResult* result) const;
  absl::Status KeepLicensed(const store::FragmentSummary& fragment, const RuleDraft& draft,
                            const verifier::InexactJudgement& judgement, FragmentResult* result) const;

  const machine::Machine& machine_;
  CandidateSearch* const search_;
  Judge* const judge_;
  KnownRules* const known_;
  KnownRules* const known_over_reals_;  // those and the licensed ones
  const verifier::Prover* const mutant_prover_;
  verifier::Solver* const solver_;
  const FragmentWorkOptions options_;
  const FragmentWorker* const over_reals_;
  mutable OpPrices prices_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_FRAGMENT_WORK_H_
