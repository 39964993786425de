// The fixed vectors on which programs and fragments are compared. They do not change between runs, so every shard and
// every later search uses the same lanes.
#ifndef REWROUGHT_ENUMERATOR_LANES_VECTOR_BLOCKS_H_
#define REWROUGHT_ENUMERATOR_LANES_VECTOR_BLOCKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "enumerator/lanes/kernels.h"
#include "ir/op_row.h"

namespace rewrought::enumerator {

// The set from which the values of an input are drawn, according to known facts about the input.
enum class ValueSet : uint8_t {
  kFloat32,
  kFloat32NonNegative,  // is_not_negative. NaN is allowed, but does not occur in the ordinary block.
  kFloat32ZeroToOne,    // 0 to 1.
  kFloat32Integral,     // Whole numbers.
  kInteger32,
  kInteger32Small,     // Unsigned, 0 to 255.
  kInteger32Halfword,  // Unsigned, 0 to 65535.
  kFloat16,
  kInteger16,
  kBoolean,
};
inline constexpr int kValueSetCount = static_cast<int>(ValueSet::kBoolean) + 1;

enum class ValueKind : uint8_t { kFloat, kInteger, kBoolean };

// Returns the kind of a type. A 1-bit value is a Boolean, whatever its type.
ValueKind KindOf(ir::BaseType base, int bits);

struct ValueSetInfo {
  absl::string_view name;  // Used in signatures and logs.
  ValueKind kind;
  int bits;
  ValueSet plain;  // The set for inputs without known facts.
};
const ValueSetInfo& InfoOf(ValueSet set);

// Returns the plain set of a kind and size. Sets *ok to false if the enumerator has no vectors for this size (8 or 64
// bits).
ValueSet PlainSet(ValueKind kind, int bits, bool* ok);

enum class BlockKind : uint8_t {
  // Floats are not infinite, NaN, or denormal, and are zero only from lane kFloatLanes on. Their magnitudes are neither
  // large nor tiny, so that short terms neither overflow nor underflow. Integers have all kinds of values, including
  // corner cases. On some lanes, all inputs are equal.
  kOrdinary,
  kZero,  // Floats: ±0 among ordinary values.
  kInfinity,
  kNan,
  kDenormal,  // Includes the smallest normals.
  kMixed,     // All of the above, and the largest numbers.
};
inline constexpr int kBlockKindCount = static_cast<int>(BlockKind::kMixed) + 1;
absl::string_view NameOf(BlockKind kind);

inline constexpr int kMaxInputs = 4;

// Returns the lanes of input `slot` (0 to 3) in block `kind`, with values from `set`. All values belong to the set or
// are NaNs that the set's predicate admits. Caches the result.
const LaneBlock& InputLanes(ValueSet set, int slot, BlockKind kind);

// Returns the hash of a value on the ordinary block. The kind and the size determine which lanes are compared and which
// patterns are equal.
uint64_t OrdinaryHash(const LaneBlock& values, ValueKind kind, int bits);

// The version of the vectors. Stored results depend on the vectors, so change the version whenever the vectors change.
inline constexpr absl::string_view kVectorsVersion = "vectors-4";

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_LANES_VECTOR_BLOCKS_H_
