// A base rule's pattern as the text of rules: what a machine selects for, in the words of Mesa's tuples.
#ifndef REWROUGHT_MACHINE_BASE_PATTERN_TEXT_H_
#define REWROUGHT_MACHINE_BASE_PATTERN_TEXT_H_

#include <string>

#include "machine/base/base_rules.h"

namespace rewrought::machine {

// "('fadd@32', ('fmul', 'a', 'b'), 'c')", which ir::ParseTerm reads.
std::string PatternText(const BasePattern& pattern);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_PATTERN_TEXT_H_
