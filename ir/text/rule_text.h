// Parses and prints rules as text, in the form of Mesa's tuples: (search, replace[, 'condition'[, ignored]]). The
// grammar is from Mesa 25.0.7, src/compiler/nir/nir_algebraic.py. Our extensions describe concrete terms: `a@32x3`
// (size and components), `fadd@32x4:xz` (components written), `0x3f800000@32` (a bit pattern). Another extension
// relates constants (`where`, ir/match/relation.h).
#ifndef REWROUGHT_IR_TEXT_RULE_TEXT_H_
#define REWROUGHT_IR_TEXT_RULE_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/op_table.h"
#include "ir/term.h"
#include "ir/text/generic_ops.h"

namespace rewrought::ir {

// proto::kRuleLimits and Mesa 25.0.7's NIR_SEARCH_MAX_VARIABLES (nir_search.h) limit rules and terms.
inline constexpr size_t kMaxVariables = 16;

// The position and reason of a parse error. Line and column count from 1; columns are in bytes.
struct ParseError {
  int line = 0;
  int column = 0;
  std::string message;  // includes a suggested fix
};

// Parses a rule. Sizes that the text leaves open are 0, and components are 1 unless written. A repeated subexpression
// is a single node if its size follows from its sources. A literal or conversion without a size is a separate node at
// each occurrence, because each one may get its own size. `line` is the number of the text's first line. Fails with
// InvalidArgument "line L, column C: <error>; <fix>" if the text does not parse, and then fills `error` unless it is
// null.
absl::StatusOr<Rule> ParseRule(absl::string_view text, int line = 1, ParseError* error = nullptr,
                               OpResolver find = &FindOp);

// Like ParseRule, for a single expression, which may be a bare variable or literal. Accepts `~`, `!`, predicates and
// `#`.
absl::StatusOr<Term> ParseTerm(absl::string_view text, ParseError* error = nullptr, OpResolver find = &FindOp);

// Like ParseTerm, for a rule's search alone, which may have a relation between constants (ir/match/relation.h).
absl::StatusOr<Term> ParseSearch(absl::string_view text, ParseError* error = nullptr, OpResolver find = &FindOp);

// Prints canonical text that parses to the same nodes. A shared node is written at each of its uses. Text that would
// exceed the size limit of a rule ends with "...", which no parser accepts. Variables are quoted and have their marks
// at their first use.
std::string PrintRule(const Rule& rule);
std::string PrintTerm(const Term& term);

// A rule from a file. If the replacement is in brackets, `[ADD(r(F), a(F), b(F))]`, `program` is its raw text, whose
// syntax depends on the machine, and rule.replace is empty.
struct RuleEntry {
  int line = 0;  // line of the rule's '('
  int column = 0;
  absl::string_view text;              // the rule as written
  absl::StatusOr<Rule> rule = Rule();  // fails like ParseRule
  ParseError error;                    // filled if `rule` is not ok
  std::string program;
  int program_line = 0;
  int program_column = 0;
};

struct TextPosition {
  int line = 0, column = 0;  // from 1; 0 if unknown
};

// Returns the position of a node's op name, variable, or literal in the text of one rule. `node` is the node's index in
// the rule that ParseRule or ParseRules creates from this text. The node is in the replacement if `in_replacement` is
// set.
TextPosition LocateNode(absl::string_view text, bool in_replacement, NodeIndex node, OpResolver find = &FindOp);

// Parses a file of rules, in order: one per line or a Python list (`name = [ ... ]`, commas, `#` comments, tuples over
// several lines). Definitions of variables (`a = 'a'`) are skipped. A malformed rule becomes an entry with its error;
// parsing continues at the next line that starts a rule. The views in the entries point into `text`.
std::vector<RuleEntry> ParseRules(absl::string_view text, OpResolver find = &FindOp);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_RULE_TEXT_H_
