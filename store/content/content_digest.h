// Computes digests of a database's content. The digests are equal for equal content, regardless of row ids and of when
// the content was written, so results computed from unchanged content can be reused (pipeline/watch/done_before.h).
#ifndef REWROUGHT_STORE_CONTENT_CONTENT_DIGEST_H_
#define REWROUGHT_STORE_CONTENT_CONTENT_DIGEST_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/digest.h"
#include "store/store.h"

namespace rewrought::store {

// All functions can fail with the errors of Store::Read.

// Returns a digest of shaders, their occurrences, and the held-out sources. Sites are not read, because the shader's
// content and its stored extraction digest determine them.
absl::StatusOr<ir::Digest> CorpusDigest(Store* store);

// Returns a digest of a machine's rules, except the time at which each rule was found and the run that found it. The
// states new and kept are treated as equal, because each run turns new rules into kept rules.
absl::StatusOr<ir::Digest> RulesDigest(Store* store, absl::string_view machine);

// Returns a digest of the measured savings of a machine's rules on each shader.
absl::StatusOr<ir::Digest> SavingsDigest(Store* store, absl::string_view machine);

// Returns a digest of the contradictions, and of the verdicts on a machine's rules with their certificates.
absl::StatusOr<ir::Digest> VerdictsDigest(Store* store, absl::string_view machine);

// Returns the number of attempts on all machines.
absl::StatusOr<int64_t> AttemptCount(Store* store);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_CONTENT_CONTENT_DIGEST_H_
