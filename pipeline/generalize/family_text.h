// Writes the rules of a family as loops over ops and constants, as the rule files of Mesa do.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_FAMILY_TEXT_H_
#define REWROUGHT_PIPELINE_GENERALIZE_FAMILY_TEXT_H_

#include <string>
#include <vector>

namespace rewrought::pipeline {

// Returns Python text for `rules`, each of which is the text of a tuple. Rules that differ only in some words become
// one loop:
//
//     for x, y in [('imin', 'imax'), ('umin', 'umax')]:
//        ((x, (y, 'a', 'b'), 'b'), 'b')
//
// Words that equal each other in every rule share one loop variable. Every other rule is one line.
std::string FamilyText(const std::vector<std::string>& rules);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_FAMILY_TEXT_H_
