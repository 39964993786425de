// The question put to a solver: is there an admitted input, and a way for the replacement to choose, that none of the
// given copies of the search side matches? "unsat" proves the case.
#ifndef REWROUGHT_VERIFIER_QUERY_H_
#define REWROUGHT_VERIFIER_QUERY_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/smt/smt.h"
#include "verifier/rule_case.h"
#include "verifier/solver.h"

namespace rewrought::verifier {

// Root values of one copy of the search side, by component.
using CopyRoots = std::vector<ir::ValueIndex>;

struct Query {
  std::string text;
  std::vector<std::string> wanted;  // the constants whose values make a point
  std::vector<std::pair<std::string, int>> lemmas;
};

// States the question for `copies`.
Query StateQuery(const PreparedCase& prepared, const std::vector<CopyRoots>& copies, ir::FloatEncoding encoding);

// States whether any input meets the preconditions.
Query StateAdmission(const PreparedCase& prepared);

// States whether the search side can choose so as to give `target` on `inputs`; the wanted constants are its choices.
Query StateMembership(const PreparedCase& prepared, absl::Span<const uint64_t> inputs,
                      absl::Span<const uint64_t> target);

// A point read from a model: one value per input, one per choice of the replacement; what the model leaves out is 0.
struct Point {
  std::vector<uint64_t> inputs;
  std::vector<uint64_t> choices;
};
// Nothing if a value is no hex number of its width: then the answer is not to be trusted.
std::optional<Point> ReadPoint(const PreparedCase& prepared, const SolverAnswer& answer);

// The values of search().choices that a model of StateMembership gives.
std::optional<std::vector<uint64_t>> ReadSearchChoices(const PreparedCase& prepared, const SolverAnswer& answer);

// Whether a value of the Dag needs float theory: rounding arithmetic or a conversion that is no bit formula.
bool NeedsFloatTheory(const ir::Dag& dag);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_QUERY_H_
