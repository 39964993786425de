#include "emitter/pass/pass_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/match/relation.h"
#include "ir/op_table.h"
#include "ir/term_order.h"
#include "ir/text/generic_ops.h"
#include "ir/text/predicates.h"
#include "machine/base/base_selection.h"
#include "machine/cost.h"
#include "rules/sharing.h"

namespace rewrought::emitter {
namespace {

constexpr uint32_t kHundredth = 100;
constexpr char kUsedOnce[] = "is_used_once";
// Limits on the number of variables (3^9 comparisons for sides of equal cost), the number of terms, and the degree.
constexpr size_t kMaxVariables = 9, kMaxMonomials = 1024, kMaxDegree = 16;
constexpr uint64_t kMaxFactor = uint64_t{1} << 24;  // With this limit, sums of products cannot overflow.

// A value's definition as its users see it: a constant load, a product or its negation, or another instruction.
enum class Kind : uint8_t { kOther, kProduct, kLiteral };
using Kinds = std::map<std::string, Kind>;

// Weights of the instructions that a value needs, each counted once. Cycles are compared first, then sizes, then the
// other parts.
enum Part : uint8_t {
  kCycles,   // Weights of the ops.
  kUnfused,  // Additions without a product operand.
  kMixed,    // Instructions that read a literal and another value.
  kParts,
};
using Weight = std::array<uint64_t, kParts>;

// The size of the tree of instructions that computes a value. It is a polynomial in the amounts by which the sizes of
// the variables exceed kLeastSize, stored as a map from monomials to coefficients. The size of a product is the product
// of its operands' sizes, so a product of sums is larger than the equivalent sum of products. The size of any other op
// is one more than the sum of its operands' sizes. The size of an op that drivers lower is slightly more than the size
// of the ops to which they lower it.
using Size = std::map<std::vector<std::string>, uint64_t>;
constexpr uint64_t kLeastSize = 2;

bool IsProduct(absl::string_view op) { return op == "fmul" || op == "fmulz"; }

void AddTo(Size* sum, const Size& size) {
  for (const auto& [monomial, factor] : size) (*sum)[monomial] += factor;
}

// Returns nullopt if the product is too large to compare.
std::optional<Size> Times(const Size& x, const Size& y) {
  Size product;
  for (const auto& [of_x, x_factor] : x) {
    for (const auto& [of_y, y_factor] : y) {
      std::vector<std::string> monomial = of_x;
      monomial.insert(monomial.end(), of_y.begin(), of_y.end());
      if (monomial.size() > kMaxDegree) return std::nullopt;
      std::sort(monomial.begin(), monomial.end());
      product[monomial] += x_factor * y_factor;
      if (product.size() > kMaxMonomials) return std::nullopt;
    }
  }
  return product;
}

std::optional<Size> SizeOf(const ir::Term& term, ir::NodeIndex index, const std::set<std::string>& literals) {
  const ir::Node& node = term.nodes[index];
  if (node.kind != ir::NodeKind::kOp) {
    Size size = {{{}, kLeastSize}};
    if (node.kind == ir::NodeKind::kVariable && !literals.contains(node.name)) size[{node.name}] = 1;
    return size;
  }
  const bool divides = node.op->name == "fdiv", product = divides || IsProduct(node.op->name);
  Size size = {{{}, uint64_t{1}}};
  for (const ir::Source& source : node.sources) {
    std::optional<Size> of = SizeOf(term, source.node, literals);
    if (!of.has_value()) return std::nullopt;
    // A division counts as larger than a product with the reciprocal.
    if (divides && &source == &node.sources.back()) (*of)[{}] += 2;
    if (product) {
      std::optional<Size> larger = Times(size, *of);
      if (!larger.has_value()) return std::nullopt;
      size = *std::move(larger);
    } else {
      AddTo(&size, *of);
    }
  }
  // A subtraction counts as larger than an addition and a negation together.
  if (node.op->name == "fsub") size[{}] += 2;
  const bool small = std::all_of(size.begin(), size.end(), [](const auto& one) { return one.second <= kMaxFactor; });
  return small ? std::optional<Size>(size) : std::nullopt;
}

enum class Order : uint8_t { kLess, kSame, kNeither };

// Compares coefficients, so that the result is valid for all values of the variables.
Order CompareSizes(const Size& made, const Size& gone) {
  const auto at_most = [](const Size& x, const Size& y) {
    return std::all_of(x.begin(), x.end(), [&](const auto& one) {
      const auto other = y.find(one.first);
      return other != y.end() && one.second <= other->second;
    });
  };
  if (!at_most(made, gone)) return Order::kNeither;
  if (at_most(gone, made)) return Order::kSame;
  return made.at({}) < gone.at({}) ? Order::kLess : Order::kNeither;
}

bool HasPredicate(const ir::Node& node, absl::string_view name) {
  return std::find(node.predicates.begin(), node.predicates.end(), name) != node.predicates.end();
}

int UsesOf(const ir::Term& term, ir::NodeIndex index) {
  int uses = 0;
  for (const ir::Node& user : term.nodes) {
    for (const ir::Source& source : user.sources) uses += source.node == index ? 1 : 0;
  }
  return uses;
}

// Weighs one side of a rule as a tree, as the driver's matcher sees it.
class Scale {
 public:
  Scale(const ir::Term& term, const OpWeights& weights, const Kinds& kinds)
      : term_(term), weights_(weights), kinds_(kinds) {}

  Weight weight = {};
  int instructions = 0;

  // Returns the kind of the value at `index`. If `counted` is set, adds the weights of the value and of its operands.
  // If `only_single_use` is set, adds only the weights of operands that are guaranteed to be removed together with the
  // value.
  Kind Add(ir::NodeIndex index, bool counted, bool only_single_use) {
    const ir::Node& node = term_.nodes[index];
    if (node.kind == ir::NodeKind::kConstant) return Kind::kLiteral;
    if (node.kind == ir::NodeKind::kVariable) return kinds_.at(node.name);
    size_t literals = 0, products = 0;
    Kind first = Kind::kOther;
    for (size_t i = 0; i < node.sources.size(); ++i) {
      const ir::NodeIndex source = node.sources[i].node;
      const bool goes = !only_single_use || (counted && HasPredicate(term_.nodes[source], kUsedOnce));
      const Kind kind = Add(source, goes, only_single_use);
      if (i == 0) first = kind;
      literals += kind == Kind::kLiteral ? 1 : 0;
      products += kind == Kind::kProduct ? 1 : 0;
    }
    const std::string& op = node.op->name;
    if (counted) {
      const uint32_t each = weights_.at(OrderName(op));
      ++instructions;
      weight[kCycles] += each;
      weight[kUnfused] += op == "fadd" && products == 0 ? 1 : 0;
      weight[kMixed] += literals > 0 && literals < node.sources.size() ? 1 : 0;
    }
    const bool product = IsProduct(op) || (op == "fneg" && first == Kind::kProduct);
    return product ? Kind::kProduct : Kind::kOther;
  }

 private:
  const ir::Term& term_;
  const OpWeights& weights_;
  const Kinds& kinds_;
};

// Calls `visit` for each combination of options until a call fails.
absl::Status ForEachChoice(const std::map<std::string, std::vector<Kind>>& options,
                           const std::function<absl::Status(const Kinds&)>& visit) {
  std::vector<size_t> choice(options.size(), 0);
  for (;;) {
    Kinds kinds;
    size_t place = 0;
    for (const auto& [name, of] : options) kinds[name] = of[choice[place++]];
    if (absl::Status status = visit(kinds); !status.ok()) return status;
    place = 0;
    for (const auto& [name, of] : options) {
      if (++choice[place] < of.size()) break;
      choice[place++] = 0;
    }
    if (place == options.size()) return absl::OkStatus();
  }
}

std::vector<Kind> KindsOf(const ir::Node& variable) {
  if (variable.constant_only) return {Kind::kLiteral};
  if (HasPredicate(variable, "is_fmul")) return {Kind::kProduct};
  std::vector<Kind> kinds = {Kind::kOther};
  if (!HasPredicate(variable, "is_not_fmul")) kinds.push_back(Kind::kProduct);
  if (!HasPredicate(variable, "is_not_const")) kinds.push_back(Kind::kLiteral);
  return kinds;
}

// Returns, for each variable, the kinds allowed by the marks at all of its occurrences.
std::map<std::string, std::vector<Kind>> OptionsOf(const ir::Term& search) {
  std::map<std::string, std::vector<Kind>> options;
  for (const ir::Node& node : search.nodes) {
    if (node.kind != ir::NodeKind::kVariable) continue;
    const std::vector<Kind> here = KindsOf(node);
    const auto [place, is_new] = options.try_emplace(node.name, here);
    std::erase_if(place->second, [&](Kind kind) { return std::find(here.begin(), here.end(), kind) == here.end(); });
  }
  return options;
}

std::string Text(const Scale& side) {
  return absl::StrFormat("%.2f cycles in %d instructions", static_cast<double>(side.weight[kCycles]) / kHundredth,
                         side.instructions);
}

std::string Text(const Kinds& kinds) {
  std::vector<std::string> parts;
  for (const auto& [name, kind] : kinds) {
    if (kind == Kind::kOther) continue;
    parts.push_back(absl::StrCat(name, kind == Kind::kProduct ? " is a product" : " is a constant"));
  }
  return parts.empty() ? "" : absl::StrCat(" where ", absl::StrJoin(parts, " and "));
}

// Compares the sides for all possible kinds of variables.
class Comparison {
 public:
  Comparison(const ir::Rule& rule, const OpWeights& weights) : rule_(rule), weights_(weights) {}

  absl::Status Run() {
    std::map<std::string, std::vector<Kind>> options = OptionsOf(rule_.search);
    std::set<std::string> literals;
    for (const auto& [name, kinds] : options) {
      if (kinds.empty()) return absl::FailedPreconditionError(absl::StrCat("no value can match ", name));
      if (kinds == std::vector<Kind>{Kind::kLiteral}) literals.insert(name);
    }
    if (options.size() > kMaxVariables) {
      return Fails(absl::StrCat("it has more than ", kMaxVariables, " variables"), "a rule with fewer variables");
    }
    const auto gone = SizeOf(rule_.search, rule_.search.root, literals),
               made = SizeOf(rule_.replace, rule_.replace.root, literals);
    size_ = gone.has_value() && made.has_value() ? CompareSizes(*made, *gone) : Order::kNeither;
    // Kinds matter only if both sides have equal cost and equal size.
    if (size_ != Order::kSame) {
      for (auto& [name, kinds] : options) kinds.resize(1);
    }
    return ForEachChoice(options, [&](const Kinds& kinds) { return Compare(kinds); });
  }

 private:
  absl::Status Compare(const Kinds& kinds) const {
    Scale gone(rule_.search, weights_, kinds), made(rule_.replace, weights_, kinds);
    const Kind before = gone.Add(rule_.search.root, true, true);
    const Kind after = made.Add(rule_.replace.root, true, false);
    const auto [old_part, new_part] = std::mismatch(gone.weight.begin(), gone.weight.end(), made.weight.begin());
    const bool by_cycles = gone.weight[kCycles] != made.weight[kCycles];
    if (by_cycles ? *old_part > *new_part : size_ == Order::kLess) return absl::OkStatus();
    if (by_cycles || size_ != Order::kSame || old_part == gone.weight.end() || *old_part < *new_part) {
      return Fails(absl::StrCat("it is certain to remove only ", Text(gone), ", but adds ", Text(made), Text(kinds)),
                   "is_used_once on more inner ops, is_not_const or is_not_fmul on a variable, or a replacement with "
                   "fewer or cheaper instructions");
    }
    // The users of the root must not weigh more than before.
    if (before == after || (before == Kind::kOther && old_part - gone.weight.begin() == kUnfused)) {
      return absl::OkStatus();
    }
    return Fails(absl::StrCat("it saves no instruction, and the users of its root may weigh more", Text(kinds)),
                 "a replacement with fewer instructions, or with a product at its root as before");
  }

  static absl::Status Fails(absl::string_view why, absl::string_view remedy) {
    return absl::FailedPreconditionError(
        absl::StrCat("a pass with it may not terminate (docs/passes.md): ", why, "; remedy: ", remedy));
  }

  const ir::Rule& rule_;
  const OpWeights& weights_;
  Order size_ = Order::kNeither;
};

// Checks a sharing rule. Its predicate limits the number of applications, but the rule must not duplicate an
// instruction that has other users.
absl::Status CheckSharing(const ir::Term& search) {
  for (ir::NodeIndex i = 0; i < search.nodes.size(); ++i) {
    const ir::Node& node = search.nodes[i];
    if (node.kind != ir::NodeKind::kOp || i == search.root || HasPredicate(node, kUsedOnce)) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("an inner ", node.op->name, " of the regrouped chain may have other users; remedy: ", kUsedOnce));
  }
  return absl::OkStatus();
}

double IssueCycles(const machine::Machine& machine, const ir::OpRow& op) {
  for (const int free_bits : {32, 16, 64, 8, 1}) {
    ir::Term term;
    ir::Node root;
    root.kind = ir::NodeKind::kOp;
    root.op = &op;
    root.bits = static_cast<uint8_t>(op.result.bits != 0 ? op.result.bits : free_bits);
    for (size_t i = 0; i < op.sources.size(); ++i) {
      ir::Node variable;
      variable.name = std::string(1, static_cast<char>('a' + i));
      variable.bits = static_cast<uint8_t>(op.sources[i].bits != 0 ? op.sources[i].bits : free_bits);
      root.sources.push_back({static_cast<ir::NodeIndex>(term.nodes.size())});
      term.nodes.push_back(std::move(variable));
    }
    term.root = static_cast<ir::NodeIndex>(term.nodes.size());
    term.nodes.push_back(std::move(root));
    const auto cost = machine::BaseCost(machine, term, machine::BaseKind::kNaive);
    if (cost.ok()) return cost->issue_cycles;
  }
  return -1;
}

uint32_t WeightOf(const machine::Machine& machine, const ir::OpRow& op) {
  for (const machine::Modifier& modifier : machine.modifiers()) {
    if (modifier.nir == op.name) return 0;
  }
  const ir::OpRow* sized = ir::IsGenericConversion(&op) ? ir::SizedConversion(&op, 32, &ir::FindOp) : &op;
  double cycles = sized == nullptr ? -1 : IssueCycles(machine, *sized);
  if (cycles < 0) cycles = std::max(1.0, IssueCycles(machine, *ir::FindOp("fadd")));
  return static_cast<uint32_t>(std::lround(cycles * kHundredth));
}

bool MayBeMarked(const ir::Term& search, ir::NodeIndex index) {
  const ir::Node& node = search.nodes[index];
  const bool free = std::all_of(node.predicates.begin(), node.predicates.end(),
                                [](const std::string& name) { return name == ir::kManyCommutative; });
  return node.kind == ir::NodeKind::kOp && index != ir::MatchedRoot(search) && free && UsesOf(search, index) == 1;
}

// Returns the unmarked ops below the root or below a marked op, heaviest first.
std::vector<ir::NodeIndex> Frontier(const ir::Term& search, const OpWeights& weights) {
  std::vector<ir::NodeIndex> found, open = {ir::MatchedRoot(search)};
  while (!open.empty()) {
    const ir::NodeIndex user = open.back();
    open.pop_back();
    for (const ir::Source& source : search.nodes[user].sources) {
      if (HasPredicate(search.nodes[source.node], kUsedOnce)) open.push_back(source.node);
      if (MayBeMarked(search, source.node)) found.push_back(source.node);
    }
  }
  std::sort(found.begin(), found.end(), [&](ir::NodeIndex x, ir::NodeIndex y) {
    const uint32_t of_x = weights.at(OrderName(search.nodes[x].op->name)),
                   of_y = weights.at(OrderName(search.nodes[y].op->name));
    return of_x != of_y ? of_x > of_y : x < y;
  });
  return found;
}

}  // namespace

std::string OrderName(absl::string_view op) {
  absl::string_view stem = op;
  while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.remove_suffix(1);
  return std::string(ir::FindGenericConversion(stem) != nullptr ? stem : op);
}

void AddWeights(const machine::Machine& machine, const ir::Rule& rule, OpWeights* weights) {
  const ir::Term matched = ir::Matched(rule.search);
  for (const ir::Term* side : {&matched, &rule.replace}) {
    for (const ir::Node& node : side->nodes) {
      if (node.kind != ir::NodeKind::kOp) continue;
      const std::string name = OrderName(node.op->name);
      if (weights->contains(name)) continue;
      const ir::OpRow* const generic = ir::FindGenericConversion(name);
      (*weights)[name] = WeightOf(machine, generic != nullptr ? *generic : *node.op);
    }
  }
}

OpWeights WithoutCycles(const OpWeights& weights) {
  OpWeights none = weights;
  for (auto& [name, weight] : none) weight = 0;
  return none;
}

absl::Status CheckLowersOrder(const ir::Rule& whole, const OpWeights& weights) {
  const ir::Rule rule = {ir::Matched(whole.search), whole.replace, whole.condition, whole.line};
  for (const ir::Term* side : {&rule.search, &rule.replace}) {
    for (const ir::Node& node : side->nodes) {
      if (node.kind != ir::NodeKind::kOp) continue;
      // Drivers create copies of swizzled values implicitly.
      if (node.op->name == "mov") return absl::FailedPreconditionError("it matches or creates a plain copy (`mov`)");
      if (weights.contains(OrderName(node.op->name))) continue;
      return absl::FailedPreconditionError(absl::StrCat("the pack's order has no weight for ", node.op->name));
    }
  }
  return rules::IsSharing(rule) ? CheckSharing(rule.search) : Comparison(rule, weights).Run();
}

std::optional<std::vector<uint32_t>> RequiredSingleUseMarks(const ir::Rule& rule, const OpWeights& weights) {
  ir::Rule marked = rule;
  std::vector<ir::NodeIndex> added;
  while (!CheckLowersOrder(marked, weights).ok()) {
    const std::vector<ir::NodeIndex> next = Frontier(marked.search, weights);
    if (next.empty()) return std::nullopt;
    marked.search.nodes[next.front()].predicates.emplace_back(kUsedOnce);
    added.push_back(next.front());
  }
  // Remove marks that a later mark made unnecessary.
  for (size_t i = 0; i < added.size();) {
    ir::Rule without = marked;
    std::erase(without.search.nodes[added[i]].predicates, kUsedOnce);
    if (!CheckLowersOrder(without, weights).ok()) {
      ++i;
      continue;
    }
    marked = std::move(without);
    added.erase(added.begin() + static_cast<ptrdiff_t>(i));
  }
  const std::vector<ir::NodeIndex> values = ir::ValuesInPrefixOrder(rule.search);
  std::vector<uint32_t> marks;
  for (const ir::NodeIndex node : added) {
    marks.push_back(static_cast<uint32_t>(std::find(values.begin(), values.end(), node) - values.begin()));
  }
  std::sort(marks.begin(), marks.end());
  return marks;
}

std::optional<PassFit> FindPass(const ir::Rule& rule, const OpWeights& weights) {
  for (const bool second : {false, true}) {
    auto marks = RequiredSingleUseMarks(rule, second ? WithoutCycles(weights) : weights);
    if (marks.has_value()) return PassFit{second, *std::move(marks)};
  }
  return std::nullopt;
}

}  // namespace rewrought::emitter
