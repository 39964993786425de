// Bounds the temporary tables of statements that read databases of unknown origin.
#ifndef REWROUGHT_STORE_SHARDS_TEMPORARY_SPACE_H_
#define REWROUGHT_STORE_SHARDS_TEMPORARY_SPACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "store/sqlite/database.h"

namespace rewrought::store {

// Keeps temporary tables in files instead of memory, because they may not fit into memory, and limits them to four
// times the size of the attached databases `names` plus 1 GiB.
inline absl::Status UseTemporaryFiles(sqlite::Database& database, const std::vector<std::string>& names) {
  int64_t pages = (int64_t{1} << 30) / 4096;
  for (const std::string& name : names) {
    const absl::StatusOr<int64_t> count = database.QueryInt(absl::StrCat("PRAGMA ", name, ".page_count"));
    if (!count.ok()) return count.status();
    pages += 4 * *count;
  }
  if (absl::Status status = database.Run("PRAGMA temp_store = FILE"); !status.ok()) return status;
  return database.Run(absl::StrCat("PRAGMA temp.max_page_count = ", pages));
}

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SHARDS_TEMPORARY_SPACE_H_
