// Checks that kLoweringVersion is raised whenever terms are lowered to different values, because stored proofs contain
// queries over the old values.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/dag.h"
#include "ir/digest.h"
#include "ir/evaluate.h"
#include "ir/op_table.h"
#include "ir/semantics.h"
#include "ir/term.h"

namespace rewrought::ir {
namespace {

constexpr int kSize = 32;  // the size of operands whose size the row leaves free

int BitsOf(const OperandType& type) { return type.bits ? type.bits : kSize; }

bool IsScalar(const OpRow& row) {
  bool scalar = row.result.components <= 1;
  for (const OperandType& source : row.sources) scalar = scalar && source.components <= 1;
  return scalar;
}

// Appends an op over fresh variables. Its first source is the term's last node, if the term is not empty.
void AddOp(const OpRow& row, Term* term) {
  Node op;
  op.kind = NodeKind::kOp;
  op.op = &row;
  op.bits = static_cast<uint8_t>(BitsOf(row.result));
  for (size_t k = 0; k < row.sources.size(); ++k) {
    if (k > 0 || term->nodes.empty()) {
      Node variable;
      variable.name = absl::StrCat("v", term->nodes.size());
      variable.bits = static_cast<uint8_t>(BitsOf(row.sources[k]));
      term->nodes.push_back(variable);
    }
    op.sources.push_back({static_cast<NodeIndex>(term->nodes.size() - 1), kIdentitySwizzle});
  }
  term->nodes.push_back(op);
  term->root = static_cast<NodeIndex>(term->nodes.size() - 1);
}

void AppendLowered(const Term& term, std::string* text) {
  Dag dag;
  const absl::StatusOr<ChoiceTerm> lowered = LowerWithChoices(&dag, term, DenormMode::kAny, 0);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  for (ValueIndex i = 0; i < dag.size(); ++i) {
    const Value& value = dag.at(i);
    absl::StrAppend(text, static_cast<int>(value.primitive), ",", value.width, ",", value.immediate);
    for (const ValueIndex operand : value.operands) absl::StrAppend(text, ",", operand);
    absl::StrAppend(text, ";");
  }
  absl::StrAppend(text, lowered->lowered.root[0], "\n");
}

// Returns a product with a factor clamped to [-1, 1], the form to which drivers lower isign.
Term ProductWithSign() {
  Term term;
  for (const char* op : {"imax", "imin", "imul"}) AddOp(*FindOp(op), &term);
  for (const auto& [bounded, bound] : {std::pair<const char*, uint64_t>("imax", 0xffffffff), {"imin", 1}}) {
    for (size_t i = 0; i < term.nodes.size(); ++i) {
      if (term.nodes[i].op != FindOp(bounded)) continue;
      Node& literal = term.nodes[term.nodes[i].sources[1].node];
      literal.kind = NodeKind::kConstant;
      literal.values[0] = bound;
    }
  }
  return term;
}

// Lowers each op alone, and with each other op as its first source where the types permit.
TEST(Lowering, DifferentLoweringNeedsNewVersion) {
  std::string text;
  for (const OpRow* inner : AllOps()) {
    if (!IsScalar(*inner)) continue;
    Term alone;
    AddOp(*inner, &alone);
    AppendLowered(alone, &text);
    for (const OpRow* outer : AllOps()) {
      if (!IsScalar(*outer) || outer->sources.empty() || BitsOf(outer->sources[0]) != BitsOf(inner->result)) continue;
      Term term = alone;
      AddOp(*outer, &term);
      AppendLowered(term, &text);
    }
    text = Sha256Hex(text);
  }
  AppendLowered(ProductWithSign(), &text);
  text = Sha256Hex(text);
  EXPECT_EQ(absl::StrCat(kLoweringVersion, " ", text.substr(0, 16)), "lowering-5 50e1168a9ba43e94")
      << "the lowering of terms has changed: raise kLoweringVersion (ir/semantics.h), and update the version and "
         "digest here";
}

}  // namespace
}  // namespace rewrought::ir
