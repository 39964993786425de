// Correlates the statistics of selected shaders with the statistics that a driver's compiler reports for the same
// shaders.
#ifndef REWROUGHT_SELECTION_DRIVER_CORRELATION_H_
#define REWROUGHT_SELECTION_DRIVER_CORRELATION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "machine/select/statistics.h"

namespace rewrought::selection {

// A driver's statistics by file name, then by column.
using DriverFigures = std::map<std::string, std::map<std::string, double>>;

// Parses tab-separated text. The first line names the columns, one of which must be "file". Uses the other columns only
// where they contain numbers. If a file has several lines, uses the first one. Returns InvalidArgument if the text is
// malformed; the message starts with "line N: ".
absl::StatusOr<DriverFigures> ParseDriverFigures(absl::string_view text);

// Returns the Pearson correlation of x and y, or 0 if one of them is constant or there are fewer than 3 pairs.
double Pearson(const std::vector<double>& x, const std::vector<double>& y);
// Returns the rank of each value in ascending order, starting at 0. Equal values share the mean of their ranks.
std::vector<double> RanksOf(const std::vector<double>& values);
// Returns the Pearson correlation of the ranks.
double Spearman(const std::vector<double>& x, const std::vector<double>& y);

struct Correlation {
  std::string ours, theirs;  // The names of the statistics.
  size_t shaders = 0;
  double pearson = 0, spearman = 0;
  double ours_sum = 0, theirs_sum = 0;
};

class CorrelationTable {
 public:
  explicit CorrelationTable(DriverFigures figures) : figures_(std::move(figures)) {}

  // Adds the statistics of a shader. The last component of the path `name` is the file name. Returns false if the
  // driver has no statistics for that file.
  bool Add(absl::string_view name, const machine::select::Statistics& ours);

  // Returns the correlation of each of our statistics with each driver column that has the same meaning (kPairs), if
  // both are available.
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
