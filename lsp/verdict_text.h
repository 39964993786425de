// Formats an answer about a rule for an editor.
#ifndef REWROUGHT_LSP_VERDICT_TEXT_H_
#define REWROUGHT_LSP_VERDICT_TEXT_H_

#include <string>

#include "ir/dialect/dialect.h"
#include "ir/term.h"
#include "lsp/rule_file.h"
#include "machine/machine.h"

namespace rewrought::lsp {

// Returns the verdict in one line, such as "refuted at 16, 32, 64 bits", with the reason if the rule is undecided.
// `answer` is a result of audit::AnswerOf.
std::string VerdictLine(const Json& answer);

// Returns the lines of a counterexample, at 32 bits if there is one, or "" if the answer has none. `rule` determines
// which values are written as floats.
std::string CounterexampleText(const Json& answer, const ir::Rule& rule);

// Returns the assumptions, the accuracy of an inexact rule, and the differences between the rule and the verified rule,
// one line each.
std::string NotesText(const FileRule& rule, const Json& answer);

// Returns the issue cycles of both sides under the machine's base selection, at 32 bits if the rule has this size, such
// as "cycles on ir3_a6xx at 32 bits: search 3, replace 2". Returns "" if base selection does not cover a side.
std::string CostText(const ir::Rule& rule, ir::Dialect dialect, const machine::Machine& machine);

}  // namespace rewrought::lsp

#endif  // REWROUGHT_LSP_VERDICT_TEXT_H_
