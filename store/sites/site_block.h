// Encodes rows of sites compactly. A block contains the rows of one fragment in several shaders. A row takes a few
// bytes in a block, instead of sixty bytes in a table. Blocks have a bounded size and grow only at their end.
#ifndef REWROUGHT_STORE_SITES_SITE_BLOCK_H_
#define REWROUGHT_STORE_SITES_SITE_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::store {

// The occurrences of a fragment in a shader that have the same flags, multi-use intermediates, and facts
// (corpus/site_record.h).
struct SiteRow {
  int64_t key = 0;  // the shader's sites_key; not negative
  uint64_t node_flags = 0;
  uint64_t multi_use = 0;
  int64_t facts = 0;  // id of an interned string that describes the facts
  int64_t count = 0;
  int64_t loop_weight = 0;
  std::vector<int32_t> lines;  // only the first corpus::kMaxLines are stored

  friend bool operator==(const SiteRow&, const SiteRow&) = default;
};

// Returns whether `a` precedes `b` when rows are sorted by key, flags, multi-use intermediates, and facts, which
// together identify a row.
bool Precedes(const SiteRow& a, const SiteRow& b);

// When a block reaches this size in bytes, the next shader starts a new block. Such a block and its key fit into a leaf
// cell of SQLite's B-tree (1,002 bytes for pages of 4,096 bytes; sqlite.org/fileformat2.html, 1.6). The rows of one
// shader are never split across blocks.
constexpr size_t kBlockBytes = 960;

class SiteBlockReader {
 public:
  // `first` is the key of the first row. `bytes` must outlive the reader.
  SiteBlockReader(int64_t first, absl::string_view bytes);

  // Advances to the next row and returns true. Returns false at the end, or if the bytes are malformed; in the latter
  // case, status() is an error.
  bool Next();
  const SiteRow& row() const { return row_; }
  // Returns OK, or DataLoss if the bytes are malformed.
  absl::Status status() const;

 private:
  bool Number(uint64_t* value);
  bool Lines(uint64_t tag);

  const char *next_, *const end_;
  bool damaged_ = false, started_ = false;
  SiteRow row_;
};

// Encodes a new block, or appends rows to an existing block.
class SiteBlockWriter {
 public:
  // Starts an empty block, which is full when it has `limit` bytes.
  explicit SiteBlockWriter(size_t limit = kBlockBytes) : limit_(limit) {}
  // Loads the block in `bytes` so that more rows can be appended. Fails with DataLoss if the bytes are malformed.
  absl::Status GoOn(int64_t first, absl::string_view bytes);

  // Appends `row`, which must follow the last row. Returns false, without appending it, if the block is full and
  // `row` belongs to another shader.
  bool Add(const SiteRow& row);

  void Clear() { bytes_.clear(); }
  bool empty() const { return bytes_.empty(); }
  int64_t first() const { return first_; }
  const SiteRow& last() const { return last_; }  // the last row, without its lines
  const std::string& bytes() const { return bytes_; }

 private:
  const size_t limit_;
  int64_t first_ = 0;
  SiteRow last_;
  std::string bytes_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SITES_SITE_BLOCK_H_
