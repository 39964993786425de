// Patterns and programs as graphs of operations on 4-bit numbers: each operation once, whatever reads it (FMCAD 2024's
// sets count such graphs, not terms). Which graphs are one pattern, which there are, and which parts they have.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_GRAPH_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_GRAPH_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "ir/op_row.h"

namespace rewrought::peers {

inline constexpr int kMostSources = 3, kMostSteps = 5, kMostInputs = 4;
inline constexpr int kTableBits = 4;      // of every value where graphs are compared
inline constexpr uint8_t kFirstStep = 8;  // sources from here on are steps, those below are inputs
static_assert(kMostInputs <= kFirstStep && kMostSteps <= 8);

// An operation of an IR, or an instruction.
struct CombOp {
  const ir::OpRow* row = nullptr;  // null: a constant
  uint8_t constant = 0;
  int sources = 0;
  double cost = 0;                                      // of an instruction
  std::vector<uint8_t> results;                         // by the sources' values, the first in the highest bits
  std::array<uint8_t, kMostSources> alike = {0, 1, 2};  // sources that may change places have the same number here
};

struct Step {
  uint8_t op = 0;  // index into the ops
  std::array<uint8_t, kMostSources> sources = {};
  friend bool operator==(const Step&, const Step&) = default;
};

// Steps stand after what they read; the last is the result, every other step and every input is read.
struct Graph {
  uint8_t inputs = 0, size = 0;
  std::array<Step, kMostSteps> steps = {};
  friend bool operator==(const Graph&, const Graph&) = default;
};

// The same text for graphs that differ in the order of their steps, in the names of their inputs and in the order of
// sources that may change places, and for no others.
std::string KeyOf(const Graph& graph, absl::Span<const CombOp> ops);

// As KeyOf, but that inputs keep their numbers.
std::string KeyWithInputs(const Graph& graph, absl::Span<const CombOp> ops);

// One graph for each key: of `size` steps, with 1 to kMostInputs inputs.
std::vector<Graph> AllGraphs(absl::Span<const CombOp> ops, int size);

// The steps of `graph` that are `members`, as bits, with what they read as inputs: those stand in `sources` in the
// order of their numbers. False if more than one step of them is read from outside, or they have more than kMostInputs.
bool TakePart(const Graph& graph, absl::Span<const CombOp> ops, uint32_t members, Graph* part,
              std::vector<uint8_t>* sources);

// Its ops, ascending.
std::vector<uint8_t> OpsOf(const Graph& graph);

// Ways to put it together from two or more graphs: of each way, these.
std::vector<std::vector<Graph>> PartsOf(const Graph& graph, absl::Span<const CombOp> ops);

// Graphs of which it is what is left if some inputs are the same: one for each way to tell one more input apart.
std::vector<Graph> Generalizations(const Graph& graph, absl::Span<const CombOp> ops);

// All values of `inputs` inputs: each of 16 to that power lanes has others.
std::vector<std::vector<uint8_t>> AllValues(int inputs);

// Values of the root on `lanes` lanes, given those of the inputs.
std::vector<uint8_t> ValuesOf(const Graph& graph, absl::Span<const CombOp> ops,
                              absl::Span<const std::vector<uint8_t>> inputs, size_t lanes);

// Whether both compute the same on all values of `inputs` inputs, which they share by number.
bool SameFunction(const Graph& a, absl::Span<const CombOp> a_ops, const Graph& b, absl::Span<const CombOp> b_ops,
                  int inputs);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_GRAPH_H_
