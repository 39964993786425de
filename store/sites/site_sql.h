// Gives SQL statements access to sites: implements the functions that the schema's view `sites` uses, and appends rows
// to blocks.
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

// Registers the functions that a connection needs to migrate the schema or to read the view `sites`:
//   unpack_sites(first_key, rows) returns a table of a block's rows, with lines as text such as "12 40".
//   pack_sites(text) returns a block of the rows "key,node_flags,multi_use,facts_id,count,loop_weight,lines;…", which
//   may be in any order.
absl::Status AddSiteFunctions(sqlite::Database& database);

// Appends rows to the blocks of fragments. The fragments may be in any order. Flush writes the rows to the database. If
// Add is called for another fragment, it flushes the rows of the previous fragment.
class SiteAppender {
 public:
  explicit SiteAppender(sqlite::Database& writer) : writer_(writer) {}

  // Appends a row, which must come after the fragment's last row (see Precedes). The row's key must be greater than all
  // stored keys, or equal to the key of the last row added. Fails with AlreadyExists otherwise.
  absl::Status Add(int64_t fragment, const SiteRow& row);
  absl::Status Flush();

 private:
  absl::Status Start(int64_t fragment);

  sqlite::Database& writer_;
  int64_t fragment_ = -1;
  bool stored_ = false;  // whether the block exists in the database
  bool changed_ = false;
  SiteBlockWriter block_;
};

// Calls `visit` for each row of the blocks that a query returns. The query's first columns must be fragment, first_key,
// and rows. Fails with DataLoss if a block is damaged.
absl::Status ForEachSiteRow(sqlite::Database& database, absl::string_view query,
                            std::initializer_list<sqlite::Value> values,
                            absl::FunctionRef<absl::Status(const sqlite::Row& block, const SiteRow& row)> visit);

// Returns the keys of replaced sites, whose rows are invisible.
absl::StatusOr<absl::flat_hash_set<int64_t>> StaleKeys(sqlite::Database& database);

// Removes the rows of all stale keys, and the keys themselves. Reads all blocks if any keys are stale.
absl::Status DropStaleSites(sqlite::Database& writer);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SITES_SITE_SQL_H_
