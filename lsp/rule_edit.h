// Edits the text of literal rules, for code actions.
#ifndef REWROUGHT_LSP_RULE_EDIT_H_
#define REWROUGHT_LSP_RULE_EDIT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "lsp/text_lines.h"

namespace rewrought::lsp {

struct Edit {
  ByteRange range;
  std::string text;
};

// Returns an edit that replaces the two sides of the rule at `tuple`, and keeps its condition. `rule` is the new rule,
// "(search, replace)"; plain variables are written without quotes, as in Mesa. Returns nullopt if either text is not a
// rule.
std::optional<Edit> ReplaceSides(const TextLines& lines, ByteRange tuple, absl::string_view rule);

// Returns an edit that removes the rule at `tuple` with the comma that follows it, and its lines if nothing else is on
// them.
Edit RemoveRule(const TextLines& lines, ByteRange tuple);

// Returns the sides of the rule at `tuple` without any `~`, as "(search, replace)", or nullopt if the search side has
// none.
std::optional<std::string> WithoutTilde(absl::string_view tuple);

}  // namespace rewrought::lsp

#endif  // REWROUGHT_LSP_RULE_EDIT_H_
