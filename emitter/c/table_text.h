// The source and the header of the tables as text, and the source read back.
#ifndef REWROUGHT_EMITTER_C_TABLE_TEXT_H_
#define REWROUGHT_EMITTER_C_TABLE_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/c/c_tables.h"

namespace rewrought::emitter {

// What the tables are called in C: "rewrought_intel_gen9".
std::string SymbolOf(const CTables& tables);

// The same tables give the same bytes.
std::string PrintTableSource(const CTables& tables);
std::string PrintTableHeader(const CTables& tables);

// The rows of rule `index` alone, as the source has them, each below its table's name: for reviews.
std::string PrintRuleRows(const CTables& tables, size_t index);

// The tables that the source states; what C does not see, comments, is skipped. DataLoss "line N: what is wrong": text
// cut short, a number that its field does not hold, a table with other rows than it says it has.
absl::StatusOr<CTables> ReadTableSource(absl::string_view text);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_TABLE_TEXT_H_
