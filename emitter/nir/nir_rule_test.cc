#include "emitter/nir/nir_rule.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "emitter/testing/sample_rules.h"

namespace rewrought::emitter {
namespace {

const NirTarget& k25 = **FindNirTarget("mesa-25.0");
const NirTarget& k22 = **FindNirTarget("mesa-22.3");
const NirTarget& k26 = **FindNirTarget("mesa-26.2");

// Returns all tuples, one per line, or the reason why there are none.
std::string Expanded(const ProvedRule& candidate, const NirTarget& target = k25,
                     const std::string& machine = "intel_gen9") {
  const auto rules = ExpandForNir(candidate.entry, target, machine);
  if (!rules.ok()) return std::string(rules.status().message());
  std::string text;
  for (const NirRule& rule : rules->rules)
    text += (rule.late ? "late " : rule.makes_late ? "makes late " : "") + PythonTuple(rule) + "\n";
  return text;
}

ProvedRule InModes(ProvedRule candidate, std::vector<v1::DenormMode> modes) {
  return Only(std::move(candidate), [&](const v1::CaseVerdict& proof) {
    return std::find(modes.begin(), modes.end(), proof.mode()) != modes.end();
  });
}

TEST(NirRule, StaysOpenWhereEverySizeIsProved) {
  EXPECT_EQ(Expanded(SampleRule("('iand', a, a)", "a")), "(('iand', 'a', 'a'), 'a')\n");
}

// In Mesa 26, bitfield_reverse accepts every size, so an open tuple would match sizes at which nothing is proved.
TEST(NirRule, NamesTheSizesOfOpsThatTheTargetChanges) {
  const ProvedRule rule = SampleRule("('iadd', ('bitfield_reverse', a), 0)", "('bitfield_reverse', a)");
  EXPECT_EQ(Expanded(rule), "(('iadd', ('bitfield_reverse', 'a'), 0), ('bitfield_reverse', 'a'))\n");
  EXPECT_EQ(Expanded(rule, k26), "(('iadd', ('bitfield_reverse', 'a@32'), 0), ('bitfield_reverse', 'a'))\n");
}

TEST(NirRule, WritesARuleWithOneSizeAsPeopleDo) {
  EXPECT_EQ(Expanded(SampleRule("('iadd@32', ('iadd@32', '#d@32', 'b@32'), ('ishl@32', 'a@32', 1))",
                                "('iadd3@32', 'd', ('ishl@32', 'a', 1), 'b')")),
            "makes late (('iadd', ('iadd', '#a@32', 'b'), ('ishl', 'c', 1)), ('iadd3', 'a', ('ishl', 'c', 1), 'b'), "
            "'options->has_iadd3')\n");
  EXPECT_EQ(Expanded(SampleRule("('fmul@32', ('b2f32', 'a@1'), 1.5707963705062866)",
                                "('bcsel@32', 'a', 0x3fc90fdb@32, 0@32)")),
            "(('fmul', ('b2f32', 'a@1'), 1.5707963705062866), ('bcsel', 'a', 1.5707964, 0.0))\n");
}

// A zero that matches only one sign is written as an integer, because Mesa 25 compares 0.0 with both zeros.
TEST(NirRule, KeepsTheSignOfAZeroAtOneSize) {
  EXPECT_EQ(Expanded(SampleRule("('fadd@32', 'a@32', 0x80000000@32)", "a")), "(('fadd', 'a@32', 0x80000000), 'a')\n");
  EXPECT_EQ(Expanded(SampleRule("('fmul@32', 'a@32', 0@32)", "('fmul@32', 'a', 0@32)")),
            "(('fmul', 'a@32', 0), ('fmul', 'a', 0.0))\n");
}

TEST(NirRule, RelationsBetweenConstantsAreRefused) {
  EXPECT_EQ(Expanded(SampleRule("('where', ('umin', ('umin', a, '#b'), '#c'), ('ult', b, c))", "('umin', a, b)")),
            "Mesa's tuples cannot relate two constants (`where`); use a program for the right side, or export without "
            "nir");
}

TEST(NirRule, PinsTheSizesThatAreProved) {
  const ProvedRule candidate =
      Only(SampleRule("('iand', a, a)", "a"), [](const auto& proof) { return proof.width() == 32; });
  EXPECT_EQ(Expanded(candidate), "(('iand', 'a@32', 'a'), 'a')\n");
}

TEST(NirRule, NamesTheSizesLeftOut) {
  const ProvedRule candidate =
      Only(SampleRule("('fneg', ('fneg', a))", "a"), [](const auto& p) { return p.width() != 64; });
  const auto rules = ExpandForNir(candidate.entry, k25, "");
  ASSERT_TRUE(rules.ok());
  EXPECT_EQ(rules->notes, std::vector<std::string>{"not proved at a:64 root:64"});
  EXPECT_EQ(rules->rules.size(), 2u);
}

TEST(NirRule, RefusesUnprovedRules) {
  const ProvedRule none = Only(SampleRule("('iand', a, a)", "a"), [](const auto&) { return false; });
  EXPECT_NE(Expanded(none).find("no case is proved"), std::string::npos);
  ProvedRule unknown = SampleRule("('iand', 'a@32', a)", "a");
  unknown.entry.mutable_proofs(0)->set_verdict(v1::VERDICT_UNKNOWN);
  EXPECT_NE(Expanded(unknown).find("no case is proved"), std::string::npos);
}

TEST(NirRule, LimitsTheModesByFloatControls) {
  const ProvedRule all = SampleRule("('fneg', ('fneg', 'a@32'))", "a");
  const std::string rule = "(('fneg', ('fneg', 'a@32')), 'a'";
  const std::string flush = "nir_is_denorm_flush_to_zero(info->float_controls_execution_mode, 32)";
  const std::string preserve = "nir_is_denorm_preserve(info->float_controls_execution_mode, 32)";
  using v1::DENORM_MODE_ANY, v1::DENORM_MODE_FLUSH, v1::DENORM_MODE_PRESERVE;
  EXPECT_EQ(Expanded(all), rule + ")\n");
  EXPECT_EQ(Expanded(InModes(all, {DENORM_MODE_PRESERVE})), rule + ", '" + preserve + "')\n");
  EXPECT_EQ(Expanded(InModes(all, {DENORM_MODE_FLUSH})), rule + ", '" + flush + "')\n");
  EXPECT_EQ(Expanded(InModes(all, {DENORM_MODE_ANY})), rule + ", '!" + flush + " && !" + preserve + "')\n");
  EXPECT_EQ(Expanded(InModes(all, {DENORM_MODE_ANY, DENORM_MODE_PRESERVE})), rule + ", '!" + flush + "')\n");
  EXPECT_EQ(Expanded(InModes(all, {DENORM_MODE_ANY, DENORM_MODE_FLUSH})), rule + ", '!" + preserve + "')\n");
  EXPECT_EQ(Expanded(InModes(all, {DENORM_MODE_FLUSH, DENORM_MODE_PRESERVE})),
            rule + ", '(" + flush + " || " + preserve + ")')\n");
}

TEST(NirRule, ShadersThatMixModesAreLeftOutOfRulesThatMixWidths) {
  const std::string text = Expanded(SampleRule("('f2f32', ('f2f16', ('f2f32', 'a@16')))", "('f2f32', a)"));
  EXPECT_NE(text.find("nir_is_denorm_preserve(info->float_controls_execution_mode, 16) == "
                      "nir_is_denorm_preserve(info->float_controls_execution_mode, 32)"),
            std::string::npos)
      << text;
}

TEST(NirRule, GuardsNewOpsOnly) {
  EXPECT_EQ(Expanded(SampleRule("('fmax(nsz)', ('fmin', 'a@32(is_a_number)', 1.0), 0.0)", "('fsat', a)")),
            "(('fmax(nsz)', ('fmin', 'a@32(is_a_number)', 1.0), 0.0), ('fsat', 'a'), '!options->lower_fsat')\n");
  EXPECT_EQ(Expanded(SampleRule("('fsat', ('fsat', 'a@32'))", "('fsat', a)")),
            "(('fsat', ('fsat', 'a@32')), ('fsat', 'a'))\n");
}

TEST(NirRule, GuardsJoinTheRulesOwnCondition) {
  EXPECT_EQ(Expanded(SampleRule("('iadd', 'a@32', ('ineg', 'b'))", "('isub', a, b)",
                                "options->lower_ineg || options->has_bfe")),
            "makes late (('iadd', 'a@32', ('ineg', 'b')), ('isub', 'a', 'b'), "
            "'(options->lower_ineg || options->has_bfe) && options->has_isub')\n");
}

TEST(NirRule, OnlyMatchesOfLateOpsAreLate) {
  EXPECT_EQ(Expanded(SampleRule("('isub', 'a@32', 'a')", "0")), "late (('isub', 'a@32', 'a'), 0)\n");
  // The late pass turns the `a + -b` that this rule matches into `a - b`.
  EXPECT_EQ(Expanded(SampleRule("('bcsel', ('uge', 'a@32', 'b@32'), ('iadd', ('ineg', 'b'), 'a'), 'a')",
                                "('umin', 'a', ('isub', 'a', 'b'))")),
            "makes late (('bcsel', ('uge', 'a@32', 'b'), ('iadd', ('ineg', 'b'), 'a'), 'a'), "
            "('umin', 'a', ('isub', 'a', 'b')), 'options->has_isub && !options->lower_umin')\n");
}

TEST(NirRule, AnEntryMarkedAsLateIsLateWhateverItsOps) {
  ProvedRule candidate = SampleRule("('iand', a, a)", "a");
  candidate.entry.set_late(true);
  EXPECT_EQ(Expanded(candidate), "late (('iand', 'a', 'a'), 'a')\n");
}

TEST(NirRule, AnotherDriversOpsAreRefused) {
  const ProvedRule candidate = SampleRule("('fmin', 'a@32', 'b@32')", "('fmin_agx', a, b)");
  EXPECT_NE(Expanded(candidate).find("an op of one driver"), std::string::npos);
  EXPECT_EQ(Expanded(candidate, k25, "agx_g13"), "makes late (('fmin', 'a@32', 'b'), ('fmin_agx', 'a', 'b'))\n");
}

TEST(NirRule, OldTargetsLackOpsMarksAndPredicates) {
  EXPECT_NE(
      Expanded(SampleRule("('inot', ('flt', 'a@32', b))", "('fgeu', a, b)"), k22).find("mesa-22.3 has no op fgeu"),
      std::string::npos);
  EXPECT_EQ(Expanded(SampleRule("('fadd(nsz)', 'a@32', 0.0)", "a"), k22), "mesa-22.3 has no mark nsz");
  EXPECT_EQ(Expanded(SampleRule("('iand', 'a', '#b(is_odd)')", "('iand', b, a)"), k22),
            "mesa-22.3 has no predicate is_odd");
}

TEST(NirRule, LiteralsThatRoundAreWrittenAtTheirSize) {
  EXPECT_EQ(Expanded(SampleRule("('fadd', 'a@32', 0.1)", "('fadd', 0.1, a)")),
            "(('fadd', 'a@32', 0.10000000149011612), ('fadd', 0.1, 'a'))\n");
  EXPECT_EQ(Expanded(SampleRule("('fadd', 'a@16', 0.1)", "('fadd', 0.1, a)")),
            "(('fadd', 'a@16', 0.0999755859375), ('fadd', 0.0999755859375, 'a'))\n");
}

TEST(NirRule, PatternsKeepTheSignOfZeroAndNan) {
  EXPECT_EQ(Expanded(SampleRule("('fadd', 'a@32', '0x80000000@32')", "('fadd', '0x80000000@32', a)")),
            "(('fadd', 'a@32', 0x80000000), ('fadd', -0.0, 'a'))\n");
  EXPECT_EQ(Expanded(SampleRule("('fadd', 'a@32', '0x3f800000@32')", "('fadd', '0x3f800000@32', a)")),
            "(('fadd', 'a@32', 1.0), ('fadd', 1.0, 'a'))\n");
}

TEST(NirRule, NamesTheReasonForUnsupportedRules) {
  const struct {
    const char *search, *replace, *reason;
  } kCases[] = {
      {"('fadd', 'a@32', 'nan')", "a", "NaN literal in the search"},
      {"('fadd', 'a@32x3', 'b@32x3')", "('fadd', b, a)", "number of components"},
      {"('fadd', 'a@32.y', 'b@32')", "('fadd', b, 'a.y')", "swizzle in the search"},
      {"('~fadd', 'a@32', b)", "('fadd', b, a)", "`~` is allowed in inexact rules"},
      {"('iand(many-comm-expr)', 'a@32', b)", "('iand', b, a)", "many-comm-expr with 8"},
      {"ignore_exact('fadd', 'a@32', b)", "('fadd', b, a)", "ignore_exact"},
  };
  for (const auto& one : kCases) {
    EXPECT_NE(Expanded(SampleRule(one.search, one.replace)).find(one.reason), std::string::npos)
        << one.search << ": " << Expanded(SampleRule(one.search, one.replace));
  }
}

TEST(NirRule, LicensedRulesNeedTheirMarkAndTheReals) {
  const ProvedRule good = SampleInexact("('~fadd', 'a@32', ('fneg', a))", "0.0");
  EXPECT_EQ(Expanded(good), "(('~fadd', 'a@32', ('fneg', 'a')), 0.0)\n");
  EXPECT_NE(Expanded(SampleInexact("('fadd', 'a@32', ('fneg', a))", "0.0")).find("must contain `~`"),
            std::string::npos);
  ProvedRule unproved = good;
  unproved.entry.mutable_rule()->clear_inexact();
  EXPECT_NE(Expanded(unproved).find("no proof over the reals"), std::string::npos);
}

TEST(NirRule, HostileConditionsAreRefused) {
  const struct {
    const char *condition, *reason;
  } kCases[] = {{"true; system(\"x\")", "character ';'"},
                {"options->lower_fsat\n#include", "character '\\n'"},
                {"options->no_such_thing", "has no option no_such_thing"},
                {"1 /* */", "a comment"},
                {"'", "character '\\''"},
                {"<script>\"", "character '\\\"'"}};
  for (const auto& one : kCases) {
    ProvedRule candidate = SampleRule("('iand', 'a@32', a)", "a", one.condition);
    EXPECT_NE(Expanded(candidate).find(one.reason), std::string::npos) << Expanded(candidate);
  }
}

TEST(NirRule, UsedOnceIsPutWhereSitesWantIt) {
  ProvedRule candidate = SampleRule("('iadd', ('ineg', 'a@32'), ('ineg', b))", "('ineg', ('iadd', a, b))");
  const auto with = [&](const char* node, const char* predicate) {
    ProvedRule changed = candidate;
    auto* const added = changed.entry.mutable_rule()->mutable_generalisation()->add_preconditions();
    added->set_node(node);
    added->set_predicate(predicate);
    return Expanded(changed);
  };
  EXPECT_EQ(with("n3", "is_used_once"),
            "(('iadd', ('ineg', 'a@32'), ('ineg(is_used_once)', 'b')), ('ineg', ('iadd', 'a', 'b')))\n");
  EXPECT_NE(with("n0", "is_used_once").find("requires an inner op"), std::string::npos);
  EXPECT_NE(with("n2", "is_used_once").find("requires an inner op"), std::string::npos);  // n2 is the variable a.
  EXPECT_NE(with("n9", "is_used_once").find("does not name a value"), std::string::npos);
  EXPECT_NE(with("a", "is_below_seven").find("has no equivalent predicate in Mesa"), std::string::npos);
  EXPECT_NE(with("a", "is_not_const").find("is not in the rule's text"), std::string::npos);
  EXPECT_NE(with("n1", "nsz").find("is not in the rule's text"), std::string::npos);
}

TEST(NirRule, InexactRulesThatLookAtOtherUsersKeepOutOfStagesThatComputePositions) {
  ProvedRule rule = SampleInexact("('~fadd', ('fmul', 'a@32', b), ('fmul', a, 'c'))", "('fmul', a, ('fadd', b, c))");
  const std::string open =
      "(('~fadd', ('fmul', 'a@32', 'b'), ('fmul', 'a', 'c')), ('fmul', 'a', ('fadd', 'b', 'c')))\n";
  EXPECT_EQ(Expanded(rule), open);  // The rule applies in both shaders or in neither.
  auto* const added = rule.entry.mutable_rule()->mutable_generalisation()->add_preconditions();
  added->set_node("n1");
  added->set_predicate("is_used_once");
  const auto once = [](const std::string& root, const std::string& condition) {
    return "(('~" + root +
           "', ('fmul(is_used_once)', 'a@32', 'b'), ('fmul', 'a', 'c')), ('fmul', 'a', ('fadd', 'b', 'c'))" +
           condition + ")\n";
  };
  EXPECT_EQ(Expanded(rule), once("fadd(is_not_used_for_position)", ""));
  // If the target lacks the predicate, or the root already has one, the condition tests the stage instead.
  const std::string stages = ", 'info->stage != MESA_SHADER_VERTEX && info->stage != MESA_SHADER_GEOMETRY'";
  EXPECT_EQ(Expanded(rule, k22), once("fadd", stages));
  ProvedRule asked = rule;
  auto* const of_root = asked.entry.mutable_rule()->mutable_generalisation()->add_preconditions();
  of_root->set_node("n0");
  of_root->set_predicate("is_not_only_used_by_fadd");
  EXPECT_EQ(Expanded(asked), once("fadd(is_not_only_used_by_fadd)", stages));
  rule.entry.set_all_stages(true);
  EXPECT_EQ(Expanded(rule), once("fadd", ""));
  // A strict rule may apply in only one of two shaders, because it does not change bits.
  ProvedRule strict = SampleRule("('iadd', ('ineg', 'a@32'), ('ineg', b))", "('ineg', ('iadd', a, b))");
  *strict.entry.mutable_rule()->mutable_generalisation()->add_preconditions() = *added;
  EXPECT_EQ(Expanded(strict).find("info->stage"), std::string::npos) << Expanded(strict);
}

TEST(NirRule, ThereTheFormWithoutOtherUsersStandsInTheSecondPass) {
  ProvedRule rule =
      SampleInexact("('~fadd', ('fadd', ('fmul', 'a@32', 'b'), 'c'), 'd')", "('ffma', 'a', 'b', ('fadd', c, d))");
  rule.entry.set_for_positions(true);
  auto* const added = rule.entry.mutable_rule()->mutable_generalisation()->add_preconditions();
  added->set_node("n1");
  added->set_predicate("is_used_once");
  const auto rules = ExpandForNir(rule.entry, k25, "intel_gen9");
  ASSERT_TRUE(rules.ok()) << rules.status();
  ASSERT_EQ(rules->rules.size(), 2u);
  EXPECT_FALSE(rules->rules[0].second);
  EXPECT_EQ(rules->rules[0].search,
            "('~fadd(is_not_used_for_position)', ('fadd(is_used_once)', ('fmul', 'a@32', 'b'), 'c'), 'd')");
  EXPECT_FALSE(absl::StrContains(rules->rules[0].condition, "info->stage"));
  EXPECT_EQ(rules->rules[0].helpers, (std::set<std::string>{"mesa_25.h", "positions.c"}));
  EXPECT_TRUE(rules->rules[1].second);
  EXPECT_EQ(rules->rules[1].search, "('~fadd(is_used_for_position)', ('fadd', ('fmul', 'a@32', 'b'), 'c'), 'd')");
  EXPECT_EQ(rules->rules[1].helpers, (std::set<std::string>{"mesa_25.h", "positions.c"}));
  EXPECT_TRUE(absl::StrContains(rules->rules[1].condition,
                                "info->stage == MESA_SHADER_VERTEX || info->stage == MESA_SHADER_GEOMETRY"))
      << rules->rules[1].condition;
}

TEST(NirRule, OnePredicatePerNode) {
  ProvedRule candidate = SampleRule("('iadd', ('ineg(no_signed_wrap)', 'a@32'), b)", "('iadd', b, ('ineg', a))");
  auto* const added = candidate.entry.mutable_rule()->mutable_generalisation()->add_preconditions();
  added->set_node("n1");
  added->set_predicate("is_used_once");
  EXPECT_NE(Expanded(candidate).find("two predicates at one node"), std::string::npos);
}

}  // namespace
}  // namespace rewrought::emitter
