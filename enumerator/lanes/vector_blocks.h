// The fixed vectors on which programs and fragments are compared. Nothing here is random between runs: every shard and
// every later search sees the same lanes.
#ifndef REWROUGHT_ENUMERATOR_LANES_VECTOR_BLOCKS_H_
#define REWROUGHT_ENUMERATOR_LANES_VECTOR_BLOCKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "enumerator/lanes/kernels.h"
#include "ir/op_row.h"

namespace rewrought::enumerator {

// What is known of an input: which values its vectors take.
enum class ValueSet : uint8_t {
  kFloat32,
  kFloat32NonNegative,  // is_not_negative (a NaN is admitted, but does not stand in the ordinary block)
  kFloat32ZeroToOne,    // 0 to 1
  kFloat32Integral,     // whole numbers
  kInteger32,
  kInteger32Small,     // unsigned, 0 to 255
  kInteger32Halfword,  // unsigned, 0 to 65535
  kFloat16,
  kInteger16,
  kBoolean,
};
inline constexpr int kValueSetCount = static_cast<int>(ValueSet::kBoolean) + 1;

enum class ValueKind : uint8_t { kFloat, kInteger, kBoolean };

// A value of one bit is a Boolean whatever its type.
ValueKind KindOf(ir::BaseType base, int bits);

struct ValueSetInfo {
  absl::string_view name;  // in signatures and logs
  ValueKind kind;
  int bits;
  ValueSet plain;  // the set without the fact
};
const ValueSetInfo& InfoOf(ValueSet set);

// The plain set of a kind and size; false in *ok if the enumerator has no vectors for it (64 and 8 bits).
ValueSet PlainSet(ValueKind kind, int bits, bool* ok);

enum class BlockKind : uint8_t {
  kOrdinary,  // no infinities, NaNs or denormals, and no zeros of floats but from lane kFloatLanes on; small
              // magnitudes, so that short terms neither overflow nor underflow. Some lanes hold equal values in all
              // inputs. Integers: all kinds of values, corners included.
  kZero,      // floats: ±0 among ordinary values
  kInfinity,
  kNan,
  kDenormal,  // with the smallest normals
  kMixed,     // all of the above and the largest numbers
};
inline constexpr int kBlockKindCount = static_cast<int>(BlockKind::kMixed) + 1;
absl::string_view NameOf(BlockKind kind);

inline constexpr int kMaxInputs = 4;

// The lanes of input `slot` (0 to 3) with values of `set` in the block `kind`; every value is in the set, but for what
// the set's predicate admits besides (NaNs). Computed once.
const LaneBlock& InputLanes(ValueSet set, int slot, BlockKind kind);

// The key of values on the ordinary block: which lanes count, and which patterns are one value, by kind and size.
uint64_t OrdinaryHash(const LaneBlock& values, ValueKind kind, int bits);

// Names the vectors; changes when they do. Part of what a stored result depends on.
inline constexpr absl::string_view kVectorsVersion = "vectors-4";

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_LANES_VECTOR_BLOCKS_H_
