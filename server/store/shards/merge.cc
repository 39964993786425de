#include "server/store/shards/merge.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "server/store/records.h"
#include "server/store/schema.h"
#include "server/store/shards/merge_steps.h"

namespace rewrought::store {
namespace {

using sqlite::Database;

// How many rows of sites are written before a stop is seen.
constexpr int64_t kRowsBetweenStops = 20000;

// A page of the index that is full is divided among its neighbours.
constexpr int64_t kBytesOfShader = 6 * 4096, kMostCacheBytes = int64_t{2} << 30;

// Of the attached shard `n`, whose file is `shard`: what the steps take for granted.
absl::Status CheckContent(Database& writer, size_t n, const std::string& shard, const MergeOptions& options) {
  if (options.corpus_only) {
    const absl::StatusOr<int64_t> claims = writer.QueryInt(
        absl::Substitute("SELECT (SELECT count(*) FROM shard$0.rules) + (SELECT count(*) FROM shard$0.verdicts)", n));
    if (!claims.ok()) return claims.status();
    if (*claims > 0) {
      return absl::FailedPreconditionError(
          absl::StrCat(shard, ": holds ", *claims, " rules and verdicts where shaders alone belong; nothing is taken"));
    }
  }
  const absl::StatusOr<int64_t> parts =
      writer.QueryInt(absl::Substitute("SELECT count(*) FROM shard$0.shaders s LEFT JOIN main.shaders m USING (digest) "
                                       "WHERE s.extraction = zeroblob(32) AND m.id IS NULL",
                                       n));
  if (!parts.ok()) return parts.status();
  if (*parts > 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(shard,
                     ": a part of a corpus (`rewrought db part`), whose shaders are not here; merge it into the "
                     "database that it is a part of"));
  }
  const absl::StatusOr<int64_t> active = writer.QueryInt(
      absl::Substitute("SELECT count(*) FROM shard$0.sqlite_schema WHERE type IN ('trigger', 'view') AND sql NOT IN "
                       "(SELECT sql FROM main.sqlite_schema WHERE type IN ('trigger', 'view'))",
                       n));
  if (!active.ok()) return active.status();
  if (*active > 0)
    return absl::FailedPreconditionError(absl::StrCat(shard, ": has triggers or views that are not ours"));
  return writer.Query(
      absl::Substitute("SELECT digest, text FROM shard$0.fragments", n), {}, [&](const sqlite::Row& row) {
        const std::string text = row.String(1);
        return ir::Digest::Of(text).view() == row.Bytes(0)
                   ? absl::OkStatus()
                   : absl::FailedPreconditionError(absl::StrCat(shard, ": the digest of ", text, " is not its text's"));
      });
}

template <size_t kCount>
absl::Status RunSteps(Database& writer, size_t n, const MergeStep (&steps)[kCount], MergeReport* report) {
  for (const MergeStep& step : steps) {
    if (absl::Status status = writer.Run(absl::Substitute(step.sql, n)); !status.ok()) return status;
    if (step.count != nullptr) report->*step.count += writer.changes();
  }
  return absl::OkStatus();
}

// Rows of sites, by far the most, each by a statement of its own: one for all of them would keep what every page was
// before, so that it could be undone by itself.
absl::Status MergeSites(Database& writer, const MergeOptions& options, std::vector<MergeReport>* reports) {
  std::vector<std::string> arms;
  int64_t all = 0, done = 0;
  for (size_t n = 0; n < reports->size(); ++n) {
    const absl::StatusOr<int64_t> count = writer.QueryInt(absl::Substitute(kCountSites, n));
    if (!count.ok()) return count.status();
    (*reports)[n].sites = *count;
    all += *count;
    arms.push_back(absl::Substitute(kSitesOfShard, n));
  }
  const std::string rows = absl::StrCat(absl::StrJoin(arms, " UNION ALL "), " ORDER BY 1");
  return writer.Query(rows, {}, [&](const sqlite::Row& row) {
    if (options.progress != nullptr && done % kRowsBetweenStops == 0 &&
        !options.progress(static_cast<double>(done) / static_cast<double>(all))) {
      return absl::CancelledError("stopped");
    }
    ++done;
    return writer.Run(
        kPutSite, {row.Int(0), row.Int(1), row.Int(2), row.Int(3), row.Int(4), row.Int(5), row.Int(6), row.Text(7)});
  });
}

// What a merge keeps of our pages: beside the usual, some for each shader that it adds. A row goes to its fragment's
// page, and into the index to its shader's, where each shader is at work on pages of its own: what does not find room
// is written and read again and again.
absl::Status SetMergeCache(Database& writer, const std::vector<MergeReport>& reports) {
  int64_t shaders = 0;
  for (const MergeReport& report : reports) shaders += report.shaders;
  return writer.SetCache(std::min(sqlite::kCacheBytes + shaders * kBytesOfShader, kMostCacheBytes));
}

// Within a transaction.
absl::Status MergeAttached(Database& writer, const std::vector<std::string>& shards, const MergeOptions& options,
                           std::vector<MergeReport>* reports) {
  absl::Status status;
  for (size_t n = 0; status.ok() && n < shards.size(); ++n) {
    status = CheckContent(writer, n, shards[n], options);
    if (status.ok()) status = RunSteps(writer, n, kCorpusSteps, &(*reports)[n]);
    for (size_t earlier = 0; status.ok() && earlier < n; ++earlier) {
      status = writer.Run(absl::Substitute(kGivenUp, n, earlier));
    }
  }
  if (status.ok()) status = SetMergeCache(writer, *reports);
  if (status.ok()) status = MergeSites(writer, options, reports);
  if (status.ok()) status = writer.Run("CREATE TEMP TABLE refused (rule BLOB PRIMARY KEY)");
  for (const ir::Digest& rule : options.refused) {
    if (status.ok()) status = writer.Run("INSERT INTO temp.refused VALUES (?1)", {sqlite::Blob{rule.view()}});
  }
  for (size_t n = 0; status.ok() && n < shards.size(); ++n) {
    if (!options.corpus_only) status = RunSteps(writer, n, kSearchSteps, &(*reports)[n]);
    for (const char* table : kTemporaryTables) {
      if (status.ok()) status = writer.Run(absl::StrCat("DROP TABLE temp.", table, n));
    }
  }
  if (status.ok()) status = writer.Run("DROP TABLE temp.refused");
  return status;
}

}  // namespace

absl::Status CheckShard(const Store* store, const std::string& shard) {
  std::error_code error;
  if (std::filesystem::equivalent(store->path(), shard, error) && !error) {
    return absl::FailedPreconditionError(absl::StrCat(shard, ": the very database that it is to be merged into"));
  }
  const auto database = Database::Open(shard, OpenMode::kReadOnly, absl::Seconds(10));
  if (!database.ok()) return database.status();
  const absl::StatusOr<int> version = SchemaVersion(**database);
  if (!version.ok()) return version.status();
  if (*version == NewestVersion()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(shard, ": of schema version ", *version, ", this program merges version ", NewestVersion(),
                   "; open it once with a command that writes, such as `rewrought harvest`, then merge"));
}

absl::StatusOr<MergeReport> Merge(Store* store, const std::string& shard, const MergeOptions& options) {
  absl::StatusOr<std::vector<MergeReport>> reports = MergeTogether(store, {shard}, options);
  if (!reports.ok()) return reports.status();
  return reports->front();
}

absl::StatusOr<std::vector<MergeReport>> MergeTogether(Store* store, const std::vector<std::string>& shards,
                                                       const MergeOptions& options) {
  if (shards.size() > kMostShards) {
    return absl::InvalidArgumentError(absl::StrCat("at most ", kMostShards, " shards in one merge"));
  }
  for (const std::string& shard : shards) {
    if (absl::Status status = CheckShard(store, shard); !status.ok()) return status;
  }
  std::vector<MergeReport> reports(shards.size());
  absl::Status status = store->WithoutTransaction([&](Database& writer) {
    size_t attached = 0;
    absl::Status merged;
    for (; merged.ok() && attached < shards.size(); ++attached) {
      merged = writer.Attach(shards[attached], absl::StrCat("shard", attached));
    }
    if (!merged.ok()) --attached;
    // What a statement may have to undo: in memory it would be each page that it changes, of a database of any size.
    if (merged.ok()) merged = writer.Run("PRAGMA temp_store = FILE");
    if (merged.ok()) merged = writer.Run("BEGIN IMMEDIATE");
    if (merged.ok()) merged = MergeAttached(writer, shards, options, &reports);
    if (merged.ok()) merged = writer.Run("COMMIT");
    if (writer.in_transaction()) writer.Run("ROLLBACK").IgnoreError();
    merged.Update(writer.Run("PRAGMA temp_store = MEMORY"));
    merged.Update(writer.SetCache(sqlite::kCacheBytes));
    while (attached > 0) merged.Update(writer.Run(absl::StrCat("DETACH shard", --attached)));
    return merged;
  });
  if (!status.ok()) return status;
  return reports;
}

}  // namespace rewrought::store
