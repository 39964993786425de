// Replaces the constants of a rule with variables that have the weakest conditions that a driver tree can express.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_CONSTANT_SYMBOLS_H_
#define REWROUGHT_PIPELINE_GENERALIZE_CONSTANT_SYMBOLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/dialect/dialect.h"
#include "ir/op_row.h"
#include "ir/term.h"
#include "pipeline/generalize/judge.h"

namespace rewrought::pipeline {

// Replaces constants of the search with variables ('#b', '#b(is_odd)'), one at a time. The constants of the replacement
// become functions of these variables: the same value, its negation, a sum, a mask, and so on. Accepts only rules that
// `judge` proves and that still save instructions. The sizes of the rule must be determined. Finally, lets a variable
// match non-constant values if the rule then still holds and adds no more instructions. Appends a sentence to `steps`
// for each change.
void ReplaceConstants(Judge* judge, ir::Rule* rule, std::vector<std::string>* steps);

// Returns the predicates of the dialect that hold for the constant `bits`, most general first. A constant that is read
// as a float gets only float predicates, and any other constant only integer predicates.
std::vector<std::string> ConditionsOf(uint64_t bits, int width, ir::BaseType base, ir::Dialect dialect);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_CONSTANT_SYMBOLS_H_
