#include "selection/driver_correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace rewrought::selection {
namespace {

// Pairs of our statistics and the driver columns with the same meaning.
constexpr std::pair<const char*, const char*> kPairs[] = {
    {"instructions", "instructions"},
    {"instructions", "non_nops"},
    {"instructions", "alu"},
    {"issue_cycles", "instructions"},
    {"cycles", "cycles"},
    {"weighted_cycles", "cycles"},
    {"idle", "nops"},
    {"idle ALU", "nops"},
    {"idle SFU", "sstall"},
    {"register_peak", "registers"},
    {"code_bytes", "bytes"},
    {"threads", "waves"},
};

}  // namespace

absl::StatusOr<DriverFigures> ParseDriverFigures(absl::string_view text) {
  DriverFigures figures;
  std::vector<std::string> columns;
  size_t file_column = 0;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    absl::ConsumeSuffix(&line, "\r");
    if (line.empty()) continue;
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    if (columns.empty()) {
      columns = fields;
      const auto found = std::find(columns.begin(), columns.end(), "file");
      if (found == columns.end()) {
        return absl::InvalidArgumentError(
            "line 1: no column 'file'; the first line must name the columns, separated by tabs");
      }
      file_column = static_cast<size_t>(found - columns.begin());
      continue;
    }
    if (fields.size() != columns.size()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", fields.size(),
                                                     " fields, but the first line names ", columns.size(), " columns"));
    }
    std::map<std::string, double> row;
    for (size_t i = 0; i < fields.size(); ++i) {
      double value = 0;
      if (i != file_column && absl::SimpleAtod(fields[i], &value) && std::isfinite(value)) row[columns[i]] = value;
    }
    // ir3 reports these counts by category. Sum them to match the columns of Intel's driver.
    if (row.contains("cat2")) row["alu"] = row["cat1"] + row["cat2"] + row["cat3"] + row["cat4"];
    if (row.contains("full_regs")) row["registers"] = row["full_regs"] + row["half_regs"] / 2;
    figures.emplace(fields[file_column], std::move(row));
  }
  if (columns.empty()) return absl::InvalidArgumentError("line 1: the file is empty");
  return figures;
}

double Pearson(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size() || x.size() < 3) return 0;
  const double n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n,
               mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

std::vector<double> RanksOf(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t j = i; j < end; ++j) ranks[order[j]] = (static_cast<double>(i) + static_cast<double>(end) - 1) / 2;
    i = end;
  }
  return ranks;
}

double Spearman(const std::vector<double>& x, const std::vector<double>& y) { return Pearson(RanksOf(x), RanksOf(y)); }

bool CorrelationTable::Add(absl::string_view name, const machine::select::Statistics& ours) {
  if (const size_t slash = name.rfind('/'); slash != absl::string_view::npos) name.remove_prefix(slash + 1);
  const auto found = figures_.find(std::string(name));
  if (found == figures_.end()) return false;
  Row row;
  row.theirs = found->second;
  row.ours = {{"instructions", static_cast<double>(ours.instructions)},
              {"issue_cycles", ours.issue_cycles},
              {"cycles", ours.cycles},
              {"weighted_cycles", ours.weighted_cycles},
              {"idle", ours.idle},
              {"register_peak", ours.register_peak},
              {"threads", ours.threads},
              {"code_bytes", static_cast<double>(ours.code_bytes)}};
  for (const auto& [pipe, idle] : ours.idle_by_pipe) row.ours[absl::StrCat("idle ", pipe)] = idle;
  rows_.push_back(std::move(row));
  return true;
}

std::vector<Correlation> CorrelationTable::Result() const {
  std::vector<Correlation> result;
  for (const auto& [ours, theirs] : kPairs) {
    Correlation pair{ours, theirs, 0, 0, 0, 0, 0};
    std::vector<double> x, y;
    for (const Row& row : rows_) {
      const auto a = row.ours.find(ours);
      const auto b = row.theirs.find(theirs);
      if (b == row.theirs.end()) continue;
      // Our statistics omit a pipe without idle cycles.
      x.push_back(a == row.ours.end() ? 0 : a->second), y.push_back(b->second);
      pair.ours_sum += x.back(), pair.theirs_sum += y.back();
    }
    // Omit the pair if our statistic is always 0 or the driver lacks the column.
    if (x.empty() || pair.ours_sum == 0) continue;
    pair.shaders = x.size();
    pair.pearson = Pearson(x, y), pair.spearman = Spearman(x, y);
    result.push_back(std::move(pair));
  }
  return result;
}

}  // namespace rewrought::selection
