// Works on one fragment: derives a goal from its sites, searches for candidates, finds the weakest assumptions under
// which a candidate is proved, and creates the rule with its evidence.
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

// State shared by the work on all fragments of a run. Owns nothing. All members may be used by several threads
// concurrently.
struct FragmentContext {
  const machine::Machine& machine;
  enumerator::CandidateSearch* search;
  CandidateVerifier* verifier;  // verifies programs
  // Uses smaller budgets to verify forms equal over the reals, because undecided forms may still become inexact rules.
  CandidateVerifier* quick_verifier;
  FoundRules* found;
  const RuleVerifier* rule_verifier;  // verifies each candidate once more before it becomes a rule
  VerifiedRules* verified;
  const verifier::Prover* vectors;  // evaluates candidates on vectors, without a solver, to reject wrong assumptions
  verifier::Solver* solver;         // for queries over the reals; may be null
  enumerator::OpPrices* prices;
  size_t max_verified = 4;  // the maximum number of programs to verify per fragment
  // Must not be empty. A rule must be proved in the first mode; the other modes in which it holds are stored with it.
  std::vector<ir::DenormMode> modes;
};

// A fragment for which a cheaper replacement is sought.
struct FragmentGoal {
  ir::Digest fragment;
  enumerator::SearchGoal sought;
  rules::SiteProfile sites;
  std::vector<rules::SiteBudget> budgets;  // if not empty, a replacement must meet one of them
};

struct FragmentResult {
  std::vector<store::CandidateRecord> candidates;  // the verified candidates
  std::vector<store::RuleRecord> rules;
  enumerator::SearchStatistics statistics;
  uint64_t found = 0, proved = 0, refuted = 0, unknown = 0, general = 0;
};

// Returns whether the term has an op whose operands are all constants, or a division by a constant, which every
// compiler turns into a multiplication. Such a fragment is skipped, because compilers fold it, and the folded fragment
// is searched as well.
bool HasConstantPart(const ir::Term& term);

// Returns the goal for `fragment`: a replacement cheaper than the results of base selection and of the rules known so
// far. Returns nullopt if no replacement can be cheaper or if base selection does not cover the fragment.
std::optional<FragmentGoal> GoalOf(const FragmentContext& context, const store::FragmentSummary& fragment,
                                   rules::SiteProfile sites);

// Searches for replacements of the fragment and verifies them, first bit for bit and then over the reals. Returns
// Cancelled if stopped early; the store then contains at most the verdicts that the verifier itself stored. Propagates
// store errors.
absl::StatusOr<FragmentResult> WorkOnFragment(const FragmentContext& context, const store::FragmentSummary& fragment,
                                              const rules::SiteProfile& sites, std::stop_token stop);

// Verifies programs for a goal in order, cheapest first, until one of them yields a rule, and adds the rule to the
// known rules. Returns the same errors as WorkOnFragment.
absl::StatusOr<FragmentResult> VerifyPrograms(const FragmentContext& context, const FragmentGoal& goal,
                                              std::vector<machine::Program> programs, std::stop_token stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_FRAGMENT_WORK_H_
