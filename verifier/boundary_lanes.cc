#include "verifier/boundary_lanes.h"

#include <algorithm>
#include <map>

#include "ir/scalar.h"

namespace rewrought::verifier {
namespace {

using ir::Primitive;
using ir::ValueIndex;

// Returns whether values of this kind define boundaries, as inputs and the results of rounding operations do.
bool IsLandmark(Primitive primitive) {
  switch (primitive) {
    case Primitive::kInput:
    case Primitive::kFadd:
    case Primitive::kFmul:
    case Primitive::kFfma:
    case Primitive::kFdiv:
    case Primitive::kFsqrt:
    case Primitive::kF2f:
    case Primitive::kI2f:
    case Primitive::kU2f:
      return true;
    default:
      return false;
  }
}

// An input and a value to which it can be set. `value` has the input's width and does not depend on the input.
struct Boundary {
  size_t input = 0;
  ValueIndex value = 0;
};

std::vector<Boundary> BoundariesOf(const ir::Dag& dag, absl::Span<const ValueIndex> roots) {
  std::map<ValueIndex, uint64_t> reads;  // bit mask of the inputs on which a value depends
  std::vector<Boundary> boundaries;
  for (const ValueIndex index : dag.Below(roots)) {
    const ir::Value& value = dag.at(index);
    uint64_t& inputs = reads[index];
    if (value.primitive == Primitive::kInput) inputs = uint64_t{1} << std::min<uint64_t>(value.immediate, 63);
    for (int k = 0; k < ir::Dag::Arity(value); ++k) inputs |= reads[value.operands[k]];
    if (!IsLandmark(value.primitive) || inputs == 0) continue;
    for (size_t i = 0; i < dag.inputs().size() && i < 63; ++i) {
      const bool is_apart = (inputs & (uint64_t{1} << i)) == 0;
      if (is_apart && dag.inputs()[i].width == value.width) boundaries.push_back({i, index});
    }
  }
  return boundaries;
}

}  // namespace

bool MoveToBoundaries(const ir::Dag& dag, absl::Span<const ValueIndex> roots, size_t lanes,
                      const std::function<uint64_t()>& random, ir::BatchLeaves* leaves) {
  const std::vector<Boundary> boundaries = BoundariesOf(dag, roots);
  if (boundaries.empty()) return false;
  std::vector<ValueIndex> wanted;
  for (const Boundary& boundary : boundaries) wanted.push_back(boundary.value);
  const auto values = ir::EvaluateBatch(dag, wanted, *leaves, lanes);
  for (size_t lane = 0; lane < lanes; ++lane) {
    const size_t place = lane % boundaries.size();
    const int width = dag.inputs()[boundaries[place].input].width;
    uint64_t value = values[place][lane];
    const uint64_t bits = random();
    if (bits & 1) value ^= uint64_t{1} << (width - 1);  // negates a float, or flips the top bit of an integer
    if ((bits & 6) == 2) ++value;
    if ((bits & 6) == 4) --value;
    leaves->inputs[boundaries[place].input][lane] = value & ir::MaskOf(width);
  }
  return true;
}

}  // namespace rewrought::verifier
