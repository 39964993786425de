#include "store/run_store.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "store/columns.h"

namespace rewrought::store {
namespace {

using sqlite::Blob;
using sqlite::Database;
using sqlite::Row;
using sqlite::Value;

#define RUN_COLUMNS "id, kind, config, state, message, run_statistics, cursor, started, updated, ended"

RunRecord ReadRun(const Row& row) {
  RunRecord run;
  run.id = row.String(0);
  run.kind = row.String(1);
  run.config = row.String(2);
  run.state = static_cast<v1::RunState>(row.Int(3));
  run.message = row.String(4);
  run.run_statistics = row.String(5);
  run.cursor = std::string(row.Bytes(6));
  run.started = FromMicros(row.Int(7));
  run.updated = FromMicros(row.Int(8));
  if (!row.IsNull(9)) run.ended = FromMicros(row.Int(9));
  return run;
}

Value Ended(const RunRecord& run) { return run.ended.has_value() ? Value(ToMicros(*run.ended)) : Value(nullptr); }

// Fails with InvalidArgument if the run statistics are not valid JSON. A CHECK constraint cannot do this, because
// SQLite 3.40 considers json_valid() unsafe in an untrusted schema.
absl::Status CheckRunStatistics(Database& database, const RunRecord& run) {
  const absl::StatusOr<int64_t> valid = database.QueryInt("SELECT json_valid(?1)", {run.run_statistics});
  if (!valid.ok() || *valid != 0) return valid.status();
  return absl::InvalidArgumentError(
      absl::StrCat("run_statistics of run \"", absl::CHexEscape(run.id), "\" is not valid JSON"));
}

absl::StatusOr<std::vector<RunRecord>> ReadRuns(Store* store, absl::string_view sql,
                                                std::initializer_list<Value> values) {
  std::vector<RunRecord> runs;
  absl::Status status = store->Read([&](Database& reader) {
    return reader.Query(sql, values, [&](const Row& row) {
      runs.push_back(ReadRun(row));
      return absl::OkStatus();
    });
  });
  if (!status.ok()) return status;
  return runs;
}

}  // namespace

absl::Status RunStore::CreateRun(const RunRecord& run) {
  return store_->Write([&](Database& writer) {
    if (absl::Status status = CheckRunStatistics(writer, run); !status.ok()) return status;
    const auto taken = writer.QueryInt("SELECT count(*) FROM runs WHERE id = ?1", {run.id});
    if (!taken.ok()) return taken.status();
    if (*taken > 0)
      return absl::AlreadyExistsError(absl::StrCat("run \"", absl::CHexEscape(run.id), "\" already exists"));
    return writer.Run("INSERT INTO runs (" RUN_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                      {run.id, run.kind, run.config, static_cast<int>(run.state), run.message, run.run_statistics,
                       Blob{run.cursor}, ToMicros(run.started), ToMicros(run.updated), Ended(run)});
  });
}

absl::Status RunStore::UpdateRun(const RunRecord& run) {
  return store_->Write([&](Database& writer) {
    if (absl::Status status = CheckRunStatistics(writer, run); !status.ok()) return status;
    absl::Status status = writer.Run(
        "UPDATE runs SET state = ?2, message = ?3, run_statistics = ?4, cursor = ?5, updated = ?6, ended = ?7 WHERE id "
        "= ?1",
        {run.id, static_cast<int>(run.state), run.message, run.run_statistics, Blob{run.cursor}, ToMicros(run.updated),
         Ended(run)});
    if (status.ok() && writer.changes() == 0) {
      return absl::NotFoundError(absl::StrCat("no run \"", absl::CHexEscape(run.id), "\""));
    }
    return status;
  });
}

absl::StatusOr<RunRecord> RunStore::GetRun(absl::string_view id) {
  const auto runs = ReadRuns(store_, "SELECT " RUN_COLUMNS " FROM runs WHERE id = ?1", {id});
  if (!runs.ok()) return runs.status();
  if (runs->empty()) return absl::NotFoundError(absl::StrCat("no run \"", absl::CHexEscape(id), "\""));
  return (*runs)[0];
}

absl::StatusOr<std::vector<RunRecord>> RunStore::ListRuns(const std::optional<Place>& before, int64_t limit) {
  const Place place = before.value_or(Place{absl::UnixEpoch(), ""});
  return ReadRuns(store_,
                  "SELECT " RUN_COLUMNS
                  " FROM runs WHERE NOT ?1 OR started < ?2 OR (started = ?2 AND id > ?3) "
                  "ORDER BY started DESC, id LIMIT ?4",
                  {before.has_value(), ToMicros(place.started), place.id, limit});
}

absl::StatusOr<std::vector<RunRecord>> RunStore::Unfinished() {
  return ReadRuns(store_, "SELECT " RUN_COLUMNS " FROM runs WHERE state IN (?1, ?2) ORDER BY started, id",
                  {static_cast<int>(v1::RUN_STATE_QUEUED), static_cast<int>(v1::RUN_STATE_RUNNING)});
}

absl::StatusOr<std::vector<RunRecord>> RunStore::Resumable() {
  return ReadRuns(store_, "SELECT " RUN_COLUMNS " FROM runs WHERE state IN (?1, ?2, ?3) ORDER BY started, id",
                  {static_cast<int>(v1::RUN_STATE_QUEUED), static_cast<int>(v1::RUN_STATE_RUNNING),
                   static_cast<int>(v1::RUN_STATE_PAUSED)});
}

}  // namespace rewrought::store
