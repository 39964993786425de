// Runs and nights as stored: what was asked, how far it has come, where to resume after a kill.
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

// All functions give the errors of Store::Write and Store::Read; further ones are named.
class RunStore {
 public:
  explicit RunStore(Store* store) : store_(store) {}

  // Makes a run. AlreadyExists: the id is taken; InvalidArgument: the run statistics is no JSON.
  absl::Status CreateRun(const RunRecord& run);

  // Replaces state, message, run statistics, cursor, updated and ended. To be called in the transaction that holds the
  // work which the cursor says is done. NotFound: no such run; InvalidArgument: the run statistics is no JSON.
  absl::Status UpdateRun(const RunRecord& run);

  // NotFound: no such run.
  absl::StatusOr<RunRecord> GetRun(absl::string_view id);

  // Newest first, at most `limit`, of those that started before `before`, or then and have a greater id.
  struct Place {
    absl::Time started;
    std::string id;
  };
  absl::StatusOr<std::vector<RunRecord>> ListRuns(const std::optional<Place>& before, int64_t limit);

  // Runs that are queued or were running when their process ended, oldest first.
  absl::StatusOr<std::vector<RunRecord>> Unfinished();

  // Unfinished, and those that are paused; oldest first.
  absl::StatusOr<std::vector<RunRecord>> Resumable();

 private:
  Store* store_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_RUN_STORE_H_
