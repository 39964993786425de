// The rules that a search has found by now, by what they may stand in for: only what beats them is of interest.
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

// Thread-safe. A copy has what is known now; what either learns from then on is its own.
struct FoundRules {
  // `machine` must outlive this.
  explicit FoundRules(const machine::Machine& machine) : strict(machine), over_reals(machine), cancelling(machine) {}

  rules::KnownRules strict;
  rules::KnownRules over_reals;  // those and the inexact ones that keep the search side's digits
  rules::KnownRules cancelling;  // the other inexact ones

  // `candidate` is that of `rule` (CandidateOfRecord).
  void Add(const machine::Candidate& candidate, const store::RuleRecord& rule);

  // The store's rules for `machine` under `semantics`; with `before` those that were there then. The store's errors.
  absl::Status Load(store::Store* store, const machine::Machine& machine, const ir::Digest& semantics,
                    std::optional<absl::Time> before);
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_FOUND_RULES_H_
