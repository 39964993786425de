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

struct Expression {
  std::string atom;
  std::vector<Expression> list;
  bool is_atom() const { return list.empty(); }
};

// Parses `text`, which consists of expressions separated by ';'. Fails with InvalidArgument, including the column, if
// `text` is malformed.
absl::StatusOr<std::vector<Expression>> ParseMeaning(absl::string_view text);

// The parsed expressions of a row. They are kept until the program ends, so rows must not move or change after the
// first use.
struct RowMeaning {
  std::vector<Expression> meaning;                                              // one per result component
  std::vector<Expression> poison, free_zero, tiny, signed_wrap, unsigned_wrap;  // at most one expression each
};
absl::StatusOr<const RowMeaning*> MeaningOf(const OpRow& row);

struct MeaningScope {
  int free_size = 0;    // `w`
  int result_size = 0;  // `r`
  // Values of the sources, indexed by source and component; per-component sources have only component 0.
  std::vector<std::vector<ValueIndex>> sources;
};

// Builds `expression` into `dag`. `width` is the literal width that the context requires, or 0 if the expression must
// determine its own width. Fails with InvalidArgument for an unknown name, a wrong number of operands, or inconsistent
// widths.
absl::StatusOr<ValueIndex> BuildMeaning(Dag* dag, const Expression& expression, const MeaningScope& scope, int width);

// Checks that a row's terms can be built at every size that the row allows: the meaning must have the result's width,
// and each condition must be 1 bit wide.
absl::Status CheckRow(const OpRow& row);

// Returns the possible values of the row's free size in ascending order; {0} if the row has none.
std::vector<int> FreeSizesOf(const OpRow& row);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MEANING_H_
