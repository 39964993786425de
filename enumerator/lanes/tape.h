// Lowered terms as short lists of kernel calls on blocks of 64 lanes.
#ifndef REWROUGHT_ENUMERATOR_LANES_TAPE_H_
#define REWROUGHT_ENUMERATOR_LANES_TAPE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "enumerator/lanes/kernels.h"
#include "ir/dag.h"
#include "ir/op_row.h"
#include "ir/term.h"

namespace rewrought::enumerator {

struct WideBlock {
  uint64_t lane[kLanes];
};

// Scratch memory of Tape::Run, reused between calls; grows as needed.
struct TapeScratch {
  std::vector<AlignedBlock> narrow;
  std::vector<WideBlock> wide;
};

class Tape {
 public:
  // The value `root` of `dag` as a function of the Dag's inputs, by their index. Inputs and result must have 1 to 32
  // bits; inner values may be wider, at a price. Choices that are left read as zero.
  static absl::StatusOr<Tape> Compile(const ir::Dag& dag, ir::ValueIndex root);

  // Applies it. `inputs` has a block per input of the Dag. `out` may be one of them.
  void Run(const KernelSet& kernels, const LaneBlock* const* inputs, LaneBlock* out, TapeScratch* scratch) const;

  size_t steps() const { return steps_.size(); }

 private:
  static constexpr int kInputBase = 1 << 16;  // operand numbers from here on are inputs

  struct Step {
    ir::Primitive primitive = ir::Primitive::kLiteral;
    int8_t fused = -1;     // a FusedShape
    bool covered = false;  // kernels are for these widths
    KernelWidths widths;
    int operands[3] = {0, 0, 0};  // a step, or kInputBase + an input
  };

  void RunWide(const LaneBlock* const* inputs, LaneBlock* out, TapeScratch* scratch) const;
  int FuseAt(const ir::Dag& dag, ir::ValueIndex value, ir::ValueIndex operands[3]) const;

  std::vector<Step> steps_;
  std::vector<AlignedBlock> literals_;  // by step; only filled for literals
  int root_ = 0;                        // an operand number
  bool wide_ = false;                   // some value has more than 32 bits
};

// The tape of one row at one free size (0: it has none): sources are the inputs, in order.
// InvalidArgument if the row does not build, has components, or has an operand of more than 32 bits.
absl::StatusOr<Tape> CompileRow(const ir::OpRow& row, int free_size);

// The tape of rows[0], whose result goes through the one-source rows after it, in order. Errors as CompileRow.
absl::StatusOr<Tape> CompileRows(absl::Span<const ir::OpRow* const> rows, int free_size);

// For each source of the row: whether its bits only ever pass to the result, through no function but a choice. Such a
// source takes values of any kind. Errors as CompileRow.
absl::StatusOr<std::vector<bool>> PassedSources(const ir::OpRow& row, int free_size);

// The tape of a scalar term of fixed sizes, in denormal mode `preserve` and without the term's flags: no flush, +0, the
// canonical NaN, and no attention to poison. `variables` gives the
// order of its inputs by name; a variable that is not listed is an error.
absl::StatusOr<Tape> CompileTerm(const ir::Term& term, absl::Span<const std::string> variables);

// The seeded pseudo-function that stands for an approximated function of `width`-bit patterns: some number of magnitude
// 0.5 to 2 that depends on all bits; odd for rcp and sin, even for cos; a NaN gives a NaN.
uint64_t PseudoApproximation(ir::Approximation function, int width, uint64_t x, uint64_t y);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_LANES_TAPE_H_
