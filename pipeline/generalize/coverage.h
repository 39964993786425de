// Decides whether rules cover another rule: wherever the other rule applies, one of them applies and adds no more
// instructions.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_COVERAGE_H_
#define REWROUGHT_PIPELINE_GENERALIZE_COVERAGE_H_

#include <vector>

#include "ir/term.h"
#include "ir/text/sizes.h"

namespace rewrought::pipeline {

// Returns whether, at every size at which `special` applies, one of `general` matches its search or a part of it, and
// the result has no more instructions than the replacement of `special`. Compares terms syntactically: ops, literals,
// flags, and the names of predicates. For a variable, a predicate of `special` may imply the required one, and a
// literal may satisfy it. Returns false if the sizes of `special` are inconsistent, and ignores general rules with
// inconsistent sizes.
bool Covers(const std::vector<ir::Rule>& general, const ir::Rule& special, const ir::SizeOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_COVERAGE_H_
