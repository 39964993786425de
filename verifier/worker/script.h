// Checks SMT-LIB text before a solver reads it. The text may contain only complete declarations, definitions and
// assertions of limited depth, so it cannot produce output, write files, or swallow the commands that a solver's driver
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

// Checks that `text` respects proto::kSmtLimits and is a sequence of complete commands, each of which is set-logic
// (only as the first command), set-info, declare-const, declare-fun, declare-sort, define-fun, define-const,
// define-sort or assert. Otherwise fails with InvalidArgument, including the position ("byte 17: command check-sat is
// not allowed"). Does not check sorts and names; the solvers do.
absl::Status CheckScript(absl::string_view text);

// Returns whether `text`, a checked script, sets a logic.
bool HasLogic(absl::string_view text);

// Returns whether `name` can be written between bars (|name|), that is, whether it is not empty and contains no '|',
// '\' or control characters.
bool IsQuotableName(absl::string_view name);

// Converts a literal `#b0101`, `#x2a`, `42`, `true` or `false` to the format of SolverAnswer::model. Returns nullopt
// for any other text.
std::optional<std::string> LiteralToHex(absl::string_view literal);

// Parses the output of `cvc5 --dump-models`, "( (define-fun name () sort value) ... )". Returns the values of all
// constants whose value is a literal that LiteralToHex accepts, keyed by unquoted name, and skips functions and other
// values. Returns nullopt for any other text.
std::optional<std::map<std::string, std::string>> ParseModel(absl::string_view text);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_SCRIPT_H_
