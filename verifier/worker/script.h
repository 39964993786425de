// A look at SMT-LIB text before any solver reads it: only declarations, definitions and assertions, complete and not
// too deep, so that nothing in it can answer, print, write files or swallow the commands that a solver's driver
// appends.
#ifndef REWROUGHT_VERIFIER_WORKER_SCRIPT_H_
#define REWROUGHT_VERIFIER_WORKER_SCRIPT_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::verifier {

// Checks that `text`, within proto::kSmtLimits, is a sequence of complete commands out of set-logic (only as the
// first), set-info, declare-const, declare-fun, declare-sort, define-fun, define-const, define-sort and assert. Returns
// InvalidArgument with the place
// ("byte 17: command check-sat is not allowed") otherwise. Says nothing about sorts and names: solvers do that.
absl::Status CheckScript(absl::string_view text);

// Whether the first command of a checked script is set-logic.
bool HasLogic(absl::string_view text);

// Whether `name` can be written between bars (|name|): not empty, no '|', '\' or control characters.
bool IsQuotableName(absl::string_view name);

// Value of a literal `#b0101`, `#x2a`, `true` or `false` as SolverAnswer::model holds it; nullopt for any other text.
std::optional<std::string> LiteralToHex(absl::string_view literal);

// Reads what `cvc5 --dump-models` prints, "( (define-fun name () sort value) ... )": the values of all constants whose
// value is a bit-vector or Boolean literal, by unquoted name. Functions and other sorts are skipped. nullopt if the
// text is anything else.
std::optional<std::map<std::string, std::string>> ParseModel(absl::string_view text);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_SCRIPT_H_
