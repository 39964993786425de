#include "emitter/c/rule_patterns.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "emitter/c/condition_steps.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
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

// As ir::CompiledRule numbers commutative ops.
bool IsSameOperand(const ir::Term& term, const ir::Source& a, const ir::Source& b) {
  if (a == b) return true;
  const ir::Node& x = term.nodes[a.node];
  return a.swizzle == b.swizzle && x.kind == ir::NodeKind::kConstant && ir::SameNode(x, term.nodes[b.node]);
}

class PatternWriter {
 public:
  PatternWriter(TableBuilder* builder, RulePattern* out) : b_(*builder), out_(*out) {}

  // A base pattern; variables are called as in the program, with `prefix` before.
  absl::Status AddBase(const BasePattern& pattern, const std::string& prefix) {
    rw_pattern row = {};
    row.bits = static_cast<uint8_t>(pattern.bits);
    if (!pattern.is_op && pattern.name.empty()) {
      row.kind = RW_CONSTANT_VALUE, row.ref = b_.Immediate(static_cast<uint64_t>(pattern.value));
    } else if (!pattern.is_op) {
      row.kind = RW_ANY_VALUE, row.ref = Variable(absl::StrCat(prefix, pattern.name));
    } else {
      const ir::OpRow* op = ir::FindOp(pattern.name);
      row.kind = RW_OP, row.ref = b_.Op(pattern.name);
      row.source_count = static_cast<uint8_t>(pattern.sources.size());
      if (op != nullptr && (op->properties & ir::kCommutative) != 0 && pattern.sources.size() >= 2) {
        row.flags |= RW_COMMUTES;
        ++out_.commutative;
      }
    }
    out_.rows.push_back(row);
    for (const BasePattern& source : pattern.sources) {
      if (absl::Status status = AddBase(source, prefix); !status.ok()) return status;
    }
    return CheckVariables();
  }

  // A value of a pack's search. `base`: as what it is read. `at_root`: the op that it is there; null: not the root.
  absl::Status AddSearch(const ir::Term& search, ir::NodeIndex index, ir::BaseType base, const std::string& root) {
    const ir::Node& node = search.nodes[index];
    rw_pattern row = {};
    row.bits = node.bits;
    const ir::OpRow* op = node.op;
    switch (node.kind) {
      case ir::NodeKind::kVariable:
        row.kind = RW_ANY_VALUE, row.ref = Variable(node.name);
        if (node.constant_only) row.flags |= RW_CONSTANT_ONLY;
        if (node.typed) row.typed = TypedOf(node.type);
        break;
      case ir::NodeKind::kConstant:
        row.kind = RW_CONSTANT_VALUE, row.ref = b_.Immediate(LiteralOf(node));
        if (node.literal != ir::LiteralKind::kFloat && Has(node, ir::kEitherZeroMark)) row.flags |= RW_EITHER_ZERO;
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
        row.kind = RW_OP, row.ref = b_.Op(op->name), row.source_count = static_cast<uint8_t>(node.sources.size());
        row.fast_math = node.flags & (ir::kNoSignedZero | ir::kNoNan | ir::kNoInf);
        if ((op->properties & ir::kCommutative) && node.sources.size() >= 2 &&
            !IsSameOperand(search, node.sources[0], node.sources[1]) && out_.commutative < kMostCommutative) {
          row.flags |= RW_COMMUTES;
          ++out_.commutative;
        }
        break;
    }
    if (absl::Status status = AddConditions(node, base, &row); !status.ok()) return status;
    out_.rows.push_back(row);
    for (size_t i = 0; i < node.sources.size(); ++i) {
      const ir::Source& source = node.sources[i];
      if (source.swizzle != ir::kIdentitySwizzle) return absl::UnimplementedError("reads single components");
      absl::Status status = AddSearch(search, source.node, op->sources[i].base, "");
      if (!status.ok()) return status;
    }
    return CheckVariables();
  }

 private:
  uint16_t Variable(const std::string& name) {
    return out_.variables.try_emplace(name, static_cast<uint16_t>(out_.variables.size())).first->second;
  }

  absl::Status CheckVariables() const {
    if (out_.variables.size() <= RW_VARIABLES && out_.rows.size() <= RW_COVERED) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat("has ", out_.variables.size(), " variables and ", out_.rows.size(),
                                                 " values (", static_cast<int>(RW_VARIABLES), " and ",
                                                 static_cast<int>(RW_COVERED), " at most)"));
  }

  // The pattern of a literal at the size of its place, and whether the size holds it.
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
      if (ir::FindPredicate(predicate) == nullptr) continue;  // a mark
      absl::StatusOr<rw_condition> condition = ConditionOf(predicate, node.bits, base, &b_);
      if (!condition.ok()) return condition.status();
      conditions.push_back(*condition);
    }
    auto& all = b_.tables().conditions;
    row->first_condition = conditions.empty() ? 0 : static_cast<uint16_t>(all.size());
    row->condition_count = static_cast<uint8_t>(conditions.size());
    all.insert(all.end(), conditions.begin(), conditions.end());
    return absl::OkStatus();
  }

  TableBuilder& b_;
  RulePattern& out_;
};

// A select of the machine with a pack's search in the place of its test.
absl::Status JoinedPattern(const SelectionRule& rule, const ir::Term& search, TableBuilder* builder,
                           RulePattern* pattern) {
  const BasePattern& select = rule.base->pattern;
  rw_pattern row = {};
  row.kind = RW_OP, row.bits = static_cast<uint8_t>(select.bits), row.ref = builder->Op(select.name);
  row.source_count = static_cast<uint8_t>(select.sources.size());
  pattern->rows.push_back(row);
  PatternWriter writer(builder, pattern);
  absl::Status status = writer.AddSearch(search, search.root, ir::BaseType::kBool, "");
  const int tested = select.sources[0].bits;
  if (tested != 0 && search.root_node().bits != tested) pattern->never = true;
  const int commutative = pattern->commutative;
  for (size_t i = 1; status.ok() && i < select.sources.size(); ++i) {
    // As machine::select names the select's own variables beside those of the search.
    status = writer.AddBase(select.sources[i], kOfSelect);
  }
  if (pattern->commutative != commutative || pattern->variables.contains(kOfSelect + select.sources[0].name)) {
    return absl::UnimplementedError("joins a select with a commutative op, or one that reads its test again");
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
  if (rule.pack == nullptr) return PatternWriter(builder, pattern).AddBase(rule.base->pattern, "");
  const ir::Term& search = rule.pack->search.rule().search;
  if (rule.base != nullptr) return JoinedPattern(rule, search, builder, pattern);
  return PatternWriter(builder, pattern).AddSearch(search, search.root, ir::BaseType::kUint, root);
}

}  // namespace rewrought::emitter
