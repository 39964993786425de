// The stored runs: their configuration, their progress, and the position from which to resume after a process has been
// killed.
#ifndef REWROUGHT_STORE_RUN_STORE_H_
#define REWROUGHT_STORE_RUN_STORE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::store {

// All functions can also fail with the errors of Store::Write and Store::Read.
class RunStore {
 public:
  explicit RunStore(Store* store) : store_(store) {}

  // Creates a run. Fails with AlreadyExists if the id is in use, and with InvalidArgument if the run statistics are
  // not valid JSON.
  absl::Status CreateRun(const RunRecord& run);

  // Replaces the run's state, message, run statistics, cursor, and the times `updated` and `ended`. Must be called in
  // the same transaction as the work that the cursor marks as done. Fails with NotFound if the run is not stored, and
  // with InvalidArgument if the run statistics are not valid JSON.
  absl::Status UpdateRun(const RunRecord& run);

  // Fails with NotFound if the run is not stored.
  absl::StatusOr<RunRecord> GetRun(absl::string_view id);

  // Returns at most `limit` runs, newest first. If `before` has a value, returns only runs that started before it, or
  // that started at the same time and have a greater id.
  struct Place {
    absl::Time started;
    std::string id;
  };
  absl::StatusOr<std::vector<RunRecord>> ListRuns(const std::optional<Place>& before, int64_t limit);

  // Returns the runs that are queued or were running when their process ended, oldest first.
  absl::StatusOr<std::vector<RunRecord>> Unfinished();

  // Returns the unfinished and the paused runs, oldest first.
  absl::StatusOr<std::vector<RunRecord>> Resumable();

 private:
  Store* store_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_RUN_STORE_H_
