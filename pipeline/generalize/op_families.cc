#include "pipeline/generalize/op_families.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "ir/dialect/nir26_rows.h"
#include "ir/term_order.h"
#include "ir/text/canonical.h"
#include "ir/text/sizes.h"
#include "pipeline/generalize/rule_edit.h"

namespace rewrought::pipeline {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

const Pairs& MinMax() {
  static const Pairs& pairs = *new Pairs{{"fmin", "fmax"}, {"imin", "imax"}, {"umin", "umax"}};
  return pairs;
}

const Pairs& Signs() {
  static const Pairs& pairs = *new Pairs{{"imin", "umin"},
                                         {"imax", "umax"},
                                         {"ilt", "ult"},
                                         {"ige", "uge"},
                                         {"ishr", "ushr"},
                                         {"i2f16", "u2f16"},
                                         {"i2f32", "u2f32"},
                                         {"i2f64", "u2f64"},
                                         {"i2i8", "u2u8"},
                                         {"i2i16", "u2u16"},
                                         {"i2i32", "u2u32"},
                                         {"i2i64", "u2u64"},
                                         {"extract_i8", "extract_u8"},
                                         {"extract_i16", "extract_u16"},
                                         {"idiv", "udiv"},
                                         {"iadd_sat", "uadd_sat"},
                                         {"isub_sat", "usub_sat"},
                                         {"imul_high", "umul_high"}};
  return pairs;
}

const Pairs& Equalities() {
  static const Pairs& pairs = *new Pairs{{"ieq", "ine"}, {"feq", "fneu"}, {"iand", "ior"}};
  return pairs;
}

const Pairs& Complements() {
  static const Pairs& pairs =
      *new Pairs{{"ieq", "ine"}, {"feq", "fneu"}, {"ilt", "ige"}, {"ult", "uge"}, {"iand", "ior"}};
  return pairs;
}

// Pairs under which a rule about a minimum of two bounds becomes a rule about their maximum.
const Pairs& Duals() {
  static const Pairs& pairs = *new Pairs{{"fmin", "fmax"}, {"imin", "imax"}, {"umin", "umax"}, {"iand", "ior"}};
  return pairs;
}

const Pairs& Bounds() {
  static const Pairs& pairs =
      *new Pairs{{"fmin", "fmax"}, {"imin", "imax"}, {"umin", "umax"}, {"flt", "fge"}, {"ilt", "ige"}, {"ult", "uge"}};
  return pairs;
}

// Pairs of an order comparison and an equality comparison.
const std::vector<Pairs>& OrdersToEqualities() {
  static const auto& lists = *new std::vector<Pairs>{{{"ilt", "ieq"}, {"ige", "ine"}, {"flt", "feq"}, {"fge", "fneu"}},
                                                     {{"ilt", "ine"}, {"ige", "ieq"}, {"flt", "fneu"}, {"fge", "feq"}},
                                                     {{"ieq", "ilt"}, {"ine", "ige"}, {"feq", "flt"}, {"fneu", "fge"}}};
  return lists;
}

// Integer ops and their float counterparts.
const Pairs& Floats() {
  static const Pairs& pairs =
      *new Pairs{{"iadd", "fadd"}, {"isub", "fsub"},   {"imul", "fmul"},   {"ineg", "fneg"},  {"iabs", "fabs"},
                 {"imin", "fmin"}, {"imax", "fmax"},   {"ilt", "flt"},     {"ige", "fge"},    {"ieq", "feq"},
                 {"ine", "fneu"},  {"isign", "fsign"}, {"b2i32", "b2f32"}, {"b2i16", "b2f16"}};
  return pairs;
}

// Classes of ops: a rule for one op of a class often holds for the others.
const std::vector<std::vector<std::string>>& Classes() {
  static const auto& classes = *new std::vector<std::vector<std::string>>{
      {"iand", "ior", "ixor", "iadd", "imul", "imin", "imax", "umin", "umax"},
      {"fadd", "fmul", "fmin", "fmax"},
      {"ieq", "ine", "ilt", "ige", "ult", "uge"},
      {"feq", "fneu", "flt", "fge"},
      {"fneg", "fabs", "fsat"},
      {"ineg", "inot", "iabs"},
      {"ffloor", "fceil", "ftrunc", "fround_even"},
      {"fsqrt", "frcp", "frsq", "fexp2", "flog2", "fsin", "fcos"},
      {"ishl", "ishr", "ushr"},
  };
  return classes;
}

bool IsOrder(const std::string& op) {
  return op == "ilt" || op == "ige" || op == "ult" || op == "uge" || op == "flt" || op == "fge";
}

// Returns whether every op either has a counterpart in `pairs` or works on integers and floats alike.
bool AllHaveCounterparts(const std::set<std::string>& ops, const Pairs& pairs) {
  static const auto& neutral = *new std::set<std::string>{"bcsel", "inot", "iand", "ior", "ixor"};
  return std::all_of(ops.begin(), ops.end(), [&](const std::string& op) {
    return neutral.contains(op) ||
           std::any_of(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == op; });
  });
}

std::set<std::string> OpsOf(const ir::Rule& rule) {
  std::set<std::string> names;
  for (const ir::Term* term : {&rule.search, &rule.replace}) {
    const std::vector<bool> reached = ReachedNodes(*term);
    for (size_t i = 0; i < reached.size(); ++i) {
      if (reached[i] && term->nodes[i].kind == ir::NodeKind::kOp) names.insert(term->nodes[i].op->name);
    }
  }
  return names;
}

void Complement(ir::Node* literal) {
  if (literal->literal == ir::LiteralKind::kBool) literal->values[0] ^= 1;
  if (literal->literal == ir::LiteralKind::kInt && literal->values[0] + 1 <= 1)
    literal->values[0] = ~literal->values[0];
}

// Converts an integer literal to the float with the same value.
void MakeFloat(ir::Node* literal) {
  if (literal->literal != ir::LiteralKind::kInt) return;
  literal->literal = ir::LiteralKind::kFloat;
  literal->values[0] = std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(literal->values[0])));
}

// Converts a float literal with an integral value to the integer with the same value.
void MakeInteger(ir::Node* literal) {
  if (literal->literal != ir::LiteralKind::kFloat) return;
  const double value = std::bit_cast<double>(literal->values[0]);
  constexpr double kMost = 1 << 30;
  if (std::signbit(value) && value == 0) return;
  if (!(value >= -kMost && value <= kMost) || std::trunc(value) != value) return;
  literal->literal = ir::LiteralKind::kInt;
  literal->values[0] = static_cast<uint64_t>(static_cast<int64_t>(value));
}

// Converts the literal to the type that its reader expects, with the same value.
void MakeLike(ir::BaseType base, ir::Node* literal) {
  if (base == ir::BaseType::kFloat) MakeFloat(literal);
  if (base == ir::BaseType::kInt || base == ir::BaseType::kUint) MakeInteger(literal);
}

// Gives each literal the type that the op that reads it expects, and a literal replacement the type of the search.
// Selections such as bcsel read values of any type.
void AdaptLiterals(ir::Rule* rule) {
  const ir::OpRow& root = *rule->search.root_node().op;
  for (ir::Term* term : {&rule->search, &rule->replace}) {
    const bool is_typed = (root.properties & ir::kIsSelection) == 0;
    if (term == &rule->replace && is_typed) MakeLike(root.result.base, &term->nodes[term->root]);
    for (ir::NodeIndex i = 0; i < term->nodes.size(); ++i) {
      const ir::Node& node = term->at(i);
      if (node.kind != ir::NodeKind::kOp || (node.op->properties & ir::kIsSelection) != 0) continue;
      for (size_t k = 0; k < node.sources.size(); ++k)
        MakeLike(node.op->sources[k].base, &term->nodes[node.sources[k].node]);
    }
  }
}

// Returns whether the rule does arithmetic with 1-bit numbers. Such a rule is a rule about Booleans in disguise.
bool HasOneBitArithmetic(const ir::Rule& rule, const ir::SizeOptions& options) {
  static const auto& arithmetic = *new std::set<std::string>{"iadd", "imul", "imin", "imax", "umin", "umax",
                                                             "ineg", "iabs", "ishl", "ishr", "ushr"};
  const auto sizes = ir::EnumerateSizes(rule, options);
  if (!sizes.ok()) return false;
  const auto has = [](const ir::Term& term, const std::vector<uint8_t>& bits) {
    for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
      const ir::Node& node = term.at(i);
      if (node.kind == ir::NodeKind::kOp && bits[i] == 1 && arithmetic.contains(node.op->name)) return true;
    }
    return false;
  };
  return has(rule.search, sizes->front().search_bits) || has(rule.replace, sizes->front().replace_bits);
}

std::string OtherOf(const std::string& op, const OpExchange& exchange) {
  for (const auto& [one, other] : exchange.pairs) {
    if (op == one) return other;
    if (op == other && !exchange.one_way) return one;
  }
  return op;
}

}  // namespace

std::vector<OpExchange> ExchangesFor(const ir::Rule& rule) {
  const std::set<std::string> ops = OpsOf(rule);
  const auto has_any = [&](const Pairs& pairs) {
    return std::any_of(pairs.begin(), pairs.end(),
                       [&](const auto& pair) { return ops.contains(pair.first) || ops.contains(pair.second); });
  };
  std::vector<OpExchange> exchanges;
  if (has_any(MinMax())) {
    exchanges.push_back({MinMax(), false, false, false});
    exchanges.push_back({MinMax(), true, false, false});
  }
  if (has_any(Duals())) exchanges.push_back({Duals(), false, false, false});
  if (has_any(Bounds())) exchanges.push_back({Bounds(), false, false, false});
  for (const Pairs& pairs : OrdersToEqualities()) {
    const bool applies = std::any_of(pairs.begin(), pairs.end(), [&](const auto& p) { return ops.contains(p.first); });
    if (applies) exchanges.push_back({pairs, false, false, true});
  }
  if (has_any(Signs())) exchanges.push_back({Signs(), false, false, false});
  if (has_any(Equalities())) exchanges.push_back({Equalities(), false, true, false});
  if (has_any(Complements())) {
    exchanges.push_back({Complements(), false, false, false});
    exchanges.push_back({Complements(), false, true, false});
  }
  if (std::any_of(ops.begin(), ops.end(), &IsOrder)) exchanges.push_back({{}, true});
  if (has_any(Floats())) {
    Pairs reversed;
    for (const auto& [integer, real] : Floats()) reversed.emplace_back(real, integer);
    if (AllHaveCounterparts(ops, Floats())) exchanges.push_back({Floats(), false, false, true});
    if (AllHaveCounterparts(ops, reversed)) exchanges.push_back({reversed, false, false, true});
  }
  for (const std::vector<std::string>& members : Classes()) {
    for (const std::string& op : members) {
      if (!ops.contains(op)) continue;
      for (const std::string& other : members) {
        if (other != op) exchanges.push_back({{{op, other}}, false, false, true});
      }
    }
  }
  return exchanges;
}

std::optional<ir::Rule> Exchanged(const ir::Rule& rule, const OpExchange& exchange, ir::Dialect dialect) {
  const ir::OpResolver find = ir::ResolverOf(dialect);
  ir::Rule result = rule;
  bool changed = false;
  for (ir::Term* term : {&result.search, &result.replace}) {
    for (ir::Node& node : term->nodes) {
      if (node.kind == ir::NodeKind::kConstant && exchange.complements_constants) Complement(&node);
      if (node.kind != ir::NodeKind::kOp) continue;
      const std::string other = OtherOf(node.op->name, exchange);
      if (other != node.op->name) {
        const ir::OpRow* row = find(other);
        if (row == nullptr || row->sources.size() != node.sources.size()) return std::nullopt;
        // Integer ops do not round, so a rule about them needs no `~`.
        if (node.op->result.base == ir::BaseType::kFloat && row->result.base != ir::BaseType::kFloat)
          node.flags &= ~ir::kInexact;
        node.op = row;
        changed = true;
      }
      if (exchange.swaps_comparisons && IsOrder(node.op->name)) {
        std::swap(node.sources[0], node.sources[1]);
        changed = true;
      }
      if (node.op->result.base != ir::BaseType::kFloat) node.flags &= ~ir::kPermissions;
    }
  }
  if (!changed || result.search.root_node().kind != ir::NodeKind::kOp) return std::nullopt;
  AdaptLiterals(&result);
  absl::StatusOr<ir::Rule> read = Normalized(result, dialect);
  if (!read.ok()) return std::nullopt;
  return *std::move(read);
}

std::vector<ir::Rule> FamilyOf(const ir::Rule& rule, Judge* judge) {
  std::vector<ir::Rule> members = {rule};
  std::set<std::string> seen = {ir::CanonicalDigest(rule)};
  for (size_t i = 0; i < members.size() && members.size() < kMaxFamily; ++i) {
    for (const OpExchange& exchange : ExchangesFor(members[i])) {
      if (members.size() >= kMaxFamily || judge->time_is_up()) break;
      std::optional<ir::Rule> other = Exchanged(members[i], exchange, judge->dialect());
      if (!other.has_value() || !seen.insert(ir::CanonicalDigest(*other)).second) continue;
      if (HasOneBitArithmetic(*other, judge->size_options())) continue;
      const RuleCost mine = CostOf(rule), cost = CostOf(*other);
      if (cost.matched - cost.added < mine.matched - mine.added || !judge->Verify(*other).proved) continue;
      ir::RenameInOrder(&*other);
      members.push_back(*std::move(other));
    }
  }
  members.erase(members.begin());
  return members;
}

}  // namespace rewrought::pipeline
