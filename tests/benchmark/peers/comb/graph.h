// Represents patterns and programs as graphs of operations on 4-bit numbers, in which a shared operation occurs once.
// The Comb paper (FMCAD 2024) counts rules between graphs, not between terms. Identifies equal patterns, enumerates
// graphs, and splits graphs into parts.
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
inline constexpr int kTableBits = 4;      // the width of every value when graphs are compared
inline constexpr uint8_t kFirstStep = 8;  // sources with at least this number are steps; others are inputs
static_assert(kMostInputs <= kFirstStep && kMostSteps <= 8);

// An operation of the IR, or an instruction.
struct CombOp {
  const ir::OpRow* row = nullptr;  // null for a constant
  uint8_t constant = 0;
  int sources = 0;
  double cost = 0;               // set for instructions only
  std::vector<uint8_t> results;  // indexed by the sources' values, with the first source in the highest bits
  std::array<uint8_t, kMostSources> alike = {0, 1, 2};  // interchangeable sources have the same number
};

struct Step {
  uint8_t op = 0;  // index into the ops
  std::array<uint8_t, kMostSources> sources = {};
  friend bool operator==(const Step&, const Step&) = default;
};

// Steps follow the steps that they read. The last step is the result; every other step and every input is read.
struct Graph {
  uint8_t inputs = 0, size = 0;
  std::array<Step, kMostSteps> steps = {};
  friend bool operator==(const Graph&, const Graph&) = default;
};

// Returns a key that is the same for graphs that differ only in the order of steps, the names of inputs, and the order
// of interchangeable sources.
std::string KeyOf(const Graph& graph, absl::Span<const CombOp> ops);

// Like KeyOf, but inputs keep their numbers.
std::string KeyWithInputs(const Graph& graph, absl::Span<const CombOp> ops);

// Returns graphs with `size` steps and 1 to kMostInputs inputs, one for each value of KeyOf.
std::vector<Graph> AllGraphs(absl::Span<const CombOp> ops, int size);

// Extracts the steps of `graph` that are set in the bit mask `members`. Sources that are not extracted themselves
// become the inputs of `part`; `sources` lists them in the order of the inputs. Returns false if more than one of the
// steps is read from outside, or if `part` would have more than kMostInputs inputs.
bool TakePart(const Graph& graph, absl::Span<const CombOp> ops, uint32_t members, Graph* part,
              std::vector<uint8_t>* sources);

// Returns the ops of the graph's steps, in ascending order.
std::vector<uint8_t> OpsOf(const Graph& graph);

// Returns the ways to compose the graph from two or more graphs; each way is a list of parts.
std::vector<std::vector<Graph>> PartsOf(const Graph& graph, absl::Span<const CombOp> ops);

// Returns the graphs from which this graph results if two of their inputs are merged: one graph for each way to split
// an input.
std::vector<Graph> Generalizations(const Graph& graph, absl::Span<const CombOp> ops);

// Returns all 16^`inputs` combinations of values of `inputs` inputs, one per lane.
std::vector<std::vector<uint8_t>> AllValues(int inputs);

// Returns the values of the root on `lanes` lanes for the given input values.
std::vector<uint8_t> ValuesOf(const Graph& graph, absl::Span<const CombOp> ops,
                              absl::Span<const std::vector<uint8_t>> inputs, size_t lanes);

// Returns whether both graphs compute the same function of `inputs` inputs; equal numbers denote the same input.
bool SameFunction(const Graph& a, absl::Span<const CombOp> a_ops, const Graph& b, absl::Span<const CombOp> b_ops,
                  int inputs);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_GRAPH_H_
