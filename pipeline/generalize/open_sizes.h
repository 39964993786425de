// Opens the sizes of a rule, or finds the sizes at which it holds with constants that depend on the size.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_OPEN_SIZES_H_
#define REWROUGHT_PIPELINE_GENERALIZE_OPEN_SIZES_H_

#include <string>
#include <vector>

#include "ir/term.h"
#include "pipeline/generalize/judge.h"

namespace rewrought::pipeline {

struct OpenedSizes {
  std::vector<ir::Rule> rules;  // one rule with open sizes, or one rule for each size; empty if none is proved
  std::string reason;           // why the sizes cannot be open; empty if they are
};

// Returns `rule`, whose sizes must be determined, with as few written sizes as possible. If it does not hold at all
// sizes, tries each size separately and adapts constants that depend on the size, such as size - 1 or the sign bit.
// Booleans keep their sizes.
OpenedSizes OpenSizes(const ir::Rule& rule, Judge* judge);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_OPEN_SIZES_H_
