#include "store/sites/site_block.h"

#include <algorithm>
#include <tuple>

#include "corpus/site_record.h"

namespace rewrought::store {
namespace {

// A row starts with a tag byte, whose bits select the numbers that follow. A number is stored with 7 bits per byte, the
// lowest bits first.
constexpr uint64_t kNewKey = 1;      // the difference from the previous key
constexpr uint64_t kFlags = 2;       // node_flags; 0 if absent
constexpr uint64_t kMultiUse = 4;    // multi_use; 0 if absent
constexpr uint64_t kNewFacts = 8;    // facts; the previous row's facts if absent
constexpr uint64_t kCounts = 16;     // count and loop_weight; both 1 if absent
constexpr uint64_t kLinesShift = 5;  // the number of lines; 7 means that the number follows
constexpr uint64_t kManyLines = 7;

// The greatest count or loop weight of a row. Greater numbers indicate damage, and sums of numbers up to this maximum
// do not overflow.
constexpr uint64_t kMostCount = uint64_t{1} << 32;

void AddNumber(uint64_t value, std::string* bytes) {
  for (; value >= 0x80; value >>= 7) bytes->push_back(static_cast<char>(value | 0x80));
  bytes->push_back(static_cast<char>(value));
}

// Map signed differences to unsigned numbers and back, so that small differences become small numbers (zigzag
// encoding).
uint64_t Folded(int64_t value) { return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63); }
int64_t ZigzagDecoded(uint64_t value) { return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1); }

auto Order(const SiteRow& row) { return std::tie(row.key, row.node_flags, row.multi_use, row.facts); }

}  // namespace

bool Precedes(const SiteRow& a, const SiteRow& b) { return Order(a) < Order(b); }

SiteBlockReader::SiteBlockReader(int64_t first, absl::string_view bytes)
    : next_(bytes.data()), end_(bytes.data() + bytes.size()), damaged_(first < 0) {
  row_.key = first;
}

absl::Status SiteBlockReader::status() const {
  return damaged_ ? absl::DataLossError("a block of sites is damaged") : absl::OkStatus();
}

bool SiteBlockReader::Number(uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && next_ != end_; shift += 7) {
    const auto byte = static_cast<uint8_t>(*next_++);
    if (shift == 63 && byte > 1) return false;
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool SiteBlockReader::Lines(uint64_t tag) {
  uint64_t lines = tag >> kLinesShift;
  if (lines == kManyLines && !Number(&lines)) return false;
  if (lines > corpus::kMaxLines) return false;
  row_.lines.clear();
  int64_t line = 0;
  for (uint64_t difference = 0; lines > 0; --lines) {
    if (!Number(&difference)) return false;
    line += ZigzagDecoded(difference);
    if (line != static_cast<int32_t>(line)) return false;
    row_.lines.push_back(static_cast<int32_t>(line));
  }
  return true;
}

bool SiteBlockReader::Next() {
  if (next_ == end_ || damaged_) return false;
  damaged_ = true;  // cleared when the whole row has been read
  const uint64_t tag = static_cast<uint8_t>(*next_++);
  uint64_t difference = 0, facts = 0, count = 1, loop_weight = 1;
  if ((tag & kNewKey) != 0 && !Number(&difference)) return false;
  if (difference > static_cast<uint64_t>(INT64_MAX - row_.key)) return false;
  row_.key += static_cast<int64_t>(difference);
  row_.node_flags = row_.multi_use = 0;
  if ((tag & kFlags) != 0 && !Number(&row_.node_flags)) return false;
  if ((tag & kMultiUse) != 0 && !Number(&row_.multi_use)) return false;
  if ((tag & kNewFacts) != 0) {
    if (!Number(&facts) || facts > INT64_MAX) return false;
    row_.facts = static_cast<int64_t>(facts);
  } else if (!started_) {
    return false;
  }
  if ((tag & kCounts) != 0 && !(Number(&count) && Number(&loop_weight))) return false;
  if (count > kMostCount || loop_weight > kMostCount) return false;
  row_.count = static_cast<int64_t>(count);
  row_.loop_weight = static_cast<int64_t>(loop_weight);
  if (!Lines(tag)) return false;
  damaged_ = false;
  started_ = true;
  return true;
}

absl::Status SiteBlockWriter::GoOn(int64_t first, absl::string_view bytes) {
  SiteBlockReader reader(first, bytes);
  while (reader.Next()) {
  }
  first_ = first;
  last_ = reader.row();
  bytes_ = std::string(bytes);
  return reader.status();
}

bool SiteBlockWriter::Add(const SiteRow& row) {
  const bool start = bytes_.empty();
  if (start) first_ = row.key;
  const bool new_key = !start && row.key != last_.key;
  const size_t before = bytes_.size();
  const bool new_facts = start || row.facts != last_.facts;
  const bool counts = row.count != 1 || row.loop_weight != 1;
  const size_t lines = std::min(row.lines.size(), corpus::kMaxLines);
  bytes_.push_back(static_cast<char>((new_key ? kNewKey : 0) | (row.node_flags != 0 ? kFlags : 0) |
                                     (row.multi_use != 0 ? kMultiUse : 0) | (new_facts ? kNewFacts : 0) |
                                     (counts ? kCounts : 0) | (std::min<uint64_t>(lines, kManyLines) << kLinesShift)));
  if (new_key) AddNumber(static_cast<uint64_t>(row.key - last_.key), &bytes_);
  if (row.node_flags != 0) AddNumber(row.node_flags, &bytes_);
  if (row.multi_use != 0) AddNumber(row.multi_use, &bytes_);
  if (new_facts) AddNumber(static_cast<uint64_t>(row.facts), &bytes_);
  if (counts) {
    AddNumber(static_cast<uint64_t>(row.count), &bytes_);
    AddNumber(static_cast<uint64_t>(row.loop_weight), &bytes_);
  }
  if (lines >= kManyLines) AddNumber(lines, &bytes_);
  int64_t line = 0;
  for (size_t i = 0; i < lines; ++i) {
    AddNumber(Folded(row.lines[i] - line), &bytes_);
    line = row.lines[i];
  }
  if (new_key && bytes_.size() > limit_) {
    bytes_.resize(before);
    return false;
  }
  last_.key = row.key;
  last_.node_flags = row.node_flags;
  last_.multi_use = row.multi_use;
  last_.facts = row.facts;
  return true;
}

}  // namespace rewrought::store
