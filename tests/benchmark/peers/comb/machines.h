// FMCAD 2024's machines of few bits, as test data: what their IR can say, and their instructions with what those cost.
// NIR's ops are the product's rows; the others are rows in the language of docs/primitives.md.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MACHINES_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MACHINES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/op_row.h"
#include "tests/benchmark/peers/comb/graph.h"

namespace rewrought::peers {

struct CombMachine {
  std::string name;
  std::vector<CombOp> ops, instructions;
  std::vector<CombOp> counted_ops;           // of Comb's runs: negation has a second operand, which nothing depends on
  std::vector<CombOp> counted_instructions;  // each costs 1
};

// "ab", "cisc", "cmp", or "cmp-signed": cmp with two signed comparisons and an instruction for the overflow.
const CombMachine& MachineNamed(const std::string& name);

// What graphs need of a row, from its meaning at kTableBits bits; the row must stay where it is. InvalidArgument if
// there is no such meaning, or it has other sizes.
absl::StatusOr<CombOp> OpOf(const ir::OpRow& row, double cost);

// An op without sources.
CombOp ConstantOp(uint8_t value);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MACHINES_H_
