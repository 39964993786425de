#include "store/shards/part.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "store/maintenance/copy.h"
#include "store/shards/fragment_shard.h"
#include "store/shards/temporary_space.h"
#include "store/store.h"

namespace rewrought::store {
namespace {

using sqlite::Database;

// The statements that copy the part, in an order that satisfies foreign keys. Ids are the same as in the whole
// database.
constexpr const char* kSteps[] = {
    "CREATE TEMP TABLE texts (id INTEGER PRIMARY KEY)",
    "INSERT INTO temp.texts SELECT facts_id FROM whole.sites WHERE fragment_id IN temp.part "
    "UNION SELECT machine_id FROM whole.attempts WHERE fragment_id IN temp.part "
    "UNION SELECT machine_id FROM whole.candidates UNION SELECT case_id FROM whole.verdicts "
    "UNION SELECT case_id FROM whole.contradictions",
    "INSERT INTO main.strings SELECT * FROM whole.strings WHERE id IN temp.texts",
    "INSERT INTO main.sources SELECT * FROM whole.sources",
    "INSERT INTO main.shaders (id, digest, stage, alu_instructions, extraction, sites_key) "
    "SELECT id, digest, stage, alu_instructions, zeroblob(32), sites_key FROM whole.shaders "
    "WHERE id IN (SELECT shader_id FROM whole.sites WHERE fragment_id IN temp.part)",
    "INSERT INTO main.occurrences SELECT * FROM whole.occurrences WHERE shader_id IN (SELECT id FROM main.shaders)",
    "INSERT INTO main.fragments SELECT * FROM whole.fragments WHERE id IN temp.part",
    "INSERT INTO main.site_blocks SELECT * FROM whole.site_blocks WHERE fragment_id IN temp.part",
    "INSERT INTO main.stale_sites SELECT * FROM whole.stale_sites",
    "INSERT INTO main.attempts SELECT * FROM whole.attempts WHERE fragment_id IN temp.part",
    "INSERT INTO main.candidates (id, machine_id, fragment_id, text) SELECT id, machine_id, "
    "CASE WHEN fragment_id IN temp.part THEN fragment_id END, text FROM whole.candidates",
    "INSERT INTO main.verdicts SELECT * FROM whole.verdicts",
    "INSERT INTO main.contradictions SELECT * FROM whole.contradictions",
    "INSERT INTO main.runs SELECT * FROM whole.runs",
    "INSERT INTO main.rules SELECT * FROM whole.rules",
    "INSERT INTO main.rule_ops SELECT * FROM whole.rule_ops",
    "INSERT INTO main.verified SELECT * FROM whole.verified",
};

absl::Status CopyPart(Database& part, const DigestRange& range, const std::function<bool()>& go_on) {
  absl::Status status = part.Run("CREATE TEMP TABLE part (id INTEGER PRIMARY KEY)");
  if (status.ok()) {
    status = part.Run("INSERT INTO temp.part SELECT id FROM whole.fragments WHERE digest >= ?1 AND digest < ?2",
                      {sqlite::Blob{range.first}, sqlite::Blob{range.end}});
  }
  for (const char* step : kSteps) {
    if (status.ok() && go_on != nullptr && !go_on()) status = absl::CancelledError("stopped; no part was written");
    if (status.ok()) status = part.Run(step);
  }
  return status;
}

absl::Status Count(Database& part, PartReport* report) {
  return part.Query(
      "SELECT (SELECT count(*) FROM fragments), (SELECT count(*) FROM sites), (SELECT count(*) FROM shaders)", {},
      [report](const sqlite::Row& row) {
        report->fragments = row.Int(0);
        report->sites = row.Int(1);
        report->shaders = row.Int(2);
        return absl::OkStatus();
      });
}

// Writes the part to the file `path`, which must not exist.
absl::Status Make(const std::string& from, const std::string& path, const DigestRange& range,
                  const std::function<bool()>& go_on, PartReport* report) {
  // The database is opened only to migrate its schema, because attaching it requires the newest version.
  if (absl::Status whole = Store::Open(from, {.mode = OpenMode::kReadWrite}).status(); !whole.ok()) return whole;
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(path, {.durable = false});
  if (!store.ok()) return store.status();
  absl::Status status = (*store)->WithoutTransaction([&](Database& part) {
    const absl::Status attached = part.Attach(from, "whole");
    return attached.ok() ? UseTemporaryFiles(part, {"whole"}) : attached;
  });
  if (status.ok()) status = (*store)->Write([&](Database& part) { return CopyPart(part, range, go_on); });
  if (status.ok()) status = (*store)->Read([&](Database& part) { return Count(part, report); });
  return status;
}

}  // namespace

absl::StatusOr<PartReport> WritePart(const std::string& from, const std::string& to, int shard, int shards,
                                     const std::function<bool()>& go_on) {
  std::error_code error;
  if (std::filesystem::equivalent(from, to, error) && !error) {
    return absl::FailedPreconditionError(
        absl::StrCat(to, ": is the database to take the part from; choose another file"));
  }
  const absl::StatusOr<std::unique_ptr<emitter::ScratchFolder>> folder = NewLocalFolder();
  if (!folder.ok()) return folder.status();
  const std::string path = (*folder)->path() + "/part.db";
  PartReport report;
  absl::Status status = Make(from, path, DigestsOf(SlotsOfShard(shard, shards)), go_on, &report);
  if (!status.ok()) return status;
  const absl::StatusOr<CopyReport> copied = BackUp(path, to, [&](double) { return go_on == nullptr || go_on(); });
  if (!copied.ok()) return copied.status();
  report.bytes = copied->bytes;
  return report;
}

}  // namespace rewrought::store
