// Drops or weakens the flags and predicates of a rule's search.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_ASSUMPTIONS_H_
#define REWROUGHT_PIPELINE_GENERALIZE_ASSUMPTIONS_H_

#include <string>
#include <vector>

#include "ir/term.h"
#include "pipeline/generalize/judge.h"

namespace rewrought::pipeline {

// Drops each flag and predicate that the rule does not need according to `judge`, and replaces each other predicate of
// a variable with a weaker one if that suffices. Drops is_used_once from an op if it has no effect, or if the rule
// removes at least as many instructions as it adds even when other instructions read the op. Appends a sentence to
// `steps` for each change.
void WeakenAssumptions(Judge* judge, ir::Rule* rule, std::vector<std::string>* steps);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_ASSUMPTIONS_H_
