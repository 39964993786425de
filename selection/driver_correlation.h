// How far the figures of selected shaders go with those that a real driver's compiler gave for the same shaders.
#ifndef REWROUGHT_SELECTION_DRIVER_CORRELATION_H_
#define REWROUGHT_SELECTION_DRIVER_CORRELATION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "machine/select/statistics.h"

namespace rewrought::selection {

// Figures by file name, then column.
using DriverFigures = std::map<std::string, std::map<std::string, double>>;

// Reads tab-separated text whose first line names the columns, "file" among them; other columns count where they hold a
// number. Of several lines for one file the first stands. InvalidArgument "line N: what is wrong".
absl::StatusOr<DriverFigures> ParseDriverFigures(absl::string_view text);

// Over pairs of numbers; 0 where one side does not vary or there are fewer than 3 pairs.
double Pearson(const std::vector<double>& x, const std::vector<double>& y);
// Of each value its place in rising order, from 0; equal values share the mean of theirs.
std::vector<double> RanksOf(const std::vector<double>& values);
// Pearson of the ranks.
double Spearman(const std::vector<double>& x, const std::vector<double>& y);

struct Correlation {
  std::string ours, theirs;  // names of the figures
  size_t shaders = 0;
  double pearson = 0, spearman = 0;
  double ours_sum = 0, theirs_sum = 0;
};

class CorrelationTable {
 public:
  explicit CorrelationTable(DriverFigures figures) : figures_(std::move(figures)) {}

  // `name` as shaders are named: what follows the last '/' is looked up. False: no figures for it.
  bool Add(absl::string_view name, const machine::select::Statistics& ours);

  // Ours that mean the same as a driver's, as far as it has such a column: instructions, issue cycles and latency of
  // blocks against instructions and cycles, idle cycles against nops and stalls, registers, bytes, threads against
  // waves.
  std::vector<Correlation> Result() const;

 private:
  struct Row {
    std::map<std::string, double> ours, theirs;
  };
  DriverFigures figures_;
  std::vector<Row> rows_;
};

}  // namespace rewrought::selection

#endif  // REWROUGHT_SELECTION_DRIVER_CORRELATION_H_
