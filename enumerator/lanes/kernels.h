// Vector kernels on blocks of 64 lanes, for the most frequent primitives and for hashes. The fastest set of kernels
// that the processor supports is selected at run time. The tests compare each kernel with ir/scalar.h.
#ifndef REWROUGHT_ENUMERATOR_LANES_KERNELS_H_
#define REWROUGHT_ENUMERATOR_LANES_KERNELS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "ir/primitive.h"

namespace rewrought::enumerator {

inline constexpr int kLanes = 64;
// Floats are compared only on the first kFloatLanes lanes, because inputs may be zero on the other lanes
// (BlockKind::kOrdinary).
inline constexpr int kFloatLanes = 48;

// A value on all lanes. Each lane is a bit pattern of 1 to 32 bits, whose upper bits are zero. Every NaN is the
// canonical quiet NaN.
struct LaneBlock {
  uint32_t lane[kLanes];
};

// A LaneBlock that is aligned to cache lines, for blocks that are read often. LaneBlock itself is not aligned, because
// g++ 12 sometimes returns over-aligned values in temporaries that are not aligned.
struct alignas(64) AlignedBlock : LaneBlock {};

// The parameters of a kernel besides its operands.
struct KernelWidths {
  int width = 32;          // The result's width in bits.
  int operand_width = 32;  // The operand width of ir::EvaluatePrimitive.
  uint64_t immediate = 0;
};

// Computes `out` from the operands x, y, and z, which `out` may alias.
using Kernel = void (*)(const KernelWidths& widths, const LaneBlock& x, const LaneBlock& y, const LaneBlock& z,
                        LaneBlock* out);

// Combinations of primitives that occur often in the op rows of machines.
enum class FusedShape : uint8_t {
  kSelectLess,          // 32-bit floats: (ite (or (isnan y) (flt x y)) x y)
  kSelectGreaterEqual,  // (ite (or (isnan y) (fle y x)) x y)
  kSaturate,            // (fmin (fmax x 0.0) 1.0)
};
inline constexpr int kFusedShapeCount = 3;

struct KernelSet {
  absl::string_view name;                  // "avx512", "avx2" or "generic"
  Kernel primitives[ir::kPrimitiveCount];  // Null if there is no kernel; callers then evaluate lane by lane.
  bool (*covers)(ir::Primitive primitive, int width, int operand_width);
  Kernel fused[kFusedShapeCount];
  // Returns a 64-bit hash of the first `lanes` lanes, where `lanes` is a multiple of 16. If `as_float`, -0 equals +0,
  // and all 32-bit NaNs are equal.
  uint64_t (*hash)(const LaneBlock& x, bool as_float, int lanes);
};

// Returns the sets that this processor supports, fastest first. The last one is "generic".
const KernelSet* const* AvailableKernelSets(int* count);

// Returns the fastest set.
const KernelSet& Kernels();

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_LANES_KERNELS_H_
