// Prints and parses rows of a BURS grammar, such as `r32: fadd_32(r32,r32) = 7 (2);`. A conditional cost
// `WHERE(condition, 2)` exceeds all other costs if the condition is false.
#ifndef REWROUGHT_EMITTER_LBURG_GRAMMAR_ROW_H_
#define REWROUGHT_EMITTER_LBURG_GRAMMAR_ROW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::emitter {

// A terminal with its operands, a terminal without operands, or a nonterminal.
struct GrammarTree {
  std::string name;
  std::vector<GrammarTree> operands;

  friend bool operator==(const GrammarTree&, const GrammarTree&) = default;
};

struct GrammarRow {
  std::string nonterminal;
  GrammarTree tree;
  uint32_t number = 0;    // The number of the rule, counted from 1.
  std::string condition;  // C text over the root `a`; empty means always.
  uint32_t cost = 0;      // In issue cycles.

  friend bool operator==(const GrammarRow&, const GrammarRow&) = default;
};

std::string PrintTree(const GrammarTree& tree);

// Returns the row including its newline.
std::string PrintRow(const GrammarRow& row);

// Parses one line without its newline. Fails with InvalidArgument, naming the expected text. Nesting is limited to 200
// levels.
absl::StatusOr<GrammarRow> ParseRow(absl::string_view line);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LBURG_GRAMMAR_ROW_H_
