#include "ir/text/value_types.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "ir/match/relation.h"
#include "ir/scalar.h"
#include "ir/text/value_text.h"

namespace rewrought::ir {
namespace {

bool PassesBits(const OpRow& op) {
  if (&op == &WhereRow()) return true;
  return op.result.base == BaseType::kUint && op.result.bits == 0 &&
         ((op.properties & kIsSelection) || op.name == "mov" || absl::StartsWith(op.name, "vec"));
}

int Rank(BaseType type) {
  switch (type) {
    case BaseType::kFloat:
      return 3;
    case BaseType::kBool:
      return 2;
    case BaseType::kInt:
      return 1;
    case BaseType::kUint:
      return 0;
  }
  return 0;
}

// Returns whether a pattern whose type no op determines was most likely meant as a float: 0x3f800000 as 1.0, but not 5.
bool LooksLikeFloat(uint64_t pattern, int bits) {
  if (!IsFloatWidth(bits) || pattern == 0) return false;
  const double magnitude = std::abs(BitsToFloat(pattern, bits));
  return magnitude >= 0.001 && magnitude <= 65536 && DecimalText(pattern, bits).size() <= 6;
}

// Infers types by union-find over the values of both sides, the search's first.
class Inference {
 public:
  explicit Inference(const Rule& rule) : rule_(rule), searched_(rule.search.nodes.size()) {
    parents_.resize(searched_ + rule.replace.nodes.size());
    for (size_t i = 0; i < parents_.size(); ++i) parents_[i] = i;
    types_.resize(parents_.size());
  }

  ValueTypes Run() {
    Join(rule_.search, 0);
    Join(rule_.replace, searched_);
    if (!rule_.replace.nodes.empty()) Unite(rule_.search.root, searched_ + rule_.replace.root);
    AddEvidence(rule_.search, 0);
    AddEvidence(rule_.replace, searched_);
    InferFromLiterals();
    ValueTypes types;
    for (size_t i = 0; i < parents_.size(); ++i) {
      (i < searched_ ? types.search : types.replace).push_back(types_[Find(i)]);
    }
    return types;
  }

 private:
  const Node& NodeOf(size_t i) const {
    return i < searched_ ? rule_.search.nodes[i] : rule_.replace.nodes[i - searched_];
  }
  size_t Find(size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }
  void Unite(size_t a, size_t b) { parents_[Find(b)] = Find(a); }

  void Note(size_t value, BaseType type) {
    std::optional<BaseType>& known = types_[Find(value)];
    if (!known.has_value() || Rank(type) > Rank(*known)) known = type;
  }

  void Join(const Term& term, size_t base) {
    for (size_t i = 0; i < term.nodes.size(); ++i) {
      const Node& node = term.nodes[i];
      if (node.kind == NodeKind::kVariable) {
        const auto [found, is_new] = variables_.emplace(node.name, base + i);
        if (!is_new) Unite(found->second, base + i);
      }
      if (node.kind != NodeKind::kOp || !PassesBits(*node.op)) continue;
      for (size_t k = 0; k < node.sources.size(); ++k) {
        const OperandType& type = node.op->sources[k];
        if (type.base == BaseType::kUint && type.bits == 0) Unite(base + i, base + node.sources[k].node);
      }
    }
  }

  void AddEvidence(const Term& term, size_t base) {
    for (size_t i = 0; i < term.nodes.size(); ++i) {
      const Node& node = term.nodes[i];
      if (node.kind == NodeKind::kVariable && node.typed) Note(base + i, node.type);
      if (node.kind != NodeKind::kOp) continue;
      const bool passes = PassesBits(*node.op);
      if (!passes) Note(base + i, node.op->result.base);
      for (size_t k = 0; k < node.sources.size(); ++k) {
        const OperandType& type = node.op->sources[k];
        const bool passed = passes && type.base == BaseType::kUint && type.bits == 0;
        if (!passed) Note(base + node.sources[k].node, type.base);
      }
    }
  }

  // Marks a class as float if no op determines its type and all its literals look like floats.
  void InferFromLiterals() {
    absl::flat_hash_map<size_t, bool> looks;
    for (size_t i = 0; i < parents_.size(); ++i) {
      const Node& node = NodeOf(i);
      if (node.kind != NodeKind::kConstant || node.literal != LiteralKind::kBits || types_[Find(i)].has_value())
        continue;
      if (node.values[0] == 0) continue;
      const bool mine = LooksLikeFloat(node.values[0], node.bits);
      const auto [found, is_new] = looks.emplace(Find(i), mine);
      found->second = found->second && mine;
    }
    for (const auto& [root, is_float] : looks) {
      if (is_float) types_[root] = BaseType::kFloat;
    }
  }

  const Rule& rule_;
  const size_t searched_;
  std::vector<size_t> parents_;
  std::vector<std::optional<BaseType>> types_;  // indexed by the root of a class
  absl::flat_hash_map<std::string, size_t> variables_;
};

}  // namespace

ValueTypes InferTypes(const Rule& rule) { return Inference(rule).Run(); }

}  // namespace rewrought::ir
