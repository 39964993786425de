#include "emitter/line_diff.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace rewrought::emitter {
namespace {

constexpr size_t kMostPairs = 1000000;

}  // namespace

std::vector<std::string> LineDiff(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  size_t begin = 0, x_end = before.size(), y_end = after.size();
  while (begin < x_end && begin < y_end && before[begin] == after[begin]) ++begin;
  while (x_end > begin && y_end > begin && before[x_end - 1] == after[y_end - 1]) --x_end, --y_end;
  const size_t n = x_end - begin, m = y_end - begin;
  // common[i][j] is the maximum number of common lines of before[begin + i...] and after[begin + j...].
  std::vector<std::vector<uint32_t>> common;
  if (m == 0 || n <= kMostPairs / m) {
    common.assign(n + 1, std::vector<uint32_t>(m + 1, 0));
    for (size_t i = n; i-- > 0;) {
      for (size_t j = m; j-- > 0;) {
        common[i][j] = before[begin + i] == after[begin + j] ? common[i + 1][j + 1] + 1
                                                             : std::max(common[i + 1][j], common[i][j + 1]);
      }
    }
  }
  std::vector<std::string> lines;
  for (size_t i = 0; i < begin; ++i) lines.push_back(absl::StrCat("  ", before[i]));
  size_t i = 0, j = 0;
  while (i < n || j < m) {
    if (!common.empty() && i < n && j < m && before[begin + i] == after[begin + j]) {
      lines.push_back(absl::StrCat("  ", before[begin + i]));
      ++i, ++j;
    } else if (i < n && (j == m || common.empty() || common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back(absl::StrCat("- ", before[begin + i++]));
    } else {
      lines.push_back(absl::StrCat("+ ", after[begin + j++]));
    }
  }
  for (size_t k = x_end; k < before.size(); ++k) lines.push_back(absl::StrCat("  ", before[k]));
  return lines;
}

}  // namespace rewrought::emitter
