#include "store/shards/merge.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "store/records.h"
#include "store/schema.h"
#include "store/search_store.h"
#include "store/shards/merge_steps.h"
#include "store/shards/temporary_space.h"
#include "store/sites/site_sql.h"

namespace rewrought::store {
namespace {

using sqlite::Database;

// The number of fragments written between two checks for a request to stop.
constexpr int64_t kFragmentsBetweenStops = 5000;

// Checks that the attached shard `n`, whose file is `shard`, satisfies the assumptions of the merge steps.
absl::Status CheckContent(Database& writer, size_t n, const std::string& shard, const MergeOptions& options) {
  // CheckShard has also checked the schema, but the file may have changed since.
  const absl::Status expected = CheckExpectedSchema(writer, NewestVersion(), absl::StrCat("shard", n));
  if (!expected.ok()) return absl::Status(expected.code(), absl::StrCat(shard, ": ", expected.message()));
  if (options.corpus_only) {
    const absl::StatusOr<int64_t> claims = writer.QueryInt(
        absl::Substitute("SELECT (SELECT count(*) FROM shard$0.rules) + (SELECT count(*) FROM shard$0.verdicts)", n));
    if (!claims.ok()) return claims.status();
    if (*claims > 0) {
      return absl::FailedPreconditionError(absl::StrCat(
          shard, ": contains ", *claims, " rules and verdicts, but only shaders are expected; nothing was merged"));
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
                     ": a part of a corpus (`rewrought db part`) whose shaders are not in this database; merge "
                     "it into the database from which it was written"));
  }
  return writer.Query(absl::Substitute("SELECT digest, text FROM shard$0.fragments", n), {},
                      [&](const sqlite::Row& row) {
                        const std::string text = row.String(1);
                        return ir::Digest::Of(text).view() == row.Bytes(0)
                                   ? absl::OkStatus()
                                   : absl::FailedPreconditionError(
                                         absl::StrCat(shard, ": the digest of ", text, " does not match its text"));
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

// Lists the rules in the temporary table `name`.
absl::Status ListRules(Database& writer, const char* name, const std::vector<ir::Digest>& rules) {
  absl::Status status = writer.Run(absl::StrCat("CREATE TEMP TABLE ", name, " (rule BLOB PRIMARY KEY)"));
  for (const ir::Digest& rule : rules) {
    if (!status.ok()) return status;
    status = writer.Run(absl::StrCat("INSERT INTO temp.", name, " VALUES (?1) ON CONFLICT DO NOTHING"),
                        {sqlite::Blob{rule.view()}});
  }
  return status;
}

// Lists the shard's untrusted verdicts in temp.untrusted$0.
absl::Status ListUntrusted(Database& writer, size_t n, const MergeOptions& options) {
  absl::Status status = writer.Run(absl::Substitute("CREATE TEMP TABLE untrusted$0 (id INTEGER PRIMARY KEY)", n));
  if (!status.ok() || options.trusts == nullptr) return status;
  const std::string insert = absl::Substitute("INSERT INTO temp.untrusted$0 VALUES (?1)", n);
  return writer.Query(absl::Substitute(kVerdictsOfShard, n), {}, [&](const sqlite::Row& row) {
    const absl::StatusOr<bool> trusted = options.trusts(n, ReadVerdict(row, 1));
    if (!trusted.ok()) return trusted.status();
    return *trusted ? absl::OkStatus() : writer.Run(insert, {row.Int(0)});
  });
}

absl::Status MergeSearch(Database& writer, size_t n, const MergeOptions& options, MergeReport* report) {
  absl::Status status = ListUntrusted(writer, n, options);
  if (status.ok()) status = RunSteps(writer, n, kSelectRules, report);
  if (status.ok()) {
    status = options.trusts != nullptr ? RunSteps(writer, n, kDropClaims, report)
                                       : RunSteps(writer, n, kTakeContradictions, report);
  }
  if (status.ok()) status = RunSteps(writer, n, kSearchSteps, report);
  for (const char* table : kTemporarySearchTables) {
    if (status.ok()) status = writer.Run(absl::StrCat("DROP TABLE temp.", table, n));
  }
  return status;
}

absl::Status Tell(const MergeOptions& options, double share) {
  return options.progress == nullptr || options.progress(share) ? absl::OkStatus() : absl::CancelledError("stopped");
}

// Maps a shard's ids or keys to those of this database.
using NumberMap = absl::flat_hash_map<int64_t, int64_t>;

absl::StatusOr<NumberMap> ReadMap(Database& writer, absl::string_view query) {
  NumberMap map;
  absl::Status status = writer.Query(query, {}, [&](const sqlite::Row& row) {
    map[row.Int(0)] = row.Int(1);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return map;
}

// Merges the rows of sites, which outnumber all other rows by far.
class SiteMerge {
 public:
  SiteMerge(Database& writer, const MergeOptions& options, std::vector<MergeReport>* reports)
      : writer_(writer), options_(options), reports_(reports), appender_(writer) {}

  absl::Status Run() {
    std::vector<std::string> arms;
    for (size_t n = 0; n < reports_->size(); ++n) {
      if (absl::Status status = ReadMaps(n); !status.ok()) return status;
      arms.push_back(absl::Substitute(kBlocksOfShard, n));
    }
    const std::string blocks = absl::StrCat(absl::StrJoin(arms, " UNION ALL "), kBlockOrder);
    absl::Status status = ForEachSiteRow(
        writer_, blocks, {}, [this](const sqlite::Row& block, const SiteRow& row) { return Take(block, row); });
    if (status.ok()) status = AppendShader();
    if (status.ok()) status = appender_.Flush();
    return status;
  }

 private:
  absl::Status ReadMaps(size_t n) {
    absl::StatusOr<NumberMap> keys = ReadMap(writer_, absl::Substitute(kKeysOfShard, n));
    if (!keys.ok()) return keys.status();
    absl::StatusOr<NumberMap> texts = ReadMap(writer_, absl::Substitute(kTextsOfShard, n));
    if (!texts.ok()) return texts.status();
    const absl::StatusOr<int64_t> fragments =
        writer_.QueryInt(absl::Substitute("SELECT count(*) FROM temp.fragment_order$0", n));
    if (!fragments.ok()) return fragments.status();
    keys_.push_back(*std::move(keys));
    texts_.push_back(*std::move(texts));
    all_ += *fragments;
    return absl::OkStatus();
  }

  absl::Status Take(const sqlite::Row& block, const SiteRow& row) {
    const int64_t fragment = block.Int(0);
    const auto shard = static_cast<size_t>(block.Int(3));
    if (fragment != fragment_ || shard != shard_) {
      if (absl::Status status = StartFragment(fragment, shard); !status.ok()) return status;
    }
    const auto key = keys_[shard].find(row.key);
    if (key == keys_[shard].end()) return absl::OkStatus();
    const auto facts = texts_[shard].find(row.facts);
    if (facts == texts_[shard].end()) {
      return absl::DataLossError(
          absl::StrCat("shard ", shard, ": the text of a site is missing; run `rewrought db check`"));
    }
    if (!rows_.empty() && rows_.back().key != key->second) {
      if (absl::Status status = AppendShader(); !status.ok()) return status;
    }
    rows_.push_back(row);
    rows_.back().key = key->second;
    rows_.back().facts = facts->second;
    ++(*reports_)[shard].sites;
    return absl::OkStatus();
  }

  absl::Status StartFragment(int64_t fragment, size_t shard) {
    if (absl::Status status = AppendShader(); !status.ok()) return status;
    if (done_ % kFragmentsBetweenStops == 0) {
      const absl::Status told = Tell(options_, static_cast<double>(done_) / static_cast<double>(all_));
      if (!told.ok()) return told;
    }
    ++done_;
    fragment_ = fragment;
    shard_ = shard;
    return absl::OkStatus();
  }

  // Appends the rows of one shader. They are sorted again, because string ids are ordered differently in this database.
  absl::Status AppendShader() {
    std::sort(rows_.begin(), rows_.end(), Precedes);
    for (const SiteRow& row : rows_) {
      if (absl::Status status = appender_.Add(fragment_, row); !status.ok()) return status;
    }
    rows_.clear();
    return absl::OkStatus();
  }

  Database& writer_;
  const MergeOptions& options_;
  std::vector<MergeReport>* const reports_;
  SiteAppender appender_;
  std::vector<NumberMap> keys_, texts_;  // one map for each shard
  int64_t all_ = 0, done_ = 0;           // the total number of fragments in the shards, and the number done so far
  int64_t fragment_ = -1;
  size_t shard_ = 0;
  std::vector<SiteRow> rows_;  // the rows to append, all of fragment_ and of one shader
};

// Merges the attached shards. Must be called within a transaction.
absl::Status MergeAttached(Database& writer, const std::vector<std::string>& shards, const MergeOptions& options,
                           std::vector<MergeReport>* reports) {
  absl::Status status;
  for (size_t n = 0; status.ok() && n < shards.size(); ++n) {
    status = Tell(options, 0);
    if (status.ok()) status = CheckContent(writer, n, shards[n], options);
    if (status.ok()) status = RunSteps(writer, n, kCorpusSteps, &(*reports)[n]);
    for (size_t earlier = 0; status.ok() && earlier < n; ++earlier) {
      status = writer.Run(absl::Substitute(kRemoveSuperseded, n, earlier));
    }
  }
  if (status.ok()) status = SiteMerge(writer, options, reports).Run();
  if (status.ok()) status = DropStaleSites(writer);
  if (status.ok()) status = ListRules(writer, "refused", options.refused);
  if (status.ok()) status = ListRules(writer, "verified", options.verified);
  for (size_t n = 0; status.ok() && n < shards.size(); ++n) {
    if (!options.corpus_only) status = MergeSearch(writer, n, options, &(*reports)[n]);
    for (const char* table : kTemporaryTables) {
      if (status.ok()) status = writer.Run(absl::StrCat("DROP TABLE temp.", table, n));
    }
  }
  for (const char* table : {"refused", "verified"}) {
    if (status.ok()) status = writer.Run(absl::StrCat("DROP TABLE temp.", table));
  }
  return status;
}

}  // namespace

absl::Status CheckShard(const Store* store, const std::string& shard) {
  std::error_code error;
  if (std::filesystem::equivalent(store->path(), shard, error) && !error) {
    return absl::FailedPreconditionError(absl::StrCat(shard, ": is the database to merge into; choose another shard"));
  }
  const auto database = Database::Open(shard, OpenMode::kReadOnly, absl::Seconds(10));
  if (!database.ok()) return database.status();
  const absl::StatusOr<int> version = SchemaVersion(**database);
  if (!version.ok()) return version.status();
  if (*version == NewestVersion()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(shard, ": has schema version ", *version, ", but this program merges version ", NewestVersion(),
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
    return absl::InvalidArgumentError(absl::StrCat("too many shards; merge at most ", kMostShards, " at once"));
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
    // The rollback data of a statement contains each changed page, and may not fit into memory if the database is
    // large.
    std::vector<std::string> names = {"main"};
    for (size_t n = 0; n < shards.size(); ++n) names.push_back(absl::StrCat("shard", n));
    if (merged.ok()) merged = UseTemporaryFiles(writer, names);
    if (merged.ok()) merged = writer.Run("BEGIN IMMEDIATE");
    if (merged.ok()) merged = MergeAttached(writer, shards, options, &reports);
    if (merged.ok()) merged = writer.Run("COMMIT");
    if (writer.in_transaction()) writer.Run("ROLLBACK").IgnoreError();
    merged.Update(writer.Run("PRAGMA temp_store = MEMORY"));
    while (attached > 0) merged.Update(writer.Run(absl::StrCat("DETACH shard", --attached)));
    return merged;
  });
  if (!status.ok()) return status;
  return reports;
}

}  // namespace rewrought::store
