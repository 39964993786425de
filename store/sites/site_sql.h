// Sites in SQL: the functions that the schema's view `sites` is made of, and how rows get into blocks.
#ifndef REWROUGHT_STORE_SITES_SITE_SQL_H_
#define REWROUGHT_STORE_SITES_SITE_SQL_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "store/sites/site_block.h"
#include "store/sqlite/database.h"

namespace rewrought::store {

// Each connection that migrates a schema or reads the view `sites` needs them:
//   unpack_sites(first_key, rows): a table of the rows of a block, lines as "12 40".
//   pack_sites(text): a block of rows "key,node_flags,multi_use,facts_id,count,loop_weight,lines;…" of any order.
absl::Status AddSiteFunctions(sqlite::Database& database);

// Puts rows behind those that are there, block after block, for fragments in any order. What is added is in the
// database when Flush has returned; a call for another fragment flushes, too.
class SiteAppender {
 public:
  explicit SiteAppender(sqlite::Database& writer) : writer_(writer) {}

  // The row follows those that the fragment has: its key is greater than theirs, or that of the row added just before.
  // AlreadyExists: it does not.
  absl::Status Add(int64_t fragment, const SiteRow& row);
  absl::Status Flush();

 private:
  absl::Status Start(int64_t fragment);

  sqlite::Database& writer_;
  int64_t fragment_ = -1;
  bool stored_ = false;  // the block is in the database, as it was
  bool changed_ = false;
  SiteBlockWriter block_;
};

// Calls `visit` for each row of the blocks that a query gives, whose first columns are fragment, first_key and rows.
// DataLoss: a block is damaged.
absl::Status ForEachSiteRow(sqlite::Database& database, absl::string_view query,
                            std::initializer_list<sqlite::Value> values,
                            absl::FunctionRef<absl::Status(const sqlite::Row& block, const SiteRow& row)> visit);

// Keys of shaders that were cut anew, whose rows nobody may see any more.
absl::StatusOr<absl::flat_hash_set<int64_t>> StaleKeys(sqlite::Database& database);

// Removes the rows of the stale keys, which are none then. Reads all blocks if there are any.
absl::Status DropStaleSites(sqlite::Database& writer);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SITES_SITE_SQL_H_
