#include "enumerator/sweep/term_table.h"

#include <algorithm>
#include <bit>
#include <string>

#include "absl/strings/str_cat.h"
#include "ir/scalar.h"

namespace rewrought::enumerator {
namespace {

uint64_t Mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::vector<uint32_t> Corners(int width) {
  std::vector<uint64_t> corners = {0,
                                   1,
                                   2,
                                   3,
                                   ~uint64_t{0},
                                   ~uint64_t{1},
                                   uint64_t{1} << (width - 1),
                                   (uint64_t{1} << (width - 1)) - 1,
                                   static_cast<uint64_t>(width),
                                   static_cast<uint64_t>(width - 1),
                                   0x55555555,
                                   0x0f0f0f0f};
  if (width == 16)
    corners.insert(corners.end(), {0x3c00, 0xbc00, 0x4000, 0x3800, 0x7c00, 0xfc00, 0x7e00, 0x0400, 0x03ff, 0x7bff});
  if (width == 32) {
    corners.insert(corners.end(), {0x3f800000, 0xbf800000, 0x40000000, 0x3f000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                   0x00800000, 0x007fffff, 0x7f7fffff, 0x41200000, 0xc0490fdb});
  }
  std::vector<uint32_t> cut;
  for (const uint64_t corner : corners) cut.push_back(static_cast<uint32_t>(corner & ir::MaskOf(width)));
  return cut;
}

LaneBlock WithOneNan(LaneBlock block, int width) {
  const ir::FloatFormat format = ir::FormatOf(width);
  const uint32_t nan = static_cast<uint32_t>(format.quiet_nan()), infinity = static_cast<uint32_t>(format.infinity()),
                 magnitude = static_cast<uint32_t>(ir::MaskOf(width - 1));
  for (uint32_t& lane : block.lane) lane = (lane & magnitude) > infinity ? nan : lane;
  return block;
}

}  // namespace

absl::Status TermTable::AddOp(const ir::OpRow& row, int width) {
  const size_t before = ops_.size();
  std::vector<int> sizes = {width};
  if (width != 1) sizes.push_back(1);
  for (const int size : sizes) {
    if (!row.free_sizes.empty() &&
        std::find(row.free_sizes.begin(), row.free_sizes.end(), size) == row.free_sizes.end())
      continue;
    SizedOp op;
    op.row = &row;
    op.free_size = size;
    const auto fits = [&](int bits) { return bits == 1 || bits == width; };
    bool uses_free_size = row.result.bits == 0, ok = true;
    op.result_bits = row.result.bits != 0 ? row.result.bits : size;
    op.is_float = row.result.base == ir::BaseType::kFloat;
    ok = fits(op.result_bits);
    for (const ir::OperandType& source : row.sources) {
      op.source_bits.push_back(source.bits != 0 ? source.bits : size);
      ok = ok && fits(op.source_bits.back());
      uses_free_size = uses_free_size || source.bits == 0;
      op.is_float = op.is_float || source.base == ir::BaseType::kFloat;
    }
    if (!ok || (op.is_float && size != 16 && size != 32) || (!uses_free_size && size != width)) continue;
    op.commutative = (row.properties & ir::kCommutative) != 0;
    absl::StatusOr<Tape> tape = CompileRow(row, size);
    if (!tape.ok()) continue;
    op.tape = *std::move(tape);
    has_floats_ = has_floats_ || op.is_float;
    ops_.push_back(std::move(op));
  }
  if (ops_.size() > before) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("op ", row.name, " has no form with operands of ", width, " bits or 1 bit"));
}

void TermTable::SetVectors(int width, size_t points, bool exhaustive) {
  width_ = width;
  points_ = points;
  exhaustive_ = exhaustive;
  blocks_ = (points + kLanes - 1) / kLanes;
}

TermIndex TermTable::Add(const Shape& shape) {
  const TermIndex index = static_cast<TermIndex>(shapes_.size());
  shapes_.push_back(shape);
  lanes_.emplace_back();
  index_.emplace(shape, index);
  bytes_ += 2 * sizeof(Shape) + sizeof(Lanes) + sizeof(TermIndex);
  if (shape.op == kSweepVariable) variables_ = std::max(variables_, static_cast<int>(shape.leaf) + 1);
  return index;
}

TermIndex TermTable::Find(const Shape& shape) const {
  const auto found = index_.find(shape);
  return found == index_.end() ? kNoTerm : found->second;
}

Shape TermTable::InOrder(Shape shape) const {
  if (shape.op >= 0 && op_of(shape).commutative && shape.sources[1] < shape.sources[0])
    std::swap(shape.sources[0], shape.sources[1]);
  return shape;
}

void TermTable::Keep(TermIndex index, Lanes lanes) {
  bytes_ += lanes.size() * sizeof(LaneBlock);
  lanes_[index] = std::move(lanes);
}

Lanes TermTable::OfVariable(int variable) const {
  const std::vector<uint32_t> corners = Corners(width_);
  const uint32_t mask = static_cast<uint32_t>(ir::MaskOf(width_));
  Lanes lanes(blocks_);
  for (size_t i = 0; i < blocks_ * kLanes; ++i) {
    const uint64_t point = i % points_;
    uint32_t value = static_cast<uint32_t>(point >> (variable * width_)) & mask;
    if (!exhaustive_) {
      const uint64_t random = Mixed(point * kMaxInputs + static_cast<uint64_t>(variable));
      value = point % 2 == 0 ? corners[random % corners.size()] : static_cast<uint32_t>(random >> 20) & mask;
    }
    lanes[i / kLanes].lane[i % kLanes] = value;
  }
  return lanes;
}

Lanes TermTable::OfConstant(uint64_t value) const {
  Lanes lanes(blocks_);
  for (LaneBlock& block : lanes) {
    std::fill(std::begin(block.lane), std::end(block.lane), static_cast<uint32_t>(value & ir::MaskOf(width_)));
  }
  return lanes;
}

LanesHash TermTable::HashOf(const Lanes& lanes) const {
  uint64_t first = 1, second = 2;
  const bool floats = has_floats_ && (width_ == 16 || width_ == 32);
  for (const LaneBlock& block : lanes) {
    const uint64_t hash = kernels_.hash(floats ? WithOneNan(block, width_) : block, false, kLanes);
    first = Mixed(first ^ hash);
    second = Mixed(second + 0x632be59bd9b4e019u * hash);
  }
  return {first, second};
}

void TermTable::Evaluate(const Shape& shape, Lanes* lanes) {
  const SizedOp& op = op_of(shape);
  lanes->resize(blocks_);
  for (size_t block = 0; block < blocks_; ++block) {
    const LaneBlock* inputs[kSweepSources] = {};
    for (size_t i = 0; i < op.source_bits.size(); ++i) inputs[i] = &lanes_[shape.sources[i]][block];
    op.tape.Run(kernels_, inputs, &(*lanes)[block], &scratch_);
  }
}

ir::NodeIndex TermTable::AddNodes(TermIndex index, ir::Term* term) const {
  const Shape& shape = shapes_[index];
  ir::Node node;
  node.bits = static_cast<uint8_t>(shape.bits);
  if (shape.op == kSweepVariable) {
    node.kind = ir::NodeKind::kVariable;
    node.name = std::string(1, static_cast<char>('a' + shape.leaf));
    for (size_t i = 0; i < term->nodes.size(); ++i) {
      if (term->nodes[i].name == node.name) return static_cast<ir::NodeIndex>(i);
    }
  } else if (shape.op == kSweepConstant) {
    node.kind = ir::NodeKind::kConstant;
    node.literal = shape.real        ? ir::LiteralKind::kFloat
                   : shape.bits == 1 ? ir::LiteralKind::kBool
                                     : ir::LiteralKind::kInt;
    node.values[0] = shape.bits == 1 ? static_cast<uint64_t>(shape.leaf & 1) : static_cast<uint64_t>(shape.leaf);
  } else {
    const SizedOp& op = op_of(shape);
    node.kind = ir::NodeKind::kOp;
    node.op = op.row;
    for (size_t i = 0; i < op.source_bits.size(); ++i) node.sources.push_back({AddNodes(shape.sources[i], term)});
  }
  term->nodes.push_back(std::move(node));
  return static_cast<ir::NodeIndex>(term->nodes.size() - 1);
}

ir::Term TermTable::TermOf(TermIndex index) const {
  ir::Term term;
  term.root = AddNodes(index, &term);
  return term;
}

void TermTable::NoteVariables(TermIndex index, uint32_t* seen) const {
  const Shape& shape = shapes_[index];
  if (shape.op == kSweepVariable) *seen |= uint32_t{1} << shape.leaf;
  for (const TermIndex source : shape.sources) {
    if (source != kNoTerm) NoteVariables(source, seen);
  }
}

int TermTable::VariablesIn(TermIndex index) const {
  uint32_t seen = 0;
  NoteVariables(index, &seen);
  return std::popcount(seen);
}

}  // namespace rewrought::enumerator
