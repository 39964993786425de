// Compares the discovered rules with the rules of a driver's tree, to measure the reach of the search. A tree rule is
// examined where it matches a whole stored fragment and saves there.
#ifndef REWROUGHT_PIPELINE_SITES_REDISCOVERY_H_
#define REWROUGHT_PIPELINE_SITES_REDISCOVERY_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/digest.h"
#include "ir/match/match.h"
#include "machine/cost.h"
#include "machine/machine.h"
#include "store/store.h"

namespace rewrought::pipeline {

// The reason why the discovered rules give less at a fragment than the tree's rule.
enum class MissedBecause : uint8_t {
  kNotLookedAt,  // no run searched the fragment
  kCutShort,     // a budget ended its search
  kNotFound,     // the search found nothing cheaper
  kNotProved,    // candidates were found, but none became a rule
  kFoundLess,    // a rule was found, but saves less
};
// Returns the reason's name in JSON: "not looked at", ....
std::string NameOf(MissedBecause reason);

// A fragment at which a tree rule saves.
struct RediscoverySite {
  std::string fragment;  // in display form
  int64_t sites = 0;
  machine::Cost before, tree, found;  // of the fragment: unchanged, with the tree's rule, and with our rules
  MissedBecause because = MissedBecause::kNotLookedAt;  // valid if `found` gives less than the tree's rule
};

// The results for one tree rule. Counts only fragments that it matches completely under the sites' flags and facts.
struct Rediscovery {
  int64_t occurs = 0;                   // sites of such fragments
  int64_t saves = 0;                    // of these, sites where its right side is worth a rule (machine::WorthARule)
  int64_t given = 0;                    // of these, sites where the discovered rules give as much
  int64_t given_by_one = 0;             // of these, sites where a single rule matches the whole fragment
  RediscoverySite given_at, missed_at;  // the fragment with most sites of each kind
};

struct RediscoveryOptions {
  size_t max_ops = 4;  // per fragment
  ir::Digest search;   // SearchDigest of the runs to examine
  std::stop_token stop;
  std::function<void(uint64_t fragments)> progress;  // the number of fragments processed, reported periodically
};

// Returns one result per rule of `tree`, over all fragments of discovery sources and all rules of `machine` in the
// store except lost and refuted ones. Strict tree rules are compared only with strict rules; inexact tree rules (`~`)
// also with inexact ones. Returns Cancelled if stopped, or store errors.
absl::StatusOr<std::vector<Rediscovery>> Rediscover(store::Store* store, const machine::Machine& machine,
                                                    absl::Span<const ir::CompiledRule> tree,
                                                    const RediscoveryOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SITES_REDISCOVERY_H_
