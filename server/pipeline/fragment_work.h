// What discovery does with one fragment: goals from its sites, candidates from the search, the weakest assumptions
// under which one is proved, evidence for the rule.
#ifndef REWROUGHT_SERVER_PIPELINE_FRAGMENT_WORK_H_
#define REWROUGHT_SERVER_PIPELINE_FRAGMENT_WORK_H_

#include <stop_token>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "server/pipeline/candidate_search.h"
#include "server/pipeline/judge.h"
#include "server/store/records.h"

namespace rewrought::pipeline {

// What the sites of a fragment have in common: the most frequent marks and the facts of the sites that have them.
struct SiteProfile {
  uint64_t marks = 0;
  std::vector<corpus::ValueFacts> facts;  // of the variables in order
};

struct FragmentWorkOptions {
  size_t max_judged = 4;
  size_t mutants = 8;
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
  // Nothing is owned. `mutant_prover` needs no solver. Thread-safe.
  FragmentWorker(const machine::Machine& machine, CandidateSearch* search, Judge* judge,
                 const verifier::Prover* mutant_prover, const FragmentWorkOptions& options)
      : machine_(machine), search_(search), judge_(judge), mutant_prover_(mutant_prover), options_(options) {}

  // Cancelled: stopped midway; nothing is to be kept but the verdicts that the judge has stored. Else the store's
  // errors.
  absl::StatusOr<FragmentResult> Work(const store::FragmentSummary& fragment, const SiteProfile& profile,
                                      std::stop_token stop) const;

 private:
  // The draft with the fewest assumptions out of those that the sites grant under which it is proved; none: `*last` is
  // the judgement with all of them.
  absl::StatusOr<bool> FindAssumptions(const SiteProfile& profile, RuleDraft* draft, Judgement* last) const;
  absl::Status WeakenFlags(RuleDraft* draft, Judgement* judgement) const;
  absl::Status WeakenPredicates(const SiteProfile& profile, RuleDraft* draft, Judgement* judgement) const;
  absl::StatusOr<bool> ProvedAs(const RuleDraft& draft, Judgement* judgement) const;
  absl::StatusOr<std::optional<store::RuleRecord>> NirRule(const store::FragmentSummary& fragment, const RuleDraft& draft,
                                                           const machine::Cost& base) const;
  store::RuleRecord MakeRule(const store::FragmentSummary& fragment, const RuleDraft& draft, const Judgement& judgement,
                             const machine::Cost& base) const;

  const machine::Machine& machine_;
  CandidateSearch* const search_;
  Judge* const judge_;
  const verifier::Prover* const mutant_prover_;
  const FragmentWorkOptions options_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_FRAGMENT_WORK_H_
