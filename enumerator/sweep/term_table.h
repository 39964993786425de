// The data of a sweep (term_sweep.h): its ops at each of their sizes, its terms, and the values of the terms on
// vectors. sweep_rules.h determines which terms are equal.
#ifndef REWROUGHT_ENUMERATOR_SWEEP_TERM_TABLE_H_
#define REWROUGHT_ENUMERATOR_SWEEP_TERM_TABLE_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "enumerator/lanes/tape.h"
#include "enumerator/lanes/vector_blocks.h"
#include "ir/op_row.h"
#include "ir/term.h"

namespace rewrought::enumerator {

// The values of Shape::op for leaves.
inline constexpr int kSweepVariable = -1, kSweepConstant = -2;
inline constexpr int kSweepSources = 4;
using TermIndex = uint32_t;
inline constexpr TermIndex kNoTerm = ~TermIndex{0};

using Lanes = std::vector<LaneBlock>;
using LanesHash = std::pair<uint64_t, uint64_t>;

// An op at one size.
struct SizedOp {
  const ir::OpRow* row = nullptr;
  int free_size = 0;
  std::vector<int> source_bits;
  int result_bits = 0;
  bool commutative = false;
  bool is_float = false;  // Whether an operand or the result is a float.
  Tape tape;
};

// A term: its root op, and the terms that are its sources.
struct Shape {
  int op = kSweepVariable;  // The index of a SizedOp.
  std::array<TermIndex, kSweepSources> sources = {kNoTerm, kNoTerm, kNoTerm, kNoTerm};
  int64_t leaf = 0;   // A variable's number or a constant's value.
  bool real = false;  // Whether `leaf` contains the bits of a double.
  int size = 0, bits = 0;
  friend bool operator==(const Shape& x, const Shape& y) {
    return x.op == y.op && x.sources == y.sources && x.leaf == y.leaf && x.real == y.real && x.bits == y.bits;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Shape& s) {
    return H::combine(std::move(h), s.op, s.sources, s.leaf, s.real, s.bits);
  }
};

class TermTable {
 public:
  TermTable() : kernels_(Kernels()) {}

  // Adds the op at `width` bits and at 1 bit. Fails with InvalidArgument if the op supports neither size.
  absl::Status AddOp(const ir::OpRow& row, int width);
  // Sets the values of the variables, which have `width` bits, on `points` vectors. If `exhaustive`, the vectors are
  // all combinations of values.
  void SetVectors(int width, size_t points, bool exhaustive);

  const std::vector<SizedOp>& ops() const { return ops_; }
  const SizedOp& op_of(const Shape& shape) const { return ops_[static_cast<size_t>(shape.op)]; }
  bool HasFloats() const { return has_floats_; }

  // Adds a term that the table does not contain yet.
  TermIndex Add(const Shape& shape);
  // Returns the term with this shape, or kNoTerm if there is none. The sources of a commutative op must be in order
  // (InOrder).
  TermIndex Find(const Shape& shape) const;
  // Returns `shape` with the first two sources sorted if its op is commutative.
  Shape InOrder(Shape shape) const;
  const Shape& shape(TermIndex index) const { return shapes_[index]; }
  size_t size() const { return shapes_.size(); }
  int variables() const { return variables_; }

  // Stores the values of a term that may become an operand, until the sweep ends.
  void Keep(TermIndex index, Lanes lanes);
  Lanes OfVariable(int variable) const;
  Lanes OfConstant(uint64_t value) const;
  // Computes the values of a term from those of its sources, which must be stored.
  void Evaluate(const Shape& shape, Lanes* lanes);
  // Returns a hash of the values. For floats, all NaNs are equal, because a NaN result may have any pattern.
  LanesHash HashOf(const Lanes& lanes) const;

  ir::Term TermOf(TermIndex index) const;
  int VariablesIn(TermIndex index) const;
  uint64_t bytes() const { return bytes_; }

 private:
  ir::NodeIndex AddNodes(TermIndex index, ir::Term* term) const;
  void NoteVariables(TermIndex index, uint32_t* seen) const;

  const KernelSet& kernels_;
  std::vector<SizedOp> ops_;
  int width_ = 0, variables_ = 0;
  size_t points_ = 0, blocks_ = 0;
  bool exhaustive_ = false, has_floats_ = false;
  std::vector<Shape> shapes_;
  std::vector<Lanes> lanes_;  // Indexed by term; empty for terms that cannot be operands.
  absl::flat_hash_map<Shape, TermIndex> index_;
  TapeScratch scratch_;
  uint64_t bytes_ = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_SWEEP_TERM_TABLE_H_
