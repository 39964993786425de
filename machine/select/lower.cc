#include "machine/select/lower.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/match/facts.h"
#include "ir/match/rewriter.h"
#include "ir/text/rule_text.h"

namespace rewrought::machine::select {
namespace {

struct Lowering {
  const char* op;
  int bits;  // of its sources
  const char* rule;
};
// `$` is the size.
constexpr Lowering kLowerings[] = {
    {"fdiv", 0, "(('fdiv@$', 'a', 'b'), ('fmul@$', 'a', ('frcp@$', 'b')))"},
    {"flrp", 0, "(('flrp@$', 'a', 'b', 'c'), ('fadd@$', ('fmul@$', 'c', ('fsub@$', 'b', 'a')), 'a'))"},
    {"fpow", 0, "(('fpow@$', 'a', 'b'), ('fexp2@$', ('fmul@$', ('flog2@$', 'a'), 'b')))"},
    {"fmod", 0,
     "(('fmod@$', 'a', 'b'), ('fsub@$', 'a', ('fmul@$', 'b', ('ffloor@$', ('fmul@$', 'a', ('frcp@$', 'b'))))))"},
    {"fsign", 0, "(('fsign@$', 'a@$'), ('fsub@$', ('b2f$', ('flt', 0.0, 'a@$')), ('b2f$', ('flt', 'a@$', 0.0))))"},
    {"ieq", 1, "(('ieq', 'a@1', 'b@1'), ('inot', ('ixor', 'a', 'b')))"},
    {"ine", 1, "(('ine', 'a@1', 'b@1'), ('ixor', 'a', 'b'))"},
};

// The rule for one size, or nothing where it does not fit.
void AddRule(const Lowering& lowering, int bits, std::vector<ir::CompiledRule>* rules) {
  std::string text;
  for (const char c : std::string(lowering.rule)) text += c == '$' ? std::to_string(bits) : std::string(1, c);
  absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
  if (!rule.ok()) return;
  absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(*std::move(rule));
  if (compiled.ok()) rules->push_back(*std::move(compiled));
}

// Whether a base rule takes the op with sources of this size whatever they are.
bool HasRule(const RuleSet& rules, const std::string& op, int bits) {
  for (const Rule& rule : rules.RulesFor(op)) {
    if (rule.base == nullptr || rule.ops != 1) continue;
    const BasePattern& pattern = rule.base->pattern;
    int wanted = pattern.bits;
    for (const BasePattern& source : pattern.sources) {
      // A compare's own size is that of its result.
      if (source.bits != 0) wanted = source.bits;
    }
    if (wanted == 0 || wanted == bits) return true;
  }
  return false;
}

// Whether the machine divides by an instruction of its own. If not, drivers lower divisions before they select, so that
// the product is contracted like any other.
bool Divides(const RuleSet& rules, int bits) {
  for (const Rule& rule : rules.RulesFor("fdiv")) {
    if (rule.base == nullptr || rule.ops != 1) continue;
    const int wanted = rule.base->pattern.bits;
    if ((wanted == 0 || wanted == bits) && rule.base->program.instructions.size() == 1) return true;
  }
  return !HasRule(rules, "frcp", bits);
}

}  // namespace

void FollowRewrite(const std::vector<ir::NodeIndex>& origins, ScalarShader* scalar) {
  std::vector<uint32_t> group;
  for (const ir::NodeIndex origin : origins)
    group.push_back(origin < scalar->group.size() ? scalar->group[origin] : origin);
  scalar->group = std::move(group);
  RecountUses(scalar);
}

uint64_t LowerMissing(const RuleSet& rules, ScalarShader* scalar) {
  absl::flat_hash_set<std::pair<std::string, int>> seen;
  for (const ir::Node& node : scalar->shader.values.nodes) {
    if (node.kind == ir::NodeKind::kOp)
      seen.insert({node.op->name, scalar->shader.values.at(node.sources[0].node).bits});
  }
  std::vector<ir::CompiledRule> missing;
  for (const Lowering& lowering : kLowerings) {
    for (const int bits : {1, 16, 32, 64}) {
      if (lowering.bits == 0 ? bits == 1 : bits != lowering.bits) continue;
      if (!seen.contains({lowering.op, bits})) continue;
      const bool divides = lowering.op == absl::string_view("fdiv") && Divides(rules, bits);
      const bool known = lowering.op == absl::string_view("fdiv") ? divides : HasRule(rules, lowering.op, bits);
      if (!known) AddRule(lowering, bits, &missing);
    }
  }
  if (missing.empty()) return 0;
  ir::MatchOptions options;
  options.facts = ir::FactsOfNodes;
  const size_t most = scalar->shader.values.nodes.size() * 4 + 16;  // each lowering removes one op of the list
  const ir::RewriteResult result = ir::Rewriter(missing, options, most).Run(&scalar->shader);
  FollowRewrite(result.origins, scalar);
  return result.applications.size();
}

}  // namespace rewrought::machine::select
