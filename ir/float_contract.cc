#include "ir/float_contract.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/dialect/lowering.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/match/matcher_model.h"
#include "ir/meaning.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

class Lowering {
 public:
  Lowering(Dialect dialect, Dag* dag, const Term& term, DenormMode mode, const ChoiceSource& choose)
      : dialect_(dialect), dag_(dag), term_(term), mode_(mode), choose_(choose) {}

  absl::StatusOr<LoweredTerm> Run() {
    LoweredTerm lowered;
    lowered.values.resize(term_.nodes.size());
    const std::vector<bool> wanted = WantedNodes();
    for (NodeIndex i = 0; i < term_.nodes.size(); ++i) {
      if (!wanted[i]) continue;
      const Node& node = term_.nodes[i];
      if (node.bits == 0) return absl::InvalidArgumentError(absl::StrCat("node ", i, " has no size"));
      switch (node.kind) {
        case NodeKind::kVariable:
          lowered.values[i] = LowerVariable(node);
          break;
        case NodeKind::kConstant:
          lowered.values[i] = LowerConstant(node);
          break;
        case NodeKind::kOp: {
          absl::StatusOr<std::vector<ValueIndex>> values = LowerOp(i, node, lowered);
          if (!values.ok()) return values.status();
          lowered.values[i] = *std::move(values);
          break;
        }
      }
    }
    lowered.root = lowered.values[term_.root];
    return lowered;
  }

 private:
  std::vector<bool> WantedNodes() const {
    std::vector<bool> wanted(term_.nodes.size(), false);
    wanted[term_.root] = true;
    for (NodeIndex i = term_.root + 1; i-- > 0;) {
      if (!wanted[i]) continue;
      for (const Source& source : term_.nodes[i].sources) wanted[source.node] = true;
    }
    return wanted;
  }

  std::vector<ValueIndex> LowerVariable(const Node& node) {
    std::vector<ValueIndex> values;
    for (int c = 0; c < node.components; ++c) {
      const std::string name = node.components == 1 ? node.name : absl::StrCat(node.name, ".", c);
      values.push_back(dag_->InputNamed(name, node.bits));
    }
    return values;
  }

  std::vector<ValueIndex> LowerConstant(const Node& node) {
    const bool either_zero =
        std::find(node.predicates.begin(), node.predicates.end(), kEitherZero) != node.predicates.end();
    std::vector<ValueIndex> values;
    for (int c = 0; c < node.components; ++c) {
      if (either_zero) {
        const ValueIndex negative = dag_->InputNamed(absl::StrCat("zero", zero_literals_++), 1);
        values.push_back(
            dag_->Ite(negative, dag_->Literal(FormatOf(node.bits).sign(), node.bits), dag_->Literal(0, node.bits)));
      } else {
        values.push_back(dag_->Literal(node.values[c], node.bits));
      }
    }
    return values;
  }

  absl::StatusOr<std::vector<ValueIndex>> LowerOp(NodeIndex index, const Node& node, const LoweredTerm& lowered);
  absl::StatusOr<ValueIndex> LowerComponent(NodeIndex index, const Node& node, int component, const Expression& meaning,
                                            const RowMeaning& row, const LoweredTerm& lowered);
  ValueIndex FlushSource(NodeIndex index, const Node& node, int component, ValueIndex source,
                         std::vector<std::pair<ValueIndex, ValueIndex>>* flushed);
  ValueIndex FreeSourceZero(NodeIndex index, const Node& node, int component, ValueIndex source,
                            std::vector<std::pair<ValueIndex, ValueIndex>>* read);
  ValueIndex FlushResult(NodeIndex index, const Node& node, int component, ValueIndex result, ValueIndex tiny);
  // Returns `result`, or a zero of either sign if it is a zero and `condition` holds.
  ValueIndex FreeZero(NodeIndex index, int component, ValueIndex result, ValueIndex condition,
                      absl::string_view reason = "");
  ValueIndex AnyNan(NodeIndex index, int component, ValueIndex result);
  ValueIndex AnyValue(NodeIndex index, int component, ValueIndex result, ValueIndex condition,
                      absl::string_view reason);
  // Returns the row that defines the node's op.
  const OpRow& RowOf(const Node& node) const { return dialect_ == Dialect::kNir26 ? RowIn26(*node.op) : *node.op; }
  // Returns a 1-bit value that states whether `node` has `permission` for floats of `bits` bits. The value is a
  // literal, or an input if it depends on the flags of the matched root.
  ValueIndex Permission(NodeIndex index, const Node& node, uint8_t permission, int bits);
  // Returns `result`, or any value if one of `floats`, or `result` read in the format `small`, is a NaN or an infinity
  // and the node's flags permit this.
  ValueIndex IgnoreNanAndInf(NodeIndex index, const Node& node, int component, ValueIndex result,
                             const std::vector<ValueIndex>& floats, int bits, ValueIndex allowed,
                             SmallFloat small = SmallFloat::kNone);
  // Returns `x`, a value of `format`, without its sign.
  ValueIndex SmallMagnitude(ValueIndex x, SmallFloat format);
  // Returns 1-bit values that state whether `x`, a value of `format`, is a NaN or an infinity.
  ValueIndex IsSmallNan(ValueIndex x, SmallFloat format);
  ValueIndex IsSmallInf(ValueIndex x, SmallFloat format);
  // Returns `result`, with the choices of FreeZero and AnyNan for a value of `format`.
  ValueIndex SmallChoices(NodeIndex index, const Node& node, int component, ValueIndex result, SmallFloat format);
  // Returns a 1-bit value that states whether `test` holds for any of `floats`.
  ValueIndex Any(Primitive test, const std::vector<ValueIndex>& floats);

  bool IsFalse(ValueIndex value) const {
    return dag_->at(value).primitive == Primitive::kLiteral && dag_->at(value).immediate == 0;
  }

  const Dialect dialect_;
  Dag* dag_;
  const Term& term_;
  const DenormMode mode_;
  const ChoiceSource& choose_;
  int zero_literals_ = 0;
};

ValueIndex Lowering::FlushSource(NodeIndex index, const Node& node, int component, ValueIndex source,
                                 std::vector<std::pair<ValueIndex, ValueIndex>>* flushed) {
  const Contract contract = RowOf(node).contract;
  if (contract == Contract::kBits || mode_ == DenormMode::kPreserve || mode_ == DenormMode::kNone) return source;
  for (const auto& [before, after] : *flushed) {
    if (before == source) return after;
  }
  const ValueIndex denormal = dag_->Truth(Primitive::kIsdenorm, source);
  ValueIndex result = source;
  if (!IsFalse(denormal)) {
    ValueIndex flush = denormal;
    if (mode_ == DenormMode::kAny || contract == Contract::kMayFlush) {
      const Choice choice{ChoiceKind::kFlushSource, 1, index, static_cast<uint8_t>(component), source, ""};
      flush = dag_->And(denormal, choose_(choice));
    }
    result = dag_->Ite(flush, FlushDenorm(dag_, source), source);
  }
  flushed->emplace_back(source, result);
  return result;
}

ValueIndex Lowering::FlushResult(NodeIndex index, const Node& node, int component, ValueIndex result, ValueIndex tiny) {
  if (mode_ == DenormMode::kPreserve || mode_ == DenormMode::kNone) return result;
  const int width = dag_->at(result).width;
  const ValueIndex denormal = dag_->Truth(Primitive::kIsdenorm, result);
  const ValueIndex zero = dag_->Make(Primitive::kAnd, width, {result, dag_->Literal(FormatOf(width).sign(), width)});
  const bool forced = mode_ == DenormMode::kFlush && RowOf(node).contract != Contract::kMayFlush;
  const ValueIndex optional = forced ? tiny : dag_->Or(denormal, tiny);
  ValueIndex flush = forced ? denormal : dag_->Literal(0, 1);
  if (!IsFalse(optional)) {
    const Choice choice{ChoiceKind::kFlushResult, 1, index, static_cast<uint8_t>(component), result, ""};
    flush = dag_->Or(flush, dag_->And(optional, choose_(choice)));
  }
  return dag_->Ite(flush, zero, result);
}

// Returns the source as the node reads it: in nir-26, nsz permits the opposite sign of a zero. Adds no choice for an op
// in which it could affect only the sign of a zero result (ReadsSignOfZero).
ValueIndex Lowering::FreeSourceZero(NodeIndex index, const Node& node, int component, ValueIndex source,
                                    std::vector<std::pair<ValueIndex, ValueIndex>>* read) {
  if (dialect_ != Dialect::kNir26 || !ReadsSignOfZero(RowOf(node))) return source;
  for (const auto& [before, after] : *read) {
    if (before == source) return after;
  }
  const ValueIndex permission = Permission(index, node, kNoSignedZero, dag_->at(source).width);
  read->emplace_back(source, FreeZero(index, component, source, permission, kOfSource));
  return read->back().second;
}

ValueIndex Lowering::FreeZero(NodeIndex index, int component, ValueIndex result, ValueIndex condition,
                              absl::string_view reason) {
  const int width = dag_->at(result).width;
  const ValueIndex free = dag_->And(dag_->Truth(Primitive::kIszero, result), condition);
  if (IsFalse(free)) return result;
  const ValueIndex negative =
      choose_({ChoiceKind::kZeroSign, 1, index, static_cast<uint8_t>(component), result, std::string(reason)});
  const ValueIndex zero = dag_->Ite(negative, dag_->Literal(FormatOf(width).sign(), width), dag_->Literal(0, width));
  return dag_->Ite(free, zero, result);
}

ValueIndex Lowering::AnyNan(NodeIndex index, int component, ValueIndex result) {
  const int width = dag_->at(result).width;
  const ValueIndex is_nan = dag_->Truth(Primitive::kIsnan, result);
  if (IsFalse(is_nan)) return result;
  const ValueIndex pattern =
      choose_({ChoiceKind::kNan, static_cast<uint8_t>(width), index, static_cast<uint8_t>(component), result, ""});
  const ValueIndex nan =
      dag_->Ite(dag_->Truth(Primitive::kIsnan, pattern), pattern, dag_->Literal(FormatOf(width).quiet_nan(), width));
  return dag_->Ite(is_nan, nan, result);
}

ValueIndex Lowering::AnyValue(NodeIndex index, int component, ValueIndex result, ValueIndex condition,
                              absl::string_view reason) {
  if (IsFalse(condition)) return result;
  const uint8_t width = dag_->at(result).width;
  const ValueIndex value =
      choose_({ChoiceKind::kAnyValue, width, index, static_cast<uint8_t>(component), result, std::string(reason)});
  return dag_->Ite(condition, value, result);
}

ValueIndex Lowering::Permission(NodeIndex index, const Node& node, uint8_t permission, int bits) {
  if (dialect_ == Dialect::kNir26) return UnknownFlagIn26(dag_, node, index, permission);
  if ((node.flags & permission) != 0 && FlagPermits(*node.op, node.bits)) return dag_->Literal(1, 1);
  if (node.flags & RootMark(permission)) return dag_->InputNamed(RootFlagInput(permission, bits), 1);
  return dag_->Literal(0, 1);
}

ValueIndex Lowering::IgnoreNanAndInf(NodeIndex index, const Node& node, int component, ValueIndex result,
                                     const std::vector<ValueIndex>& floats, int bits, ValueIndex allowed,
                                     SmallFloat small) {
  const ValueIndex no_nan = dag_->And(allowed, Permission(index, node, kNoNan, bits));
  const ValueIndex no_inf = dag_->And(allowed, Permission(index, node, kNoInf, bits));
  ValueIndex small_nan = dag_->Literal(0, 1), small_inf = small_nan;
  if (small != SmallFloat::kNone) {
    small_nan = IsSmallNan(result, small);
    small_inf = IsSmallInf(result, small);
  }
  const ValueIndex any_nan = dag_->Or(Any(Primitive::kIsnan, floats), small_nan);
  result = AnyValue(index, component, result, dag_->And(any_nan, no_nan), "nnan");
  const ValueIndex any_inf = dag_->Or(Any(Primitive::kIsinf, floats), small_inf);
  return AnyValue(index, component, result, dag_->And(any_inf, no_inf), "ninf");
}

ValueIndex Lowering::SmallMagnitude(ValueIndex x, SmallFloat format) {
  const int width = dag_->at(x).width;
  return dag_->Make(Primitive::kAnd, width, {x, dag_->Literal(FormatOf(format).sign() - 1, width)});
}

ValueIndex Lowering::IsSmallNan(ValueIndex x, SmallFloat format) {
  const ValueIndex largest = dag_->Literal(FormatOf(format).largest, dag_->at(x).width);
  return dag_->Make(Primitive::kUlt, 1, {largest, SmallMagnitude(x, format)});
}

ValueIndex Lowering::IsSmallInf(ValueIndex x, SmallFloat format) {
  if (!FormatOf(format).has_infinity) return dag_->Literal(0, 1);
  return dag_->Equal(SmallMagnitude(x, format), dag_->Literal(FormatOf(format).largest, dag_->at(x).width));
}

ValueIndex Lowering::SmallChoices(NodeIndex index, const Node& node, int component, ValueIndex result,
                                  SmallFloat format) {
  const int width = dag_->at(result).width;
  const ValueIndex sign = dag_->Literal(FormatOf(format).sign(), width);
  const ValueIndex is_zero = dag_->Equal(SmallMagnitude(result, format), dag_->Literal(0, width));
  const ValueIndex free = dag_->And(is_zero, Permission(index, node, kNoSignedZero, width));
  if (!IsFalse(free)) {
    const ValueIndex negative = choose_({ChoiceKind::kZeroSign, 1, index, static_cast<uint8_t>(component), result, ""});
    result = dag_->Ite(free, dag_->Ite(negative, sign, dag_->Literal(0, width)), result);
  }
  const ValueIndex is_nan = IsSmallNan(result, format);
  if (IsFalse(is_nan)) return result;
  if (format == SmallFloat::kE4m3fn) {  // its only NaNs are 0x7f and 0xff
    const ValueIndex negative =
        choose_({ChoiceKind::kZeroSign, 1, index, static_cast<uint8_t>(component), result, "nan"});
    return dag_->Ite(is_nan, dag_->Ite(negative, dag_->Literal(0xff, width), dag_->Literal(0x7f, width)), result);
  }
  const ValueIndex pattern = choose_({ChoiceKind::kAnyValue, static_cast<uint8_t>(width), index,
                                      static_cast<uint8_t>(component), result, "small nan"});
  return dag_->Ite(is_nan, dag_->Ite(IsSmallNan(pattern, format), pattern, result), result);
}

ValueIndex Lowering::Any(Primitive test, const std::vector<ValueIndex>& floats) {
  ValueIndex any = dag_->Literal(0, 1);
  for (ValueIndex value : floats) any = dag_->Or(any, dag_->Truth(test, value));
  return any;
}

absl::StatusOr<ValueIndex> Lowering::LowerComponent(NodeIndex index, const Node& node, int component,
                                                    const Expression& meaning, const RowMeaning& row,
                                                    const LoweredTerm& lowered) {
  const OpRow& op = RowOf(node);
  MeaningScope scope;
  scope.result_size = node.bits;
  scope.free_size = op.result.bits == 0 ? node.bits : 0;
  std::vector<ValueIndex> floats;
  std::vector<std::pair<ValueIndex, ValueIndex>> flushed, read;
  for (size_t k = 0; k < node.sources.size(); ++k) {
    const Source& source = node.sources[k];
    const OperandType& type = op.sources[k];
    const std::vector<ValueIndex>& values = lowered.values[source.node];
    std::vector<ValueIndex> components;
    for (int c = 0; c < std::max<int>(1, type.components); ++c) {
      const uint8_t lane = source.swizzle[type.components == 0 ? component : c];
      if (lane >= values.size()) return absl::InvalidArgumentError(absl::StrCat(op.name, ": no such component"));
      ValueIndex value = values[lane];
      if (type.bits == 0) scope.free_size = dag_->at(value).width;
      if (type.base == BaseType::kFloat) {
        value = FlushSource(index, node, component, value, &flushed);
        value = FreeSourceZero(index, node, component, value, &read);
        floats.push_back(value);
      }
      components.push_back(value);
    }
    scope.sources.push_back(std::move(components));
  }
  absl::StatusOr<ValueIndex> built = BuildMeaning(dag_, meaning, scope, node.bits);
  if (!built.ok()) return built.status();
  if (dag_->at(*built).width != node.bits) {
    return absl::InvalidArgumentError(
        absl::StrCat(op.name, " returns ", dag_->at(*built).width, " bits, not ", node.bits));
  }
  ValueIndex result = *built;
  const ValueIndex no = dag_->Literal(0, 1), yes = dag_->Literal(1, 1);
  auto condition = [&](const std::vector<Expression>& terms) -> absl::StatusOr<ValueIndex> {
    if (terms.empty()) return no;
    return BuildMeaning(dag_, terms[0], scope, 1);
  };
  const absl::StatusOr<ValueIndex> tiny = condition(row.tiny), poison = condition(row.poison);
  const absl::StatusOr<ValueIndex> free_zero = condition(row.free_zero);
  for (const auto* status : {&tiny, &poison, &free_zero}) {
    if (!status->ok()) return status->status();
  }
  const bool is_float = op.result.base == BaseType::kFloat && IsFloatWidth(node.bits);
  if (is_float) {
    if (op.contract != Contract::kBits) result = FlushResult(index, node, component, result, *tiny);
    result =
        FreeZero(index, component, result, dag_->Or(Permission(index, node, kNoSignedZero, node.bits), *free_zero));
    if (op.contract != Contract::kBits) result = AnyNan(index, component, result);
    if (op.contract == Contract::kFlushedOnly && mode_ == DenormMode::kPreserve)
      result = AnyValue(index, component, result, yes, "poison");
    floats.push_back(result);
  }
  // In nir-25, the flags of a selection that copies bits describe the value that it returns.
  const bool is_26 = dialect_ == Dialect::kNir26;
  const SmallFloat small = is_26 ? SmallFloatOf(op) : SmallFloat::kNone;
  if (small != SmallFloat::kNone) result = SmallChoices(index, node, component, result, small);
  const bool flagged_selection = !is_26 && !is_float && FlagPermits(op, node.bits);
  if (flagged_selection) {
    result = FreeZero(index, component, result, Permission(index, node, kNoSignedZero, node.bits));
    floats.push_back(result);
  }
  const uint8_t operand_flags = is_26 ? kRootMarks | kPermissions : kRootMarks;
  if (is_float || flagged_selection) {
    result = IgnoreNanAndInf(index, node, component, result, floats, node.bits, yes);
  } else if (FlagsApplyToOperands(op) && (node.flags & operand_flags) != 0) {
    const ValueIndex inexact = is_26 ? yes : dag_->Not(dag_->InputNamed(std::string(kRootExactInput), 1));
    result = IgnoreNanAndInf(index, node, component, result, floats, dag_->at(floats[0]).width, inexact, small);
  }
  return AnyValue(index, component, result, *poison, "poison");
}

absl::StatusOr<std::vector<ValueIndex>> Lowering::LowerOp(NodeIndex index, const Node& node,
                                                          const LoweredTerm& lowered) {
  const absl::StatusOr<const RowMeaning*> row = MeaningOf(RowOf(node));
  if (!row.ok()) return row.status();
  if (node.sources.size() != node.op->sources.size()) {
    return absl::InvalidArgumentError(absl::StrCat(node.op->name, " takes ", node.op->sources.size(), " sources"));
  }
  std::vector<ValueIndex> values;
  for (int c = 0; c < node.components; ++c) {
    const size_t part = node.op->result.components > 1 ? static_cast<size_t>(c) : 0;
    if (part >= (*row)->meaning.size())
      return absl::InvalidArgumentError(absl::StrCat(node.op->name, ": no such component"));
    absl::StatusOr<ValueIndex> value = LowerComponent(index, node, c, (*row)->meaning[part], **row, lowered);
    if (!value.ok()) return value.status();
    if (!(node.write_mask >> c & 1)) value = AnyValue(index, c, *value, dag_->Literal(1, 1), "unwritten");
    values.push_back(*value);
  }
  return values;
}

}  // namespace

absl::string_view NameOf(DenormMode mode) {
  switch (mode) {
    case DenormMode::kNone:
      return "none";
    case DenormMode::kAny:
      return "any";
    case DenormMode::kPreserve:
      return "preserve";
    case DenormMode::kFlush:
      return "flush";
  }
  return "";
}

ValueIndex FlushDenorm(Dag* dag, ValueIndex x) {
  const int width = dag->at(x).width;
  return dag->Make(Primitive::kAnd, width, {x, dag->Literal(FormatOf(width).sign(), width)});
}

bool HasFloatOperation(const Term& term) {
  for (const Node& node : term.nodes) {
    if (node.kind != NodeKind::kOp) continue;
    if (node.op->contract != Contract::kBits) return true;
  }
  return false;
}

absl::StatusOr<LoweredTerm> LowerTerm(Dag* dag, const Term& term, DenormMode mode, const ChoiceSource& choose) {
  return LowerTermIn(Dialect::kNir25, dag, term, mode, choose);
}

absl::StatusOr<LoweredTerm> LowerTermIn(Dialect dialect, Dag* dag, const Term& term, DenormMode mode,
                                        const ChoiceSource& choose) {
  return Lowering(dialect, dag, term, mode, choose).Run();
}

ValueIndex UnknownFlagIn26(Dag* dag, const Node& node, NodeIndex index, uint8_t flag) {
  if ((node.flags & flag) != 0) return dag->Literal(1, 1);
  if ((node.flags & RootMark(flag)) == 0) return dag->Literal(0, 1);
  const std::string name = RootFlagInput(flag, 0);
  const ValueIndex shared = dag->InputNamed(name, 1);
  const bool alone =
      std::find(node.predicates.begin(), node.predicates.end(), kReadsPredicate) != node.predicates.end();
  return alone ? dag->Or(shared, dag->InputNamed(absl::StrCat(name, "_n", index), 1)) : shared;
}

}  // namespace rewrought::ir
