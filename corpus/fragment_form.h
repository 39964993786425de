// Converts fragments to the form in which the store keeps them: a term without flags in the syntax of rules, and, for
// each site, its flags, multi-use intermediates, and facts.
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

// Returns the fragment with one site: its text, flags (exact, nsz, nnan, and ninf, from bit 0), multi-use
// intermediates, and facts. Nodes that differ only in flags are merged into one node, which has only the permissions
// that all of them have. Fails with InvalidArgument if there are more than kMaxFlaggedOps ops.
absl::StatusOr<SiteRecord> StoredSite(const Fragment& fragment);

// Returns the term of a stored text, without flags. Fails with InvalidArgument if the text does not have the form that
// StoredSite writes.
absl::StatusOr<ir::Term> TermOfStored(absl::string_view text);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FRAGMENT_FORM_H_
