#include "verifier/rule_case.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/dialect/choices.h"
#include "ir/dialect/lowering.h"
#include "ir/dialect/nir26_predicates.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/exclusion.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/match/matcher_model.h"
#include "ir/match/relation.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/text/predicates.h"

namespace rewrought::verifier {
namespace {

using ir::Choice;
using ir::ChoiceKind;
using ir::IsWide;
using ir::Primitive;
using ir::ValueIndex;

// Names each choice by its kind, node and component, and by its index among the choices that share these.
class ChoiceNamer {
 public:
  std::string Name(const Choice& choice) {
    const std::string stem =
        absl::StrCat("n", choice.node, ".", choice.component, ":", static_cast<int>(choice.kind), choice.reason);
    return absl::StrCat(stem, "#", ++count_[stem]);
  }

 private:
  std::map<std::string, int> count_;
};

// Returns the lowest bit of `part` in `whole`, or nullopt if `whole` does not contain `part` unchanged. If `selected`
// is set, `whole` may also contain `part` as an operand of an ite.
std::optional<int> OffsetOf(const ir::Dag& dag, ValueIndex whole, ValueIndex part, bool selected) {
  if (whole == part) return 0;
  const ir::Value& value = dag.at(whole);
  if (selected && value.primitive == Primitive::kIte) {
    const std::optional<int> first = OffsetOf(dag, value.operands[1], part, selected);
    return first.has_value() ? first : OffsetOf(dag, value.operands[2], part, selected);
  }
  if (value.primitive != Primitive::kConcat) return std::nullopt;
  if (const std::optional<int> low = OffsetOf(dag, value.operands[1], part, selected); low.has_value()) return low;
  const std::optional<int> high = OffsetOf(dag, value.operands[0], part, selected);
  return high.has_value() ? std::optional(*high + dag.at(value.operands[1]).width) : std::nullopt;
}

// Returns whether the two ops may choose the signs of zeros under the same condition in nir-26.
bool HasSameZeroFlags(const ir::Node& x, const ir::Node& y) {
  const auto depends_on_node = [](const ir::Node& node) {
    return std::find(node.predicates.begin(), node.predicates.end(), ir::kReadsPredicate) != node.predicates.end();
  };
  constexpr uint8_t kFlags = ir::kNoSignedZero | ir::kRootNoSignedZero;
  return x.op == y.op && (x.flags & kFlags) == (y.flags & kFlags) && !depends_on_node(x) && !depends_on_node(y);
}

// The predicates whose ranges analyze_constant (nir_range_analysis.c of 25.0.7) derives with fmin and fmax, and that
// admit NaN. In a 64-bit vector, a signaling NaN makes fmin and fmax forget the preceding components, so one of these
// predicates may hold although it is false for some component. Narrower constants are converted to double, which makes
// their NaNs quiet.
constexpr absl::string_view kSignsOfConstants[] = {
    "is_ge_zero", "is_gt_zero", "is_le_zero", "is_lt_zero", "is_not_negative", "is_not_positive", "is_not_zero",
};

// Returns whether `predicate` uses range analysis in Mesa 26 but applies only to constants in 25.0.7.
bool IsAnalyzedOnlyIn26(absl::string_view predicate) {
  return predicate == "is_zero_to_one" || predicate == "is_gt_0_and_lt_1" ||
         absl::StartsWith(predicate, "is_unsigned_multiple_of_");
}

}  // namespace

ir::BaseType TypeForPredicates(ir::Dialect dialect, const ir::Term& search, const ir::Node& variable) {
  if (dialect == ir::Dialect::kNir25) return ir::TypeOfUse(search, variable.name);
  if (std::find(variable.predicates.begin(), variable.predicates.end(), ir::kReadAsInt) != variable.predicates.end())
    return ir::BaseType::kInt;
  for (const ir::Node& reader : search.nodes) {
    for (size_t k = 0; k < reader.sources.size(); ++k) {
      const ir::Node& source = search.at(reader.sources[k].node);
      if (source.kind == ir::NodeKind::kVariable && source.name == variable.name)
        return ir::RowIn26(*reader.op).sources[k].base;
    }
  }
  return ir::BaseType::kUint;
}

bool RestsOnRangeAnalysis(const RuleCase& rule_case, const ir::Node& variable, absl::string_view predicate) {
  const bool is_26 = rule_case.dialect == ir::Dialect::kNir26;
  if (!variable.constant_only) return ir::IsRangePredicate(predicate) || (is_26 && IsAnalyzedOnlyIn26(predicate));
  if (is_26 || variable.bits != 64) return false;
  return std::find(std::begin(kSignsOfConstants), std::end(kSignsOfConstants), predicate) !=
             std::end(kSignsOfConstants) &&
         ir::TypeOfUse(rule_case.search, variable.name) == ir::BaseType::kFloat;
}

void MarkUnknownFlags(RuleCase* rule_case) {
  if (std::exchange(rule_case->flags_marked, true)) return;
  ir::MarkUnknownFlags(rule_case->replace, &rule_case->search);
}

RuleCase WithNamedFlagsOnly(RuleCase rule_case) {
  rule_case.flags_marked = true;
  for (ir::Term* side : {&rule_case.search, &rule_case.replace}) {
    for (ir::Node& node : side->nodes) node.flags &= static_cast<uint8_t>(~ir::kRootMarks);
  }
  return rule_case;
}

absl::StatusOr<std::unique_ptr<PreparedCase>> PreparedCase::Create(const RuleCase& rule_case) {
  if (rule_case.search.nodes.empty() || rule_case.replace.nodes.empty()) {
    return absl::InvalidArgumentError("a side is empty, or its tree is too large");
  }
  if (absl::Status status = ir::CheckRelation(rule_case.search); !status.ok()) return status;
  if (absl::Status status = ir::CheckNoRelation(rule_case.replace); !status.ok()) return status;
  std::unique_ptr<PreparedCase> prepared(new PreparedCase);
  prepared->rule_case_ = rule_case;
  MarkUnknownFlags(&prepared->rule_case_);
  prepared->rule_case_.search = ir::Matched(prepared->rule_case_.search);
  // An amul that does not overflow (AssumeDefined) is an imul.
  for (ir::Node& node : prepared->rule_case_.search.nodes) {
    if (rule_case.dialect == ir::Dialect::kNir25 && rule_case.index_in_range && node.kind == ir::NodeKind::kOp &&
        node.op->name == "amul")
      node.op = ir::FindOp("imul");
  }
  ir::Dag* dag = &prepared->dag_;
  // Lower the search side first, because its variables determine the order of the inputs.
  absl::StatusOr<ir::ChoiceTerm> replace, search;
  search = ir::LowerWithChoicesIn(rule_case.dialect, dag, prepared->rule_case_.search, rule_case.mode, 1u << 20);
  if (!search.ok()) return search.status();
  replace = ir::LowerWithChoicesIn(rule_case.dialect, dag, rule_case.replace, rule_case.mode, 0);
  if (!replace.ok()) return replace.status();
  prepared->search_ = *std::move(search);
  prepared->replace_ = *std::move(replace);
  const auto& roots = prepared->replace_.lowered.root;
  if (roots.size() != prepared->search_.lowered.root.size() ||
      dag->at(roots[0]).width != dag->at(prepared->search_.lowered.root[0]).width) {
    return absl::InvalidArgumentError("the two sides have values of different shapes");
  }
  absl::Status status = prepared->AddAssumptions(ir::Matched(rule_case.search));
  if (status.ok()) status = prepared->AssumeRelation(rule_case.search);
  if (!status.ok()) return status;
  return prepared;
}

// Assumes that the shader's constants satisfy the search's relation.
absl::Status PreparedCase::AssumeRelation(const ir::Term& search) {
  if (!ir::HasRelation(search)) return absl::OkStatus();
  bool chooses = false;
  const ir::ChoiceSource none = [&](const Choice& choice) {
    chooses = true;
    return dag_.Literal(0, choice.width);
  };
  const absl::StatusOr<ir::LoweredTerm> relation =
      ir::LowerTerm(&dag_, ir::RelationOf(search), ir::DenormMode::kNone, none);
  if (!relation.ok()) return relation.status();
  if (chooses) return absl::InvalidArgumentError("the relation of the search may have more than one result");
  for (const ValueIndex truth : relation->root) {
    if (dag_.at(truth).width != 1)
      return absl::InvalidArgumentError("the relation of the search is not a 1-bit truth value");
    assumption_ = dag_.And(assumption_, truth);
  }
  return absl::OkStatus();
}

absl::Status PreparedCase::AddAssumptions(const ir::Term& search) {
  assumption_ = dag_.Literal(1, 1);
  for (ir::NodeIndex i = 0; i < search.nodes.size(); ++i) {
    const ir::Node& node = search.nodes[i];
    if (node.kind == ir::NodeKind::kOp) {
      if (rule_case_.index_in_range) AssumeIndexInRange(node);
      if (rule_case_.index_in_range) AssumeDefined(search, i);
      AssumeBooleanOperands(search, node);
      if (absl::Status status = AssumeNoWrap(search, i); !status.ok()) return status;
    }
    if (node.kind != ir::NodeKind::kVariable) continue;
    const ir::BaseType base = ir::TypeOfUse(search, node.name);
    const uint32_t checked = ir::ComponentsOfEveryReader(search, node.name);
    for (const std::string& mark : node.predicates) {
      if (!rule_case_.trusts_ranges && RestsOnRangeAnalysis(rule_case_, node, mark)) continue;
      if (mark == "is_any_comp_nan" && node.components > 1) {
        if (checked != ir::ComponentsOfAnyReader(search, node.name)) continue;
        ValueIndex any = dag_.Literal(0, 1);
        for (int component = 0; component < node.components; ++component) {
          if (!(checked >> component & 1)) continue;
          const ValueIndex value = search_.lowered.values[i][static_cast<size_t>(component)];
          any = dag_.Or(any, dag_.Truth(Primitive::kIsnan, value));
        }
        assumption_ = dag_.And(assumption_, any);
        continue;
      }
      if (const std::optional<int> component = ir::ComponentThatIsZero(mark); component.has_value()) {
        const std::vector<ValueIndex>& values = search_.lowered.values[i];
        const auto c = static_cast<size_t>(*component);
        // Mesa checks only one component of a vector, so nothing is known if a single component stands for all
        // components. If a reader does not read component `c`, Mesa checks an arbitrary component instead.
        const bool is_checked = values.size() > 1 && c < values.size() && (checked >> c & 1);
        if (is_checked && ir::IsFloatWidth(dag_.at(values[c]).width))
          assumption_ = dag_.And(assumption_, dag_.Truth(Primitive::kIszero, values[c]));
        continue;
      }
      for (int component = 0; component < node.components; ++component) {
        if (!(checked >> component & 1)) continue;
        const ValueIndex value = search_.lowered.values[i][static_cast<size_t>(component)];
        absl::StatusOr<ValueIndex> assumed = AssumedBy(mark, search, node, value);
        if (!assumed.ok()) return assumed.status();
        assumption_ = dag_.And(assumption_, *assumed);
      }
    }
    // Booleans of 8, 16 and 32 bits are 0 or all ones (docs/nir.md 2.1). This holds for values read as Booleans and for
    // `a@bool32`, which matches only the results of Boolean ops and of iand, ior, ixor, and inot of such results.
    if ((base == ir::BaseType::kBool || (node.typed && node.type == ir::BaseType::kBool)) && node.bits > 1) {
      for (ValueIndex value : search_.lowered.values[i]) AssumeBoolean(value);
    }
  }
  return absl::OkStatus();
}

// Returns the assumption that `predicate` makes about `value`, a component of `variable`, in the case's dialect.
absl::StatusOr<ValueIndex> PreparedCase::AssumedBy(absl::string_view predicate, const ir::Term& search,
                                                   const ir::Node& variable, ValueIndex value) {
  const ir::BaseType base = TypeForPredicates(rule_case_.dialect, search, variable);
  // For a constant, is_not_const_zero compares the constant with zero in every dialect, whereas is_not_zero of Mesa 26
  // also excludes denormals. For any other variable, is_not_const_zero always holds.
  if (predicate == "is_not_const_zero" && variable.constant_only)
    return ir::AssumePredicate(&dag_, "is_not_zero", value, base);
  if (rule_case_.dialect == ir::Dialect::kNir25) return ir::AssumePredicate(&dag_, predicate, value, base);
  ir::PredicateReaders readers{dag_.Literal(0, 1), dag_.Literal(0, 1)};
  for (ir::NodeIndex i = 0; i < search.nodes.size(); ++i) {
    const ir::Node& reader = search.at(i);
    for (size_t k = 0; k < reader.sources.size(); ++k) {
      const ir::Node& source = search.at(reader.sources[k].node);
      if (source.kind != ir::NodeKind::kVariable || source.name != variable.name) continue;
      if (ir::RowIn26(*reader.op).sources[k].base != ir::BaseType::kFloat) continue;
      // An instruction that cannot carry the bit lacks it.
      const uint8_t valid = ir::FlagsOfOpIn26(*reader.op);
      const ValueIndex lacks = dag_.Literal(1, 1);
      const ValueIndex inf = valid & ir::kNoInf ? ir::UnknownFlagIn26(&dag_, reader, i, ir::kNoInf) : lacks;
      const ValueIndex nan = valid & ir::kNoNan ? ir::UnknownFlagIn26(&dag_, reader, i, ir::kNoNan) : lacks;
      readers.lacks_inf = dag_.Or(readers.lacks_inf, inf);
      readers.lacks_nan = dag_.Or(readers.lacks_nan, nan);
    }
  }
  return ir::AssumePredicateIn26(&dag_, predicate, value, base, readers);
}

void PreparedCase::AssumeBoolean(ValueIndex value) {
  const int bits = dag_.at(value).width;
  const ValueIndex is_false = dag_.Equal(value, dag_.Literal(0, bits));
  const ValueIndex is_true = dag_.Equal(value, dag_.Literal(ir::MaskOf(bits), bits));
  assumption_ = dag_.And(assumption_, dag_.Or(is_false, is_true));
}

// Assumes that wide Booleans are 0 or all ones, even if bitwise ops over variables produce them.
void PreparedCase::AssumeBooleanOperands(const ir::Term& search, const ir::Node& op) {
  for (size_t k = 0; k < op.sources.size(); ++k) {
    if (op.op->sources[k].base != ir::BaseType::kBool) continue;
    const ir::Node& source = search.at(op.sources[k].node);
    if (source.kind != ir::NodeKind::kOp || source.bits == 1) continue;
    const std::string& name = source.op->name;
    if (name != "inot" && name != "iand" && name != "ior" && name != "ixor") continue;
    const bool over_variables = std::all_of(source.sources.begin(), source.sources.end(), [&](const ir::Source& below) {
      return search.at(below.node).kind != ir::NodeKind::kOp;
    });
    if (!over_variables) continue;  // other sources may make choices, which no assumption may mention
    for (ValueIndex value : search_.lowered.values[op.sources[k].node]) AssumeBoolean(value);
  }
}

void PreparedCase::AssumeIndexInRange(const ir::Node& op) {
  for (const char* stem : {"extract_u", "extract_i", "insert_u"}) {
    int part = 0;
    if (!absl::StartsWith(op.op->name, stem) || !absl::SimpleAtoi(absl::StripPrefix(op.op->name, stem), &part))
      continue;
    const ir::Source& index = op.sources[1];
    for (int component = 0; component < op.components; ++component) {
      const ValueIndex value = search_.lowered.values[index.node][index.swizzle[component]];
      const int bits = dag_.at(value).width;
      const ValueIndex count = dag_.Literal(static_cast<uint64_t>(op.bits / part), bits);
      assumption_ = dag_.And(assumption_, dag_.Make(Primitive::kUlt, 1, {value, count}));
    }
  }
}

// Adds the assumption unless its value depends on a choice.
void PreparedCase::AssumeUnlessChosen(ValueIndex truth) {
  const std::vector<ValueIndex> below = dag_.Below({truth});
  const auto is_choice = [&](ValueIndex value) { return dag_.at(value).primitive == Primitive::kChoice; };
  if (std::none_of(below.begin(), below.end(), is_choice)) assumption_ = dag_.And(assumption_, truth);
}

// Assumes that the operands of an op of the search are in the op's domain. A zero-extended amul does not overflow as an
// unsigned multiplication; any other amul does not overflow as a signed one.
void PreparedCase::AssumeDefined(const ir::Term& search, ir::NodeIndex index) {
  const ir::Node& op = search.at(index);
  const bool amul = op.op->name == "amul" && rule_case_.dialect == ir::Dialect::kNir25;
  if (!amul && op.op->name != "udiv_aligned_4") return;
  const auto operand = [&](size_t k, int component) {
    return search_.lowered.values[op.sources[k].node][op.sources[k].swizzle[component]];
  };
  for (int component = 0; component < op.components; ++component) {
    const ValueIndex a = operand(0, component);
    const int bits = dag_.at(a).width;
    if (op.op->name == "udiv_aligned_4") {
      const ValueIndex low = dag_.Make(Primitive::kAnd, bits, {a, dag_.Literal(3, bits)});
      AssumeUnlessChosen(dag_.Equal(low, dag_.Literal(0, bits)));
    }
    if (op.sources.size() < 2) continue;
    const ValueIndex b = operand(1, component);
    const bool is_unsigned = std::any_of(search.nodes.begin(), search.nodes.end(), [&](const ir::Node& user) {
      return user.kind == ir::NodeKind::kOp && absl::StartsWith(user.op->name, "u2u") && user.sources[0].node == index;
    });
    const ValueIndex low = dag_.Make(Primitive::kMul, bits, {a, b});
    const ValueIndex sign =
        dag_.Make(Primitive::kAshr, bits, {low, dag_.Literal(static_cast<uint64_t>(bits - 1), bits)});
    const ValueIndex high = dag_.Make(is_unsigned ? Primitive::kMulhu : Primitive::kMulhs, bits, {a, b});
    AssumeUnlessChosen(dag_.Equal(high, is_unsigned ? dag_.Literal(0, bits) : sign));
  }
}

// Assumes that an instruction marked no_signed_wrap or no_unsigned_wrap does not wrap (nir.h, nir_alu_instr).
absl::Status PreparedCase::AssumeNoWrap(const ir::Term& search, ir::NodeIndex index) {
  const ir::Node& op = search.at(index);
  const auto marked = [&](const char* mark) {
    return std::find(op.predicates.begin(), op.predicates.end(), mark) != op.predicates.end();
  };
  if (!marked("no_signed_wrap") && !marked("no_unsigned_wrap")) return absl::OkStatus();
  const absl::StatusOr<const ir::RowMeaning*> row = ir::MeaningOf(*op.op);
  if (!row.ok()) return row.status();
  for (int component = 0; component < op.components; ++component) {
    ir::MeaningScope scope;
    scope.free_size = scope.result_size = op.bits;
    for (const ir::Source& source : op.sources)
      scope.sources.push_back({search_.lowered.values[source.node][source.swizzle[component]]});
    for (const auto& [mark, terms] :
         {std::pair("no_signed_wrap", &(*row)->signed_wrap), std::pair("no_unsigned_wrap", &(*row)->unsigned_wrap)}) {
      if (!marked(mark) || terms->empty()) continue;
      const absl::StatusOr<ValueIndex> wraps = ir::BuildMeaning(&dag_, terms->front(), scope, 1);
      if (!wraps.ok()) return wraps.status();
      AssumeUnlessChosen(dag_.Not(*wraps));
    }
  }
  return absl::OkStatus();
}

// Returns the bits of T's root that correspond to the result of the choice's node, if the search's root contains this
// result unchanged: as a component, packed with other values, as one result of an ffma_weak, or, if `selected` is
// set, as an operand that a bcsel selects.
std::optional<ValueIndex> PreparedCase::TargetOf(const Choice& choice, bool selected) {
  if (choice.kind == ChoiceKind::kFlushSource || choice.reason == ir::kOfSource) return std::nullopt;
  const ir::Node& root = rule_case_.search.root_node();
  if (root.kind == ir::NodeKind::kOp && root.op->name == ir::kWeakResult &&
      (root.sources[0].node == choice.node || root.sources[1].node == choice.node))
    return replace_.lowered.root[choice.component];
  const ValueIndex result = search_.lowered.values[choice.node][choice.component];
  for (size_t c = 0; c < search_.lowered.root.size(); ++c) {
    const std::optional<int> offset = OffsetOf(dag_, search_.lowered.root[c], result, selected);
    if (!offset.has_value()) continue;
    const ValueIndex target = replace_.lowered.root[c];
    return dag_.Make(Primitive::kExtract, dag_.at(result).width, {target}, static_cast<uint64_t>(*offset));
  }
  return std::nullopt;
}

// Returns the value of the choice that makes the result of its node equal `target`.
ValueIndex PreparedCase::Guided(const Choice& choice, ValueIndex target) {
  const int width = dag_.at(target).width;
  switch (choice.kind) {
    case ChoiceKind::kFlushResult:
      return dag_.Truth(Primitive::kIszero, target);
    case ChoiceKind::kZeroSign:
      return dag_.Make(Primitive::kExtract, 1, {target}, static_cast<uint64_t>(width - 1));
    case ChoiceKind::kNan:
    case ChoiceKind::kAnyValue:
      return target;
    case ChoiceKind::kFlushSource:
      break;
  }
  return dag_.Literal(0, choice.width);
}

ValueIndex PreparedCase::SameChoice(const Choice& choice) const {
  for (size_t i = 0; i < replace_.choices.size(); ++i) {
    const Choice& other = replace_.choices[i];
    if (other.kind == choice.kind && other.width == choice.width && other.about == choice.about &&
        other.reason == choice.reason) {
      return static_cast<ValueIndex>(i);
    }
  }
  return static_cast<ValueIndex>(replace_.choices.size());
}

// Returns the value without its sign operations and flushes. If one of two values with the same magnitude is a
// denormal, so is the other.
ValueIndex PreparedCase::Magnitude(ValueIndex value) const {
  for (;;) {
    const ir::Value& v = dag_.at(value);
    if (v.primitive == Primitive::kFneg || v.primitive == Primitive::kFabs) {
      value = v.operands[0];
    } else if (v.primitive == Primitive::kIte) {
      // A flush is (ite … (and x sign) x); a NaN choice is (ite isnan any x).
      value = v.operands[2];
    } else {
      return value;
    }
  }
}

ValueIndex PreparedCase::MergedFlush(const Choice& choice) {
  ValueIndex merged = dag_.Literal(0, 1);
  const ValueIndex magnitude = Magnitude(choice.about);
  for (size_t i = 0; i < replace_.choices.size(); ++i) {
    const Choice& other = replace_.choices[i];
    const bool flush = other.kind == ChoiceKind::kFlushSource || other.kind == ChoiceKind::kFlushResult;
    if (flush && Magnitude(other.about) == magnitude)
      merged = dag_.Or(merged, dag_.Choice(static_cast<uint32_t>(i), 1));
  }
  return merged;
}

// Returns the sign of the zero that the replacement reads or returns for the value that `choice` is about, its
// negation, or its absolute value. Prefers the value itself. In nir-26, the two sides may choose under different
// conditions, so the replacement's choice alone does not determine this sign.
std::optional<ValueIndex> PreparedCase::SignThatReplaceReads(const Choice& choice) {
  std::optional<ValueIndex> found;
  for (size_t i = 0; i < replace_.choices.size(); ++i) {
    const Choice& other = replace_.choices[i];
    if (other.kind != ChoiceKind::kZeroSign || Magnitude(other.about) != Magnitude(choice.about)) continue;
    if (found.has_value() && other.about != choice.about) continue;
    // FreeZero in ir/float_contract.cc builds (ite free (ite choice -0 0) value).
    const ValueIndex chosen = dag_.Choice(static_cast<uint32_t>(i), 1);
    for (ValueIndex v = 0; v < dag_.size(); ++v) {
      const ir::Value& value = dag_.at(v);
      if (value.primitive != Primitive::kIte || value.operands[2] != other.about) continue;
      const ir::Value& zero = dag_.at(value.operands[1]);
      if (zero.primitive != Primitive::kIte || zero.operands[0] != chosen) continue;
      found = dag_.Make(Primitive::kExtract, 1, {v}, static_cast<uint64_t>(value.width - 1));
      break;
    }
  }
  return found;
}

// Returns the value of `choice` inside the search if the replacement makes no choice about exactly the same value. In
// nir-26, the sides often compute the same value under different flags, so values with the same magnitude correspond to
// each other. An instruction that may ignore a NaN or an infinity returns its ordinary result or, if `drops_signs`,
// this result without sign operations.
ValueIndex PreparedCase::ChoiceIn26(const Choice& choice, bool flush, bool drops_signs) {
  if (flush) return MergedFlush(choice);
  if (choice.kind == ChoiceKind::kZeroSign) return dag_.Literal(drops_signs ? 1 : 0, 1);
  const ValueIndex magnitude = Magnitude(choice.about);
  if (choice.kind == ChoiceKind::kAnyValue)
    return drops_signs && dag_.at(magnitude).width == choice.width ? magnitude : choice.about;
  for (size_t i = 0; i < replace_.choices.size(); ++i) {
    const Choice& other = replace_.choices[i];
    if (other.kind == ChoiceKind::kNan && other.width == choice.width && Magnitude(other.about) == magnitude)
      return dag_.Choice(static_cast<uint32_t>(i), choice.width);
  }
  return dag_.at(magnitude).width == choice.width ? magnitude : choice.about;
}

absl::StatusOr<std::vector<ValueIndex>> PreparedCase::SearchCopy(const ChoiceLiterals& literals,
                                                                 const CopyPolicy& policy) {
  ChoiceNamer namer;
  const ir::ChoiceSource choose = [&](const Choice& choice) -> ValueIndex {
    const std::string name = namer.Name(choice);
    const std::optional<ValueIndex> target = TargetOf(choice, policy.selected);
    if (target.has_value() && policy.guided) return Guided(choice, *target);
    const bool is_26 = rule_case_.dialect == ir::Dialect::kNir26 && !target.has_value();
    const auto literal = literals.find(name);
    if (literal != literals.end()) return dag_.Literal(literal->second, choice.width);
    const bool flush = choice.kind == ChoiceKind::kFlushSource || choice.kind == ChoiceKind::kFlushResult;
    if (policy.merged && flush) return MergedFlush(choice);
    const ValueIndex root =
        replace_.lowered.root[choice.component < replace_.lowered.root.size() ? choice.component : 0];
    if (policy.otherwise == 1 && !is_26 && IsWide(choice) && dag_.at(root).width == choice.width) return root;
    const ValueIndex same = SameChoice(choice);
    if (is_26 && choice.kind == ChoiceKind::kZeroSign) {
      // If both sides choose under the same condition, this choice is the sign that the replacement reads, which makes
      // the two values identical.
      if (same < replace_.choices.size() &&
          HasSameZeroFlags(rule_case_.search.at(choice.node), rule_case_.replace.at(replace_.choices[same].node)))
        return dag_.Choice(same, choice.width);
      if (const std::optional<ValueIndex> sign = SignThatReplaceReads(choice)) return *sign;
    }
    if (same < replace_.choices.size()) return dag_.Choice(same, choice.width);
    if (is_26) return ChoiceIn26(choice, flush, policy.otherwise == 1);
    // If an op between this choice and the root widens the value, the value of the choice is the low bits of the root.
    if (policy.otherwise == 1 && IsWide(choice) && dag_.at(root).width > choice.width) {
      return dag_.Make(Primitive::kExtract, choice.width, {root}, 0);
    }
    if (target.has_value()) return Guided(choice, *target);
    if (!IsWide(choice)) return dag_.Literal(policy.otherwise, 1);
    for (size_t i = 0; i < replace_.choices.size(); ++i) {
      const Choice& other = replace_.choices[i];
      if (other.kind == choice.kind && other.width == choice.width) {
        return dag_.Choice(static_cast<uint32_t>(i), choice.width);
      }
    }
    return dag_.Literal(0, choice.width);
  };
  absl::StatusOr<ir::LoweredTerm> lowered =
      ir::LowerTermIn(rule_case_.dialect, &dag_, rule_case_.search, rule_case_.mode, choose);
  if (!lowered.ok()) return lowered.status();
  return lowered->root;
}

ChoiceLiterals PreparedCase::LiteralsOf(absl::Span<const uint64_t> choices) const {
  ChoiceNamer namer;
  ChoiceLiterals literals;
  for (size_t i = 0; i < search_.choices.size(); ++i) {
    literals[namer.Name(search_.choices[i])] = choices[i] & ir::MaskOf(search_.choices[i].width);
  }
  return literals;
}

std::vector<ChoiceLiterals> PreparedCase::RootFlushes() const {
  ChoiceNamer namer;
  std::vector<std::string> names;
  for (const Choice& choice : search_.choices) {
    const std::string name = namer.Name(choice);
    if (choice.node == rule_case_.search.root && choice.kind == ChoiceKind::kFlushSource) names.push_back(name);
  }
  std::vector<ChoiceLiterals> ways;
  if (names.empty() || names.size() > kMostRootFlushes) return ways;
  for (uint64_t way = 0; way < uint64_t{1} << names.size(); ++way) {
    ChoiceLiterals& literals = ways.emplace_back();
    for (size_t i = 0; i < names.size(); ++i) literals[names[i]] = way >> i & 1;
  }
  return ways;
}

}  // namespace rewrought::verifier
