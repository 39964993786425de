#include "machine/select/lower.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/substitute.h"
#include "ir/match/facts.h"
#include "ir/match/rewriter.h"
#include "ir/text/rule_text.h"
#include "machine/select/lower_integers.h"

namespace rewrought::machine::select {
namespace {

struct Lowering {
  std::string op;
  int bits;           // The size of the op's sources, or 0 for any size except Booleans.
  std::string needs;  // An op that the machine must have for the lowering to help, or empty.
  std::string rule;   // `$` is replaced by the size.
};

// Returns the rule for unsigned division with a reciprocal (nir_lower_idiv.c emit_udiv). The first quotient may be too
// low and is corrected twice.
std::string UnsignedDivision(const std::string& op) {
  const std::string estimate = "('f2u32', ('fmul@32', ('frcp@32', ('u2f32', 'b')), 4294966784.0))";
  const std::string reciprocal =
      absl::Substitute("('iadd', $0, ('umul_high', $0, ('imul', $0, ('ineg', 'b'))))", estimate);
  std::string quotient = absl::Substitute("('umul_high', 'a', $0)", reciprocal);
  std::string remainder = absl::Substitute("('isub', 'a', ('imul', $0, 'b'))", quotient);
  for (int step = 0; step < 2; ++step) {
    const std::string too_small = absl::Substitute("('uge', $0, 'b')", remainder);
    quotient = absl::Substitute("('bcsel', $0, ('iadd', $1, 1), $1)", too_small, quotient);
    remainder = absl::Substitute("('bcsel', $0, ('isub', $1, 'b'), $1)", too_small, remainder);
  }
  return absl::Substitute("(('$0', 'a@32', 'b@32'), $1)", op, op == "udiv" ? quotient : remainder);
}

// Returns the rule for the high half of a product, computed from products of 16-bit halves. No sum overflows, because
// each is at most (2^16 - 1)^2 + 2^16 - 1.
std::string HighProduct() {
  const std::string a0 = "('iand', 'a', 0xffff)", a1 = "('ushr', 'a', 16)";
  const std::string b0 = "('iand', 'b', 0xffff)", b1 = "('ushr', 'b', 16)";
  const std::string upper = absl::Substitute("('iadd', ('imul', $0, $1), ('ushr', ('imul', $2, $1), 16))", a1, b0, a0);
  const std::string lower = absl::Substitute("('iadd', ('imul', $0, $1), ('iand', $2, 0xffff))", a0, b1, upper);
  return absl::Substitute(
      "(('umul_high', 'a@32', 'b@32'), ('iadd', ('iadd', ('imul', $0, $1), ('ushr', $2, 16)), ('ushr', $3, 16)))", a1,
      b1, upper, lower);
}

const std::vector<Lowering>& Lowerings() {
  static const auto* lowerings = new std::vector<Lowering>{
      {"fdiv", 0, "frcp", "(('fdiv@$', 'a', 'b'), ('fmul@$', 'a', ('frcp@$', 'b')))"},
      {"flrp", 0, "", "(('flrp@$', 'a', 'b', 'c'), ('fadd@$', ('fmul@$', 'c', ('fsub@$', 'b', 'a')), 'a'))"},
      {"fpow", 0, "", "(('fpow@$', 'a', 'b'), ('fexp2@$', ('fmul@$', ('flog2@$', 'a'), 'b')))"},
      {"fmod", 0, "",
       "(('fmod@$', 'a', 'b'), ('fsub@$', 'a', ('fmul@$', 'b', ('ffloor@$', ('fmul@$', 'a', ('frcp@$', 'b'))))))"},
      {"ftrunc", 0, "ffloor",
       "(('ftrunc@$', 'a'), ('bcsel', ('flt', 'a', 0.0), ('fneg', ('ffloor', ('fabs', 'a'))), ('ffloor', ('fabs', "
       "'a'))))"},
      {"fsign", 0, "",
       "(('fsign@$', 'a@$'), ('fsub@$', ('b2f$', ('flt', 0.0, 'a@$')), ('b2f$', ('flt', 'a@$', 0.0))))"},
      {"ieq", 1, "", "(('ieq', 'a@1', 'b@1'), ('inot', ('ixor', 'a', 'b')))"},
      {"ine", 1, "", "(('ine', 'a@1', 'b@1'), ('ixor', 'a', 'b'))"},
      {"idiv", 32, "imul",
       "(('idiv', 'a@32', 'b@32'), ('bcsel', ('ixor', ('ilt', 'a', 0), ('ilt', 'b', 0)),"
       " ('ineg', ('udiv', ('iabs', 'a'), ('iabs', 'b'))), ('udiv', ('iabs', 'a'), ('iabs', 'b'))))"},
      {"irem", 32, "imul",
       "(('irem', 'a@32', 'b@32'), ('bcsel', ('ilt', 'a', 0), ('ineg', ('umod', ('iabs', 'a'), ('iabs', 'b'))),"
       " ('umod', ('iabs', 'a'), ('iabs', 'b'))))"},
      {"imod", 32, "imul",
       "(('imod', 'a@32', 'b@32'), ('bcsel', ('ior', ('ieq', ('irem', 'a', 'b'), 0),"
       " ('inot', ('ixor', ('ilt', 'a', 0), ('ilt', 'b', 0)))), ('irem', 'a', 'b'), ('iadd', ('irem', 'a', 'b'), "
       "'b')))"},
      {"udiv", 32, "imul", UnsignedDivision("udiv")},
      {"umod", 32, "imul", UnsignedDivision("umod")},
      {"umul_high", 32, "imul", HighProduct()},
  };
  return *lowerings;
}

// Adds the rule for one size, if the op has this size.
void AddRule(const Lowering& lowering, int bits, std::vector<ir::CompiledRule>* rules) {
  std::string text;
  for (const char c : lowering.rule) text += c == '$' ? std::to_string(bits) : std::string(1, c);
  absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
  if (!rule.ok()) return;
  absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(*std::move(rule));
  if (compiled.ok()) rules->push_back(*std::move(compiled));
}

// Returns true if a base rule covers the op with any sources of this size.
bool HasRule(const RuleSet& rules, const std::string& op, int bits) {
  for (const SelectionRule& rule : rules.RulesFor(op)) {
    if (rule.base == nullptr || rule.ops != 1) continue;
    const BasePattern& pattern = rule.base->pattern;
    int wanted = pattern.bits;
    for (const BasePattern& source : pattern.sources) {
      // A compare's own size is the size of its result.
      if (source.bits != 0) wanted = source.bits;
    }
    if (wanted == 0 || wanted == bits) return true;
  }
  return false;
}

// Returns true if the machine has a division instruction. Otherwise drivers lower divisions before selection, so that
// contraction applies to the resulting product.
bool HasDivision(const RuleSet& rules, int bits) {
  for (const SelectionRule& rule : rules.RulesFor("fdiv")) {
    if (rule.base == nullptr || rule.ops != 1) continue;
    const int wanted = rule.base->pattern.bits;
    if ((wanted == 0 || wanted == bits) && rule.base->program.instructions.size() == 1) return true;
  }
  return false;
}

// Returns the rules for the ops in `shader` that the machine lacks or expands.
std::vector<ir::CompiledRule> Missing(const RuleSet& rules, const ir::Shader& shader) {
  absl::flat_hash_set<std::pair<std::string, int>> seen;
  for (const ir::Node& node : shader.values.nodes) {
    if (node.kind == ir::NodeKind::kOp) seen.insert({node.op->name, shader.values.at(node.sources[0].node).bits});
  }
  std::vector<ir::CompiledRule> missing;
  for (const Lowering& lowering : Lowerings()) {
    for (const int bits : {1, 16, 32, 64}) {
      if (lowering.bits == 0 ? bits == 1 : bits != lowering.bits) continue;
      if (!seen.contains({lowering.op, bits})) continue;
      if (!lowering.needs.empty() && !HasRule(rules, lowering.needs, bits)) continue;
      if (lowering.op == "fdiv" ? HasDivision(rules, bits) : HasRule(rules, lowering.op, bits)) continue;
      AddRule(lowering, bits, &missing);
    }
  }
  for (const ir::CompiledRule& expansion : rules.expansions()) {
    const ir::Term& op = expansion.rule().search;
    if (seen.contains({op.root_node().op->name, op.root_node().bits})) missing.push_back(expansion);
  }
  return missing;
}

}  // namespace

uint64_t LowerMissing(const RuleSet& rules, ScalarShader* scalar) {
  ir::MatchOptions options;
  options.facts = ir::FactsOfNodes;
  const bool floats_only = HasRule(rules, "fadd", 32) && !HasRule(rules, "iadd", 32);
  uint64_t lowered = floats_only ? LowerIntegers(scalar) : 0;
  // A lowering may itself need lowering. For example, signed division needs unsigned division, which needs the high
  // half of a product.
  for (;;) {
    const std::vector<ir::CompiledRule> missing = Missing(rules, scalar->shader);
    if (missing.empty()) return lowered;
    const size_t most = scalar->shader.values.nodes.size() * 4 + 16;  // Each application removes one of the listed ops.
    const ir::RewriteResult result = ir::Rewriter(missing, options, most).Run(&scalar->shader);
    UpdateAfterRewrite(result.origins, scalar);
    lowered += result.applications.size();
    if (result.applications.empty()) return lowered;
  }
}

bool SelectsOp(const RuleSet& rules, const std::string& op) {
  return !rules.RulesFor(op).empty() || std::any_of(Lowerings().begin(), Lowerings().end(),
                                                    [&op](const Lowering& lowering) { return lowering.op == op; });
}

}  // namespace rewrought::machine::select
