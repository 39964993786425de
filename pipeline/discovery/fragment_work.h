// What discovery does with one fragment: a goal from its sites, candidates from the searches, the weakest assumptions
// under which one is proved, evidence for the rule.
#ifndef REWROUGHT_PIPELINE_DISCOVERY_FRAGMENT_WORK_H_
#define REWROUGHT_PIPELINE_DISCOVERY_FRAGMENT_WORK_H_

#include <optional>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "enumerator/candidate_search.h"
#include "enumerator/reals/real_form_search.h"
#include "ir/digest.h"
#include "machine/program.h"
#include "pipeline/discovery/candidate_verifier.h"
#include "pipeline/discovery/found_rules.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/evidence/verified_rules.h"
#include "rules/site_assumptions.h"
#include "rules/site_rule.h"
#include "store/records.h"
#include "verifier/prover.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {

// What the work on all fragments of a run shares. Nothing is owned; all of it may be used by several threads.
struct FragmentContext {
  const machine::Machine& machine;
  enumerator::CandidateSearch* search;
  CandidateVerifier* verifier;        // of programs
  CandidateVerifier* quick_verifier;  // of forms equal over the reals: what it leaves unknown may still be inexact
  FoundRules* found;
  const RuleVerifier* rule_verifier;  // has the last word on what becomes a rule
  VerifiedRules* verified;
  const verifier::Prover* vectors;  // without a solver: screens assumptions
  verifier::Solver* solver;         // over the reals; may be null
  enumerator::OpPrices* prices;
  size_t max_verified = 4;  // programs of one fragment
  // Not empty. The first is what a rule must be proved in; which of the others hold is kept with it.
  std::vector<ir::DenormMode> modes;
};

// A fragment as something to be made cheaper.
struct FragmentGoal {
  ir::Digest fragment;
  enumerator::SearchGoal sought;
  rules::SiteProfile sites;
  std::vector<rules::SiteBudget> budgets;  // one of them a right side must meet; none: any right side may
};

struct FragmentResult {
  std::vector<store::CandidateRecord> candidates;  // those verified
  std::vector<store::RuleRecord> rules;
  enumerator::SearchStatistics statistics;
  uint64_t found = 0, proved = 0, refuted = 0, unknown = 0, general = 0;
};

// Whether the term has an op on constants alone, or the reciprocal of one that a division is made of. Every compiler
// folds it, so the fragment without it is the one to look at.
bool HasConstantPart(const ir::Term& term);

// What is searched for `fragment`: what is cheaper than base selection and the rules known so far. None: nothing can
// be, or base selection does not cover the fragment.
std::optional<FragmentGoal> GoalOf(const FragmentContext& context, const store::FragmentSummary& fragment,
                                   rules::SiteProfile sites);

// Searches and verifies, bit for bit and then over the reals. Cancelled: stopped midway; nothing is to be kept but the
// verdicts that the verifier has stored. Else the store's errors.
absl::StatusOr<FragmentResult> WorkOnFragment(const FragmentContext& context, const store::FragmentSummary& fragment,
                                              const rules::SiteProfile& sites, std::stop_token stop);

// Verifies programs for a goal, the cheapest first, and adds what is proved to the known rules. Errors as of
// WorkOnFragment.
absl::StatusOr<FragmentResult> VerifyPrograms(const FragmentContext& context, const FragmentGoal& goal,
                                              std::vector<machine::Program> programs, std::stop_token stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_FRAGMENT_WORK_H_
