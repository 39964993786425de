#include "ir/match/facts.h"

#include "ir/dag.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/text/predicates.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {
namespace {

uint64_t PatternOf(const Node& constant, int lane) {
  return constant.literal == LiteralKind::kBits ? constant.values[lane] : LiteralBits(constant, constant.bits);
}

bool HoldsOfPattern(absl::string_view predicate, uint64_t bits, int width, BaseType base) {
  Dag dag;
  absl::StatusOr<ValueIndex> truth = AssumePredicate(&dag, predicate, dag.Literal(bits, width), base);
  if (!truth.ok()) return false;
  const Value& node = dag.at(*truth);
  return node.primitive == Primitive::kLiteral && node.immediate == 1;
}

// Skips one fneg that defines the value, or all consecutive fnegs if `through_all_negations`. Returns the op below the
// skipped fnegs, or null if there is none.
const Node* OpBehind(const PredicateQuery& query, bool through_all_negations) {
  const Node* node = &query.term->nodes[query.value.node];
  while (node->kind == NodeKind::kOp && node->op->name == "fneg") {
    node = &query.term->nodes[node->sources[0].node];
    if (!through_all_negations) break;
  }
  return node->kind == NodeKind::kOp ? node : nullptr;
}

// Mesa 25.0.7 nir_search_helpers.h: is_fmul skips any number of fnegs, and is_fsign skips at most one.
bool IsFmul(const PredicateQuery& query) {
  const Node* op = OpBehind(query, true);
  return op != nullptr && (op->op->name == "fmul" || op->op->name == "fmulz");
}

bool IsFsign(const PredicateQuery& query) {
  const Node* op = OpBehind(query, false);
  return op != nullptr && op->op->name == "fsign";
}

bool IsZero(uint64_t bits, int width, BaseType base) {
  return base == BaseType::kFloat ? !HoldsOfPattern("is_not_zero", bits, width, base) : bits == 0;
}

bool StructureHolds(const PredicateQuery& query) {
  const Node& node = query.term->nodes[query.value.node];
  const bool constant = node.kind == NodeKind::kConstant;
  if (query.predicate == "is_not_const") return !constant;
  if (query.predicate == "is_fmul") return IsFmul(query);
  if (query.predicate == "is_not_fmul") return !IsFmul(query);
  if (query.predicate == "is_not_const_and_not_fsign") return !constant && !IsFsign(query);
  if (query.predicate != "is_not_const_zero") return false;
  for (int lane = 0; constant && lane < query.components; ++lane) {
    if (IsZero(PatternOf(node, query.value.swizzle[lane]), node.bits, query.base)) return false;
  }
  return true;
}

}  // namespace

bool FactsOfNodes(const PredicateQuery& query) {
  const PredicateInfo* predicate = FindPredicate(query.predicate);
  if (predicate == nullptr) return false;
  const Node& node = query.term->nodes[query.value.node];
  switch (predicate->kind) {
    case PredicateKind::kExpression:
      return query.predicate == "is_used_once" && query.uses == 1;
    case PredicateKind::kStructural:
      return StructureHolds(query);
    case PredicateKind::kSharing:  // needs more context than the value
      return false;
    case PredicateKind::kConstant:
    case PredicateKind::kRange:
      break;
  }
  if (node.kind != NodeKind::kConstant) return false;
  for (int lane = 0; lane < query.components; ++lane) {
    if (!HoldsOfPattern(query.predicate, PatternOf(node, query.value.swizzle[lane]), node.bits, query.base))
      return false;
  }
  return true;
}

}  // namespace rewrought::ir
