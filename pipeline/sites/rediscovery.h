// Compares the discovered rules with the rules of a Mesa tree, to determine which of the tree's rules the search can
// find. A rule of the tree is examined at the stored fragments that it matches as a whole.
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

// The reason why the discovered rules save less at a fragment than the tree's rule.
enum class MissedBecause : uint8_t {
  kNotLookedAt,  // no run searched the fragment
  kCutShort,     // a budget ended its search
  kNotFound,     // the search found nothing cheaper
  kNotProved,    // candidates were found, but none became a rule
  kFoundLess,    // a rule was found, but it saves less
};
// Returns the reason's name in JSON, such as "not looked at".
std::string NameOf(MissedBecause reason);

// A fragment whose cost a rule of the tree reduces.
struct RediscoverySite {
  std::string fragment;  // in display form
  int64_t sites = 0;
  machine::Cost before, tree, found;  // costs without rules, with the tree's rule, and with the discovered rules
  MissedBecause because = MissedBecause::kNotLookedAt;  // set if the discovered rules save less
};

// The results for one rule of the tree, in numbers of sites. Covers the fragments that the rule matches completely
// under the flags and facts of their sites.
struct Rediscovery {
  int64_t occurs = 0;                   // all sites of these fragments
  int64_t saves = 0;                    // of these, sites where the rule saves enough (machine::WorthARule)
  int64_t given = 0;                    // of these, sites where the discovered rules save as much
  int64_t given_by_one = 0;             // of these, sites where a single discovered rule matches the whole fragment
  RediscoverySite given_at, missed_at;  // the most frequent given fragment, and the most frequent missed fragment
};

struct RediscoveryOptions {
  size_t max_ops = 4;  // larger fragments are skipped
  ir::Digest search;   // the SearchDigest of the runs to examine
  std::stop_token stop;
  std::function<void(uint64_t fragments)> progress;  // called periodically with the number of fragments processed
};

// Returns one result per rule of `tree`, based on all fragments of discovery sources and all rules of `machine` in the
// store except lost and refuted rules. Strict rules of the tree are compared only with strict rules, and inexact rules
// of the tree (`~`) with strict and inexact rules. Returns Cancelled if stopped. Propagates store errors.
absl::StatusOr<std::vector<Rediscovery>> Rediscover(store::Store* store, const machine::Machine& machine,
                                                    absl::Span<const ir::CompiledRule> tree,
                                                    const RediscoveryOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SITES_REDISCOVERY_H_
