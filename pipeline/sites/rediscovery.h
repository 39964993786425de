// What discovery found again of the rules that a driver's tree has, or what gives as much as they do: a measure of what
// search reaches. Asked where a tree's rule is all of a stored fragment and saves there.
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

// What became of a fragment at which the rules found give less than the tree's rule.
enum class MissedBecause : uint8_t {
  kNotLookedAt,  // no run came to it
  kCutShort,     // a budget ended its search
  kNotFound,     // the search found nothing cheaper
  kNotProved,    // candidates were found, no rule came of them
  kFoundLess,    // a rule came of it, which saves less
};
// As JSON spells it: "not looked at", ....
std::string NameOf(MissedBecause reason);

// A fragment at which a tree's rule saves.
struct RediscoverySite {
  std::string fragment;  // as people write it
  int64_t sites = 0;
  machine::Cost before, tree, found;                    // of the fragment: as it is, by the tree's rule, by ours
  MissedBecause because = MissedBecause::kNotLookedAt;  // where `found` is less than what the tree gives
};

// Of one rule of the tree. Fragments are those whose ops it matches all, where flags and facts of the sites permit it.
struct Rediscovery {
  int64_t occurs = 0;                   // sites of such fragments
  int64_t saves = 0;                    // of these, where its right side is worth a rule (machine::WorthARule)
  int64_t given = 0;                    // of these, where the rules found give as much
  int64_t given_by_one = 0;             // of these, where one of them matches all of the fragment
  RediscoverySite given_at, missed_at;  // the fragments of each kind with most sites
};

struct RediscoveryOptions {
  size_t max_ops = 4;  // of a fragment
  ir::Digest search;   // SearchDigest of the runs that are asked about
  std::stop_token stop;
  std::function<void(uint64_t fragments)> progress;  // fragments looked at, now and then
};

// By rule of `tree`, over all fragments of discovery sources and all rules of `machine` in the store that are neither
// lost nor refuted. An inexact rule of the tree (`~`) may be given by inexact rules; a strict one by strict ones alone.
// Cancelled: stopped. Else the store's errors.
absl::StatusOr<std::vector<Rediscovery>> Rediscover(store::Store* store, const machine::Machine& machine,
                                                    absl::Span<const ir::CompiledRule> tree,
                                                    const RediscoveryOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SITES_REDISCOVERY_H_
