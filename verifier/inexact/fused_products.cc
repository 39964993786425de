#include "verifier/inexact/fused_products.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "ir/op_table.h"

namespace rewrought::verifier {
namespace {

bool IsOp(const ir::Node& node, const char* name) {
  return node.kind == ir::NodeKind::kOp && node.op->name == name && node.components == 1 &&
         (node.flags & ir::kExact) == 0;
}

std::vector<int> UsesOf(const ir::Term& term) {
  std::vector<int> uses(term.nodes.size(), 0);
  ++uses[term.root];
  for (const ir::Node& node : term.nodes) {
    for (const ir::Source& source : node.sources) ++uses[source.node];
  }
  return uses;
}

// Turns the fadd at `sum` into an ffma of the product that its source `k` reads, if that source is a product.
bool Fuse(const std::vector<int>& uses, ir::NodeIndex sum, size_t k, ir::Term* term) {
  ir::Node& node = term->nodes[sum];
  ir::NodeIndex product = node.sources[k].node;
  ir::Node* negation = nullptr;
  if (uses[product] == 1 && IsOp(term->nodes[product], "fneg")) {
    negation = &term->nodes[product];
    product = negation->sources[0].node;
  }
  if (uses[product] != 1 || !IsOp(term->nodes[product], "fmul")) return false;
  const std::vector<ir::Source> factors = term->nodes[product].sources;
  ir::Source first = factors[0];
  if (negation != nullptr) {
    negation->sources[0] = factors[0];  // (-a) * b instead of -(a * b)
    first = node.sources[k];
  }
  node.op = ir::FindOp("ffma");
  node.sources = {first, factors[1], node.sources[1 - k]};
  return true;
}

}  // namespace

ir::Term WithFusedProducts(ir::Term term) {
  const std::vector<int> uses = UsesOf(term);
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    if (IsOp(term.nodes[i], "fadd") && !Fuse(uses, i, 0, &term)) Fuse(uses, i, 1, &term);
  }
  return term;
}

bool HasInnerProducts(const ir::Term& term) {
  return std::any_of(term.nodes.begin(), term.nodes.end(), [](const ir::Node& node) {
    return node.kind == ir::NodeKind::kOp && absl::StrContains(node.op->meaning, "(fadd ") &&
           absl::StrContains(node.op->meaning, "(fmul ");
  });
}

}  // namespace rewrought::verifier
