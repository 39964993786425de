// Removes the parts of a rule that it does not need: a common outer op, and inner terms that may be any value.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_SHAPE_H_
#define REWROUGHT_PIPELINE_GENERALIZE_SHAPE_H_

#include <string>
#include <vector>

#include "ir/term.h"
#include "pipeline/generalize/judge.h"

namespace rewrought::pipeline {

// Simplifies the shape of the rule until no step succeeds. `judge` must prove the rule after each step, and the rule
// must still save instructions. The steps, in this order:
//  - If an inner Boolean op is always true or always false, it becomes the search, and the constant becomes the
//  replacement.
//  - If both sides have the same root op and differ only in one operand, these operands become the sides.
//  - An inner term that occurs on both sides, or only in the search, becomes a variable.
//  - An occurrence of a variable in the search becomes a new variable.
// Appends a sentence to `steps` for each change.
void SimplifyShape(Judge* judge, ir::Rule* rule, std::vector<std::string>* steps);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_SHAPE_H_
