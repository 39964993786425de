// Fragments as the store keeps them: a term without flags as rule text; flags, multi-use intermediates and facts beside
// it, per site.
#ifndef REWROUGHT_CORPUS_FRAGMENT_FORM_H_
#define REWROUGHT_CORPUS_FRAGMENT_FORM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/fragment.h"
#include "corpus/site_record.h"
#include "ir/term.h"

namespace rewrought::corpus {

// The fragment with one site: text, flags (exact, nsz, nnan, ninf, from bit 0), multi-use intermediates, facts. Nodes
// that differ in flags alone become one, which has what all of them permit. InvalidArgument: more than kMaxFlaggedOps
// ops.
absl::StatusOr<SiteRecord> StoredSite(const Fragment& fragment);

// The term of a stored text, without flags. InvalidArgument: not a text that StoredSite gives.
absl::StatusOr<ir::Term> TermOfStored(absl::string_view text);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FRAGMENT_FORM_H_
