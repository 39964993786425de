// Summarizes the stored sites of a fragment for searches and measurements.
#ifndef REWROUGHT_PIPELINE_SITES_SITE_PROFILE_H_
#define REWROUGHT_PIPELINE_SITES_SITE_PROFILE_H_

#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "rules/site_assumptions.h"
#include "store/store.h"

namespace rewrought::pipeline {

// Returns the profile of the fragment's sites in discovery sources: the most frequent flags, the facts about the
// variables that hold at all sites with these flags, and the first few distinct sets of multi-use intermediates.
// Propagates store errors.
absl::StatusOr<rules::SiteProfile> ProfileOf(store::Store* store, const ir::Digest& fragment);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SITES_SITE_PROFILE_H_
