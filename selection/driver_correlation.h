// Correlates the figures of selected shaders with the figures of a real driver's compiler for the same shaders.
#ifndef REWROUGHT_SELECTION_DRIVER_CORRELATION_H_
#define REWROUGHT_SELECTION_DRIVER_CORRELATION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "machine/select/statistics.h"

namespace rewrought::selection {

// Figures by file name, then by column.
using DriverFigures = std::map<std::string, std::map<std::string, double>>;

// Parses tab-separated text. The first line names the columns, including "file"; other columns are used if they contain
// numbers. If a file has several lines, the first line is used. Fails with InvalidArgument "line N: error".
absl::StatusOr<DriverFigures> ParseDriverFigures(absl::string_view text);

// Returns the Pearson correlation of x and y, or 0 if one of them is constant or there are fewer than 3 pairs.
double Pearson(const std::vector<double>& x, const std::vector<double>& y);
// Returns the rank of each value in ascending order, starting at 0. Equal values share the mean of their ranks.
std::vector<double> RanksOf(const std::vector<double>& values);
// Returns the Pearson correlation of the ranks.
double Spearman(const std::vector<double>& x, const std::vector<double>& y);

struct Correlation {
  std::string ours, theirs;  // The names of the figures.
  size_t shaders = 0;
  double pearson = 0, spearman = 0;
  double ours_sum = 0, theirs_sum = 0;
};

class CorrelationTable {
 public:
  explicit CorrelationTable(DriverFigures figures) : figures_(std::move(figures)) {}

  // Adds the figures of a shader. The last component of the path `name` is the file name. Returns false if the driver
  // has no figures for that file.
  bool Add(absl::string_view name, const machine::select::Statistics& ours);

  // Returns the correlation of each of our figures with each available driver column that has the same meaning. The
  // pairs are: instructions, issue cycles and block latency / instructions and cycles; idle cycles / nops and stalls;
  // registers / registers; bytes / bytes; threads / waves.
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
