// Prints the content of a database as text. Databases with the same content produce the same bytes, regardless of the
// order of writes and merges.
#ifndef REWROUGHT_STORE_DUMP_H_
#define REWROUGHT_STORE_DUMP_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/store.h"

namespace rewrought::store {

// Calls `line` for each row of each table, in sorted order, with ids replaced by the values that they refer to. Omits
// unused interned strings.
absl::Status Dump(Store* store, absl::FunctionRef<absl::Status(absl::string_view)> line);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_DUMP_H_
