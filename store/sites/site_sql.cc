#include "store/sites/site_sql.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "store/columns.h"

namespace rewrought::store {
namespace {

using sqlite::Blob;
using sqlite::Database;
using sqlite::Row;

// Iterates over the rows that unpack_sites returns.
class UnpackedSites : public sqlite::RowSource {
 public:
  UnpackedSites(int64_t first, std::string bytes) : bytes_(std::move(bytes)), reader_(first, bytes_) {}
  bool Next() override { return reader_.Next(); }
  absl::Status status() const override { return reader_.status(); }
  void Give(int column, sqlite::Column value) const override {
    const SiteRow& row = reader_.row();
    switch (column) {
      case 0:
        return value.SetInt(row.key);
      case 1:
        return value.SetInt(static_cast<int64_t>(row.node_flags));
      case 2:
        return value.SetInt(static_cast<int64_t>(row.multi_use));
      case 3:
        return value.SetInt(row.facts);
      case 4:
        return value.SetInt(row.count);
      case 5:
        return value.SetInt(row.loop_weight);
      default:
        return value.SetText(LinesText(row.lines));
    }
  }

 private:
  const std::string bytes_;
  SiteBlockReader reader_;
};

absl::StatusOr<SiteRow> ParseRow(absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ',');
  int64_t node_flags = 0, multi_use = 0;  // 64-bit values, stored in SQLite's signed integers
  SiteRow row;
  if (words.size() != 7 || !absl::SimpleAtoi(words[0], &row.key) || !absl::SimpleAtoi(words[1], &node_flags) ||
      !absl::SimpleAtoi(words[2], &multi_use) || !absl::SimpleAtoi(words[3], &row.facts) ||
      !absl::SimpleAtoi(words[4], &row.count) || !absl::SimpleAtoi(words[5], &row.loop_weight) || row.key < 0 ||
      row.facts < 0) {
    return absl::InvalidArgumentError(absl::StrCat("not a row of sites: ", text));
  }
  row.node_flags = static_cast<uint64_t>(node_flags);
  row.multi_use = static_cast<uint64_t>(multi_use);
  row.lines = ParseLines(words[6]);
  return row;
}

absl::StatusOr<std::string> PackSites(absl::string_view text) {
  std::vector<SiteRow> rows;
  for (const absl::string_view word : absl::StrSplit(text, ';', absl::SkipEmpty())) {
    absl::StatusOr<SiteRow> row = ParseRow(word);
    if (!row.ok()) return row.status();
    rows.push_back(*std::move(row));
  }
  std::sort(rows.begin(), rows.end(), Precedes);
  SiteBlockWriter block(SIZE_MAX);
  for (const SiteRow& row : rows) block.Add(row);
  return block.bytes();
}

absl::Status PutBlock(Database& writer, int64_t fragment, const SiteBlockWriter& block) {
  return writer.Run("INSERT INTO site_blocks (fragment_id, first_key, rows) VALUES (?1, ?2, ?3)",
                    {fragment, block.first(), Blob{block.bytes()}});
}

absl::Status Damaged(int64_t fragment, const absl::Status& status) {
  return absl::DataLossError(absl::StrCat(status.message(), " (of fragment ", fragment,
                                          "); run `rewrought db check` to list all faults and their remedies"));
}

struct StoredBlock {
  int64_t fragment = -1, first = 0;
  std::string rows;
};

// Removes the rows of stale keys from the block.
absl::Status DropFrom(Database& writer, const StoredBlock& stored, const absl::flat_hash_set<int64_t>& stale) {
  std::vector<SiteRow> kept;
  size_t rows = 0;
  SiteBlockReader reader(stored.first, stored.rows);
  for (; reader.Next(); ++rows) {
    if (!stale.contains(reader.row().key)) kept.push_back(reader.row());
  }
  if (!reader.status().ok()) return Damaged(stored.fragment, reader.status());
  if (kept.size() == rows) return absl::OkStatus();
  absl::Status status =
      writer.Run("DELETE FROM site_blocks WHERE fragment_id = ?1 AND first_key = ?2", {stored.fragment, stored.first});
  SiteBlockWriter block;
  for (const SiteRow& row : kept) {
    if (block.Add(row)) continue;
    status.Update(PutBlock(writer, stored.fragment, block));
    block.Clear();
    block.Add(row);
  }
  if (!block.empty()) status.Update(PutBlock(writer, stored.fragment, block));
  return status;
}

}  // namespace

absl::Status AddSiteFunctions(Database& database) {
  absl::Status status = database.Add(sqlite::TableFunction{
      "unpack_sites",
      {"sites_key", "node_flags", "multi_use", "facts_id", "count", "loop_weight", "lines"},
      [](int64_t first, std::string bytes) { return std::make_unique<UnpackedSites>(first, std::move(bytes)); }});
  status.Update(database.Add(sqlite::BytesFunction{"pack_sites", PackSites}));
  return status;
}

absl::Status SiteAppender::Start(int64_t fragment) {
  if (absl::Status status = Flush(); !status.ok()) return status;
  fragment_ = fragment;
  block_.Clear();
  stored_ = false;
  return writer_.Query("SELECT first_key, rows FROM site_blocks WHERE fragment_id = ?1 ORDER BY first_key DESC LIMIT 1",
                       {fragment}, [&](const Row& row) {
                         stored_ = true;
                         const absl::Status read = block_.GoOn(row.Int(0), row.Bytes(1));
                         return read.ok() ? read : Damaged(fragment, read);
                       });
}

absl::Status SiteAppender::Add(int64_t fragment, const SiteRow& row) {
  if (fragment != fragment_) {
    if (absl::Status status = Start(fragment); !status.ok()) return status;
  }
  if (!block_.empty() && !Precedes(block_.last(), row)) {
    return absl::AlreadyExistsError(absl::StrCat("a row of fragment ", fragment, " is out of order"));
  }
  if (!block_.Add(row)) {
    if (absl::Status status = Flush(); !status.ok()) return status;
    block_.Clear();
    stored_ = false;
    block_.Add(row);
  }
  changed_ = true;
  return absl::OkStatus();
}

absl::Status SiteAppender::Flush() {
  if (!changed_) return absl::OkStatus();
  changed_ = false;
  const absl::Status status =
      stored_ ? writer_.Run("UPDATE site_blocks SET rows = ?3 WHERE fragment_id = ?1 AND first_key = ?2",
                            {fragment_, block_.first(), Blob{block_.bytes()}})
              : PutBlock(writer_, fragment_, block_);
  stored_ = true;
  return status;
}

absl::Status ForEachSiteRow(Database& database, absl::string_view query, std::initializer_list<sqlite::Value> values,
                            absl::FunctionRef<absl::Status(const Row& block, const SiteRow& row)> visit) {
  return database.Query(query, values, [&](const Row& block) {
    SiteBlockReader reader(block.Int(1), block.Bytes(2));
    while (reader.Next()) {
      if (absl::Status status = visit(block, reader.row()); !status.ok()) return status;
    }
    return reader.status().ok() ? absl::OkStatus() : Damaged(block.Int(0), reader.status());
  });
}

absl::StatusOr<absl::flat_hash_set<int64_t>> StaleKeys(Database& database) {
  absl::flat_hash_set<int64_t> stale;
  absl::Status status = database.Query("SELECT sites_key FROM stale_sites", {}, [&](const Row& row) {
    stale.insert(row.Int(0));
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return stale;
}

absl::Status DropStaleSites(Database& writer) {
  const absl::StatusOr<absl::flat_hash_set<int64_t>> stale = StaleKeys(writer);
  if (!stale.ok() || stale->empty()) return stale.status();
  absl::Status status;
  // Read blocks first and write them afterwards, because a statement may return rows twice if the table changes while
  // it is being read.
  constexpr size_t kBlocksAtOnce = 1000;
  std::vector<StoredBlock> blocks;
  StoredBlock last;
  do {
    blocks.clear();
    status = writer.Query(
        "SELECT fragment_id, first_key, rows FROM site_blocks WHERE (fragment_id, first_key) > (?1, ?2) "
        "ORDER BY fragment_id, first_key LIMIT ?3",
        {last.fragment, last.first, kBlocksAtOnce}, [&](const Row& row) {
          blocks.push_back({row.Int(0), row.Int(1), std::string(row.Bytes(2))});
          return absl::OkStatus();
        });
    for (const StoredBlock& block : blocks) status.Update(DropFrom(writer, block, *stale));
    if (!blocks.empty()) last = {blocks.back().fragment, blocks.back().first, ""};
  } while (status.ok() && blocks.size() == kBlocksAtOnce);
  status.Update(writer.Run("DELETE FROM stale_sites"));
  return status;
}

}  // namespace rewrought::store
