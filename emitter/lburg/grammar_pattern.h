// The search side of a rule as patterns of a BURS grammar: a tree of terminals for each order of commuting operands,
// and what a tree cannot say (equal operands, constants, predicates) as a condition in C.
#ifndef REWROUGHT_EMITTER_LBURG_GRAMMAR_PATTERN_H_
#define REWROUGHT_EMITTER_LBURG_GRAMMAR_PATTERN_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "emitter/lburg/grammar_row.h"
#include "ir/term.h"

namespace rewrought::emitter {

// At most this many orders of one search; a tree in another order is matched by no row.
inline constexpr size_t kMaxOrders = 64;

// What a pattern asks for beside its search.
struct PatternNeeds {
  std::set<std::string> uniform;  // variables that are read from uniform registers
  std::set<std::string> flags;    // variables that are flags
  std::string condition;          // C text of the driver's; empty: none
  bool inexact = false;           // applies only where no matched node is `exact`
};

struct GrammarPattern {
  GrammarTree tree;
  std::string condition;
  std::vector<std::string> leaves;  // what the tree's leaves are called, from left to right; a literal is "-"
};

// "r32", of a flag "flag".
std::string NonterminalOf(int bits, bool is_flag);

// "fadd_32", "constant_32": the op with its free size, and its number of components if that is not 1.
std::string TerminalOf(const ir::Term& search, ir::NodeIndex node);

// The patterns of `search` (ir::Instantiate), the order as written first; a relation between its constants is one of
// the conditions. FailedPrecondition for what a grammar cannot
// say: a bare value, swizzles, constants of several components, `~` and `!`.
absl::StatusOr<std::vector<GrammarPattern>> GrammarPatterns(const ir::Term& search, const PatternNeeds& needs);

// Whether a tree whose leaves have these names is `search` in one of its orders; DataLoss says what differs.
absl::Status CompareTree(const GrammarTree& tree, const std::vector<std::string>& leaves, const ir::Term& search);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LBURG_GRAMMAR_PATTERN_H_
