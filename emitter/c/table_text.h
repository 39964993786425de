// Prints the source and header of the tables, and parses the source.
#ifndef REWROUGHT_EMITTER_C_TABLE_TEXT_H_
#define REWROUGHT_EMITTER_C_TABLE_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/c/c_tables.h"

namespace rewrought::emitter {

// Returns the C identifier of the tables, such as "rewrought_intel_gen9".
std::string SymbolOf(const CTables& tables);

// Return the contents of tables.c and tables.h. Equal tables produce identical text.
std::string PrintTableSource(const CTables& tables);
std::string PrintTableHeader(const CTables& tables);

// Returns the rows of rule `index`, each below its table's name, for review.
std::string PrintRuleRows(const CTables& tables, size_t index);

// Parses the text of tables.c and ignores its comments. Fails with DataLoss "line N: error" if the text is truncated, a
// number does not fit its field, or a row count is wrong.
absl::StatusOr<CTables> ReadTableSource(absl::string_view text);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_TABLE_TEXT_H_
