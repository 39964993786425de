// Digests of what a database holds, by content: the same in every database that holds the same, whatever its row ids
// and whenever it was written. What was made of such content need not be made again (pipeline/watch/done_before.h).
#ifndef REWROUGHT_STORE_CONTENT_CONTENT_DIGEST_H_
#define REWROUGHT_STORE_CONTENT_CONTENT_DIGEST_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/digest.h"
#include "store/store.h"

namespace rewrought::store {

// All functions give the errors of Store::Read.

// Shaders, where they occur, which sources are held out. Sites follow from a shader's content and the extraction that
// is stored with it, so that they are not read.
absl::StatusOr<ir::Digest> CorpusDigest(Store* store);

// All that is said of a machine's rules but when, and by which run, they were found; new and kept is one state, since
// each night makes the one the other.
absl::StatusOr<ir::Digest> RulesDigest(Store* store, absl::string_view machine);

// What a machine's rules were found to save, shader by shader.
absl::StatusOr<ir::Digest> SavingsDigest(Store* store, absl::string_view machine);

// The verdicts on a machine's rules with their certificates, and what is contradicted.
absl::StatusOr<ir::Digest> VerdictsDigest(Store* store, absl::string_view machine);

// How many fragments were tried, on any machine; forgotten ones are missed by it.
absl::StatusOr<int64_t> AttemptCount(Store* store);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_CONTENT_CONTENT_DIGEST_H_
