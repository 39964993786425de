#include "tests/accuracy/random_rules.h"

#include <map>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace rewrought::accuracy {
namespace {

struct Expression {
  std::string op;  // the op, or the text of a leaf
  std::vector<Expression> operands;

  friend bool operator==(const Expression&, const Expression&) = default;
};

// Identities over the reals in prefix notation. Upper-case letters stand for any expression. Either side may be
// replaced with the other.
struct Identity {
  const char *left, *right;
};
constexpr Identity kIdentities[] = {
    {"fadd X Y", "fadd Y X"},
    {"fmul X Y", "fmul Y X"},
    {"fadd fadd X Y Z", "fadd X fadd Y Z"},
    {"fmul fmul X Y Z", "fmul X fmul Y Z"},
    {"fmul X fadd Y Z", "fadd fmul X Y fmul X Z"},
    {"fmul X fadd Y 1.0", "fadd fmul X Y X"},
    {"fmul X fadd Y -1.0", "fadd fmul X Y fneg X"},
    {"fmul fadd X Y 0.5", "fadd fmul X 0.5 fmul Y 0.5"},
    {"fadd X X", "fmul X 2.0"},
    {"fadd fmul X 3.0 X", "fmul X 4.0"},
    {"ffma X Y Z", "fadd fmul X Y Z"},
    {"ffma X Y fmul X Z", "fmul X fadd Y Z"},
    {"ffma X Y ffma X Z W", "ffma X fadd Y Z W"},
    {"fmul ffma X Y Z W", "ffma X fmul Y W fmul Z W"},
    {"fadd fmul X fadd 1.0 fneg Z fmul Y Z", "fadd X fmul Z fadd Y fneg X"},
    {"fadd fmul X fadd 1.0 fneg Z fmul Y Z", "flrp X Y Z"},
    {"ffma Z fadd Y fneg X X", "flrp X Y Z"},
    {"flrp -1.0 1.0 Z", "fadd fmul 2.0 Z -1.0"},
    {"fmul flrp X Y Z W", "flrp fmul X W fmul Y W Z"},
    {"fadd flrp X Y Z W", "flrp fadd X W fadd Y W Z"},
    {"fmul flrp -1.0 1.0 X Y", "flrp fneg Y Y X"},
    {"fdiv X Y", "fmul X frcp Y"},
    {"fadd fdiv X Z fdiv Y Z", "fdiv fadd X Y Z"},
    {"fdiv fdiv X Y Z", "fdiv X fmul Y Z"},
    {"fdiv X fdiv Y Z", "fdiv fmul X Z Y"},
    {"frcp fmul X Y", "fmul frcp X frcp Y"},
    {"fdiv X 4.0", "fmul X 0.25"},
    {"fmul fadd X Y fadd X fneg Y", "fadd fmul X X fneg fmul Y Y"},
    {"fneg fadd X Y", "fadd fneg X fneg Y"},
    {"fneg fmul X Y", "fmul fneg X Y"},
    {"fabs fmul X Y", "fmul fabs X fabs Y"},
    {"fadd X fneg Y", "fneg fadd Y fneg X"},
    {"fadd fadd X Y fneg X", "Y"},
    {"ffract X", "fadd X fneg ffloor X"},
    {"fadd ffract X ffloor X", "X"},
    {"fmin fadd X Y fadd X Z", "fadd X fmin Y Z"},
    {"fmax fmul X 2.0 fmul Y 2.0", "fmul fmax X Y 2.0"},
    {"bcsel p fadd X Y fadd X Z", "fadd X bcsel p Y Z"},
    {"bcsel p fmul X Y fmul X Z", "fmul X bcsel p Y Z"},
    {"bcsel p fmul X Y Z", "bcsel p fmul Y X Z"},
    {"fadd fmul fadd fmul X W Y W Z", "fadd fmul X fmul W W fadd fmul Y W Z"},
    {"fmul fsqrt X fsqrt X", "X"},
    {"fmul fexp2 X fexp2 Y", "fexp2 fadd X Y"},
    {"fadd fmul X Y fmul Z W", "ffma X Y fmul Z W"},
    {"fadd fabs fmul X Y Z", "ffma fabs X fabs Y Z"},
};

const std::map<std::string, int>& Arities() {
  static const auto* const kArities = new std::map<std::string, int>{
      {"fadd", 2}, {"fmul", 2},  {"fdiv", 2},  {"fmin", 2},  {"fmax", 2},   {"ffma", 3},
      {"flrp", 3}, {"bcsel", 3}, {"fneg", 1},  {"fabs", 1},  {"ffract", 1}, {"ffloor", 1},
      {"frcp", 1}, {"fsqrt", 1}, {"fexp2", 1}, {"f2f32", 1}, {"fsat", 1}};
  return *kArities;
}

Expression Parse(const std::vector<std::string>& words, size_t* at) {
  Expression expression{words[(*at)++], {}};
  const auto arity = Arities().find(expression.op);
  for (int k = 0; arity != Arities().end() && k < arity->second; ++k) expression.operands.push_back(Parse(words, at));
  return expression;
}

Expression Parse(const std::string& text) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  size_t at = 0;
  return Parse(words, &at);
}

bool IsPlaceholder(const Expression& pattern) {
  return pattern.op.size() == 1 && pattern.op[0] >= 'W' && pattern.op[0] <= 'Z';
}

using Binding = std::map<std::string, Expression>;

bool Matches(const Expression& pattern, const Expression& expression, Binding* binding) {
  if (IsPlaceholder(pattern)) return binding->try_emplace(pattern.op, expression).first->second == expression;
  if (pattern.op != expression.op) return false;
  for (size_t k = 0; k < pattern.operands.size(); ++k) {
    if (!Matches(pattern.operands[k], expression.operands[k], binding)) return false;
  }
  return true;
}

size_t SizeOf(const Expression& expression) {
  size_t size = expression.operands.empty() ? 0 : 1;
  for (const Expression& operand : expression.operands) size += SizeOf(operand);
  return size;
}

std::set<std::string> LeavesOf(const Expression& expression) {
  if (expression.operands.empty()) return {expression.op};
  std::set<std::string> leaves;
  for (const Expression& operand : expression.operands) leaves.merge(LeavesOf(operand));
  return leaves;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::string Rule() {
    const Identity& identity = kIdentities[Below(std::size(kIdentities))];
    const bool forward = Below(2) == 0;
    const Expression from = Parse(forward ? identity.left : identity.right);
    const Expression to = Parse(forward ? identity.right : identity.left);
    Binding binding;
    for (const char* const name : {"W", "X", "Y", "Z"}) binding.emplace(name, Operand());
    Expression search = Substituted(from, binding), replace = Substituted(to, binding);
    // The rewrite may be inside a larger term.
    if (Below(3) == 0) {
      const Expression other = Operand();
      const char* const around = Below(2) == 0 ? "fmul" : "fadd";
      search = {around, {search, other}}, replace = {around, {replace, other}};
    }
    for (size_t steps = Below(3); steps > 0; --steps) replace = Rewritten(replace);
    if (search.operands.empty() || search == replace || SizeOf(search) > 9 || SizeOf(replace) > 11) return "";
    const std::set<std::string> bound = LeavesOf(search);
    for (const std::string& leaf : LeavesOf(replace)) {
      if (leaf.size() == 1 && !bound.contains(leaf)) return "";
    }
    return absl::StrCat("(", Text(search, true), ", ", Text(replace, false), ")");
  }

 private:
  size_t Below(size_t bound) { return static_cast<size_t>(random_() % bound); }

  Expression Leaf() {
    static constexpr const char* kConstants[] = {"0.5", "2.0", "3.0", "0.1", "1.0", "-1.0", "-0.3"};
    if (Below(7) == 0) return {kConstants[Below(std::size(kConstants))], {}};
    return {std::string(1, static_cast<char>('a' + Below(4))), {}};
  }

  Expression Operand() {
    switch (Below(16)) {
      case 0:
        return {"fmul", {Leaf(), Leaf()}};
      case 1:
        return {"fadd", {Leaf(), Leaf()}};
      case 2:
        return {"fneg", {Leaf()}};
      case 3:
        return {"fabs", {Leaf()}};
      case 4:
        return {"ffract", {Leaf()}};
      case 5:
        return {"ffloor", {Leaf()}};
      case 6:
        return {"f2f32", {{"h", {}}}};
      case 7:
        return {"fsqrt", {Leaf()}};
      case 8:
        return {"ffma", {Leaf(), Leaf(), Leaf()}};
      case 9:
        return {"fsat", {Leaf()}};
      default:
        return Leaf();
    }
  }

  static Expression Substituted(const Expression& pattern, const Binding& binding) {
    if (IsPlaceholder(pattern)) return binding.at(pattern.op);
    Expression result{pattern.op, {}};
    for (const Expression& operand : pattern.operands) result.operands.push_back(Substituted(operand, binding));
    return result;
  }

  // Tries up to 20 random identities at a random node, and applies the first one that matches.
  Expression Rewritten(Expression expression) {
    Expression* place = &expression;
    while (!place->operands.empty() && Below(2) == 0) place = &place->operands[Below(place->operands.size())];
    for (int attempt = 0; attempt < 20; ++attempt) {
      const Identity& identity = kIdentities[Below(std::size(kIdentities))];
      const bool forward = Below(2) == 0;
      Binding binding;
      const Expression from = Parse(forward ? identity.left : identity.right);
      if (IsPlaceholder(from) || !Matches(from, *place, &binding)) continue;
      for (const char* const name : {"W", "X", "Y", "Z"}) binding.try_emplace(name, Leaf());
      *place = Substituted(Parse(forward ? identity.right : identity.left), binding);
      break;
    }
    return expression;
  }

  static std::string Text(const Expression& expression, bool root) {
    if (expression.operands.empty()) {
      if (expression.op == "p") return "'p@1'";
      if (expression.op == "h") return "'h@16'";
      const bool is_variable = expression.op.size() == 1 && expression.op[0] >= 'a';
      return is_variable ? absl::StrCat("'", expression.op, "@32'") : expression.op;
    }
    std::string text =
        absl::StrCat("('", root ? "~" : "", expression.op, root && expression.op != "f2f32" ? "@32" : "", "'");
    for (const Expression& operand : expression.operands) absl::StrAppend(&text, ", ", Text(operand, false));
    return absl::StrCat(text, ")");
  }

  std::mt19937_64 random_;
};

}  // namespace

std::vector<std::string> RandomRules(size_t count, uint64_t seed) {
  Generator generator(seed);
  std::set<std::string> known;
  std::vector<std::string> rules;
  while (rules.size() < count) {
    std::string rule = generator.Rule();
    if (!rule.empty() && known.insert(rule).second) rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace rewrought::accuracy
