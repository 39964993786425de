#include "ir/match/match.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/fold.h"
#include "ir/match/matcher_model.h"
#include "ir/match/relation.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/text/components.h"
#include "ir/text/generic_ops.h"
#include "ir/text/node_table.h"
#include "ir/text/predicates.h"

namespace rewrought::ir {
namespace {

constexpr int kMaxCommutative = 8;  // Mesa 25.0.7 nir_search.c, nir_search_max_comm_ops
constexpr size_t kMaxPatterns = 4096;

// Returns whether the node is a constant, or a variable that stands for one.
bool IsSomeConstant(const Node& node) {
  return node.kind == NodeKind::kConstant || (node.kind == NodeKind::kVariable && node.constant_only);
}

bool Has(const std::vector<std::string>& marks, absl::string_view mark) {
  return std::find(marks.begin(), marks.end(), mark) != marks.end();
}

// Returns whether two operands of a pattern are identical, so that swapping them changes nothing.
bool SameOperand(const Term& term, const Source& a, const Source& b) {
  if (a == b) return true;
  const Node& x = term.nodes[a.node];
  const Node& y = term.nodes[b.node];
  return a.swizzle == b.swizzle && x.kind == NodeKind::kConstant && SameNode(x, y);
}

}  // namespace

absl::Status CompiledRule::AddPattern(const Source& use, bool is_root, uint32_t* index) {
  if (patterns_.size() == kMaxPatterns) return absl::InvalidArgumentError("the search is too large");
  const Node& node = rule_.search.nodes[use.node];
  *index = static_cast<uint32_t>(patterns_.size());
  Pattern pattern;
  pattern.node = use.node;
  pattern.swizzle = is_root ? kIdentitySwizzle : use.swizzle;
  for (const std::string& predicate : node.predicates) {
    if (FindPredicate(predicate) != nullptr) pattern.predicates.push_back(predicate);
  }
  if (node.kind == NodeKind::kVariable) {
    const auto found = std::find(variables_.begin(), variables_.end(), node.name);
    pattern.variable = static_cast<int>(found - variables_.begin());
    if (found == variables_.end()) variables_.push_back(node.name);
  }
  if (node.kind != NodeKind::kOp) {
    patterns_.push_back(std::move(pattern));
    return absl::OkStatus();
  }
  pattern.inexact = node.flags & kInexact;
  pattern.ignore_exact = Has(node.predicates, kIgnoreExact);
  if (IsGenericConversion(node.op)) {
    for (const int bits : {8, 16, 32, 64}) {
      if (const OpRow* sized = SizedConversion(node.op, bits, find_)) pattern.ops.push_back(sized);
    }
  } else {
    pattern.ops.push_back(node.op);
  }
  if ((node.op->properties & kCommutative) && node.sources.size() >= 2 &&
      !SameOperand(rule_.search, node.sources[0], node.sources[1])) {
    pattern.commutative = commutative_count_++;
  }
  patterns_.push_back(std::move(pattern));
  for (const Source& source : node.sources) {
    uint32_t below = 0;
    const absl::Status status = AddPattern(source, false, &below);
    if (!status.ok()) return status;
    patterns_[*index].sources.push_back(below);
  }
  return absl::OkStatus();
}

absl::StatusOr<CompiledRule> CompiledRule::Compile(Rule rule, const SizeOptions& options) {
  CompiledRule compiled;
  compiled.rule_ = std::move(rule);
  compiled.find_ = options.find;
  const Term& search = compiled.rule_.search;
  const NodeIndex matched = MatchedRoot(search);
  if (search.nodes.empty() || search.at(matched).kind != NodeKind::kOp || compiled.rule_.replace.nodes.empty()) {
    return absl::InvalidArgumentError("a rule needs a search op and a replacement");
  }
  absl::Status status = InferComponents(&compiled.rule_);
  if (!status.ok()) return status;
  absl::StatusOr<RuleSizes> sizes = RuleSizes::Infer(compiled.rule_, options);
  if (!sizes.ok()) return sizes.status();
  uint32_t root = 0;
  status = compiled.AddPattern({matched, kIdentitySwizzle}, true, &root);
  if (!status.ok()) return status;
  const bool many = std::any_of(search.nodes.begin(), search.nodes.end(),
                                [](const Node& node) { return Has(node.predicates, kManyCommutative); });
  if (compiled.commutative_count_ > kMaxCommutative && !many) {
    return absl::InvalidArgumentError("more than 8 commutative ops in the search; mark one with many-comm-expr");
  }
  for (const SizeOrigin& origin : sizes->ReplacementOrigins()) compiled.origins_.push_back(compiled.AsNumbered(origin));
  compiled.AddRelation(sizes->SearchOrigins());
  return compiled;
}

SizeOrigin CompiledRule::AsNumbered(SizeOrigin origin) const {
  if (origin.kind != SizeOrigin::kVariable) return origin;
  const auto found = std::find(variables_.begin(), variables_.end(), rule_.search.nodes[origin.variable].name);
  origin.variable = static_cast<NodeIndex>(found - variables_.begin());
  return origin;
}

void CompiledRule::AddRelation(const std::vector<SizeOrigin>& origins) {
  relation_ = RelationOf(rule_.search);
  const std::vector<bool> related = NodesOfRelation(rule_.search);
  for (size_t i = 0; i < related.size(); ++i) {
    if (related[i]) relation_origins_.push_back(AsNumbered(origins[i]));
  }
}

// Matches a rule at a node, in one operand order at a time.
class Matcher {
 public:
  Matcher(const CompiledRule& rule, const Term& term, const MatchOptions& options)
      : rule_(rule), term_(term), options_(options) {}

  std::vector<Match> Run(NodeIndex root, size_t limit) {
    std::vector<Match> matches;
    const Node& node = term_.nodes[root];
    const std::vector<const OpRow*>& ops = rule_.root_ops();
    if (node.kind != NodeKind::kOp || std::find(ops.begin(), ops.end(), node.op) == ops.end()) return matches;
    if (!MayReplaceRoot(node)) return matches;
    const int orders = 1 << std::min(rule_.commutative_count_, kMaxCommutative);
    if (orders > 1 && !HasOps(rule_.patterns_[0], root)) return matches;
    for (swapped_ = 0; swapped_ < orders && matches.size() < limit; ++swapped_) {
      match_.root = root;
      match_.variables.assign(rule_.variables_.size(), Binding());
      match_.ops.clear();
      match_.has_exact = inexact_ = false;
      if (!MatchOp(rule_.patterns_[0], root, node.components, kIdentitySwizzle) || !MeetsRelation()) continue;
      matches.push_back(std::move(match_));
    }
    return matches;
  }

 private:
  using Pattern = CompiledRule::Pattern;

  const Node& NodeOf(const Pattern& pattern) const { return rule_.rule_.search.nodes[pattern.node]; }

  bool MayReplaceRoot(const Node& root) const {
    if (!rule_.patterns_[0].inexact) return true;
    if (options_.denormals_flushed && MatcherReadsFlags(root.bits)) return false;
    return !options_.nodes_state_fast_math || !MatcherReadsFlags(root.bits) ||
           (root.flags & kPermissions) == kPermissions;
  }

  bool Holds(PredicateQuery query) const {
    if (!options_.facts) return false;
    query.term = &term_;
    if (options_.uses != nullptr) query.uses = (*options_.uses)[query.value.node];
    return options_.facts(query);
  }

  // Returns whether ops, sizes and constants match in some operand order. This quick check avoids trying all 2^n orders
  // when none can match.
  bool HasOps(const Pattern& pattern, NodeIndex index) const;
  bool MatchOp(const Pattern& pattern, NodeIndex index, int components, const Swizzle& swizzle);
  bool MatchSource(const Pattern& pattern, NodeIndex reader, size_t k, int components, const Swizzle& swizzle);
  // `read` describes the value for which the variable's predicates are evaluated.
  bool MatchVariable(const Pattern& pattern, PredicateQuery read);
  bool MatchLiteral(const Pattern& pattern, const Source& value, int components) const;
  bool IsOfType(NodeIndex index, BaseType type) const;
  bool MeetsRelation() const;
  bool MeetsRelation(int lane) const;
  bool BindInRelation(Node* node, int lane) const;
  int BitsInRelation(NodeIndex index) const;

  const CompiledRule& rule_;
  const Term& term_;
  const MatchOptions& options_;
  int swapped_ = 0;
  bool inexact_ = false;
  Match match_;
};

bool Matcher::HasOps(const Pattern& pattern, NodeIndex index) const {
  const Node& node = term_.nodes[index];
  const Node& wanted = NodeOf(pattern);
  if (wanted.bits != 0 && wanted.bits != node.bits) return false;
  if (wanted.kind == NodeKind::kVariable) return !wanted.constant_only || IsSomeConstant(node);
  if (wanted.kind != node.kind) return false;
  if (wanted.kind == NodeKind::kConstant) return true;
  if (std::find(pattern.ops.begin(), pattern.ops.end(), node.op) == pattern.ops.end()) return false;
  const auto has = [&](size_t k, size_t from) {
    return HasOps(rule_.patterns_[pattern.sources[k]], node.sources[from].node);
  };
  const bool swaps = pattern.commutative >= 0 && pattern.commutative < kMaxCommutative;
  for (size_t k = swaps ? 2 : 0; k < pattern.sources.size(); ++k) {
    if (!has(k, k)) return false;
  }
  return !swaps || (has(0, 0) && has(1, 1)) || (has(0, 1) && has(1, 0));
}

bool Matcher::MatchOp(const Pattern& pattern, NodeIndex index, int components, const Swizzle& swizzle) {
  const Node& node = term_.nodes[index];
  const Node& wanted = NodeOf(pattern);
  if (node.kind != NodeKind::kOp) return false;
  if (std::find(pattern.ops.begin(), pattern.ops.end(), node.op) == pattern.ops.end()) return false;
  if (wanted.bits != 0 && wanted.bits != node.bits) return false;
  if (MatcherReadsFlags(node.bits) && (wanted.flags & kPermissions & ~node.flags) != 0) return false;
  const int written = (1 << node.components) - 1;
  if ((node.write_mask & written) != written) return false;
  for (const std::string& predicate : pattern.predicates) {
    if (!Holds({.predicate = predicate,
                .value = {index, swizzle},
                .components = components,
                .base = node.op->result.base})) {
      return false;
    }
  }
  inexact_ = inexact_ || pattern.inexact;
  match_.has_exact = match_.has_exact || ((node.flags & kExact) && !pattern.ignore_exact);
  if (inexact_ && (match_.has_exact || !options_.allow_inexact)) return false;
  // `.y` matches only if the user reads that single component. Without a swizzle in the pattern, an op with a fixed
  // number of result components must be read without a swizzle.
  if (pattern.swizzle != kIdentitySwizzle) {
    if (components != 1 || swizzle[0] != pattern.swizzle[0]) return false;
  } else if (node.op->result.components != 0) {
    for (int lane = 0; lane < components; ++lane) {
      if (swizzle[lane] != lane) return false;
    }
  }
  match_.ops.push_back(index);
  const bool swap =
      pattern.commutative >= 0 && pattern.commutative < kMaxCommutative && (swapped_ >> pattern.commutative & 1);
  for (size_t k = 0; k < pattern.sources.size(); ++k) {
    const size_t from = swap && k < 2 ? 1 - k : k;
    if (!MatchSource(rule_.patterns_[pattern.sources[k]], index, from, components, swizzle)) return false;
  }
  return true;
}

bool Matcher::MatchSource(const Pattern& pattern, NodeIndex reader, size_t k, int components, const Swizzle& swizzle) {
  const Node& user = term_.nodes[reader];
  const OperandType& type = user.op->sources[k];
  const Source& source = user.sources[k];
  Source value = source;
  if (type.components != 0) {
    components = type.components;
  } else {
    for (int lane = 0; lane < components; ++lane) value.swizzle[lane] = source.swizzle[swizzle[lane]];
  }
  const Node& wanted = NodeOf(pattern);
  const uint8_t bits = term_.nodes[value.node].bits;
  if (wanted.bits != 0 && wanted.bits != bits) return false;
  // As in Mesa, True and False have 1 bit, except in an operand that needs wide Booleans (ir/text/sizes.cc).
  const bool wide_bool = type.base == BaseType::kBool && type.bits > 1;
  const bool is_bool = wanted.kind == NodeKind::kConstant && wanted.literal == LiteralKind::kBool;
  if (is_bool && wanted.bits == 0 && !wide_bool && bits != 1) return false;
  switch (wanted.kind) {
    case NodeKind::kOp:
      return MatchOp(pattern, value.node, components, value.swizzle);
    case NodeKind::kVariable:
      return MatchVariable(pattern, {.predicate = {},
                                     .value = value,
                                     .components = components,
                                     .base = TypeReadByPredicates(*user.op, k),
                                     .reader = reader,
                                     .source = k});
    case NodeKind::kConstant:
      return MatchLiteral(pattern, value, components);
  }
  return false;
}

bool Matcher::MatchVariable(const Pattern& pattern, PredicateQuery read) {
  const Source& value = read.value;
  Binding& binding = match_.variables[static_cast<size_t>(pattern.variable)];
  const Node& variable = NodeOf(pattern);
  if (binding.bound) {
    if (binding.node != value.node) return false;
  } else {
    const Node& node = term_.nodes[value.node];
    if (variable.constant_only && !IsSomeConstant(node)) return false;
    if (variable.typed && !IsOfType(value.node, variable.type)) return false;
    for (const std::string& predicate : pattern.predicates) {
      read.predicate = predicate;
      if (!Holds(read)) return false;
    }
    binding.bound = true;
    binding.node = value.node;
  }
  for (int lane = 0; lane < read.components; ++lane) {
    uint8_t& bound = binding.lanes[pattern.swizzle[lane]];
    if (bound != kUnboundLane && bound != value.swizzle[lane]) return false;
    bound = value.swizzle[lane];
  }
  return true;
}

// Follows Mesa 25.0.7 nir_search.c:60-110, src_is_type.
bool Matcher::IsOfType(NodeIndex index, BaseType type) const {
  const Node* node = &term_.nodes[index];
  if (node->kind != NodeKind::kOp) return false;
  if (type == BaseType::kBool) {
    const std::string& op = node->op->name;
    if (op == "iand" || op == "ior" || op == "ixor") {
      return IsOfType(node->sources[0].node, type) && IsOfType(node->sources[1].node, type);
    }
    if (op == "inot") return IsOfType(node->sources[0].node, type);
  }
  const auto is_integer = [](BaseType base) { return base == BaseType::kInt || base == BaseType::kUint; };
  // Mesa maps both the `int` and the `uint` mark to nir_type_int, so an op of type uint never matches.
  if (is_integer(type)) return node->op->result.base == BaseType::kInt;
  return node->op->result.base == type;
}

bool Matcher::MatchLiteral(const Pattern& pattern, const Source& value, int components) const {
  const Node& literal = NodeOf(pattern);
  const Node& node = term_.nodes[value.node];
  if (node.kind != NodeKind::kConstant) return false;
  const bool either_zero = Has(literal.predicates, kEitherZeroMark);
  for (int lane = 0; lane < components; ++lane) {
    const uint64_t found =
        node.literal == LiteralKind::kBits ? node.values[value.swizzle[lane]] : LiteralBits(node, node.bits);
    if (literal.literal == LiteralKind::kFloat) {
      // Compare doubles, so that a NaN, or a literal that this size cannot represent, never matches.
      if (!IsFloatWidth(node.bits)) return false;
      const double wanted = std::bit_cast<double>(literal.values[0]);
      const double is = BitsToFloat(found, node.bits);
      if (is != wanted) return false;
      if (options_.literals_exact && std::bit_cast<uint64_t>(is) != literal.values[0]) return false;
    } else if (either_zero) {
      if (found & (MaskOf(node.bits) >> 1)) return false;
    } else {
      const uint64_t wanted = literal.literal == LiteralKind::kBits ? literal.values[pattern.swizzle[lane]]
                                                                    : LiteralBits(literal, node.bits);
      if (found != wanted) return false;
    }
  }
  return true;
}

bool Matcher::MeetsRelation() const {
  if (rule_.relation_.nodes.empty()) return true;
  for (int lane = 0; lane < term_.nodes[match_.root].components; ++lane) {
    if (!MeetsRelation(lane)) return false;
  }
  return true;
}

// Returns whether the relation folds to true for the constants in component `lane`.
bool Matcher::MeetsRelation(int lane) const {
  Term bound = rule_.relation_;
  for (NodeIndex i = 0; i < bound.nodes.size(); ++i) {
    Node& node = bound.nodes[i];
    node.components = 1;
    node.bits = static_cast<uint8_t>(BitsInRelation(i));
    if (node.kind == NodeKind::kVariable && !BindInRelation(&node, lane)) return false;
  }
  const Term folded = FoldConstants(std::move(bound));
  const Node& truth = folded.root_node();
  return truth.kind == NodeKind::kConstant && truth.bits == 1 && truth.values[0] == 1;
}

// Replaces the variable with its bound constant. Returns false if the bound value is not a constant or the lane is not
// bound.
bool Matcher::BindInRelation(Node* node, int lane) const {
  const auto found = std::find(rule_.variables_.begin(), rule_.variables_.end(), node->name);
  if (found == rule_.variables_.end()) return false;
  const Binding& binding = match_.variables[static_cast<size_t>(found - rule_.variables_.begin())];
  if (!binding.bound || binding.lanes[lane] == kUnboundLane) return false;
  const Node& value = term_.nodes[binding.node];
  if (value.kind != NodeKind::kConstant || value.bits != node->bits) return false;
  Node constant;
  constant.kind = NodeKind::kConstant;
  constant.bits = value.bits;
  constant.values[0] =
      value.literal == LiteralKind::kBits ? value.values[binding.lanes[lane]] : LiteralBits(value, value.bits);
  *node = std::move(constant);
  return true;
}

int Matcher::BitsInRelation(NodeIndex index) const {
  const SizeOrigin& origin = rule_.relation_origins_[index];
  switch (origin.kind) {
    case SizeOrigin::kFixed:
      return origin.bits;
    case SizeOrigin::kVariable:
      return term_.nodes[match_.variables[origin.variable].node].bits;
    case SizeOrigin::kRoot:
      return term_.nodes[match_.root].bits;
  }
  return 0;
}

std::optional<Match> MatchAt(const CompiledRule& rule, const Term& term, NodeIndex root, const MatchOptions& options) {
  std::vector<Match> matches = Matcher(rule, term, options).Run(root, 1);
  return matches.empty() ? std::nullopt : std::optional(std::move(matches[0]));
}

std::vector<Match> MatchesAt(const CompiledRule& rule, const Term& term, NodeIndex root, const MatchOptions& options) {
  return Matcher(rule, term, options).Run(root, size_t{1} << kMaxCommutative);
}

}  // namespace rewrought::ir
