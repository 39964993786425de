// Converts the search side of a rule to patterns of a BURS grammar: a tree of terminals for each order of commutative
// operands, and C conditions for equal operands, constants, and predicates.
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

// The maximum number of operand orders per search side for which rows are written.
inline constexpr size_t kMaxOrders = 64;

// Requirements of a pattern beyond its search side.
struct PatternRequirements {
  std::set<std::string> uniform;  // Variables in uniform registers.
  std::set<std::string> flags;    // Variables that are flags.
  std::string condition;          // The driver's C condition; empty means none.
  bool inexact = false;           // Requires that no matched node be `exact`.
};

struct GrammarPattern {
  GrammarTree tree;
  std::string condition;
  std::vector<std::string> leaves;  // The leaves of the tree, from left to right; a literal is "-".
};

// Returns "flag", or a name such as "r32".
std::string NonterminalOf(int bits, bool is_flag);

// Returns the op with its free size, such as "fadd_32" or "constant_32", followed by its number of components if that
// is not 1.
std::string TerminalOf(const ir::Term& search, ir::NodeIndex node);

// Returns the patterns of `search`, a result of ir::Instantiate. The pattern with the operands in their written order
// comes first. A relation between constants becomes a condition. Fails with FailedPrecondition for a bare value,
// swizzles, constants with several components, `~`, and `!`.
absl::StatusOr<std::vector<GrammarPattern>> GrammarPatterns(const ir::Term& search, const PatternRequirements& needs);

// Checks that a tree with these leaf names is `search` in one of its operand orders. Fails with DataLoss, naming the
// difference.
absl::Status CompareTree(const GrammarTree& tree, const std::vector<std::string>& leaves, const ir::Term& search);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LBURG_GRAMMAR_PATTERN_H_
