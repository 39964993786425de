// Reads and checks the table ptx_rows.txt, which contains the PTX for each instruction and modifier of a machine. The
// table's header describes its columns.
#ifndef REWROUGHT_TOOLS_SILICON_PTX_ROWS_H_
#define REWROUGHT_TOOLS_SILICON_PTX_ROWS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::silicon {

// The permitted error of an approximation, relative to the correctly rounded result. An error within any of the three
// limits is permitted. If all limits are 0, the result must be exact.
struct Bound {
  double ulp = 0;       // in ULP, as a distance between patterns
  double relative = 0;  // relative to the correctly rounded result
  double absolute = 0;
  double within = 0;  // applies only to inputs up to this magnitude; 0 for all inputs

  bool stated() const { return ulp > 0 || relative > 0 || absolute > 0; }
};

struct PtxRow {
  std::string ptx;  // empty if PTX cannot express the row, with the reason in `remark`
  Bound bound;
  std::string version = "6.0";  // the lowest version of PTX that supports the row
  std::string remark;
  int line = 0;
};

struct PtxRows {
  std::map<std::string, PtxRow> instructions;            // by "FSETP P F F LT" or "FSETP P F F *" or "FADD F F F"
  std::map<std::string, PtxRow> modifiers;               // by the modifier's id
  std::vector<std::pair<std::string, PtxRow>> programs;  // by text, in the table's order

  // Returns the row of `instruction` ("FSETP P F F"), or null. `choice` is empty if there is no selector.
  const PtxRow* Find(const std::string& instruction, const std::string& choice) const;
};

// Parses a table. Fails with InvalidArgument "file:line: <error>".
absl::StatusOr<PtxRows> ParsePtxRows(absl::string_view text, absl::string_view file);

// Returns the built-in table.
absl::StatusOr<PtxRows> BuiltInPtxRows();
std::string BuiltInPtxRowsDigest();  // SHA-256 of its text

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_PTX_ROWS_H_
