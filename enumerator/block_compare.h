// Compares a fragment with a candidate on the special blocks, and says which node flags would permit what differs.
#ifndef REWROUGHT_ENUMERATOR_BLOCK_COMPARE_H_
#define REWROUGHT_ENUMERATOR_BLOCK_COMPARE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "enumerator/tape.h"
#include "enumerator/vector_blocks.h"
#include "ir/term.h"

namespace rewrought::enumerator {

// A fragment's values on the blocks.
class FragmentValues {
 public:
  // `term`: scalar, sizes fixed; `variables[i]` has the vectors of sets[i] in slot i. Errors as CompileTerm.
  static absl::StatusOr<FragmentValues> Create(const ir::Term& term, absl::Span<const std::string> variables,
                                               absl::Span<const ValueSet> sets);

  const LaneBlock& Root(BlockKind kind) const { return roots_[static_cast<int>(kind)]; }

  // The smallest sets of flags (bits kNoSignedZero, kNoNan, kNoInf of ir::NodeFlag) that may explain all differences
  // between the fragment and `candidate`, fewest flags first; {0} if there are none or only denormals differ. Empty:
  // some difference cannot be explained, so the candidate is wrong on these vectors. Proposals only: nothing is proved
  // by them.
  std::vector<uint8_t> FlagProposals(const std::function<LaneBlock(BlockKind)>& candidate) const;

 private:
  // What was seen in one lane: bits of NodeFlag, and kDenormalSeen.
  static constexpr uint8_t kDenormalSeen = 1;
  struct Seen {
    uint8_t lane[kLanes];
  };
  bool root_is_float_ = false;
  int root_bits_ = 32;
  std::vector<LaneBlock> roots_;  // by block
  std::vector<Seen> seen_;        // by block
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_BLOCK_COMPARE_H_
