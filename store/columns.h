// Converts between record fields and columns. Only the views of the store (such as RuleStore) use these functions.
#ifndef REWROUGHT_STORE_COLUMNS_H_
#define REWROUGHT_STORE_COLUMNS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ir/digest.h"
#include "store/sqlite/statement.h"

namespace rewrought::store {

inline sqlite::Blob ToBlob(const ir::Digest& digest) { return {digest.view()}; }
inline sqlite::Value ToBlob(const std::optional<ir::Digest>& digest) {
  return digest.has_value() ? sqlite::Value(ToBlob(*digest)) : sqlite::Value(nullptr);
}
ir::Digest ToDigest(absl::string_view bytes);  // the schema guarantees 32 bytes
std::optional<ir::Digest> OptionalDigest(const sqlite::Row& row, int column);

// Returns the column as a count, clamped to the range from 0 to kMostCount because a database may contain any number.
// Sums of such counts do not overflow. `rewrought db check` reports numbers outside the range.
inline constexpr int64_t kMostCount = int64_t{1} << 40;
inline int64_t CountOf(const sqlite::Row& row, int column) {
  return std::clamp<int64_t>(row.Int(column), 0, kMostCount);
}

// Returns at most corpus::kMaxLines line numbers as text, such as "12 40".
std::string LinesText(absl::Span<const int32_t> lines);
std::vector<int32_t> ParseLines(absl::string_view text);

inline int64_t ToMicros(absl::Time time) { return absl::ToUnixMicros(time); }
inline absl::Time FromMicros(int64_t micros) { return absl::FromUnixMicros(micros); }

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_COLUMNS_H_
