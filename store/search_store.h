// The stored results of searches: attempts, candidates, verdicts, and contradictions.
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

// Returns the record in ten columns from `first` on: rule, case, semantics, verdict, tier, reason, confirmed_by,
// witness, certificate, and milliseconds.
VerdictRecord ReadVerdict(const sqlite::Row& row, int first);

// All functions can fail with the errors of Store::Write and Store::Read, and with NotFound if a fragment in the record
// is not stored. Every Put may be repeated. Of two records with the same key, the greater one is kept; the fields are
// compared in declaration order. Therefore, the order of writes does not matter.
class SearchStore {
 public:
  explicit SearchStore(Store* store) : store_(store) {}

  absl::Status PutAttempt(const AttemptRecord& attempt);
  absl::StatusOr<std::optional<AttemptRecord>> FindAttempt(const AttemptKey& key);

  absl::Status PutCandidate(const CandidateRecord& candidate);

  // Stores a verdict. A refutation replaces a proof, but a proof never replaces a refutation. Either conflict is
  // recorded as a contradiction.
  absl::Status PutVerdict(const VerdictRecord& verdict);

  // Deletes the verdict on a case, if any. Used to replace a verdict of unknown origin with a verdict that this
  // installation has verified.
  absl::Status DropVerdict(const ir::Digest& rule, absl::string_view case_key, const ir::Digest& semantics);
  absl::StatusOr<std::optional<VerdictRecord>> FindVerdict(const ir::Digest& rule, absl::string_view case_key,
                                                           const ir::Digest& semantics);
  // Visits the verdicts on a rule under `semantics`, sorted by case.
  absl::Status ForEachVerdict(const ir::Digest& rule, const ir::Digest& semantics,
                              absl::FunctionRef<absl::Status(const VerdictRecord&)> visit);
  // Visits the cases that were both proved and refuted, as rule, case, and semantics. Any such case is caused by a
  // verifier bug.
  absl::Status ForEachContradiction(
      absl::FunctionRef<absl::Status(const ir::Digest&, absl::string_view, const ir::Digest&)> visit);
  // Deletes the contradictions about a rule under `semantics`, and returns their number. The caller must have proved
  // the rule again.
  absl::StatusOr<int64_t> DropContradictions(const ir::Digest& rule, const ir::Digest& semantics);

 private:
  Store* store_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SEARCH_STORE_H_
