// The content of a database as text that depends on nothing but what is stored: the same content, written in any order
// or merged from any shards, gives the same bytes.
#ifndef REWROUGHT_STORE_DUMP_H_
#define REWROUGHT_STORE_DUMP_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/store.h"

namespace rewrought::store {

// Calls `line` for each row of each table, sorted, ids replaced by what they stand for; interned texts that nothing
// uses are left out.
absl::Status Dump(Store* store, absl::FunctionRef<absl::Status(absl::string_view)> line);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_DUMP_H_
