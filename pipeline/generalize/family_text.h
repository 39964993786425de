// Writes the rules of a family as loops over ops and constants, as the rule files of Mesa do.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_FAMILY_TEXT_H_
#define REWROUGHT_PIPELINE_GENERALIZE_FAMILY_TEXT_H_

#include <string>
#include <vector>

namespace rewrought::pipeline {

// Rules that differ only in some words, as a loop over these words, or a single rule.
struct FamilyLoop {
  std::string header;  // "for x, y in [('imin', 'imax'), ('umin', 'umax')]:", perhaps on several lines; or empty
  std::string rule;    // "((x, (y, 'a', 'b'), 'b'), 'b')"
};

// Groups `rules`, each of which is the text of a tuple. Words that equal each other in every rule of a loop share one
// loop variable, and a loop has at most four variables. Loops are in the order of their first rules.
std::vector<FamilyLoop> FamilyLoops(const std::vector<std::string>& rules);

// Returns Python text for `rules`: each loop of FamilyLoops as its header and its rule, and every other rule as one
// line.
std::string FamilyText(const std::vector<std::string>& rules);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_FAMILY_TEXT_H_
