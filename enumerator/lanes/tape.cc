#include "enumerator/lanes/tape.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "ir/batch.h"
#include "ir/float_contract.h"
#include "ir/meaning.h"
#include "ir/scalar.h"

namespace rewrought::enumerator {
namespace {

using ir::Primitive;
using ir::Value;
using ir::ValueIndex;

uint64_t Mix(uint64_t x) {  // splitmix64's finalizer
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Computes PseudoApproximation for one function and width, with precomputed parameters.
class PseudoFunction {
 public:
  PseudoFunction(ir::Approximation function, int width)
      : format_(ir::FormatOf(width)),
        seed_(static_cast<uint64_t>(function) << 56),
        binary_(ir::ArityOf(function) == 2) {
    const bool odd = function == ir::Approximation::kRcp || function == ir::Approximation::kSin;
    const bool even = function == ir::Approximation::kCos;
    sign_ = odd ? format_.sign() : 0;
    argument_ = odd || even ? format_.magnitude_mask() : ~uint64_t{0};
  }

  uint64_t operator()(uint64_t x, uint64_t y) const {
    if (IsNan(x) || (binary_ && IsNan(y))) return format_.quiet_nan();
    const uint64_t h = Mix(Mix((x & argument_) + seed_) ^ (binary_ ? Mix(y) : 0));
    const uint64_t exponent = (h >> 60) & 1 ? format_.one() : format_.one() - format_.smallest_normal();
    return (x & sign_) | exponent | (h & format_.mantissa_mask());
  }

 private:
  bool IsNan(uint64_t x) const { return (x & format_.magnitude_mask()) > format_.infinity(); }

  const ir::FloatFormat format_;
  const uint64_t seed_;
  const bool binary_;
  uint64_t sign_, argument_;
};

// Evaluates a step for which there is no kernel.
template <typename Lane>
void EvaluateEach(Primitive primitive, const KernelWidths& widths, const Lane* x, const Lane* y, const Lane* z,
                  Lane* to) {
  if (primitive == Primitive::kApprox) {
    const PseudoFunction function(static_cast<ir::Approximation>(widths.immediate), widths.width);
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = static_cast<Lane>(function(x[lane], y[lane]));
    return;
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    to[lane] = static_cast<Lane>(ir::EvaluatePrimitive(primitive, widths.width, widths.operand_width, widths.immediate,
                                                       x[lane], y[lane], z[lane]));
  }
}

}  // namespace

uint64_t PseudoApproximation(ir::Approximation function, int width, uint64_t x, uint64_t y) {
  return PseudoFunction(function, width)(x, y);
}

int Tape::FuseAt(const ir::Dag& dag, ValueIndex index, ValueIndex operands[3]) const {
  const Value& value = dag.at(index);
  if (value.width != 32) return -1;
  if (value.primitive == Primitive::kFmin) {
    const Value& inner = dag.at(value.operands[0]);
    const Value& one = dag.at(value.operands[1]);
    if (inner.primitive != Primitive::kFmax || one.primitive != Primitive::kLiteral || one.immediate != 0x3f800000)
      return -1;
    const Value& zero = dag.at(inner.operands[1]);
    if (zero.primitive != Primitive::kLiteral || zero.immediate != 0) return -1;
    operands[0] = operands[1] = operands[2] = inner.operands[0];
    return static_cast<int>(FusedShape::kSaturate);
  }
  if (value.primitive != Primitive::kIte) return -1;
  const Value& either = dag.at(value.operands[0]);
  if (either.primitive != Primitive::kOr) return -1;
  const ValueIndex x = value.operands[1], y = value.operands[2];
  for (const int k : {0, 1}) {
    const Value& nan = dag.at(either.operands[k]);
    const Value& compare = dag.at(either.operands[1 - k]);
    if (nan.primitive != Primitive::kIsnan || nan.operands[0] != y) continue;
    const bool less = compare.primitive == Primitive::kFlt && compare.operands[0] == x && compare.operands[1] == y;
    const bool greater = compare.primitive == Primitive::kFle && compare.operands[0] == y && compare.operands[1] == x;
    if (!less && !greater) continue;
    operands[0] = x, operands[1] = y, operands[2] = y;
    return static_cast<int>(less ? FusedShape::kSelectLess : FusedShape::kSelectGreaterEqual);
  }
  return -1;
}

absl::StatusOr<Tape> Tape::Compile(const ir::Dag& dag, ValueIndex root) {
  Tape tape;
  // Match fused shapes first, from the root down, so that values that are used only inside a fused shape are omitted.
  std::map<ValueIndex, std::array<ValueIndex, 3>> sources;
  std::map<ValueIndex, int> fused;
  std::vector<ValueIndex> pending = {root}, order;
  while (!pending.empty()) {
    const ValueIndex index = pending.back();
    pending.pop_back();
    if (sources.contains(index)) continue;
    const Value& value = dag.at(index);
    ValueIndex operands[3] = {value.operands[0], value.operands[1], value.operands[2]};
    const int arity = ir::Dag::Arity(value);
    for (int k = arity; k < 3; ++k) operands[k] = arity > 0 ? operands[0] : 0;
    const int shape = tape.FuseAt(dag, index, operands);
    if (shape >= 0) fused[index] = shape;
    sources[index] = {operands[0], operands[1], operands[2]};
    order.push_back(index);
    if (arity > 0) pending.insert(pending.end(), operands, operands + 3);
  }
  std::sort(order.begin(), order.end());  // Sources precede users in a Dag.
  std::map<ValueIndex, int> place;
  for (const ValueIndex index : order) {
    const Value& value = dag.at(index);
    if (value.width > 32) tape.wide_ = true;
    if (value.primitive == Primitive::kInput) {
      if (value.width > 32) return absl::InvalidArgumentError("an operand has more than 32 bits");
      place[index] = kInputBase + static_cast<int>(value.immediate);
      continue;
    }
    Step step;
    step.primitive = value.primitive;
    step.widths = {value.width, value.width, value.immediate};
    AlignedBlock literal{};
    const bool is_leaf = value.primitive == Primitive::kLiteral || value.primitive == Primitive::kChoice;
    if (value.primitive == Primitive::kChoice) step.primitive = Primitive::kLiteral, step.widths.immediate = 0;
    if (is_leaf) {
      for (uint32_t& lane : literal.lane) lane = static_cast<uint32_t>(step.widths.immediate);
    } else {
      step.widths.operand_width = dag.OperandWidth(value);
      const auto shape = fused.find(index);
      if (shape != fused.end()) step.fused = static_cast<int8_t>(shape->second);
      for (int k = 0; k < 3; ++k) step.operands[k] = place.at(sources[index][k]);
      step.covered = Kernels().covers(step.primitive, step.widths.width, step.widths.operand_width);
    }
    place[index] = static_cast<int>(tape.steps_.size());
    tape.steps_.push_back(step);
    tape.literals_.push_back(literal);
  }
  if (dag.at(root).width > 32) return absl::InvalidArgumentError("the result has more than 32 bits");
  tape.root_ = place.at(root);
  if (tape.wide_) {
    for (Step& step : tape.steps_) {
      if (step.fused >= 0) return absl::InternalError("a fused shape cannot occur with values of more than 32 bits");
    }
  }
  return tape;
}

void Tape::RunWide(const LaneBlock* const* inputs, LaneBlock* out, TapeScratch* scratch) const {
  std::vector<WideBlock>& values = scratch->wide;
  if (values.size() < steps_.size() + 3) values.resize(steps_.size() + 3);
  const auto read = [&](int operand, int k) -> const uint64_t* {
    if (operand < kInputBase) return values[operand].lane;
    WideBlock& widened = values[steps_.size() + static_cast<size_t>(k)];
    std::copy_n(inputs[operand - kInputBase]->lane, kLanes, widened.lane);
    return widened.lane;
  };
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    uint64_t* to = values[i].lane;
    if (step.primitive == Primitive::kLiteral) {
      std::fill_n(to, kLanes, step.widths.immediate);
      continue;
    }
    const uint64_t *x = read(step.operands[0], 0), *y = read(step.operands[1], 1), *z = read(step.operands[2], 2);
    if (step.primitive == Primitive::kApprox) {
      EvaluateEach(step.primitive, step.widths, x, y, z, to);
    } else {
      ir::EvaluateLanes(step.primitive, step.widths.width, step.widths.operand_width, step.widths.immediate, kLanes, x,
                        y, z, to);
    }
  }
  const uint64_t* root = read(root_, 0);
  for (int lane = 0; lane < kLanes; ++lane) out->lane[lane] = static_cast<uint32_t>(root[lane]);
}

void Tape::Run(const KernelSet& kernels, const LaneBlock* const* inputs, LaneBlock* out, TapeScratch* scratch) const {
  if (wide_) return RunWide(inputs, out, scratch);
  if (root_ >= kInputBase) {
    *out = *inputs[root_ - kInputBase];
    return;
  }
  std::vector<AlignedBlock>& values = scratch->narrow;
  if (values.size() < steps_.size()) values.resize(steps_.size());
  const int last = static_cast<int>(steps_.size()) - 1;
  for (int i = 0; i <= last; ++i) {
    const Step& step = steps_[i];
    LaneBlock* to = i == root_ && i == last ? out : &values[i];
    if (step.primitive == Primitive::kLiteral) {
      if (to == out) *out = literals_[i];
      continue;
    }
    const auto read = [&](int operand) -> const LaneBlock& {
      if (operand >= kInputBase) return *inputs[operand - kInputBase];
      return steps_[operand].primitive == Primitive::kLiteral ? literals_[operand] : values[operand];
    };
    const LaneBlock &x = read(step.operands[0]), &y = read(step.operands[1]), &z = read(step.operands[2]);
    const Kernel kernel =
        step.fused >= 0 ? kernels.fused[step.fused] : kernels.primitives[static_cast<int>(step.primitive)];
    if (kernel != nullptr && step.covered) {
      kernel(step.widths, x, y, z, to);
      continue;
    }
    EvaluateEach(step.primitive, step.widths, x.lane, y.lane, z.lane, to->lane);
  }
  if (root_ != last) *out = values[root_];
}

namespace {

int WidthOf(const ir::OperandType& type, int free_size) { return type.bits != 0 ? int{type.bits} : free_size; }

// Adds the row's meaning, applied to `sources`, to `dag`.
absl::StatusOr<ValueIndex> BuildRow(ir::Dag* dag, const ir::OpRow& row, int free_size,
                                    absl::Span<const ValueIndex> sources) {
  if (row.result.components > 1) return absl::InvalidArgumentError(absl::StrCat(row.name, " returns a vector"));
  ir::MeaningScope scope;
  scope.free_size = free_size;
  scope.result_size = WidthOf(row.result, free_size);
  for (const ValueIndex source : sources) scope.sources.push_back({source});
  absl::StatusOr<const ir::RowMeaning*> meaning = ir::MeaningOf(row);
  if (!meaning.ok()) return meaning.status();
  return ir::BuildMeaning(dag, (*meaning)->meaning[0], scope, scope.result_size);
}

absl::StatusOr<ValueIndex> BuildRowOfInputs(ir::Dag* dag, const ir::OpRow& row, int free_size) {
  std::vector<ValueIndex> sources;
  for (size_t i = 0; i < row.sources.size(); ++i) {
    if (row.sources[i].components > 1)
      return absl::InvalidArgumentError(absl::StrCat(row.name, " has a vector operand"));
    sources.push_back(dag->InputNamed(absl::StrCat("s", i), WidthOf(row.sources[i], free_size)));
  }
  return BuildRow(dag, row, free_size, sources);
}

// Clears the flag in `passed` of each input that the value at `index` does not merely copy.
void MarkComputed(const ir::Dag& dag, ValueIndex index, bool passing, std::vector<bool>* passed) {
  const Value& value = dag.at(index);
  if (value.primitive == Primitive::kInput) {
    if (!passing) (*passed)[value.immediate] = false;
    return;
  }
  for (int k = 0; k < ir::Dag::Arity(value); ++k) {
    MarkComputed(dag, value.operands[k], passing && value.primitive == Primitive::kIte && k > 0, passed);
  }
}

}  // namespace

absl::StatusOr<Tape> CompileRow(const ir::OpRow& row, int free_size) {
  const ir::OpRow* const rows[] = {&row};
  return CompileRows(rows, free_size);
}

absl::StatusOr<Tape> CompileRows(absl::Span<const ir::OpRow* const> rows, int free_size) {
  ir::Dag dag;
  absl::StatusOr<ValueIndex> value = BuildRowOfInputs(&dag, *rows[0], free_size);
  for (size_t i = 1; i < rows.size() && value.ok(); ++i) value = BuildRow(&dag, *rows[i], free_size, {*value});
  if (!value.ok()) return value.status();
  return Tape::Compile(dag, *value);
}

absl::StatusOr<std::vector<bool>> PassedSources(const ir::OpRow& row, int free_size) {
  ir::Dag dag;
  absl::StatusOr<ValueIndex> value = BuildRowOfInputs(&dag, row, free_size);
  if (!value.ok()) return value.status();
  std::vector<bool> passed(row.sources.size(), true);
  MarkComputed(dag, *value, true, &passed);
  return passed;
}

absl::StatusOr<Tape> CompileTerm(const ir::Term& term, absl::Span<const std::string> variables) {
  ir::Dag dag;
  ir::Term plain = term;
  for (ir::Node& node : plain.nodes) {
    node.flags &= static_cast<uint8_t>(~(ir::kPermissions | ir::kRootMarks));
    if (node.kind != ir::NodeKind::kVariable) continue;
    if (std::find(variables.begin(), variables.end(), node.name) == variables.end()) {
      return absl::InvalidArgumentError(absl::StrCat("variable ", node.name, " is not listed"));
    }
  }
  for (const std::string& name : variables) {  // Inputs in the listed order; unused ones may have any width.
    const auto found = std::find_if(plain.nodes.begin(), plain.nodes.end(), [&](const ir::Node& node) {
      return node.kind == ir::NodeKind::kVariable && node.name == name;
    });
    dag.InputNamed(name, found == plain.nodes.end() ? 32 : found->bits);
  }
  absl::StatusOr<ir::LoweredTerm> lowered =
      ir::LowerTerm(&dag, plain, ir::DenormMode::kPreserve, [&](const ir::Choice& choice) {
        // Poison evaluates to the computed value, as it does in the machine rows of a bank.
        return choice.kind == ir::ChoiceKind::kAnyValue ? choice.about : dag.Literal(0, choice.width);
      });
  if (!lowered.ok()) return lowered.status();
  if (lowered->root.size() != 1) return absl::InvalidArgumentError("the term's root is a vector");
  return Tape::Compile(dag, lowered->root[0]);
}

}  // namespace rewrought::enumerator
