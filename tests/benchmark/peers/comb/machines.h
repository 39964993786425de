// FMCAD 2024's small machines as test data: the ops of their IR, and their instructions with costs. Ops of NIR use the
// product's rows; the others are rows in the language of docs/primitives.md.
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
  std::vector<CombOp> counted_ops;           // as in Comb's runs: negation has a second operand without effect
  std::vector<CombOp> counted_instructions;  // each costs 1
};

// Returns "ab", "cisc", "cmp", or "cmp-signed", which is cmp with two signed comparisons and an instruction for
// overflow.
const CombMachine& MachineNamed(const std::string& name);

// Builds an op from a row's meaning at kTableBits bits; the row must outlive it. Fails with InvalidArgument if the
// meaning is missing or has other sizes.
absl::StatusOr<CombOp> OpOf(const ir::OpRow& row, double cost);

// Returns an op without sources.
CombOp ConstantOp(uint8_t value);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MACHINES_H_
