// Finds the ops in the text of a rule without parsing it.
#ifndef REWROUGHT_IR_MATCH_OP_NAMES_H_
#define REWROUGHT_IR_MATCH_OP_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::ir {

// Returns the op names in a rule's text, including repetitions; for example, fadd and fneg for "('fadd(nsz)', 'a',
// ('fneg@32', b))".
std::vector<std::string> OpNamesIn(absl::string_view text);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_OP_NAMES_H_
