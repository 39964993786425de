#include "store/columns.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "corpus/site_record.h"

namespace rewrought::store {

ir::Digest ToDigest(absl::string_view bytes) {
  ir::Digest digest;
  std::copy_n(bytes.begin(), std::min(bytes.size(), digest.bytes.size()), digest.bytes.begin());
  return digest;
}

std::optional<ir::Digest> OptionalDigest(const sqlite::Row& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return ToDigest(row.Bytes(column));
}

std::string LinesText(absl::Span<const int32_t> lines) {
  return absl::StrJoin(lines.subspan(0, corpus::kMaxLines), " ");
}

std::vector<int32_t> ParseLines(absl::string_view text) {
  std::vector<int32_t> lines;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    int32_t line = 0;
    if (absl::SimpleAtoi(word, &line)) lines.push_back(line);
  }
  return lines;
}

}  // namespace rewrought::store
