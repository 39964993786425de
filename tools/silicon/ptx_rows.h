// How PTX says each instruction and modifier of a machine: the table ptx_rows.txt, read and checked. Its header says
// what its columns mean.
#ifndef REWROUGHT_TOOLS_SILICON_PTX_ROWS_H_
#define REWROUGHT_TOOLS_SILICON_PTX_ROWS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::silicon {

// How far an approximation may be from the correctly rounded result; any of the three suffices. All 0: not at all.
struct Bound {
  double ulp = 0;       // units of the last place, as a distance between patterns
  double relative = 0;  // of the correctly rounded result
  double absolute = 0;
  double within = 0;  // holds for inputs of at most this magnitude; 0: for all

  bool stated() const { return ulp > 0 || relative > 0 || absolute > 0; }
};

struct PtxRow {
  std::string ptx;  // empty: PTX cannot say it, for the reason in `remark`
  Bound bound;
  std::string version = "6.0";  // of PTX, the least that has it
  std::string remark;
  int line = 0;
};

struct PtxRows {
  std::map<std::string, PtxRow> instructions;            // by "FSETP P F F LT" or "FSETP P F F *" or "FADD F F F"
  std::map<std::string, PtxRow> modifiers;               // by the modifier's id
  std::vector<std::pair<std::string, PtxRow>> programs;  // text, in the table's order

  // The row of `instruction` ("FSETP P F F"); `choice` is empty where there is no selector. Null: there is none.
  const PtxRow* Find(const std::string& instruction, const std::string& choice) const;
};

// Reads a table. InvalidArgument "file:line: what is wrong".
absl::StatusOr<PtxRows> ParsePtxRows(absl::string_view text, absl::string_view file);

// The table that is built in.
absl::StatusOr<PtxRows> BuiltInPtxRows();
std::string BuiltInPtxRowsDigest();  // SHA-256 of its text

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_PTX_ROWS_H_
