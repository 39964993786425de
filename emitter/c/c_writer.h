// Writes the `c` format: a pack's rules and its machine's base rules as tables, and the C11 runtime for instruction
// selection with these tables.
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

// In the order of WriteC's result.
inline constexpr absl::string_view kCFiles[] = {"tables.c", "tables.h", "covered.h", "select.h", "select.c",
                                                "piece.h",  "piece.c",  "legal.h",   "legal.c"};

// Returns the texts of the files. Omits replacements for which SelectionOf has no code; they belong to nir.py. Equal
// packs produce identical text. Fails like SelectionOf and BuildCTables (emitter/c/rule_tables.h) and PrintCoveredOps.
absl::StatusOr<std::vector<std::string>> WriteC(const v1::Pack& pack);

// Parses the tables and compares them with those of `pack`, and compares the other files with the written text. Fails
// with DataLoss, naming the first entry whose rows differ, or the table and row for a difference that belongs to the
// machine.
absl::Status CheckCFiles(absl::Span<const std::string> texts, const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_C_WRITER_H_
