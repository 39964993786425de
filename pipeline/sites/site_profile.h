// What the stored sites of a fragment have in common, as searches and measurements ask for it.
#ifndef REWROUGHT_PIPELINE_SITES_SITE_PROFILE_H_
#define REWROUGHT_PIPELINE_SITES_SITE_PROFILE_H_

#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "rules/site_assumptions.h"
#include "store/store.h"

namespace rewrought::pipeline {

// Of the fragment's sites in discovery sources: the most frequent flags, what is known of the variables at the sites
// that have them, the first sets of multi-use intermediates. The store's errors.
absl::StatusOr<rules::SiteProfile> ProfileOf(store::Store* store, const ir::Digest& fragment);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SITES_SITE_PROFILE_H_
