// The language of meanings (docs/primitives.md): S-expressions over primitives, parsed once per row and built into a
// Dag at fixed widths.
#ifndef REWROUGHT_IR_MEANING_H_
#define REWROUGHT_IR_MEANING_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/dag.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// One parsed S-expression: an atom, or a list.
struct Expression {
  std::string atom;
  std::vector<Expression> list;
  bool is_atom() const { return list.empty(); }
};

// Parses `text`: one expression per ';'-separated part. InvalidArgument with the column when it is malformed.
absl::StatusOr<std::vector<Expression>> ParseMeaning(absl::string_view text);

// The parsed expressions of a row, kept for the life of the program. Rows must not move or change after first use.
struct RowMeaning {
  std::vector<Expression> meaning;                  // one per result component
  std::vector<Expression> poison, free_zero, tiny;  // none or one
};
absl::StatusOr<const RowMeaning*> MeaningOf(const OpRow& row);

// What an expression refers to by name.
struct MeaningScope {
  int free_size = 0;    // `w`
  int result_size = 0;  // `r`
  // Values of the sources, by source and component; only component 0 for per-component sources.
  std::vector<std::vector<ValueIndex>> sources;
};

// Builds `expression` into `dag`. `width` is what the context wants of a literal; 0: the expression must know its own.
// InvalidArgument names what is wrong: unknown name, arity, or widths that do not agree.
absl::StatusOr<ValueIndex> BuildMeaning(Dag* dag, const Expression& expression, const MeaningScope& scope, int width);

// Checks that a row's terms build at every size it allows, with the result's width and 1 bit for the conditions.
absl::Status CheckRow(const OpRow& row);

// The sizes that the row's free size may take, ascending; {0} for a row without one.
std::vector<int> FreeSizesOf(const OpRow& row);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MEANING_H_
