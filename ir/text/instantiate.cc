// Implements the part of ir/text/sizes.h that instantiates a rule at given sizes.
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/scalar.h"
#include "ir/text/components.h"
#include "ir/text/node_table.h"
#include "ir/text/predicates.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {
namespace {

bool IsFloatZero(const Node& node) { return node.literal == LiteralKind::kFloat && node.values[0] << 1 == 0; }

class Instantiation {
 public:
  Instantiation(const Term& from, const std::vector<uint8_t>& bits, bool is_search, const SizeOptions& options)
      : from_(from), bits_(bits), is_search_(is_search), options_(options), index_of_(from.nodes.size()) {}

  absl::StatusOr<Term> Run() {
    const std::vector<bool> wanted = WantedNodes();
    for (NodeIndex i = 0; i < from_.nodes.size(); ++i) {
      if (!wanted[i]) continue;
      Node node = from_.nodes[i];
      node.bits = bits_[i];
      bool shared = true;
      if (node.kind == NodeKind::kConstant) {
        shared = !FixLiteral(&node);
      } else if (node.kind == NodeKind::kOp) {
        if (!FixOp(&node)) {
          return absl::InvalidArgumentError(absl::StrCat("NIR has no op ", node.op->name, static_cast<int>(node.bits)));
        }
      }
      index_of_[i] = shared ? table_.Intern(std::move(node), &term_) : Append(std::move(node));
    }
    term_.root = index_of_[from_.root];
    return std::move(term_);
  }

 private:
  std::vector<bool> WantedNodes() const {
    std::vector<bool> wanted(from_.nodes.size(), false);
    wanted[from_.root] = true;
    for (size_t i = from_.nodes.size(); i-- > 0;) {
      if (!wanted[i]) continue;
      for (const Source& source : from_.nodes[i].sources) wanted[source.node] = true;
    }
    return wanted;
  }

  NodeIndex Append(Node node) {
    term_.nodes.push_back(std::move(node));
    return static_cast<NodeIndex>(term_.nodes.size() - 1);
  }

  // Returns true if the literal is a zero that matches either sign. Each such zero may have its own sign and must not
  // be merged with others.
  bool FixLiteral(Node* node) const {
    const bool either_zero = is_search_ && !options_.literals_exact && IsFloatZero(*node);
    if (node->literal != LiteralKind::kBits) {
      const uint64_t pattern = either_zero  ? 0
                               : is_search_ ? LiteralBits(*node, node->bits)
                                            : BuiltLiteralBits(*node, node->bits);
      for (int c = 0; c < kMaxComponents; ++c) node->values[c] = c < node->components ? pattern : 0;
      node->literal = LiteralKind::kBits;
      if (either_zero) node->predicates.emplace_back(kEitherZeroMark);
      return either_zero;
    }
    return !node->predicates.empty();
  }

  bool FixOp(Node* node) const {
    for (Source& source : node->sources) source.node = index_of_[source.node];
    if (!IsGenericConversion(node->op)) return true;
    const OpRow* sized = SizedConversion(node->op, node->bits, options_.find);
    if (sized != nullptr) node->op = sized;
    return sized != nullptr;
  }

  const Term& from_;
  const std::vector<uint8_t>& bits_;
  const bool is_search_;
  const SizeOptions& options_;
  std::vector<NodeIndex> index_of_;
  NodeTable table_;
  Term term_;
};

}  // namespace

uint64_t LiteralBits(const Node& node, int bits) {
  switch (node.literal) {
    case LiteralKind::kBits:
    case LiteralKind::kInt:
      return node.values[0] & MaskOf(bits);
    case LiteralKind::kBool:
      return node.values[0] ? MaskOf(bits) : 0;
    case LiteralKind::kFloat: {
      const double value = std::bit_cast<double>(node.values[0]);
      // Mesa rounds to binary32 first (25.0.7 nir.c, nir_const_value_for_float).
      if (bits == 16) return FloatToBits(static_cast<float>(value), bits);
      return IsFloatWidth(bits) ? FloatToBits(value, bits) : 0;
    }
  }
  return 0;
}

uint64_t BuiltLiteralBits(const Node& node, int bits) {
  return bits == 1 && node.literal == LiteralKind::kInt ? node.values[0] != 0 : LiteralBits(node, bits);
}

absl::StatusOr<Rule> Instantiate(const Rule& rule, const SizeAssignment& sizes, const SizeOptions& options) {
  if (sizes.search_bits.size() != rule.search.nodes.size() || sizes.replace_bits.size() != rule.replace.nodes.size()) {
    return absl::InvalidArgumentError("the sizes belong to a different rule");
  }
  Rule sized = rule;
  const absl::Status status = InferComponents(&sized);
  if (!status.ok()) return status;
  absl::StatusOr<Term> search = Instantiation(sized.search, sizes.search_bits, true, options).Run();
  if (!search.ok()) return search.status();
  sized.search = *std::move(search);
  if (sized.replace.nodes.empty()) return sized;
  absl::StatusOr<Term> replace = Instantiation(sized.replace, sizes.replace_bits, false, options).Run();
  if (!replace.ok()) return replace.status();
  sized.replace = *std::move(replace);
  return sized;
}

}  // namespace rewrought::ir
