// The `c` format: a pack's rules and its machine's base rules as tables, with the C11 runtime that selects by them.
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

// In the order of the texts below.
inline constexpr absl::string_view kCFiles[] = {"tables.c", "tables.h", "covered.h", "select.h", "select.c",
                                                "piece.h",  "piece.c",  "legal.h",   "legal.c"};

// The files' texts. Replacements that SelectionOf has no code for are left to nir.py. The same pack gives the same
// bytes. Errors as SelectionOf and BuildCTables (emitter/c/rule_tables.h), and PrintCoveredOps.
absl::StatusOr<std::vector<std::string>> WriteC(const v1::Pack& pack);

// Reads the tables back and compares them with what `pack` gives, and the other files with what was written. DataLoss
// names the first entry whose rows differ, or the table and row that belongs to the machine.
absl::Status CheckCFiles(absl::Span<const std::string> texts, const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_C_WRITER_H_
