// Defines the path with which Database::Open opens a new database that exists only in memory.
#ifndef REWROUGHT_STORE_SQLITE_IN_MEMORY_H_
#define REWROUGHT_STORE_SQLITE_IN_MEMORY_H_

#include "absl/strings/string_view.h"

namespace rewrought::store::sqlite {

inline constexpr absl::string_view kInMemory = ":memory:";

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_IN_MEMORY_H_
