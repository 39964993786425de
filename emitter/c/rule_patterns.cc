#include "emitter/c/rule_patterns.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "emitter/c/condition_steps.h"
#include "ir/evaluate.h"
#include "ir/match/relation.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/term_order.h"
#include "ir/text/generic_ops.h"
#include "ir/text/node_table.h"
#include "ir/text/predicates.h"
#include "ir/text/sizes.h"

namespace rewrought::emitter {
namespace {

using machine::BasePattern;
using machine::select::SelectionRule;

const std::string& kOfSelect = *new std::string("select ");

bool Has(const ir::Node& node, absl::string_view mark) {
  return std::find(node.predicates.begin(), node.predicates.end(), mark) != node.predicates.end();
}

// Returns whether two operands are the same. Uses the same criterion as ir::CompiledRule, so that both assign numbers
// to the same commutative ops.
bool IsSameOperand(const ir::Term& term, const ir::Source& a, const ir::Source& b) {
  if (a == b) return true;
  const ir::Node& x = term.nodes[a.node];
  return a.swizzle == b.swizzle && x.kind == ir::NodeKind::kConstant && ir::SameNode(x, term.nodes[b.node]);
}

// Returns a row that matches any value of `bits`.
rw_pattern AnyValue(int bits) {
  rw_pattern row = {};
  row.bits = static_cast<uint8_t>(bits), row.variable = RW_NONE8;
  row.op = RW_ANY_OP, row.literal = RW_NONE16;
  return row;
}

class PatternWriter {
 public:
  PatternWriter(TableBuilder* builder, RulePattern* out) : b_(*builder), out_(*out) {}

  // Adds the search side of a pack's rule. Conditions on several constants are attached to the constant that is bound
  // last.
  absl::Status AddWhole(const ir::Term& search, ir::BaseType base, const std::string& root) {
    const ir::Term matched = ir::Matched(search);
    relation_ = ir::RelationOf(search);
    for (const ir::NodeIndex index : ir::ValuesInPrefixOrder(matched)) {
      const ir::Node& node = matched.at(index);
      if (node.kind == ir::NodeKind::kVariable && IsRelated(node.name)) last_related_ = node.name;
    }
    if (!relation_.nodes.empty() && last_related_.empty()) return absl::UnimplementedError("relates no constants");
    return AddSearch(matched, matched.root, base, root);
  }

  // Adds a base pattern. The names of its variables get the prefix `prefix`.
  absl::Status AddBase(const BasePattern& pattern, const std::string& prefix) {
    rw_pattern row = AnyValue(pattern.bits);
    if (!pattern.is_op && pattern.name.empty()) {
      row.op = RW_CONSTANT, row.literal = b_.Immediate(static_cast<uint64_t>(pattern.value));
    } else if (!pattern.is_op) {
      row.variable = Variable(absl::StrCat(prefix, pattern.name));
    } else {
      const ir::OpRow* op = ir::FindOp(pattern.name);
      row.op = b_.Op(pattern.name);
      row.source_count = static_cast<uint8_t>(pattern.sources.size());
      if (op != nullptr && (op->properties & ir::kCommutative) != 0 && pattern.sources.size() >= 2) {
        row.swap = NextOrder();
      }
    }
    out_.rows.push_back(row);
    for (const BasePattern& source : pattern.sources) {
      if (absl::Status status = AddBase(source, prefix); !status.ok()) return status;
    }
    return CheckVariables();
  }

  // Adds a value of a pack's search side. `base` is the type that its user expects. `root` is the op that the root must
  // have; it is empty for other values.
  absl::Status AddSearch(const ir::Term& search, ir::NodeIndex index, ir::BaseType base, const std::string& root) {
    const ir::Node& node = search.nodes[index];
    rw_pattern row = AnyValue(node.bits);
    const ir::OpRow* op = node.op;
    switch (node.kind) {
      case ir::NodeKind::kVariable:
        row.variable = Variable(node.name);
        if (node.constant_only) row.op = RW_CONSTANT;
        if (node.typed) row.typed = TypedOf(node.type);
        break;
      case ir::NodeKind::kConstant:
        row.op = RW_CONSTANT;
        if (node.literal == ir::LiteralKind::kFloat || !Has(node, ir::kEitherZeroMark)) {
          row.literal = b_.Immediate(LiteralOf(node));
        } else if (absl::Status status = AddEitherZero(&row); !status.ok()) {
          return status;
        }
        out_.rows.push_back(row);
        return absl::OkStatus();
      case ir::NodeKind::kOp:
        if (ir::IsGenericConversion(op)) op = ir::SizedConversion(op, node.bits, &ir::FindOp);
        if (op == nullptr || (!root.empty() && op->name != root)) {
          out_.never = true;
          return absl::OkStatus();
        }
        if (node.flags & ir::kInexact) return absl::UnimplementedError("is inexact (`~`)");
        base = op->result.base;
        row.op = b_.Op(op->name), row.source_count = static_cast<uint8_t>(node.sources.size());
        row.fast_math = node.flags & (ir::kNoSignedZero | ir::kNoNan | ir::kNoInf);
        if ((op->properties & ir::kCommutative) && node.sources.size() >= 2 &&
            !IsSameOperand(search, node.sources[0], node.sources[1]) && out_.commutative < kMostCommutative) {
          row.swap = NextOrder();
        }
        break;
    }
    if (absl::Status status = AddConditions(node, base, &row); !status.ok()) return status;
    out_.rows.push_back(row);
    for (size_t i = 0; i < node.sources.size(); ++i) {
      const ir::Source& source = node.sources[i];
      if (source.swizzle != ir::kIdentitySwizzle) return absl::UnimplementedError("reads single components");
      absl::Status status = AddSearch(search, source.node, ir::TypeReadByPredicates(*op, i), "");
      if (!status.ok()) return status;
    }
    return CheckVariables();
  }

 private:
  uint8_t Variable(const std::string& name) {
    return static_cast<uint8_t>(
        out_.variables.try_emplace(name, static_cast<uint16_t>(out_.variables.size())).first->second);
  }

  // Returns the operand-order bit of the next commutative op, or 0 for ops beyond kMostCommutative.
  uint8_t NextOrder() { return static_cast<uint8_t>(1u << out_.commutative++); }

  // Adds the condition that the constant is a zero of either sign.
  absl::Status AddEitherZero(rw_pattern* row) {
    if (row->bits == 0) return absl::UnimplementedError("has a zero of either sign without a size");
    ir::Dag dag;
    const ir::ValueIndex magnitude =
        dag.And(dag.InputNamed("a", row->bits), dag.Literal(ir::MaskOf(row->bits) >> 1, row->bits));
    const absl::StatusOr<std::vector<rw_step>> steps =
        StepsOf(dag, dag.Equal(magnitude, dag.Literal(0, row->bits)), &b_);
    if (!steps.ok()) return steps.status();
    rw_condition condition = {};
    condition.name = b_.Name(std::string(ir::kEitherZeroMark)), condition.otherwise = RW_FALSE;
    condition.first_step = Share(*steps, &b_.tables().steps);
    condition.step_count = static_cast<uint16_t>(steps->size());
    row->first_condition = static_cast<uint16_t>(b_.tables().conditions.size()), row->condition_count = 1;
    b_.tables().conditions.push_back(condition);
    return absl::OkStatus();
  }

  absl::Status CheckVariables() const {
    if (out_.variables.size() <= RW_VARIABLES && out_.rows.size() <= RW_PATTERNS) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat("has ", out_.variables.size(), " variables and ", out_.rows.size(),
                                                 " values (", static_cast<int>(RW_VARIABLES), " and ",
                                                 static_cast<int>(RW_PATTERNS), " at most)"));
  }

  bool IsRelated(const std::string& name) const {
    return std::any_of(relation_.nodes.begin(), relation_.nodes.end(),
                       [&](const ir::Node& node) { return node.kind == ir::NodeKind::kVariable && node.name == name; });
  }

  // Returns the condition for the relation between constants. The condition refers to variables by number.
  absl::StatusOr<rw_condition> RelationCondition() {
    ir::Term numbered = relation_;
    for (ir::Node& node : numbered.nodes) {
      if (node.kind == ir::NodeKind::kVariable) node.name = absl::StrCat(out_.variables.at(node.name));
      if (node.kind != ir::NodeKind::kConstant) continue;
      node.values[0] = ir::LiteralBits(node, node.bits);
      node.literal = ir::LiteralKind::kBits;
    }
    ir::Dag dag;
    const absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoices(&dag, numbered, ir::DenormMode::kNone, 0);
    if (!lowered.ok()) return lowered.status();
    if (!lowered->choices.empty() || lowered->lowered.root.size() != 1) {
      return absl::UnimplementedError("has a relation between constants with more than one result");
    }
    const absl::StatusOr<std::vector<rw_step>> steps = StepsOf(dag, lowered->lowered.root[0], &b_);
    if (!steps.ok()) {
      return absl::UnimplementedError(absl::StrCat("has a relation between constants that ", steps.status().message()));
    }
    rw_condition condition = {};
    condition.name = b_.Name(std::string(ir::kWhere)), condition.otherwise = RW_FALSE;
    condition.first_step = Share(*steps, &b_.tables().steps);
    condition.step_count = static_cast<uint16_t>(steps->size());
    return condition;
  }

  // Returns the bits of a literal at the size of its position. Sets `never` if that size cannot represent the literal.
  uint64_t LiteralOf(const ir::Node& node) {
    if (node.literal == ir::LiteralKind::kBits) return node.values[0];
    if (node.literal != ir::LiteralKind::kFloat) return ir::LiteralBits(node, node.bits);
    const double wanted = std::bit_cast<double>(node.values[0]);
    if (!ir::IsFloatWidth(node.bits)) return out_.never = true, 0;
    const uint64_t bits = ir::FloatToBits(wanted, node.bits);
    out_.never |= !(ir::BitsToFloat(bits, node.bits) == wanted);
    return bits;
  }

  absl::Status AddConditions(const ir::Node& node, ir::BaseType base, rw_pattern* row) {
    std::vector<rw_condition> conditions;
    for (const std::string& predicate : node.predicates) {
      if (ir::FindPredicate(predicate) == nullptr) continue;  // A mark, not a predicate.
      absl::StatusOr<rw_condition> condition = ConditionOf(predicate, node.bits, base, &b_);
      if (!condition.ok()) return condition.status();
      conditions.push_back(*condition);
    }
    if (node.kind == ir::NodeKind::kVariable && !last_related_.empty() && node.name == last_related_) {
      absl::StatusOr<rw_condition> relation = RelationCondition();
      if (!relation.ok()) return relation.status();
      conditions.push_back(*relation);
      last_related_.clear();  // The relation is attached to the first occurrence, at which the variable is bound.
    }
    auto& all = b_.tables().conditions;
    row->first_condition = conditions.empty() ? 0 : static_cast<uint16_t>(all.size());
    row->condition_count = static_cast<uint8_t>(conditions.size());
    all.insert(all.end(), conditions.begin(), conditions.end());
    return absl::OkStatus();
  }

  TableBuilder& b_;
  RulePattern& out_;
  ir::Term relation_;         // The relation between constants; empty if there is none.
  std::string last_related_;  // The last variable of the relation to be bound; cleared after the relation is added.
};

// Adds the pattern of a select from the base rules, with the search side of a pack's rule as its condition.
absl::Status JoinedPattern(const SelectionRule& rule, const ir::Term& search, TableBuilder* builder,
                           RulePattern* pattern) {
  const BasePattern& select = rule.base->pattern;
  rw_pattern row = AnyValue(select.bits);
  row.op = builder->Op(select.name);
  row.source_count = static_cast<uint8_t>(select.sources.size());
  pattern->rows.push_back(row);
  PatternWriter writer(builder, pattern);
  absl::Status status = writer.AddWhole(search, ir::BaseType::kBool, "");
  const int tested = select.sources[0].bits;
  if (tested != 0 && search.root_node().bits != tested) pattern->never = true;
  const int commutative = pattern->commutative;
  for (size_t i = 1; status.ok() && i < select.sources.size(); ++i) {
    // Uses the same names as machine::select for the select's own variables.
    status = writer.AddBase(select.sources[i], kOfSelect);
  }
  if (pattern->commutative != commutative || pattern->variables.contains(kOfSelect + select.sources[0].name)) {
    return absl::UnimplementedError("joins a select that contains a commutative op or reads its condition again");
  }
  return status;
}

}  // namespace

uint8_t TypedOf(ir::BaseType base) {
  switch (base) {
    case ir::BaseType::kBool:
      return RW_BASE_BOOL;
    case ir::BaseType::kInt:
    case ir::BaseType::kUint:
      return RW_BASE_INT;
    case ir::BaseType::kFloat:
      return RW_BASE_FLOAT;
  }
  return RW_ANY_BASE;
}

absl::Status PatternOf(const SelectionRule& rule, const std::string& root, TableBuilder* builder,
                       RulePattern* pattern) {
  if (rule.pack == nullptr) {
    const absl::Status status = PatternWriter(builder, pattern).AddBase(rule.base->pattern, "");
    // Base rules number commutative ops from last to first, whereas packs' rules number them from first to last.
    for (rw_pattern& row : pattern->rows) {
      if (row.swap != 0) row.swap = static_cast<uint8_t>(1u << (pattern->commutative - 1 - std::countr_zero(row.swap)));
    }
    return status;
  }
  const ir::Term& search = rule.pack->search.rule().search;
  if (rule.base != nullptr) return JoinedPattern(rule, search, builder, pattern);
  return PatternWriter(builder, pattern).AddWhole(search, ir::BaseType::kUint, root);
}

}  // namespace rewrought::emitter
