// What was tried, what it gave and how it was verified: attempts, candidates, verdicts, contradictions.
#ifndef REWROUGHT_STORE_SEARCH_STORE_H_
#define REWROUGHT_STORE_SEARCH_STORE_H_

#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::store {

// All functions give the errors of Store::Write and Store::Read; further ones are named. Where a fragment is named it
// must be stored: NotFound. Every Put may be repeated; of two records under one key the greater stays, compared field
// by field in the order of the record, so that the order of writing does not matter.
class SearchStore {
 public:
  explicit SearchStore(Store* store) : store_(store) {}

  absl::Status PutAttempt(const AttemptRecord& attempt);
  absl::StatusOr<std::optional<AttemptRecord>> FindAttempt(const AttemptKey& key);

  absl::Status PutCandidate(const CandidateRecord& candidate);

  // A refutation replaces a proof and is never replaced by one; the case is then a contradiction, too.
  absl::Status PutVerdict(const VerdictRecord& verdict);

  // Forgets what is said of a case, if anything is: what nobody here verified makes way for what somebody does.
  absl::Status DropVerdict(const ir::Digest& rule, absl::string_view case_key, const ir::Digest& semantics);
  absl::StatusOr<std::optional<VerdictRecord>> FindVerdict(const ir::Digest& rule, absl::string_view case_key,
                                                           const ir::Digest& semantics);
  // The verdicts of a rule under `semantics`, by case.
  absl::Status ForEachVerdict(const ir::Digest& rule, const ir::Digest& semantics,
                              absl::FunctionRef<absl::Status(const VerdictRecord&)> visit);
  // Cases that were both proved and refuted: rule, case, semantics. None, unless the verifier is wrong.
  absl::Status ForEachContradiction(
      absl::FunctionRef<absl::Status(const ir::Digest&, absl::string_view, const ir::Digest&)> visit);

 private:
  Store* store_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SEARCH_STORE_H_
