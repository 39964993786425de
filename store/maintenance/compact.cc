#include "store/maintenance/compact.h"

#include <memory>

#include "store/columns.h"
#include "store/records.h"
#include "store/sites/site_sql.h"
#include "store/store.h"

namespace rewrought::store {
namespace {

using sqlite::Database;

static_assert(v1::RUN_STATE_CANCELLED == 3 && v1::RUN_STATE_FAILED == 4 && v1::RUN_STATE_DONE == 5);

// Runs in these states cannot be resumed.
constexpr char kForgotten[] =
    "CREATE TEMP TABLE forgotten AS SELECT id FROM main.runs AS run WHERE state IN (3, 4, 5) AND ended < ?1 "
    "AND id NOT IN (SELECT created_run FROM main.rules WHERE created_run IS NOT NULL) "
    "AND EXISTS (SELECT 1 FROM main.runs AS newer WHERE newer.kind = run.kind AND newer.config = run.config "
    "AND (newer.started, newer.id) > (run.started, run.id))";

absl::StatusOr<int64_t> ForgetRuns(Database& writer, absl::Time before) {
  absl::Status status = writer.Run(kForgotten, {ToMicros(before)});
  if (status.ok()) status = writer.Run("DELETE FROM main.run_changes WHERE run IN (SELECT id FROM temp.forgotten)");
  if (status.ok()) status = writer.Run("DELETE FROM main.runs WHERE id IN (SELECT id FROM temp.forgotten)");
  const int64_t forgotten = writer.changes();
  if (status.ok()) status = writer.Run("DROP TABLE temp.forgotten");
  if (!status.ok()) return status;
  return forgotten;
}

absl::StatusOr<uint64_t> BytesOf(Database& database) {
  const absl::StatusOr<int64_t> pages = database.QueryInt("PRAGMA page_count");
  if (!pages.ok()) return pages.status();
  const absl::StatusOr<int64_t> size = database.QueryInt("PRAGMA page_size");
  if (!size.ok()) return size.status();
  return static_cast<uint64_t>(*pages * *size);
}

}  // namespace

absl::StatusOr<CompactReport> CompactDatabase(const std::string& path, const CompactOptions& options) {
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(path, {.mode = OpenMode::kReadWrite});
  if (!store.ok()) return store.status();
  CompactReport report;
  if (options.forget_runs_before.has_value()) {
    const absl::Status forgot = (*store)->Write([&](Database& writer) {
      const absl::StatusOr<int64_t> forgotten = ForgetRuns(writer, *options.forget_runs_before);
      report.runs_forgotten = forgotten.value_or(0);
      return forgotten.status();
    });
    if (!forgot.ok()) return forgot;
  }
  if (absl::Status dropped = (*store)->Write(DropStaleSites); !dropped.ok()) return dropped;
  const absl::Status status = (*store)->WithoutTransaction([&](Database& writer) {
    absl::StatusOr<uint64_t> bytes = BytesOf(writer);
    if (!bytes.ok()) return bytes.status();
    report.bytes_before = report.bytes_after = *bytes;
    if (!options.vacuum) return absl::OkStatus();
    // VACUUM copies the whole database, which may not fit into memory, so it must use temporary files.
    absl::Status vacuumed = writer.Script("PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
    writer.Script("PRAGMA temp_store = MEMORY;").IgnoreError();
    if (!vacuumed.ok()) return vacuumed;
    bytes = BytesOf(writer);
    report.bytes_after = bytes.value_or(0);
    return bytes.status();
  });
  if (!status.ok()) return status;
  return report;
}

}  // namespace rewrought::store
