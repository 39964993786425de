// Vector kernels on blocks of 64 lanes: the primitives that fill most enumerations, hashes of lanes, and the choice of
// the fastest set at run time. Each kernel is checked against ir/scalar.h.
#ifndef REWROUGHT_ENUMERATOR_LANES_KERNELS_H_
#define REWROUGHT_ENUMERATOR_LANES_KERNELS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "ir/primitive.h"

namespace rewrought::enumerator {

inline constexpr int kLanes = 64;
// Floats are compared on the first lanes alone: behind them inputs may be zeros (BlockKind::kOrdinary).
inline constexpr int kFloatLanes = 48;

// One value on all lanes: patterns of 1 to 32 bits, upper bits zero. A float NaN is the canonical quiet one.
struct LaneBlock {
  uint32_t lane[kLanes];
};

// The same on cache lines of its own, for what is read often. (Not LaneBlock itself: g++ 12 was seen to return values
// of such an alignment into temporaries that do not have it.)
struct alignas(64) AlignedBlock : LaneBlock {};

// What a kernel needs besides its operands.
struct KernelWidths {
  int width = 32;          // of the result, bits
  int operand_width = 32;  // as ir::EvaluatePrimitive's
  uint64_t immediate = 0;
};

// out may be x, y or z.
using Kernel = void (*)(const KernelWidths& widths, const LaneBlock& x, const LaneBlock& y, const LaneBlock& z,
                        LaneBlock* out);

// Shapes of more than one primitive that machines' rows are full of.
enum class FusedShape : uint8_t {
  kSelectLess,          // 32-bit floats: (ite (or (isnan y) (flt x y)) x y)
  kSelectGreaterEqual,  // (ite (or (isnan y) (fle y x)) x y)
  kSaturate,            // (fmin (fmax x 0.0) 1.0)
};
inline constexpr int kFusedShapeCount = 3;

struct KernelSet {
  absl::string_view name;                  // "avx512", "avx2" or "generic"
  Kernel primitives[ir::kPrimitiveCount];  // null where there is none: evaluate lane by lane
  bool (*covers)(ir::Primitive primitive, int width, int operand_width);
  Kernel fused[kFusedShapeCount];
  // A 64-bit hash of the first `lanes` lanes, a multiple of 16; as_float: -0 counts as +0 and every 32-bit NaN as one.
  uint64_t (*hash)(const LaneBlock& x, bool as_float, int lanes);
};

// The sets that this processor can run, fastest first; the last one is "generic".
const KernelSet* const* AvailableKernelSets(int* count);

// The fastest one.
const KernelSet& Kernels();

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_LANES_KERNELS_H_
