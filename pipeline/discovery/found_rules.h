// Holds the rules that a search has found so far, grouped by accuracy. New candidates must be cheaper than the results
// of these rules.
#ifndef REWROUGHT_PIPELINE_DISCOVERY_FOUND_RULES_H_
#define REWROUGHT_PIPELINE_DISCOVERY_FOUND_RULES_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ir/digest.h"
#include "machine/candidate.h"
#include "machine/machine.h"
#include "rules/known_rules.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::pipeline {

// Thread-safe. Later additions to the original do not affect a copy.
struct FoundRules {
  // `machine` must outlive this object.
  explicit FoundRules(const machine::Machine& machine) : strict(machine), over_reals(machine), cancelling(machine) {}

  rules::KnownRules strict;
  rules::KnownRules over_reals;  // strict rules, and inexact rules at least as accurate as their search sides
  rules::KnownRules cancelling;  // the other inexact rules

  // `candidate` must be the candidate of `rule` (CandidateOfRecord).
  void Add(const machine::Candidate& candidate, const store::RuleRecord& rule);

  // Loads the store's rules for `machine` that were proved under `semantics`. If `before` is set, loads only rules
  // created earlier. Propagates store errors.
  absl::Status Load(store::Store* store, const machine::Machine& machine, const ir::Digest& semantics,
                    std::optional<absl::Time> before);
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_FOUND_RULES_H_
