// Compiles lowered terms to tapes, which are short lists of kernel calls on blocks of 64 lanes.
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

// Scratch memory of Tape::Run. It grows as needed and can be reused between calls.
struct TapeScratch {
  std::vector<AlignedBlock> narrow;
  std::vector<WideBlock> wide;
};

class Tape {
 public:
  // Compiles value `root` of `dag` to a function of the Dag's inputs, which are numbered by index. The inputs and the
  // result must have 1 to 32 bits. Inner values may be wider, but are slower. Choices that remain in the Dag evaluate
  // to zero.
  static absl::StatusOr<Tape> Compile(const ir::Dag& dag, ir::ValueIndex root);

  // Runs the tape. `inputs` contains one block for each input of the Dag, and `out` may be one of these blocks.
  void Run(const KernelSet& kernels, const LaneBlock* const* inputs, LaneBlock* out, TapeScratch* scratch) const;

  size_t steps() const { return steps_.size(); }

 private:
  static constexpr int kInputBase = 1 << 16;  // Operand numbers from this value on are inputs.

  struct Step {
    ir::Primitive primitive = ir::Primitive::kLiteral;
    int8_t fused = -1;     // A FusedShape, or -1.
    bool covered = false;  // Whether a kernel supports these widths.
    KernelWidths widths;
    int operands[3] = {0, 0, 0};  // A step, or kInputBase plus an input.
  };

  void RunWide(const LaneBlock* const* inputs, LaneBlock* out, TapeScratch* scratch) const;
  int FuseAt(const ir::Dag& dag, ir::ValueIndex value, ir::ValueIndex operands[3]) const;

  std::vector<Step> steps_;
  std::vector<AlignedBlock> literals_;  // Indexed by step; filled only for literals.
  int root_ = 0;                        // An operand number.
  bool wide_ = false;                   // Whether some value has more than 32 bits.
};

// Compiles a row at one free size (0 if the row has no free size). The inputs of the tape are the sources of the row,
// in order. Fails with InvalidArgument if the row cannot be built, has a vector operand or result, or has an operand of
// more than 32 bits.
absl::StatusOr<Tape> CompileRow(const ir::OpRow& row, int free_size);

// Compiles rows[0], followed by the other rows. The other rows must be unary and are applied, in order, to the result
// of rows[0]. Returns the errors of CompileRow.
absl::StatusOr<Tape> CompileRows(absl::Span<const ir::OpRow* const> rows, int free_size);

// Returns, for each source, whether the row only copies its bits to the result, possibly through selects. Such a source
// accepts values of any kind. Returns the errors of CompileRow.
absl::StatusOr<std::vector<bool>> PassedSources(const ir::OpRow& row, int free_size);

// Compiles a scalar term with fixed sizes, to be evaluated in denormal mode `preserve`. Ignores the term's flags and
// poison. The tape does not flush denormals. Where several results are allowed, it returns +0 for a zero and the
// canonical NaN for a NaN. `variables` specifies the order of the inputs. Fails with InvalidArgument if a variable is
// not listed.
absl::StatusOr<Tape> CompileTerm(const ir::Term& term, absl::Span<const std::string> variables);

// Evaluates the pseudo-random function that stands in for the approximated function `function` on `width`-bit patterns.
// Its seed is fixed. The result has a magnitude from 0.5 to 2 and depends on all bits. The pseudo-random function is
// odd for rcp and sin, even for cos, and returns NaN for NaN.
uint64_t PseudoApproximation(ir::Approximation function, int width, uint64_t x, uint64_t y);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_LANES_TAPE_H_
