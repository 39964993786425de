// The queries in testdata/, for the tests of every solver. A file's name contains its tactic (native, mixed, uf, real)
// and its answer. A line "; wants: a b" lists the wanted constants.
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

// Returns all samples with a budget of `timeout_ms`, sorted by name. Fails the test if there are none, or if a sample
// cannot be read.
std::vector<SampleQuery> LoadSampleQueries(uint32_t timeout_ms);

// Returns a query that contains no functions and that no solver decides quickly: the factorization of a 128-bit number
// into two 64-bit factors.
SolverQuery HardQuery(uint32_t timeout_ms);

// Returns the query with added assertions that set the constants to the values in the answer's model. The widths of the
// values must be divisible by 4.
SolverQuery WithModel(const SolverQuery& query, const SolverAnswer& answer);

std::vector<int> ChildPids();

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_SAMPLE_QUERIES_H_
