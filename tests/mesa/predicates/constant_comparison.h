// Compares the predicates of a Mesa tree with their meanings on constants.
#ifndef REWROUGHT_TESTS_MESA_PREDICATES_CONSTANT_COMPARISON_H_
#define REWROUGHT_TESTS_MESA_PREDICATES_CONSTANT_COMPARISON_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "ir/op_row.h"
#include "tests/mesa/predicates/helper_program.h"

namespace rewrought {

// The outcome for a predicate, a type, and a size.
struct ConstantOutcome {
  uint64_t compared = 0;        // constants of any number of components
  uint64_t holds = 0;           // constants for which the C code returns true
  uint64_t wrong = 0;           // constants for which the C code returns true although the meaning is false
  uint64_t wrong_with_nan = 0;  // of these, constants with a signaling NaN
  bool is_equal = true;     // whether the C code returns true for all single components for which the meaning is true
  std::string example;      // an example of a wrong constant
  uint32_t components = 0;  // bit n is set if the C code returns true for a constant of n components
};
using ConstantOutcomes = std::map<std::tuple<std::string, ir::BaseType, int>, ConstantOutcome>;

// Compares all predicates that have a meaning: every constant of 1, 8, and 16 bits; boundary values and random values
// of 32 and 64 bits; and vectors of two to four components.
ConstantOutcomes CompareConstants(const HelperProgram& program);

}  // namespace rewrought

#endif  // REWROUGHT_TESTS_MESA_PREDICATES_CONSTANT_COMPARISON_H_
