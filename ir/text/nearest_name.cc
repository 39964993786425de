#include "ir/text/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_split.h"
#include "ir/op_table.h"

namespace rewrought::ir {
namespace {

constexpr size_t kMaxNames = 4;
constexpr size_t kMaxLength = 32;  // no op has a longer name

// Names from other languages that differ too much from their NIR names for the edit distance to find them.
struct Alias {
  absl::string_view name;
  absl::string_view ops;  // separated by spaces
};
constexpr Alias kAliases[] = {
    {"and", "iand"},
    {"or", "ior"},
    {"xor", "ixor"},
    {"not", "inot"},
    {"shl", "ishl"},
    {"lshr", "ushr"},
    {"ashr", "ishr"},
    {"sdiv", "idiv"},
    {"srem", "irem"},
    {"smin", "imin"},
    {"smax", "imax"},
    {"select", "bcsel"},
    {"csel", "bcsel"},
    {"mux", "bcsel"},
    {"ne", "ine fneu"},
    {"fne", "fneu"},
    {"fune", "fneu"},
    {"ule", "uge"},
    {"ile", "ige"},
    {"fle", "fge"},
    {"ugt", "ult"},
    {"igt", "ilt"},
    {"fgt", "flt"},
    {"mad", "ffma fmad"},
    {"fma", "ffma"},
    {"lerp", "flrp"},
    {"mix", "flrp"},
    {"rcp", "frcp"},
    {"rsqrt", "frsq"},
    {"frsqrt", "frsq"},
    {"inversesqrt", "frsq"},
    {"saturate", "fsat"},
    {"clamp", "fsat"},
    {"popcount", "bit_count"},
    {"ctpop", "bit_count"},
    {"bswap", "byte_swap"},
    {"fptosi", "f2i32"},
    {"sitofp", "i2f32"},
    {"zext", "u2u32"},
    {"sext", "i2i32"},
    {"trunc", "ftrunc u2u16"},
    {"neg", "ineg fneg"},
    {"abs", "iabs fabs"},
};

}  // namespace

size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::vector<std::string> NearestOpNames(absl::string_view name, OpResolver find) {
  std::vector<std::string> names;
  for (const Alias& alias : kAliases) {
    if (alias.name != name) continue;
    for (absl::string_view op : absl::StrSplit(alias.ops, ' ')) {
      if (find(op) != nullptr) names.emplace_back(op);
    }
  }
  if (!names.empty() || name.size() < 2 || name.size() > kMaxLength) return names;
  size_t smallest = std::max<size_t>(1, name.size() / 3) + 1;
  for (const OpRow* row : AllOps()) {
    if (row->name.size() > kMaxLength || find(row->name) == nullptr) continue;
    const size_t distance = EditDistance(name, row->name);
    if (distance > smallest || (distance == smallest && names.empty())) continue;
    if (distance < smallest) names.clear();
    smallest = distance;
    names.push_back(row->name);
  }
  if (names.size() > kMaxNames) names.resize(kMaxNames);
  return names;
}

}  // namespace rewrought::ir
