// The queries in testdata/, for the tests of every solver. A file's name tells its tactic (native, mixed, uf, real) and
// its answer; a line "; wants: a b" names the constants to ask for.
#ifndef REWROUGHT_VERIFIER_WORKER_SAMPLE_QUERIES_H_
#define REWROUGHT_VERIFIER_WORKER_SAMPLE_QUERIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "verifier/solver.h"

namespace rewrought::verifier {

struct SampleQuery {
  std::string name;  // of the file
  SolverQuery query;
  Answer expected = Answer::kUnknown;
};

// Returns all samples with a budget of `timeout_ms`, by name. Fails the test if there are none or one cannot be read.
std::vector<SampleQuery> LoadSampleQueries(uint32_t timeout_ms);

// Returns a query without functions that no solver decides soon: a 128-bit number as a product of two 64-bit ones.
SolverQuery HardQuery(uint32_t timeout_ms);

// Returns the query with each value of `model` asserted. Values must be of widths divisible by 4.
SolverQuery WithModel(const SolverQuery& query, const SolverAnswer& answer);

// Process ids of this process's children.
std::vector<int> ChildPids();

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_SAMPLE_QUERIES_H_
