// Decides whether rules cover another rule: wherever the other rule applies, one of them applies and adds no more
// instructions.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_COVERAGE_H_
#define REWROUGHT_PIPELINE_GENERALIZE_COVERAGE_H_

#include <vector>

#include "ir/term.h"
#include "ir/text/sizes.h"

namespace rewrought::pipeline {

// General rules at each of their sizes.
class CoveringRules {
 public:
  // Ignores rules with inconsistent sizes.
  CoveringRules(const std::vector<ir::Rule>& general, const ir::SizeOptions& options);

  // Returns whether, at every size at which `special` applies, one of the general rules matches its search or a part of
  // it, and the result has no more instructions than the replacement of `special`. Compares terms syntactically: ops,
  // literals, flags, and the names of predicates. For a variable, a predicate of `special` may imply the required one,
  // and a literal may satisfy it. Returns false if the sizes of `special` are inconsistent.
  bool Cover(const ir::Rule& special) const;

  // The same, for a special rule at all its sizes.
  bool CoverSizes(const std::vector<ir::Rule>& special) const;

 private:
  std::vector<ir::Rule> rules_;
  ir::SizeOptions options_;
};

// Returns CoveringRules(general, options).Cover(special).
bool Covers(const std::vector<ir::Rule>& general, const ir::Rule& special, const ir::SizeOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_COVERAGE_H_
