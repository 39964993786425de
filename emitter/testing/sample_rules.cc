#include "emitter/testing/sample_rules.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

namespace rewrought::emitter {
namespace {

bool UsesFloats(const ir::Rule& rule) {
  for (const ir::Term* side : {&rule.search, &rule.replace}) {
    for (const ir::Node& node : side->nodes) {
      if (node.kind == ir::NodeKind::kOp && node.op->contract != ir::Contract::kBits) return true;
    }
  }
  return false;
}

void AddProofs(const ir::Rule& rule, v1::Verdict verdict, v1::PackEntry* entry) {
  const auto assignments = ir::EnumerateSizes(rule);
  if (!assignments.ok()) {
    std::fprintf(stderr, "%s\n", std::string(assignments.status().message()).c_str());
    std::abort();
  }
  std::vector<v1::DenormMode> modes = {v1::DENORM_MODE_NONE};
  if (UsesFloats(rule)) modes = {v1::DENORM_MODE_ANY, v1::DENORM_MODE_FLUSH, v1::DENORM_MODE_PRESERVE};
  for (const ir::SizeAssignment& sizes : *assignments) {
    for (const v1::DenormMode mode : modes) {
      v1::CaseVerdict* const proof = entry->add_proofs();
      proof->set_width(sizes.width);
      for (const auto& [name, bits] : sizes.names) (*proof->mutable_sizes())[name] = bits;
      proof->set_mode(mode);
      proof->set_verdict(verdict);
      proof->set_tier(v1::TIER_UNINTERPRETED);
    }
  }
}

void AddEvidence(v1::PackEntry* entry) {
  v1::Confirmation* solver = entry->add_confirmations();
  solver->set_axis(v1::Confirmation::AXIS_SOLVER);
  solver->set_by("cvc5 1.0.3");
  v1::Confirmation* encoding = entry->add_confirmations();
  encoding->set_axis(v1::Confirmation::AXIS_ENCODING);
  encoding->set_by("host float unit");
  encoding->set_vectors(200000);
  entry->mutable_mutants()->set_refuted(7);
  v1::RuleMeasurement* const measured = entry->mutable_rule()->add_measurements();
  measured->set_split(v1::CORPUS_SPLIT_HELD_OUT);
  measured->set_hits(12);
  measured->set_shaders(3);
  measured->set_tuned_saved_cycles(24);
  entry->mutable_rule()->mutable_base_cost()->set_cycles(4);
  entry->mutable_rule()->mutable_base_cost()->set_instructions(2);
  entry->mutable_rule()->mutable_cost()->set_cycles(2);
  entry->mutable_rule()->mutable_cost()->set_instructions(1);
}

ir::Rule MustParse(const std::string& text) {
  const auto rule = ir::ParseRule(text);
  if (rule.ok()) return *rule;
  std::fprintf(stderr, "%s: %s\n", text.c_str(), std::string(rule.status().message()).c_str());
  std::abort();
}

ProvedRule Sample(const std::string& search, const std::string& replace, v1::Verdict verdict) {
  ProvedRule candidate;
  v1::RewriteRule* const rule = candidate.entry.mutable_rule();
  rule->set_search(search);
  rule->set_replace(replace);
  rule->set_rule_class(v1::RULE_CLASS_STRICT);
  AddProofs(MustParse(absl::StrCat("(", search, ", ", replace, ")")), verdict, &candidate.entry);
  AddEvidence(&candidate.entry);
  return candidate;
}

}  // namespace

ProvedRule SampleRule(const std::string& search, const std::string& replace, const std::string& condition) {
  ProvedRule candidate = Sample(search, replace, v1::VERDICT_PROVED);
  candidate.entry.mutable_rule()->set_condition(condition);
  return candidate;
}

ProvedRule SampleProgram(const std::string& machine, const std::string& search, const std::string& program) {
  ProvedRule candidate;
  v1::RewriteRule* const rule = candidate.entry.mutable_rule();
  rule->set_machine(machine);
  rule->set_search(search);
  rule->set_program(program);
  rule->set_rule_class(v1::RULE_CLASS_STRICT);
  ir::Rule term = MustParse(absl::StrCat("(", search, ", 0)"));
  term.replace = ir::Term();
  AddProofs(term, v1::VERDICT_PROVED, &candidate.entry);
  AddEvidence(&candidate.entry);
  return candidate;
}

ProvedRule SampleInexact(const std::string& search, const std::string& replace) {
  ProvedRule candidate = Sample(search, replace, v1::VERDICT_REFUTED);
  candidate.entry.mutable_rule()->set_rule_class(v1::RULE_CLASS_INEXACT);
  candidate.entry.mutable_rule()->mutable_inexact()->set_reals(v1::VERDICT_PROVED);
  return candidate;
}

std::vector<ProvedRule> SampleRules() {
  std::vector<ProvedRule> candidates;
  // Rules with open sizes, which need one line each.
  candidates.push_back(SampleRule("('iand', ('ior', 'a', 'b'), 'a')", "'a'"));
  candidates.push_back(SampleRule("('fneg', ('fneg', 'a@32'))", "'a'"));
  // A rule proved at two of three widths, and at one of them in flush mode only.
  candidates.push_back(
      Only(SampleRule("('fmin', ('fmin', 'a', 'b'), 'b')", "('fmin', 'a', 'b')"), [](const v1::CaseVerdict& p) {
        return p.width() == 16 || (p.width() == 32 && p.mode() == v1::DENORM_MODE_FLUSH);
      }));
  // Rules whose new ops need guards, and further guards at 64 bits.
  candidates.push_back(SampleRule("('ixor', ('iadd', ('ixor', 'a', -1), 'b'), -1)", "('isub', 'a', 'b')"));
  candidates.push_back(SampleRule("('fmax(nsz)', ('fmin', 'a(is_a_number)', 1.0), 0.0)", "('fsat', 'a')"));
  candidates.push_back(SampleRule(
      "('ior', ('ushr', 'a@32', '#b(is_ult_32)'), ('ishl', 'a', ('iadd', 32, ('ineg', 'b'))))", "('uror', 'a', 'b')"));
  // A rule with multi-use intermediates.
  ProvedRule multi_use_value = SampleRule("('iadd', ('ineg', 'a'), ('ineg', 'b'))", "('ineg', ('iadd', 'a', 'b'))");
  multi_use_value.multi_use = {1, 3};
  candidates.push_back(multi_use_value);
  // Literals that Mesa matches only at the size to which they were rounded, conversions, and Booleans.
  candidates.push_back(SampleRule("('fmul', ('fadd', 'a', 0.1), 0.0)", "('fmul', 'a', 0.0)"));
  candidates.push_back(SampleRule("('iand', ('b2i', 'a@1'), 1)", "('b2i', 'a')"));
  candidates.push_back(SampleRule("('bcsel', 'a', True, False)", "'a'"));
  candidates.push_back(SampleRule("('fmin', 'a@32', 'inf')", "'a'", "options->lower_fsat"));
  // An op, a mark, and a predicate that older trees lack.
  candidates.push_back(SampleRule("('inot', ('flt', 'a@32', 'b'))", "('fgeu', 'a', 'b')"));
  candidates.push_back(SampleRule("('imul', 'a@32', ('iand', '#b(is_odd)', 1))", "'a'"));
  // An op that only the late pass creates.
  candidates.push_back(SampleRule("('iadd', ('isub', 'a@32', 'b'), 'b')", "'a'"));
  // Programs.
  candidates.push_back(
      SampleProgram("intel_gen9", "('bcsel', ('ilt', 'a@32', 'b'), 'a', 'b')", "[SEL(r(D), a(D), b(D)).cmod(L)]"));
  candidates.push_back(SampleProgram("intel_gen9", "('ineg', ('iadd', 'a@32', 'b'))", "[ADD(r(D), -a(D), -b(D))]"));
  // A rule of the other class.
  candidates.push_back(
      SampleInexact("('~fadd', ('fmul', 'a', 'b'), ('fmul', 'a', 'c'))", "('fmul', 'a', ('fadd', 'b', 'c'))"));
  return candidates;
}

PackOptions SampleOptions() {
  PackOptions options;
  options.machine = "intel_gen9";
  options.manifest.mutable_corpus()->set_shaders(3);
  options.manifest.mutable_corpus()->add_discovery_sources("gl-transitions");
  options.manifest.mutable_corpus()->add_held_out_sources("glslViewer");
  options.manifest.add_solver_versions("Z3 4.8.12");
  v1::EffectRow* const effect = options.manifest.add_effects();
  effect->set_source("glslViewer");
  effect->set_split(v1::CORPUS_SPLIT_HELD_OUT);
  effect->set_shaders(3);
  effect->set_helped(2);
  options.peers = {{"nir_opt_algebraic", "2 of 13 already there"}};
  return options;
}

}  // namespace rewrought::emitter
