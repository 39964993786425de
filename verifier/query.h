// Builds queries for a solver. The main query asks whether, for some admitted input and some choices of the
// replacement, the replacement's result differs from the results of all given copies of the search side. "unsat" proves
// the case.
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

// The root values of a copy of the search side, indexed by component.
using CopyRoots = std::vector<ir::ValueIndex>;

struct Query {
  std::string text;
  std::vector<std::string> wanted;  // the constants whose values form a point
  std::vector<std::pair<std::string, int>> lemmas;
};

Query StateQuery(const PreparedCase& prepared, const std::vector<CopyRoots>& copies, ir::FloatEncoding encoding);

// Builds the same query over the integers (ir/smt/smt_integer.h). Its models may be wrong about products and quotients
// of unknowns.
Query StateIntegerQuery(const PreparedCase& prepared, const std::vector<CopyRoots>& copies);

// Returns whether the roots of the replacement are the same values as those of a copy.
bool HasSameValues(const PreparedCase& prepared, const std::vector<CopyRoots>& copies);

// Returns whether the roots of the replacement and of a copy of the search side are the same values or equal
// polynomials (ir/facts/polynomial.h). This proves the case without a query.
bool AreEqualByConstruction(const PreparedCase& prepared, const std::vector<CopyRoots>& copies);

// Returns whether StateIntegerQuery may help with the case.
bool SuitsIntegers(const PreparedCase& prepared, const std::vector<CopyRoots>& copies);

// Builds a query that asks whether any input satisfies the preconditions.
Query StateAdmission(const PreparedCase& prepared);

// Builds a query that asks whether some choices make the search side return `target` on `inputs`. The wanted constants
// are the search side's choices.
Query StateMembership(const PreparedCase& prepared, absl::Span<const uint64_t> inputs,
                      absl::Span<const uint64_t> target);

// A point read from a model: one value per input and per choice of the replacement. Values missing from the model are
// 0.
struct Point {
  std::vector<uint64_t> inputs;
  std::vector<uint64_t> choices;
};
// Returns the point in the answer's model. Returns nullopt if a value is not a hex number of its width, in which case
// the answer cannot be trusted.
std::optional<Point> ReadPoint(const PreparedCase& prepared, const SolverAnswer& answer);

// Returns the values of search().choices in the answer's model, or nullopt under the same condition as ReadPoint.
std::optional<std::vector<uint64_t>> ReadSearchChoices(const PreparedCase& prepared, const SolverAnswer& answer);

// Returns whether a value of the Dag needs the floating-point theory because it is rounding arithmetic or a conversion
// that is not a bit-vector formula.
bool NeedsFloatTheory(const ir::Dag& dag);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_QUERY_H_
