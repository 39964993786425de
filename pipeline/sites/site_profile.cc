#include "pipeline/sites/site_profile.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ir/facts/value_facts.h"
#include "store/corpus_store.h"

namespace rewrought::pipeline {
namespace {

// The maximum number of distinct sets of multi-use intermediates per fragment.
constexpr size_t kMostMultiUseSets = 8;

}  // namespace

absl::StatusOr<rules::SiteProfile> ProfileOf(store::Store* store, const ir::Digest& fragment) {
  struct Seen {
    int64_t weight = 0;
    std::vector<ir::ValueFacts> facts;
  };
  std::map<uint64_t, Seen> by_flags;
  rules::SiteProfile profile;
  const absl::Status listed = store::CorpusStore(store).ForEachSite(
      fragment, store::Split::kDiscovery, [&](const store::SiteView& site) -> absl::Status {
        Seen& seen = by_flags[site.node_flags];
        std::vector<ir::ValueFacts> facts = ir::ParseFactsSummary(site.facts);
        for (size_t i = 0; i < facts.size(); ++i) {
          if (facts[i].chains > 0 || facts[i].second_chains > 0) profile.shared.insert(i);
        }
        if (seen.weight == 0) {
          seen.facts = std::move(facts);
        } else {
          for (size_t i = 0; i < seen.facts.size() && i < facts.size(); ++i)
            seen.facts[i] = Join(seen.facts[i], facts[i]);
        }
        seen.weight += std::max<int64_t>(1, site.loop_weight);
        if (profile.multi_use.size() < kMostMultiUseSets) profile.multi_use.insert(site.multi_use);
        return absl::OkStatus();
      });
  if (!listed.ok()) return listed;
  int64_t most = 0;
  for (auto& [node_flags, seen] : by_flags) {
    if (seen.weight <= most) continue;
    most = seen.weight;
    profile.node_flags = node_flags;
    profile.facts = std::move(seen.facts);
  }
  return profile;
}

}  // namespace rewrought::pipeline
