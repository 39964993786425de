// Formats rules and terms for people: `(('fmul', 'a@32', 1.0), 'a')` instead of `(('fmul@32', 'a@32', 0x3f800000@32),
// …)`. Digests, keys and stored texts use PrintRule and PrintTerm of ir/text/rule_text.h.
#ifndef REWROUGHT_IR_TEXT_DISPLAY_H_
#define REWROUGHT_IR_TEXT_DISPLAY_H_

#include <string>

#include "ir/term.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {

// The two sides of a rule. `replace` may omit sizes that `search` fixes.
struct DisplayedSides {
  std::string search, replace;
};

// Formats a rule. Literals are numbers: floats as the shortest decimal with the same pattern, NaNs in hex, integers in
// decimal or hex, and Booleans as True and False. A size is written only if the rest of the text does not imply it. The
// text parses to a rule with the same size assignments and the same terms at each of them (ir::Instantiate). If no such
// text is found, the result is PrintTerm's text. The caller must parse the text with `options`. The function ignores
// options.replacement_may_narrow and sets it according to the rule.
DisplayedSides DisplaySides(const Rule& rule, const SizeOptions& options = {});
std::string DisplayRule(const Rule& rule, const SizeOptions& options = {});

// Formats a term in the same way as the search of a rule without a replacement.
std::string DisplayTerm(const Term& term);

// Formats the sides of a rule, given as texts that PrintTerm wrote. An empty `replace` stays empty, and texts that do
// not parse are returned unchanged.
DisplayedSides DisplayTexts(const std::string& search, const std::string& replace);

// Formats a rule given as "(search, replace)"; returns `text` unchanged if it does not parse.
std::string DisplayRuleText(const std::string& text);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_DISPLAY_H_
