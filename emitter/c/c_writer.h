// Writes the `c` format: tables of a pack's rules and of its machine's base rules, and the C11 runtime for instruction
// selection.
#ifndef REWROUGHT_EMITTER_C_C_WRITER_H_
#define REWROUGHT_EMITTER_C_C_WRITER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// The names of the files, in the order in which WriteC returns them.
inline constexpr absl::string_view kCFiles[] = {"tables.c", "tables.h", "covered.h", "select.h", "select.c",
                                                "piece.h",  "piece.c",  "legal.h",   "legal.c"};

// Returns the contents of the files. Omits the replacements that SelectionOf omits; these belong to nir.py. Equal packs
// produce identical text. Returns any error of SelectionOf, BuildCTables, or PrintCoveredOps.
absl::StatusOr<std::vector<std::string>> WriteC(const v1::Pack& pack);

// Compares the tables in `texts` with those of `pack`, and the other files with those that WriteC returns. Fails with
// DataLoss, naming the first entry whose rows differ, or the table and row if no entry owns the row.
absl::Status CheckCFiles(absl::Span<const std::string> texts, const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_C_WRITER_H_
