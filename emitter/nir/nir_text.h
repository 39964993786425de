// Converts one side of a rule to a Python expression for Mesa's nir_algebraic.py, or explains why that is impossible.
#ifndef REWROUGHT_EMITTER_NIR_NIR_TEXT_H_
#define REWROUGHT_EMITTER_NIR_NIR_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "emitter/nir/nir_target.h"
#include "ir/term.h"

namespace rewrought::emitter {

// Limits of Mesa's generator and matcher, from nir_algebraic.py and nir_search.h of 22.3.6 and 25.0.7.
inline constexpr int kMaxCommutativeOps = 8;
inline constexpr size_t kMaxSearchSources = 4;
inline constexpr size_t kMaxSearchVariables = 16;

enum class NirSide : uint8_t { kSearch, kReplace };

// Determines which sizes are written.
enum class NirSizes : uint8_t {
  kComplete,  // those that Mesa cannot infer from the sources of an op
  kStated,    // those that the nodes state
};

// Returns the text of `term`. `bits` contains the size of each node, and `sizes` determines which of them are written.
// If `bits` is null, only the sizes that the nodes state are written. Fails with FailedPrecondition, naming the reason,
// if the term contains something that Mesa cannot express: vectors, swizzles of ops' results, bit patterns that no
// literal expresses, variable names with characters other than letters, several predicates at a node, or ops,
// predicates, or marks that `target` lacks.
absl::StatusOr<std::string> NirText(const ir::Term& term, NirSide side, const NirTarget& target,
                                    const std::vector<uint8_t>* bits, NirSizes sizes = NirSizes::kComplete);

// The search side of a rule with a program: the pattern and, if there is one, the relation between its constants
// (ir/match/relation.h). Mesa's tuples cannot express relations. NirSearchText otherwise works like NirText.
struct SearchText {
  std::string searched, relation;
};
absl::StatusOr<SearchText> NirSearchText(const ir::Term& search, const NirTarget& target,
                                         const std::vector<uint8_t>* bits);

// Checks the search side's exactness marks, and that the search side is within the limits above. Fails with
// FailedPrecondition.
absl::Status CheckNirSearch(const ir::Term& search, bool is_inexact);

// Returns whether the search side contains a literal 0.0 or -0.0. In Mesa, such a literal matches both zeros.
bool HasZeroLiteral(const ir::Term& search);

// Returns whether every float literal is exact at its size, so that Mesa's comparison as doubles can succeed.
bool LiteralsFit(const ir::Term& search, const std::vector<uint8_t>& bits);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_NIR_NIR_TEXT_H_
