#include "machine/select/lower_integers.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "ir/match/facts.h"
#include "ir/match/rewriter.h"
#include "ir/op_table.h"
#include "ir/text/rule_text.h"

namespace rewrought::machine::select {
namespace {

struct FloatForm {
  const char* op;
  const char* form;  // $0 and $1 are the op's sources.
};
constexpr FloatForm kFloatForms[] = {
    {"iadd", "('fadd@32', $0, $1)"},
    {"isub", "('fsub@32', $0, $1)"},
    {"imul", "('fmul@32', $0, $1)"},
    {"imin", "('fmin@32', $0, $1)"},
    {"imax", "('fmax@32', $0, $1)"},
    {"umin", "('fmin@32', $0, $1)"},
    {"umax", "('fmax@32', $0, $1)"},
    {"ilt", "('flt', $0, $1)"},
    {"ige", "('fge', $0, $1)"},
    {"ult", "('flt', $0, $1)"},
    {"uge", "('fge', $0, $1)"},
    {"ieq", "('feq', $0, $1)"},
    {"ine", "('fneu', $0, $1)"},
    {"ineg", "('fneg@32', $0)"},
    {"iabs", "('fabs@32', $0)"},
    {"f2i32", "('ftrunc@32', $0)"},
    {"f2u32", "('ffloor@32', $0)"},
    {"i2f32", "$0"},
    {"u2f32", "$0"},
    {"b2i32", "('b2f32', $0)"},
    {"idiv", "('ftrunc@32', ('fmul', $0, ('frcp', $1)))"},
};

// Returns the rules that replace an op. Rules that convert constant sources come first, so that the last rule never
// sees a constant; the rewriter folds converted constants immediately.
std::vector<std::string> RulesOf(const FloatForm& form) {
  const ir::OpRow& row = *ir::FindOp(form.op);
  const std::string size = row.sources[0].base == ir::BaseType::kBool ? "@1" : "@32";
  const auto rule = [&](absl::string_view a, absl::string_view b) {
    const auto constant = [](absl::string_view source) { return absl::StartsWith(source, "#"); };
    const auto value = [&](absl::string_view source) {
      return constant(source) ? absl::Substitute("('i2f32', '$0')", source.substr(1)) : absl::StrCat("'", source, "'");
    };
    const std::string second = b.empty() ? "" : absl::Substitute(", '$0$1'", b, size);
    return absl::Substitute(
        "(('$0', '$1$2'$3), $4)", form.op, a, size, second,
        b.empty() ? absl::Substitute(form.form, value(a)) : absl::Substitute(form.form, value(a), value(b)));
  };
  if (row.sources.size() == 1) return {rule("a", "")};
  return {rule("#a", "b"), rule("a", "#b"), rule("a", "b")};
}

std::vector<ir::CompiledRule> Rules() {
  std::vector<std::string> texts;
  for (const char* whole : {"ffloor", "fceil", "ftrunc", "fround_even"}) {
    texts.push_back(absl::Substitute("(('f2i32', ('$0@32', 'a')), ('$0@32', 'a'))", whole));
  }
  for (const FloatForm& form : kFloatForms) {
    for (std::string& text : RulesOf(form)) texts.push_back(std::move(text));
  }
  std::vector<ir::CompiledRule> rules;
  for (const std::string& text : texts) rules.push_back(*ir::CompiledRule::Compile(*ir::ParseRule(text)));
  return rules;
}

bool IsInteger(const ir::OperandType& type, const ir::Node& node) {
  return node.bits != 1 && (type.base == ir::BaseType::kInt || type.base == ir::BaseType::kUint);
}

// Returns true if every integer op has a float form and reads no value that may be a constant of unknown type.
bool HaveFloatForms(const ir::Term& values) {
  absl::flat_hash_set<std::string> formed;
  for (const FloatForm& form : kFloatForms) formed.insert(form.op);
  std::vector<bool> constant(values.nodes.size());  // Whether each node is or may select a constant.
  for (size_t i = 0; i < values.nodes.size(); ++i) {
    const ir::Node& node = values.nodes[i];
    constant[i] = node.kind == ir::NodeKind::kConstant;
    if (node.kind != ir::NodeKind::kOp) continue;
    const ir::OpRow& row = *node.op;
    if (row.name == "mov" || row.name == "bcsel" || absl::StartsWith(row.name, "vec")) {
      for (const ir::Source& source : node.sources) constant[i] = constant[i] || constant[source.node];
      continue;
    }
    bool integer = IsInteger(row.result, node), fits = !integer || node.bits == 32;
    size_t literals = 0;
    for (size_t s = 0; s < node.sources.size(); ++s) {
      const ir::NodeIndex index = node.sources[s].node;
      const ir::Node& read = values.nodes[index];
      if (!IsInteger(row.sources[s], read)) continue;
      integer = true;
      const bool literal = read.kind == ir::NodeKind::kConstant;
      literals += literal ? 1 : 0;
      fits = fits && read.bits == 32 && (literal || !constant[index]);
    }
    // Ops whose operands are all constants have not been folded yet, and no rule matches them.
    fits = fits && literals < node.sources.size();
    if (integer && (!fits || !formed.contains(row.name))) return false;
  }
  return true;
}

}  // namespace

uint64_t LowerIntegers(ScalarShader* scalar) {
  if (!HaveFloatForms(scalar->shader.values)) return 0;
  static const auto* rules = new std::vector<ir::CompiledRule>(Rules());
  ir::MatchOptions options;
  options.facts = ir::FactsOfNodes;
  const size_t most = scalar->shader.values.nodes.size() * 4 + 16;  // Each application removes an integer op.
  const ir::RewriteResult result = ir::Rewriter(*rules, options, most).Run(&scalar->shader);
  UpdateAfterRewrite(result.origins, scalar);
  return result.applications.size();
}

}  // namespace rewrought::machine::select
