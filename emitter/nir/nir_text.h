// One side of a rule as the Python expression that Mesa's nir_algebraic.py reads, and the reasons why some have none.
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

// Limits of Mesa's generator and matcher; source: nir_algebraic.py and nir_search.h of 22.3.6 and 25.0.7.
inline constexpr int kMaxCommutativeOps = 8;
inline constexpr size_t kMaxSearchSources = 4;
inline constexpr size_t kMaxSearchVariables = 16;

enum class NirSide : uint8_t { kSearch, kReplace };

// The text of `term`. `bits`: a size for each node, written where Mesa cannot infer it; null: sizes stay as open as
// they are. FailedPrecondition says what has no spelling: vectors, swizzles of ops, patterns without a literal of their
// own, ops, predicates or marks that `target` lacks, more than one predicate at a node, names that are not letters.
absl::StatusOr<std::string> NirText(const ir::Term& term, NirSide side, const NirTarget& target,
                                    const std::vector<uint8_t>* bits);

// The search of a rule with a program: what is searched for, and a relation between its constants
// (ir/match/relation.h), which Mesa's tuples cannot say; empty: none. As NirText otherwise.
struct SearchText {
  std::string searched, relation;
};
absl::StatusOr<SearchText> NirSearchText(const ir::Term& search, const NirTarget& target,
                                         const std::vector<uint8_t>* bits);

// Checks what concerns the search side as a whole: limits above, exactness marks. FailedPrecondition as above.
absl::Status CheckNirSearch(const ir::Term& search, bool is_inexact);

// Whether a float literal of the search is a zero, which matches both zeros.
bool HasZeroLiteral(const ir::Term& search);

// Whether every float literal of the search is a value of its size, so that Mesa's comparison as doubles can succeed.
bool LiteralsFit(const ir::Term& search, const std::vector<uint8_t>& bits);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_NIR_NIR_TEXT_H_
