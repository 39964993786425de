// One row of a BURS grammar, printed and parsed: `r32: fadd_32(r32,r32) = 7 (2);`. A cost with a condition is
// `WHERE(condition, 2)`: the cost where it holds, more than any other where not.
#ifndef REWROUGHT_EMITTER_LBURG_GRAMMAR_ROW_H_
#define REWROUGHT_EMITTER_LBURG_GRAMMAR_ROW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::emitter {

// A terminal with its operands, or a nonterminal (or a terminal without operands).
struct GrammarTree {
  std::string name;
  std::vector<GrammarTree> operands;

  friend bool operator==(const GrammarTree&, const GrammarTree&) = default;
};

struct GrammarRow {
  std::string nonterminal;
  GrammarTree tree;
  uint32_t number = 0;    // of the rule, from 1
  std::string condition;  // C over the root `a`; empty: always
  uint32_t cost = 0;      // issue cycles

  friend bool operator==(const GrammarRow&, const GrammarRow&) = default;
};

std::string PrintTree(const GrammarTree& tree);

// The row with its line's end.
std::string PrintRow(const GrammarRow& row);

// Reads one line (without its end). InvalidArgument says what was expected; nesting beyond 200 levels is refused.
absl::StatusOr<GrammarRow> ParseRow(absl::string_view line);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LBURG_GRAMMAR_ROW_H_
