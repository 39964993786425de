// Rules and terms as people write them: `(('fmul', 'a@32', 1.0), 'a')`, not `(('fmul@32', 'a@32', 0x3f800000@32), …)`.
// Digests, keys and stored texts stay with PrintRule and PrintTerm of ir/text/rule_text.h.
#ifndef REWROUGHT_IR_TEXT_DISPLAY_H_
#define REWROUGHT_IR_TEXT_DISPLAY_H_

#include <string>

#include "ir/term.h"

namespace rewrought::ir {

// The two sides of a rule. A size that the search fixes may stand nowhere in `replace`.
struct DisplayedSides {
  std::string search, replace;
};

// Literals as numbers (floats as the shortest decimal of the same pattern, NaNs in hex, integers in decimal or hex,
// Booleans as True and False), and a size only where the rest does not imply it. The text parses to a rule that has the
// same sizes and, at each of them, the same terms (ir::Instantiate); where none such is found, it is PrintTerm's.
DisplayedSides DisplaySides(const Rule& rule);
std::string DisplayRule(const Rule& rule);

// Likewise a term alone, as the search of a rule.
std::string DisplayTerm(const Term& term);

// Likewise the sides of a rule whose texts PrintTerm wrote; an empty `replace` stays so. Texts that do not parse are
// given back as they are.
DisplayedSides DisplayTexts(const std::string& search, const std::string& replace);

// Likewise a rule in one text, "(search, replace)"; what does not parse is given back as it is.
std::string DisplayRuleText(const std::string& text);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_DISPLAY_H_
