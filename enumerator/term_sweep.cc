#include "enumerator/term_sweep.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "enumerator/tape.h"
#include "enumerator/vector_blocks.h"
#include "ir/scalar.h"

namespace rewrought::enumerator {
namespace {

constexpr int kExhaustiveBits = 12;
constexpr int kSampledVectors = 512;
constexpr int kVariable = -1, kConstant = -2;  // in place of an op
using Index = uint32_t;
inline constexpr Index kNone = ~Index{0};

using Lanes = std::vector<LaneBlock>;

struct SizedOp {
  const ir::OpRow* row = nullptr;
  int free_size = 0;
  std::vector<int> source_bits;
  int result_bits = 0;
  bool commutative = false;
  Tape tape;
};

// A term over representatives: its root op and its sources.
struct Shape {
  int op = kVariable;  // index of a SizedOp
  std::array<Index, 4> sources = {kNone, kNone, kNone, kNone};
  int64_t leaf = 0;   // number of a variable, value of a constant
  bool real = false;  // the constant is a double's bits
  int size = 0, bits = 0;
  friend bool operator==(const Shape& x, const Shape& y) {
    return x.op == y.op && x.sources == y.sources && x.leaf == y.leaf && x.real == y.real && x.bits == y.bits;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Shape& s) {
    return H::combine(std::move(h), s.op, s.sources, s.leaf, s.real, s.bits);
  }
};

struct Entry {
  Shape shape;
  Lanes lanes;  // of those that can be operands
};

// What a term that was looked at turned out to be.
struct Known {
  Index representative = kNone;
  uint64_t order = 0;  // of being looked at
};

struct FoundRule {
  Shape search;
  Index replace = kNone;
  uint64_t order = 0;  // of the search
};

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

class Sweep {
 public:
  Sweep(const SweepOptions& options, ProverInterface* prover)
      : options_(options), prover_(prover), kernels_(Kernels()), start_(std::chrono::steady_clock::now()) {}

  absl::Status Prepare();
  SweepResult Run();

 private:
  absl::Status AddOp(const ir::OpRow& row);
  void MakeLeaves();
  bool Grow(int size);
  bool Choose(int op, size_t source, int left, Shape* shape);
  bool LookAt(const Shape& shape);
  void AddRepresentative(const Shape& shape, Lanes lanes, std::pair<uint64_t, uint64_t> hash);
  bool Verify(const Shape& shape, Index representative);

  // Whether the rule's search matches `shape`, and what it gives there is known to be `representative` since before
  // `order`: then the rule says all that the new one would.
  bool Derives(const FoundRule& rule, const Shape& shape, Index representative, uint64_t order) const;
  using Bindings = std::array<Index, kMaxInputs>;
  bool MatchSources(const Shape& pattern, const Shape& shape, std::vector<std::pair<Index, Index>> rest, Bindings bound,
                    const std::function<bool(const Bindings&)>& found) const;
  bool MatchAll(std::vector<std::pair<Index, Index>> rest, Bindings bound,
                const std::function<bool(const Bindings&)>& found) const;
  Index Instance(Index pattern, const Bindings& bound, uint64_t before) const;

  std::pair<uint64_t, uint64_t> HashOf(const Lanes& lanes) const;
  Lanes Evaluate(const Shape& shape);
  ir::Term TermOf(const Shape& shape) const;
  ir::NodeIndex AddNodes(const Shape& shape, ir::Term* term) const;
  void Finish();
  bool Stop() const { return options_.stop.stop_requested() || bytes_ > options_.max_bytes; }
  void Report(int size);

  const SweepOptions& options_;
  ProverInterface* const prover_;
  const KernelSet& kernels_;
  const std::chrono::steady_clock::time_point start_;
  std::vector<SizedOp> ops_;
  size_t blocks_ = 0;
  std::vector<Entry> entries_;  // the representatives
  std::vector<std::vector<Index>> by_size_;
  absl::flat_hash_map<std::pair<int, std::pair<uint64_t, uint64_t>>, Index> classes_;  // by bits and values
  absl::flat_hash_map<Shape, Known> known_;
  std::vector<std::vector<FoundRule>> rules_;  // by root op
  uint64_t order_ = 0, bytes_ = 0;
  TapeScratch scratch_;
  SweepResult result_;
};

absl::Status Sweep::AddOp(const ir::OpRow& row) {
  const size_t before = ops_.size();
  std::vector<int> sizes = {options_.width};
  if (options_.width != 1) sizes.push_back(1);
  for (const int size : sizes) {
    if (!row.free_sizes.empty() &&
        std::find(row.free_sizes.begin(), row.free_sizes.end(), size) == row.free_sizes.end())
      continue;
    SizedOp op;
    op.row = &row;
    op.free_size = size;
    const auto fits = [&](int bits) { return bits == 1 || bits == options_.width; };
    bool uses_free_size = row.result.bits == 0, is_float = false, ok = true;
    op.result_bits = row.result.bits != 0 ? row.result.bits : size;
    ok = fits(op.result_bits);
    for (const ir::OperandType& source : row.sources) {
      op.source_bits.push_back(source.bits != 0 ? source.bits : size);
      ok = ok && fits(op.source_bits.back());
      uses_free_size = uses_free_size || source.bits == 0;
      is_float = is_float || source.base == ir::BaseType::kFloat;
    }
    is_float = is_float || row.result.base == ir::BaseType::kFloat;
    if (!ok || (is_float && size != 16 && size != 32) || (!uses_free_size && size != options_.width)) continue;
    op.commutative = (row.properties & ir::kCommutative) != 0;
    absl::StatusOr<Tape> tape = CompileRow(row, size);
    if (!tape.ok()) continue;
    op.tape = *std::move(tape);
    ops_.push_back(std::move(op));
  }
  if (ops_.size() > before) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("op ", row.name, " has no form whose operands have ", options_.width, " bits or 1"));
}

absl::Status Sweep::Prepare() {
  if (options_.variables < 1 || options_.variables > kMaxInputs) {
    return absl::InvalidArgumentError(absl::StrCat("variables: 1 to ", kMaxInputs, ", not ", options_.variables));
  }
  if (options_.width < 1 || options_.width > 32) return absl::InvalidArgumentError("width: 1 to 32 bits");
  if (options_.max_size < 1 || options_.max_size > 8) return absl::InvalidArgumentError("size: 1 to 8 ops");
  for (const SweepConstant& constant : options_.constants) {
    if (constant.is_float && options_.width != 16 && options_.width != 32) {
      return absl::InvalidArgumentError("constants: floats have 16 or 32 bits");
    }
  }
  if (options_.ops.empty()) return absl::InvalidArgumentError("ops: name at least one");
  for (const ir::OpRow* row : options_.ops) {
    if (absl::Status status = AddOp(*row); !status.ok()) return status;
  }
  rules_.resize(ops_.size());
  return absl::OkStatus();
}

void Sweep::MakeLeaves() {
  const int bits = options_.variables * options_.width;
  result_.exhaustive = bits <= kExhaustiveBits;
  const size_t points = result_.exhaustive ? size_t{1} << bits : kSampledVectors;
  blocks_ = (points + kLanes - 1) / kLanes;
  const std::vector<uint32_t> corners = Corners(options_.width);
  const uint32_t mask = static_cast<uint32_t>(ir::MaskOf(options_.width));
  by_size_.resize(static_cast<size_t>(options_.max_size) + 1);
  for (int v = 0; v < options_.variables; ++v) {
    Lanes lanes(blocks_);
    for (size_t i = 0; i < blocks_ * kLanes; ++i) {
      const uint64_t point = i % points;
      uint32_t value = static_cast<uint32_t>(point >> (v * options_.width)) & mask;
      if (!result_.exhaustive) {
        const uint64_t random = Mixed(point * kMaxInputs + static_cast<uint64_t>(v));
        value = point % 2 == 0 ? corners[random % corners.size()] : static_cast<uint32_t>(random >> 20) & mask;
      }
      lanes[i / kLanes].lane[i % kLanes] = value;
    }
    const auto hash = HashOf(lanes);
    Shape shape;
    shape.leaf = v;
    shape.bits = options_.width;
    AddRepresentative(shape, std::move(lanes), hash);
  }
  for (const SweepConstant& constant : options_.constants) {
    Lanes lanes(blocks_);
    const uint64_t value = constant.is_float ? ir::FloatToBits(std::bit_cast<double>(constant.value), options_.width)
                                             : static_cast<uint64_t>(constant.value);
    for (LaneBlock& block : lanes) {
      std::fill(std::begin(block.lane), std::end(block.lane), static_cast<uint32_t>(value) & mask);
    }
    const auto hash = HashOf(lanes);
    if (classes_.contains({options_.width, hash})) continue;
    Shape shape;
    shape.op = kConstant;
    shape.leaf = constant.value;
    shape.real = constant.is_float;
    shape.bits = options_.width;
    AddRepresentative(shape, std::move(lanes), hash);
  }
}

void Sweep::AddRepresentative(const Shape& shape, Lanes lanes, std::pair<uint64_t, uint64_t> hash) {
  const Index index = static_cast<Index>(entries_.size());
  known_[shape] = {index, order_};
  classes_.try_emplace({shape.bits, hash}, index);
  by_size_[static_cast<size_t>(shape.size)].push_back(index);
  const bool is_operand = shape.size < options_.max_size;
  bytes_ += sizeof(Entry) + 64 + (is_operand ? lanes.size() * sizeof(LaneBlock) : 0);
  entries_.push_back({shape, is_operand ? std::move(lanes) : Lanes()});
  ++result_.run_statistics.distinct;
}

std::pair<uint64_t, uint64_t> Sweep::HashOf(const Lanes& lanes) const {
  uint64_t first = 1, second = 2;
  for (const LaneBlock& block : lanes) {
    const uint64_t hash = kernels_.hash(block, false, kLanes);
    first = Mixed(first ^ hash);
    second = Mixed(second + 0x632be59bd9b4e019u * hash);
  }
  return {first, second};
}

Lanes Sweep::Evaluate(const Shape& shape) {
  const SizedOp& op = ops_[static_cast<size_t>(shape.op)];
  Lanes lanes(blocks_);
  for (size_t block = 0; block < blocks_; ++block) {
    const LaneBlock* inputs[4] = {};
    for (size_t i = 0; i < op.source_bits.size(); ++i) inputs[i] = &entries_[shape.sources[i]].lanes[block];
    op.tape.Run(kernels_, inputs, &lanes[block], &scratch_);
  }
  return lanes;
}

bool Sweep::Grow(int size) {
  for (size_t op = 0; op < ops_.size(); ++op) {
    Shape shape;
    shape.op = static_cast<int>(op);
    shape.size = size;
    shape.bits = ops_[op].result_bits;
    if (!Choose(shape.op, 0, size - 1, &shape)) return false;
  }
  return true;
}

// Fills the sources from `source` on with terms of `left` ops together.
bool Sweep::Choose(int op_index, size_t source, int left, Shape* shape) {
  const SizedOp& op = ops_[static_cast<size_t>(op_index)];
  if (source == op.source_bits.size()) return left != 0 || LookAt(*shape);
  const bool is_last = source + 1 == op.source_bits.size();
  for (int size = is_last ? left : 0; size <= left; ++size) {
    // Copied length: what is found meanwhile has the size of the whole.
    const size_t count = by_size_[static_cast<size_t>(size)].size();
    for (size_t i = 0; i < count; ++i) {
      const Index index = by_size_[static_cast<size_t>(size)][i];
      if (entries_[index].shape.bits != op.source_bits[source]) continue;
      if (op.commutative && source == 1 && index < shape->sources[0]) continue;
      shape->sources[source] = index;
      if (!Choose(op_index, source + 1, left - size, shape)) return false;
    }
  }
  shape->sources[source] = kNone;
  return true;
}

bool Sweep::LookAt(const Shape& shape) {
  if (Stop()) return false;
  ++order_;
  ++result_.run_statistics.enumerated;
  if (result_.run_statistics.enumerated % 1024 == 0) Report(shape.size);
  Lanes lanes = Evaluate(shape);
  const auto hash = HashOf(lanes);
  const auto same = classes_.find({shape.bits, hash});
  if (same == classes_.end()) {
    AddRepresentative(shape, std::move(lanes), hash);
    return true;
  }
  const Index representative = same->second;
  ++result_.run_statistics.candidates;
  const std::vector<FoundRule>& rules = rules_[static_cast<size_t>(shape.op)];
  const bool derived = std::any_of(rules.begin(), rules.end(),
                                   [&](const FoundRule& rule) { return Derives(rule, shape, representative, order_); });
  result_.derived += derived ? 1 : 0;
  if (derived || Verify(shape, representative)) {
    known_[shape] = {representative, order_};
    bytes_ += sizeof(Shape) + sizeof(Known) + 16;
  } else if (!options_.stop.stop_requested()) {
    AddRepresentative(shape, std::move(lanes), hash);
  }
  return !options_.stop.stop_requested();
}

// Proves the rule, or counts why not.
bool Sweep::Verify(const Shape& shape, Index representative) {
  const ir::Term search = TermOf(shape), replace = TermOf(entries_[representative].shape);
  const ProofResult proof = Ask(prover_, search, replace, options_.modes);
  if (options_.stop.stop_requested() && proof.outcome == Outcome::kUnknown) return false;  // cut short, not undecided
  switch (proof.outcome) {
    case Outcome::kProved:
      ++result_.run_statistics.proved;
      break;
    case Outcome::kRefuted:
      ++result_.run_statistics.refuted;
      return false;
    case Outcome::kUnknown:
      ++result_.run_statistics.unknown;
      return false;
  }
  ++result_.run_statistics.general;
  rules_[static_cast<size_t>(shape.op)].push_back({shape, representative, order_});
  Report(shape.size);
  return true;
}

bool Sweep::MatchSources(const Shape& pattern, const Shape& shape, std::vector<std::pair<Index, Index>> rest,
                         Bindings bound, const std::function<bool(const Bindings&)>& found) const {
  if (pattern.op != shape.op) return false;
  const SizedOp& op = ops_[static_cast<size_t>(pattern.op)];
  for (const bool swapped : {false, true}) {
    if (swapped && !op.commutative) break;
    std::vector<std::pair<Index, Index>> goals = rest;
    for (size_t i = 0; i < op.source_bits.size(); ++i) {
      goals.emplace_back(pattern.sources[i], shape.sources[swapped && i < 2 ? 1 - i : i]);
    }
    if (MatchAll(std::move(goals), bound, found)) return true;
  }
  return false;
}

bool Sweep::MatchAll(std::vector<std::pair<Index, Index>> rest, Bindings bound,
                     const std::function<bool(const Bindings&)>& found) const {
  while (!rest.empty()) {
    const auto [pattern, index] = rest.back();
    rest.pop_back();
    const Shape &want = entries_[pattern].shape, &have = entries_[index].shape;
    if (want.bits != have.bits) return false;
    if (want.op == kVariable) {
      Index& binding = bound[static_cast<size_t>(want.leaf)];
      if (binding != kNone && binding != index) return false;
      binding = index;
    } else if (want.op == kConstant) {
      if (pattern != index) return false;
    } else {
      return MatchSources(want, have, std::move(rest), bound, found);
    }
  }
  return found(bound);
}

// The representative of a pattern's instance if all of it was looked at before `before`, else kNone.
Index Sweep::Instance(Index pattern, const Bindings& bound, uint64_t before) const {
  const Shape& shape = entries_[pattern].shape;
  if (shape.op == kVariable) return bound[static_cast<size_t>(shape.leaf)];
  if (shape.op == kConstant) return pattern;
  const SizedOp& op = ops_[static_cast<size_t>(shape.op)];
  Shape instance = shape;
  instance.leaf = 0;
  for (size_t i = 0; i < op.source_bits.size(); ++i) {
    instance.sources[i] = Instance(shape.sources[i], bound, before);
    if (instance.sources[i] == kNone) return kNone;
  }
  if (op.commutative && instance.sources[1] < instance.sources[0]) std::swap(instance.sources[0], instance.sources[1]);
  const auto known = known_.find(instance);
  return known == known_.end() || known->second.order >= before ? kNone : known->second.representative;
}

bool Sweep::Derives(const FoundRule& rule, const Shape& shape, Index representative, uint64_t order) const {
  Bindings none;
  none.fill(kNone);
  return MatchSources(rule.search, shape, {}, none, [&](const Bindings& bound) {
    // A variable of the replacement alone may be anything: take it as it is.
    Bindings full = bound;
    for (size_t v = 0; v < full.size(); ++v) {
      if (full[v] == kNone && v < static_cast<size_t>(options_.variables)) full[v] = static_cast<Index>(v);
    }
    return Instance(rule.replace, full, order) == representative;
  });
}

ir::NodeIndex Sweep::AddNodes(const Shape& shape, ir::Term* term) const {
  ir::Node node;
  node.bits = static_cast<uint8_t>(shape.bits);
  if (shape.op == kVariable) {
    node.kind = ir::NodeKind::kVariable;
    node.name = std::string(1, static_cast<char>('a' + shape.leaf));
    for (size_t i = 0; i < term->nodes.size(); ++i) {
      if (term->nodes[i].name == node.name) return static_cast<ir::NodeIndex>(i);
    }
  } else if (shape.op == kConstant) {
    node.kind = ir::NodeKind::kConstant;
    node.literal = shape.real        ? ir::LiteralKind::kFloat
                   : shape.bits == 1 ? ir::LiteralKind::kBool
                                     : ir::LiteralKind::kInt;
    node.values[0] = shape.bits == 1 ? static_cast<uint64_t>(shape.leaf & 1) : static_cast<uint64_t>(shape.leaf);
  } else {
    const SizedOp& op = ops_[static_cast<size_t>(shape.op)];
    node.kind = ir::NodeKind::kOp;
    node.op = op.row;
    for (size_t i = 0; i < op.source_bits.size(); ++i) {
      node.sources.push_back({AddNodes(entries_[shape.sources[i]].shape, term)});
    }
  }
  term->nodes.push_back(std::move(node));
  return static_cast<ir::NodeIndex>(term->nodes.size() - 1);
}

ir::Term Sweep::TermOf(const Shape& shape) const {
  ir::Term term;
  term.root = AddNodes(shape, &term);
  return term;
}

void Sweep::Report(int size) {
  result_.run_statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  result_.run_statistics.peak_bytes = bytes_;
  if (options_.progress) options_.progress(result_.run_statistics, size);
}

// Drops rules that those found after them say as well, and spells the rest out.
void Sweep::Finish() {
  std::vector<FoundRule> kept;
  for (std::vector<FoundRule>& of_op : rules_) {
    for (size_t i = 0; i < of_op.size(); ++i) {
      const bool derived = std::any_of(
          of_op.begin() + static_cast<ptrdiff_t>(i) + 1, of_op.end(),
          [&](const FoundRule& later) { return Derives(later, of_op[i].search, of_op[i].replace, of_op[i].order); });
      if (!derived) kept.push_back(of_op[i]);
    }
  }
  std::sort(kept.begin(), kept.end(), [](const FoundRule& x, const FoundRule& y) { return x.order < y.order; });
  for (const FoundRule& rule : kept) {
    result_.rules.push_back({TermOf(rule.search), TermOf(entries_[rule.replace].shape), rule.search.size,
                             entries_[rule.replace].shape.size});
  }
  result_.run_statistics.minimal = kept.size();
  for (const Entry& entry : entries_) {
    if (entry.shape.size > 0) result_.representatives.push_back(TermOf(entry.shape));
  }
}

SweepResult Sweep::Run() {
  MakeLeaves();
  result_.complete = true;
  for (int size = 1; size <= options_.max_size && result_.complete; ++size) {
    result_.complete = Grow(size);
    Report(size);
  }
  Finish();
  Report(options_.max_size);
  return std::move(result_);
}

}  // namespace

absl::StatusOr<SweepResult> SweepTerms(const SweepOptions& options, ProverInterface* prover) {
  Sweep sweep(options, prover);
  if (absl::Status status = sweep.Prepare(); !status.ok()) return status;
  return sweep.Run();
}

ir::Term InSize(const ir::Term& term, int from, int width) {
  ir::Term sized = term;
  for (ir::Node& node : sized.nodes) {
    if (node.bits == from && from != 1) node.bits = static_cast<uint8_t>(width);
  }
  return sized;
}

}  // namespace rewrought::enumerator
