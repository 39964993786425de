// Inverts the last op of a program: computes the value that the op must read, so that the search can proceed from both
// ends of a program.
#ifndef REWROUGHT_ENUMERATOR_ROOT_INVERSION_H_
#define REWROUGHT_ENUMERATOR_ROOT_INVERSION_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "enumerator/lanes/kernels.h"
#include "ir/term.h"

namespace rewrought::enumerator {

// An op that reads the variable kBeforeRoot, and the value that this variable must have on each lane so that the op
// computes the goal.
struct InvertedRoot {
  ir::Term root;
  LaneBlock value;
  LaneBlock mask;  // The relevant bits; the op discards the others.
};

inline constexpr absl::string_view kBeforeRoot = "inner";

// Returns the ops that can compute a 32-bit integer goal on all lanes, from this list: ishl, ishr, and ushr by each of
// `constants` from 1 to 31; iand, ior, iadd, and isub with each of `constants`; ineg; and inot.
std::vector<InvertedRoot> InvertRoot(const LaneBlock& goal, absl::Span<const uint32_t> constants);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_ROOT_INVERSION_H_
