// Searches for inputs at which a rule's replacement is less accurate than a statement about the rule permits.
#ifndef REWROUGHT_TESTS_ACCURACY_WORST_CASE_H_
#define REWROUGHT_TESTS_ACCURACY_WORST_CASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/accuracy/quad_evaluator.h"

namespace rewrought::accuracy {

struct Sides {
  Code search, replace;
  std::vector<Variable> variables;
};

struct SearchEffort {
  size_t restarts = 8, steps = 150;
  size_t unstated_restarts = 1;  // if there is no statement to refute
  uint64_t seed = 1;
};

struct WorstCase {
  // The largest ratio of the replacement's measured error, and of its first-order bound, to the search side's bound.
  // The bounds count only operations that round at the input or at inputs within a few units in the last place.
  double measured = 0, bound = 0;
  std::vector<double> point;           // of `measured`
  std::vector<double> point_of_bound;  // of `bound`
  double ulp_in_range = 0;             // the replacement's largest error in ULP for inputs of 0 or 2^-8 to 2^8
  std::vector<double> point_in_range;
  size_t points = 0;  // number of inputs measured
};

// Climbs from random inputs and from inputs at which a sum nearly cancels. `contraction` is applied to both sides. If
// `special`, some variables are constants: powers of two and small whole numbers, which make operations exact.
WorstCase FindWorstCase(const Sides& sides, const Contraction& contraction, bool special, const SearchEffort& effort);

std::string Describe(const Sides& sides, const std::vector<double>& point);

}  // namespace rewrought::accuracy

#endif  // REWROUGHT_TESTS_ACCURACY_WORST_CASE_H_
