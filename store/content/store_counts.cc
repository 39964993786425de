#include "store/content/store_counts.h"

#include "proto/rewrought/v1/proof.pb.h"
#include "store/search_sql.h"

namespace rewrought::store {

absl::StatusOr<StoreCounts> CountAll(Store* store) {
  StoreCounts counts;
  const absl::Status status = store->Read([&](sqlite::Database& reader) {
    absl::Status read =
        reader.Query("SELECT kind, state, count(*) FROM runs GROUP BY 1, 2", {}, [&](const sqlite::Row& row) {
          counts.runs[{row.String(0), static_cast<int>(row.Int(1))}] = row.Int(2);
          return absl::OkStatus();
        });
    // The config of a sharded command-line run ends with " SHARD/SHARDS" (pipeline/discovery/discover.cc).
    read.Update(reader.Query(
        "SELECT state, count(*) FROM runs WHERE kind = 'discover' AND config GLOB '* [0-9]*/[0-9]*' GROUP BY 1", {},
        [&](const sqlite::Row& row) {
          counts.shards[static_cast<int>(row.Int(0))] = row.Int(1);
          return absl::OkStatus();
        }));
    read.Update(
        reader.Query("SELECT machine, state, count(*) FROM rules GROUP BY 1, 2", {}, [&](const sqlite::Row& row) {
          counts.rules[{row.String(0), static_cast<int>(row.Int(1))}] = row.Int(2);
          return absl::OkStatus();
        }));
    read.Update(reader.Query("SELECT verdict, count(*) FROM verdicts GROUP BY 1", {}, [&](const sqlite::Row& row) {
      counts.verdicts[VerdictOfDisk(row.Int(0))] += row.Int(1);
      return absl::OkStatus();
    }));
    const absl::StatusOr<int64_t> contradictions = reader.QueryInt("SELECT count(*) FROM contradictions");
    if (contradictions.ok()) counts.contradictions = *contradictions;
    read.Update(contradictions.status());
    return read;
  });
  if (!status.ok()) return status;
  return counts;
}

}  // namespace rewrought::store
