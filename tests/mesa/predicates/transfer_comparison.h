// Compares the range analysis of Mesa 25 with the meanings of the range predicates, one operation at a time.
#ifndef REWROUGHT_TESTS_MESA_PREDICATES_TRANSFER_COMPARISON_H_
#define REWROUGHT_TESTS_MESA_PREDICATES_TRANSFER_COMPARISON_H_

#include <cstdint>
#include <map>
#include <string>

#include "tests/mesa/predicates/helper_program.h"

namespace rewrought {

struct TransferOutcomes {
  uint64_t compared = 0;  // pairs of operand states and operand values
  int cases = 0;          // operations, each at one size, for one type of reader and one relation of its operands
  int ops = 0;
  // An example for each op and predicate with a wrong range. The faults in `flushed` occur only if denormals may be
  // flushed.
  std::map<std::string, std::map<std::string, std::string>> faults, flushed;
};

// Checks each operation whose range the analysis computes, in all states that the analysis can infer for its operands.
// If the operands satisfy all predicates that hold in their states, each result that docs/float_contract.md allows must
// satisfy every predicate that the analysis reports as true for the result. The states are covered exhaustively, but
// the operand values are only sampled.
TransferOutcomes CompareTransfers(const HelperProgram& program);

}  // namespace rewrought

#endif  // REWROUGHT_TESTS_MESA_PREDICATES_TRANSFER_COMPARISON_H_
