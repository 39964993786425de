// Rows of sites as bytes: those of one fragment in some shaders, a few bytes each where a table's row takes sixty.
// Blocks are bounded, and grow at their end only.
#ifndef REWROUGHT_STORE_SITES_SITE_BLOCK_H_
#define REWROUGHT_STORE_SITES_SITE_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::store {

// A fragment in a shader, under one combination of flags, multi-use intermediates and facts (corpus/site_record.h).
struct SiteRow {
  int64_t key = 0;  // the shader's sites_key, not negative
  uint64_t node_flags = 0;
  uint64_t multi_use = 0;
  int64_t facts = 0;  // id of an interned text
  int64_t count = 0;
  int64_t loop_weight = 0;
  std::vector<int32_t> lines;  // the first corpus::kMaxLines are kept

  friend bool operator==(const SiteRow&, const SiteRow&) = default;
};

// Rows are told apart by key, flags, multi-use intermediates and facts, and come in that order.
bool Precedes(const SiteRow& a, const SiteRow& b);

// A block that is full is followed by another. With its key it stays in a leaf of SQLite's tree, whose cells hold 1,002
// bytes where pages are of 4,096 (sqlite.org/fileformat2.html, 1.6); rows of one shader stay together even so.
constexpr size_t kBlockBytes = 960;

// Reads a block from its start to its end.
class SiteBlockReader {
 public:
  // `first` is the key of its first row. `bytes` must outlive this.
  SiteBlockReader(int64_t first, absl::string_view bytes);

  // The next row, in `row()`; false at the end, and where the bytes are no block: then status() says so.
  bool Next();
  const SiteRow& row() const { return row_; }
  // DataLoss: the bytes are no block.
  absl::Status status() const;

 private:
  bool Number(uint64_t* value);
  bool Lines(uint64_t tag);

  const char *next_, *const end_;
  bool damaged_ = false, started_ = false;
  SiteRow row_;
};

// Writes a block, from its start or on from what another has written.
class SiteBlockWriter {
 public:
  // An empty block. `limit`: the bytes from which on it is full.
  explicit SiteBlockWriter(size_t limit = kBlockBytes) : limit_(limit) {}
  // What `bytes` hold, to be gone on with. DataLoss: they are no block.
  absl::Status GoOn(int64_t first, absl::string_view bytes);

  // `row` must follow the last one. Whether it finds room: a full block takes rows of its last shader only.
  bool Add(const SiteRow& row);

  void Clear() { bytes_.clear(); }
  bool empty() const { return bytes_.empty(); }
  int64_t first() const { return first_; }
  const SiteRow& last() const { return last_; }  // its lines are not kept
  const std::string& bytes() const { return bytes_; }

 private:
  const size_t limit_;
  int64_t first_ = 0;
  SiteRow last_;
  std::string bytes_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SITES_SITE_BLOCK_H_
