// Describes the small machines of the Comb paper (FMCAD 2024): the ops of their IR, and their instructions with costs.
// Ops of NIR use Rewrought's rows; the others have their own rows in the language of docs/primitives.md.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MACHINES_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MACHINES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/op_row.h"
#include "tests/benchmark/peers/comb/graph.h"

namespace rewrought::peers {

struct CombMachine {
  std::string name;
  std::vector<CombOp> ops, instructions;
  std::vector<CombOp> counted_ops;           // as in Comb's runs, where negation has an unused second operand
  std::vector<CombOp> counted_instructions;  // each one costs 1
};

// Returns the machine "ab", "cisc", "cmp", or "cmp-signed", which is "cmp" with two additional signed comparisons and
// an instruction that computes overflow.
const CombMachine& MachineNamed(absl::string_view machine_name);

// Builds an op from a row's meaning at kTableBits bits; the row must outlive the op. Fails with InvalidArgument if the
// meaning is missing or has the wrong sizes.
absl::StatusOr<CombOp> OpOf(const ir::OpRow& row, double cost);

// Returns an op that has no sources and always returns `value`.
CombOp ConstantOp(uint8_t value);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_MACHINES_H_
