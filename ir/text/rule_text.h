// Rules as text, in the form of Mesa's tuples: (search, replace[, 'condition'[, ignored]]), parsed and printed.
// The grammar's source is Mesa 25.0.7, src/compiler/nir/nir_algebraic.py; our own additions write concrete terms:
// `a@32x3` (size and components), `fadd@32x4:xz` (components written), `0x3f800000@32` (a bit pattern), and relate
// constants (`where`, ir/match/relation.h).
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

// Rules and terms are bounded by proto::kRuleLimits, and by Mesa 25.0.7 nir_search.h, NIR_SEARCH_MAX_VARIABLES.
inline constexpr size_t kMaxVariables = 16;

// Where and why text was refused; line and column count from 1, columns in bytes.
struct ParseError {
  int line = 0;
  int column = 0;
  std::string message;  // with what to do about it
};

// Parses one rule. Sizes that the text leaves open are 0; components are 1 unless written. A repeated subexpression is
// one node where its size follows from its sources; literals and conversions without a size are a node per occurrence,
// since each may get a size of its own. `line` is the number of the text's first line. A rule that does not parse gives
// InvalidArgument "line L, column C: what is wrong; what to do", and fills `error` if that is not null.
absl::StatusOr<Rule> ParseRule(absl::string_view text, int line = 1, ParseError* error = nullptr,
                               OpResolver find = &FindOp);

// Parses one expression, which may be a bare variable or literal. As ParseRule otherwise; `~`, `!`, predicates and `#`
// are all admitted.
absl::StatusOr<Term> ParseTerm(absl::string_view text, ParseError* error = nullptr, OpResolver find = &FindOp);

// As ParseTerm, of a rule's search that stands by itself: it may have a relation between constants
// (ir/match/relation.h).
absl::StatusOr<Term> ParseSearch(absl::string_view text, ParseError* error = nullptr, OpResolver find = &FindOp);

// The canonical text of what was parsed; parsing it gives the same nodes. A shared node is written at each of its uses;
// a text that would grow beyond the bound of a rule ends with "...", which no parser accepts. Variables are quoted and
// carry their marks at their first use.
std::string PrintRule(const Rule& rule);
std::string PrintTerm(const Term& term);

// One rule of a file. `program` holds the raw text of a replacement in brackets, `[ADD(r(F), a(F), b(F))]`, which
// belongs to a machine's format; rule.replace is empty then.
struct RuleEntry {
  int line = 0;  // of the rule's '('
  int column = 0;
  absl::string_view text;              // the rule as written
  absl::StatusOr<Rule> rule = Rule();  // InvalidArgument as ParseRule
  ParseError error;                    // filled if `rule` is not ok
  std::string program;
  int program_line = 0;
  int program_column = 0;
};

// Parses a file of rules, in order: one per line or a Python list of them (`name = [ ... ]`, commas, `#` comments,
// tuples over several lines). A malformed rule is an entry with its error; reading goes on at the next line that starts
// a rule. The entries' views point into `text`.
std::vector<RuleEntry> ParseRules(absl::string_view text, OpResolver find = &FindOp);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_RULE_TEXT_H_
