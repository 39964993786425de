// How many components each node of a rule has, from the ops that take or give a fixed number and from swizzles.
#ifndef REWROUGHT_IR_TEXT_COMPONENTS_H_
#define REWROUGHT_IR_TEXT_COMPONENTS_H_

#include <vector>

#include "absl/status/status.h"
#include "ir/term.h"

namespace rewrought::ir {

// Sets `components` of every node of both sides: an op with a fixed count has it; an op that acts per component has as
// many as its sources read whole (without swizzle) give, else 1; a variable as many as its uses read, the same on both
// sides; a literal one per component read. Counts that the text wrote (more than 1) are kept as least values.
// InvalidArgument if a use reads a component that its source lacks, a side needs more than 4, the two roots differ, or
// the replacement reads components of a variable that the search does not bind. `rule->replace` may be empty.
absl::Status InferComponents(Rule* rule);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_COMPONENTS_H_
