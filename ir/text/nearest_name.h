// Finds the names that a misspelled name may stand for.
#ifndef REWROUGHT_IR_TEXT_NEAREST_NAME_H_
#define REWROUGHT_IR_TEXT_NEAREST_NAME_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/text/generic_ops.h"

namespace rewrought::ir {

// Returns the number of insertions, deletions, replacements, and swaps of neighbors that turn `a` into `b`. The time is
// proportional to the product of the lengths.
size_t EditDistance(absl::string_view a, absl::string_view b);

// Returns the ops that LLVM, SPIR-V, or GLSL calls `name`, or otherwise the ops whose names have the smallest edit
// distance from `name`, sorted and at most four. Returns only ops that `find` knows, and none if all names are very
// different.
std::vector<std::string> NearestOpNames(absl::string_view name, OpResolver find);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_NEAREST_NAME_H_
