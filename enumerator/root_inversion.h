// The last op of a program taken back: what the value before it must be, so that programs are found from both ends.
#ifndef REWROUGHT_ENUMERATOR_ROOT_INVERSION_H_
#define REWROUGHT_ENUMERATOR_ROOT_INVERSION_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "enumerator/lanes/kernels.h"
#include "ir/term.h"

namespace rewrought::enumerator {

// One op on the variable kBeforeRoot, and on each lane what that must be for the op to give the goal there.
struct InvertedRoot {
  ir::Term root;
  LaneBlock value;
  LaneBlock mask;  // the bits that matter; of the others the op loses what they are
};

inline constexpr absl::string_view kBeforeRoot = "inner";

// For an integer goal of 32 bits: ishl, ishr and ushr by each of `constants` from 1 to 31, iand and ior with, iadd of
// and isub from each, ineg and inot; those that can give the goal on all lanes.
std::vector<InvertedRoot> InvertRoot(const LaneBlock& goal, absl::Span<const uint32_t> constants);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_ROOT_INVERSION_H_
