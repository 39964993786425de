// Infers the number of components of each node of a rule.
#ifndef REWROUGHT_IR_TEXT_COMPONENTS_H_
#define REWROUGHT_IR_TEXT_COMPONENTS_H_

#include <vector>

#include "absl/status/status.h"
#include "ir/term.h"

namespace rewrought::ir {

// Sets `components` of every node on both sides:
//  - An op with a fixed count has that count.
//  - A per-component op has the count of the sources that it reads without a swizzle, or 1 if it has no such source.
//  - A variable has as many components as its uses read, the same number on both sides.
//  - A literal has one component for each component that its user reads.
// Counts above 1 that the text states are lower bounds. Fails with InvalidArgument if a use reads a component that its
// source lacks, the counts of the two roots differ, or the replacement reads components of a variable that the search
// does not bind. `rule->replace` may be empty.
absl::Status InferComponents(Rule* rule);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_COMPONENTS_H_
