// Digests of a database's content. They are equal for equal content, regardless of row ids and time of writing.
// Results computed from unchanged content can be reused (pipeline/watch/done_before.h).
#ifndef REWROUGHT_STORE_CONTENT_CONTENT_DIGEST_H_
#define REWROUGHT_STORE_CONTENT_CONTENT_DIGEST_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/digest.h"
#include "store/store.h"

namespace rewrought::store {

// All functions fail with the errors of Store::Read.

// Covers shaders, their occurrences, and which sources are held out. Sites are not read, because they follow from a
// shader's content and its stored extraction.
absl::StatusOr<ir::Digest> CorpusDigest(Store* store);

// Covers a machine's rules, except when and by which run they were found. The states new and kept are treated as
// equal, because each run turns new rules into kept ones.
absl::StatusOr<ir::Digest> RulesDigest(Store* store, absl::string_view machine);

// Covers the measured savings of a machine's rules, for each shader.
absl::StatusOr<ir::Digest> SavingsDigest(Store* store, absl::string_view machine);

// Covers the verdicts on a machine's rules with their certificates, and the contradictions.
absl::StatusOr<ir::Digest> VerdictsDigest(Store* store, absl::string_view machine);

// Returns the number of fragments with an attempt on any machine. A removed attempt is visible as a smaller count.
absl::StatusOr<int64_t> AttemptCount(Store* store);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_CONTENT_CONTENT_DIGEST_H_
