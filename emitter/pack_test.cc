#include "emitter/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "absl/strings/match.h"
#include "emitter/entry_rule.h"
#include "emitter/evidence.h"
#include "emitter/json_writer.h"
#include "emitter/nir/nir_target.h"
#include "emitter/nir/nir_writer.h"
#include "emitter/pack_entry_check.h"
#include "emitter/pack_files.h"
#include "emitter/pass/trial_places.h"
#include "emitter/proved_cases.h"
#include "emitter/testing/sample_rules.h"
#include "ir/digest.h"
#include "ir/text/rule_text.h"

namespace rewrought::emitter {
namespace {

Pack Build(std::vector<ProvedRule> candidates, const PackOptions& options = SampleOptions()) {
  auto pack = BuildPack(std::move(candidates), options);
  EXPECT_TRUE(pack.ok()) << pack.status();
  return *std::move(pack);
}

// Returns the reason why the only candidate was refused, or an empty string if it was accepted.
std::string ReasonFor(const ProvedRule& candidate, const PackOptions& options = SampleOptions()) {
  const Pack pack = Build({candidate}, options);
  EXPECT_EQ(pack.blocked.size() + pack.message.entries_size() + pack.set_aside, 1u);
  return pack.blocked.empty() ? "" : pack.blocked[0].reason;
}

std::string Searches(const Pack& pack) {
  std::string text;
  for (const v1::PackEntry& entry : pack.message.entries()) text += entry.rule().search() + "\n";
  return text;
}

const ProvedRule kGood = SampleRule("('iand', ('ior', 'a', 'b'), 'a')", "'a'");

TEST(Pack, AcceptsAGoodRule) {
  const Pack pack = Build({kGood});
  ASSERT_EQ(pack.message.entries_size(), 1);
  EXPECT_EQ(pack.message.entries(0).rule().id(), ir::RuleId("(('iand', ('ior', 'a', 'b'), 'a'), 'a')", "").hex());
  EXPECT_EQ(pack.message.manifest().digest(), PackDigest(pack.message));
}

TEST(Pack, DoesNotDependOnTheOrderOfCandidates) {
  std::vector<ProvedRule> candidates = SampleRules();
  const std::vector<std::string> formats;
  Pack first = Build(candidates);
  const auto files = RenderPack(formats, &first);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_GT(first.message.entries_size(), 10);
  std::mt19937 random(1);
  for (int i = 0; i < 5; ++i) {
    std::shuffle(candidates.begin(), candidates.end(), random);
    Pack again = Build(candidates);
    const auto other = RenderPack(formats, &again);
    ASSERT_TRUE(other.ok()) << other.status();
    EXPECT_EQ(*other, *files);
  }
}

TEST(Pack, PutsWhatSavesMostFirst) {
  const Pack pack = Build(SampleRules());
  double last = 1e9;
  for (const v1::PackEntry& entry : pack.message.entries()) {
    const double saved = entry.rule().base_cost().cycles() - entry.rule().cost().cycles();
    EXPECT_LE(saved, last);
    last = saved;
  }
}

TEST(Pack, RefusesWhatDoesNotLowerTheOrder) {
  EXPECT_NE(ReasonFor(SampleRule("('ior', 'a@32', 'b@32')", "('iand', ('ior', 'a', 'b'), ('ior', 'a', 'b'))"))
                .find("does not lower the cost"),
            std::string::npos);
  // Tuned baseline selection selects this program itself.
  EXPECT_NE(ReasonFor(SampleProgram("intel_gen9", "('fsat', ('fadd', 'a@32', 'b'))", "[ADD(r(F), a(F), b(F)).sat()]"))
                .find("does not lower the cost"),
            std::string::npos);
}

TEST(Pack, KeepsOneOfTwoThatSayTheSame) {
  const Pack pack = Build({kGood, SampleRule("('iand', 'x', ('ior', 'x', 'y'))", "'x'")});
  EXPECT_EQ(pack.message.entries_size(), 1);
  ASSERT_EQ(pack.blocked.size(), 1u);
  EXPECT_NE(pack.blocked[0].reason.find("is equivalent to " + pack.message.entries(0).rule().id()), std::string::npos);
}

TEST(Pack, OfTwoThatUndoEachOtherOneIsNamed) {
  // The sample rules state their costs, so both rules save cycles.
  const ProvedRule there = SampleRule("('inot', ('flt', 'a@32', 'b'))", "('fgeu', 'a', 'b')");
  const ProvedRule back = SampleRule("('fgeu', 'a@32', 'b')", "('inot', ('flt', 'a', 'b'))");
  EXPECT_EQ(ReasonFor(there), "");
  const Pack pack = Build({there, back});
  EXPECT_EQ(pack.message.entries_size(), 1);
  ASSERT_EQ(pack.blocked.size(), 1u);
  EXPECT_NE(pack.blocked[0].rule.find("('fgeu', 'a@32', 'b')"), std::string::npos);
  EXPECT_NE(pack.blocked[0].reason.find("a pass with it may not terminate"), std::string::npos)
      << pack.blocked[0].reason;
}

TEST(Pack, ARuleThatMeetsItsOwnResultIsNamed) {
  // The replacement's fabs keeps the flags of the original fabs.
  EXPECT_NE(ReasonFor(SampleRule("('fneg(nsz)', ('fabs(nsz)', 'a@32'))", "('fadd', ('fneg', ('fabs', 'a')), 0.0)")),
            "");
  const std::string reason =
      ReasonFor(SampleRule("('fneg', ('fmin(is_used_once)', 'a@32', 'b'))", "('fmax', ('fneg', 'a'), ('fneg', 'b'))"));
  EXPECT_NE(reason, "");
}

TEST(Pack, InnerOpsAreMarkedWhereTheRuleOnlyPaysWithoutOtherUsers) {
  const Pack pack =
      Build({SampleRule("('iadd', ('imul', 'a@32', 'b'), ('imul', 'a', 'c'))", "('imul', 'a', ('iadd', 'b', 'c'))")});
  ASSERT_EQ(pack.message.entries_size(), 1);
  EXPECT_GT(pack.message.entries(0).rule().generalisation().preconditions_size(), 0);
  EXPECT_EQ(pack.message.entries(0).rule().generalisation().preconditions(0).predicate(), "is_used_once");
}

PackOptions InexactOptions() {
  PackOptions options = SampleOptions();
  options.rule_class = v1::RULE_CLASS_INEXACT;
  return options;
}

TEST(Pack, RulesThatOnlyReduceSizeAreInTheSecondPass) {
  // The driver folds the product of the constants and fuses the rest; until then, the tree has one more instruction.
  PackOptions options = InexactOptions();
  options.machine = "ir3_a6xx";
  const Pack pack = Build({SampleInexact("('~fmul', ('fadd', 'a@32(is_not_const)', '#b'), '#c')",
                                         "('fadd', ('fmul', 'a', 'c'), ('fmul', 'b', 'c'))")},
                          options);
  ASSERT_EQ(pack.message.entries_size(), 1) << pack.blocked[0].reason;
  EXPECT_TRUE(pack.message.entries(0).second_pass());
  const auto text = WriteNir(pack.message, **FindNirTarget("mesa-25.0"));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_TRUE(absl::StrContains(*text, "second_places = {\n   'main_rest': rules[:2],")) << *text;
  v1::Pack other = pack.message;
  other.mutable_entries(0)->set_second_pass(false);
  EXPECT_NE(PackDigest(other), PackDigest(pack.message));
}

TEST(Pack, ShadersThatComputePositionsGetTheFormThatLooksAtNoOtherUser) {
  const Pack pack = Build(
      {SampleInexact("('~fadd', ('fadd', ('fmul', 'a@32', 'b'), ('fmul', 'c', 'd')), 'e(is_not_fmul)')",
                     "('fadd', ('fmul', 'a', 'b'), ('fadd', ('fmul', 'c', 'd'), 'e'))"),
       SampleInexact("('~fadd', ('fmul', 'a@32', 'b'), ('fmul', 'a', 'c'))", "('fmul', 'a', ('fadd', 'b', 'c'))")},
      InexactOptions());
  ASSERT_EQ(pack.message.entries_size(), 2) << pack.blocked[0].reason;
  for (const v1::PackEntry& entry : pack.message.entries())
    EXPECT_EQ(entry.for_positions(), absl::StrContains(entry.rule().search(), "'e")) << entry.rule().search();
}

TEST(Pack, TheFormForPositionsStandsWhereDriversDoBestWithIt) {
  const auto tuples = [](std::initializer_list<const char*> places, std::initializer_list<const char*> of_positions) {
    ProvedRule rule = SampleInexact("('~fadd', ('fadd', ('fmul', 'a@32', 'b'), ('fmul', 'c', 'd')), 'e(is_not_fmul)')",
                                    "('fadd', ('fmul', 'a', 'b'), ('fadd', ('fmul', 'c', 'd'), 'e'))");
    for (const char* place : places) rule.entry.add_places(place);
    for (const char* place : of_positions) rule.entry.add_position_places(place);
    const Pack pack = Build({rule}, InexactOptions());
    EXPECT_EQ(pack.message.entries_size(), 1) << pack.blocked[0].reason;
    const auto text = WriteNir(pack.message, DefaultNirTarget());
    EXPECT_TRUE(text.ok()) << text.status();
    std::vector<bool> has;
    for (const char* part : {"('~fadd(is_not_used_for_position)'", "('~fadd(is_used_for_position)'",
                             "   'main_rest': rules[", "   'before_late': rules["})
      has.push_back(text.ok() && absl::StrContains(*text, part));
    return has;
  };
  // Each result consists of four Booleans: whether the text contains the form for values that do not influence the
  // position, the form for values that do, rules at main_rest, and rules at before_late.
  using Has = std::vector<bool>;
  EXPECT_EQ(tuples({"main_rest"}, {"before_late"}), Has({true, true, true, true}));
  EXPECT_EQ(tuples({"main_rest"}, {}), Has({true, false, true, false}));
  EXPECT_EQ(tuples({}, {"before_late"}), Has({false, true, false, true}));
}

TEST(Pack, SharingRulesBringTheirConditions) {
  PackOptions options = InexactOptions();
  options.machine = "ir3_a6xx";
  const ProvedRule sharing =
      SampleInexact("('~fmul', ('fmul', 'a@32', 'b(is_shared_with_outer)'), 'c')", "('fmul', 'a', ('fmul', 'b', 'c'))");
  const Pack pack = Build({sharing}, options);
  ASSERT_EQ(pack.message.entries_size(), 1) << pack.blocked[0].reason;
  EXPECT_FALSE(pack.message.entries(0).second_pass());
  EXPECT_FALSE(pack.message.entries(0).for_positions());  // The rule's condition depends on other multiplications.
  const auto text = WriteNir(pack.message, **FindNirTarget("mesa-25.0"));
  ASSERT_TRUE(text.ok()) << text.status();
  for (const char* part :
       {"(('~fmul(is_not_used_for_position)', ('fmul(is_used_once)', 'a@32', 'b(is_shared_with_outer)'), c), ",
        "helpers = {\n   'mesa_25.h': r\"\"\"/* Defines Mesa 26's names", "   'positions.c': r\"\"\"/* Determines",
        "   'sharing.c': r\"\"\"/* Detects", "is_shared_with_outer(UNUSED search_state *state,", "shared_left = 4096;",
        "run_with_cse(shader, {})"}) {
    EXPECT_TRUE(absl::StrContains(*text, part)) << part << "\n" << *text;
  }
  // Mesa 22.3 has a different C API. A pack without rules that need helpers contains none.
  EXPECT_TRUE(absl::StrContains(WriteNir(pack.message, **FindNirTarget("mesa-22.3")).status().message(),
                                "has no predicate is_shared_with_outer"));
  const auto plain = WriteNir(Build({kGood}).message, **FindNirTarget("mesa-25.0"));
  EXPECT_TRUE(absl::StrContains(*plain, "\nhelpers = {}\n"));
}

TEST(Pack, AProductThatBecomesASumAsksWhoReadsIt) {
  const auto made = [](const char* search, const char* replace) {
    const Pack pack = Build({SampleInexact(search, replace)}, InexactOptions());
    EXPECT_EQ(pack.message.entries_size(), 1) << pack.blocked[0].reason;
    return *WriteNir(pack.message, **FindNirTarget("mesa-25.0"));
  };
  const std::string text = made("('~fmul', ('fadd', 1.0, 'a@32'), 'b@32')", "('fadd', ('fmul', 'a', 'b'), 'b')");
  for (const char* part : {"(('~fmul(is_not_only_used_by_fadd)', ('fadd(is_used_once)', 1.0, 'a@32'), b), ",
                           "   'readers.c': r\"\"\"/* Checks", "is_not_only_used_by_fadd(const nir_alu_instr"}) {
    EXPECT_TRUE(absl::StrContains(text, part)) << part << "\n" << text;
  }
  EXPECT_FALSE(absl::StrContains(text, "static bool run_with_cse"));
  // In shaders that must compute the same position, the rule has no condition on other uses.
  EXPECT_TRUE(absl::StrContains(text, "(('~fmul(is_used_for_position)', ('fadd', 1.0, 'a@32'), b), ")) << text;
  EXPECT_FALSE(absl::StrContains(
      made("('~fadd', ('fmul', 'a@32', 'b'), ('fmul', 'a', 'c'))", "('fmul', 'a', ('fadd', 'b', 'c'))"),
      "is_not_only_used_by_fadd"));
}

TEST(Pack, TableLimitsBlockTheLeastUsefulRules) {
  PackOptions options = SampleOptions();
  const Pack all = Build(SampleRules(), options);
  EXPECT_GT(all.pass.tables.states, 3u);
  EXPECT_EQ(all.pass.tables.tuples >= static_cast<uint64_t>(all.message.entries_size()) - 2, true);
  EXPECT_GT(all.pass.text_bytes, 100u);
  EXPECT_GT(all.pass.weights.size(), 3u);
  options.limits.bytes = all.pass.tables.bytes * 2 / 3;
  std::vector<ProvedRule> candidates = SampleRules();
  candidates[0].entry.mutable_rule()->mutable_measurements(0)->set_tuned_saved_cycles(1e6);
  const std::string dearest = candidates[0].entry.rule().search();
  const Pack fewer = Build(candidates, options);
  EXPECT_LT(fewer.message.entries_size(), all.message.entries_size());
  EXPECT_LE(fewer.pass.tables.bytes, options.limits.bytes);
  EXPECT_NE(Searches(fewer).find(dearest), std::string::npos) << Searches(fewer);
  bool told = false;
  for (const BlockedRule& rule : fewer.blocked) told |= rule.reason.find("the pass's tables would exceed") == 0;
  EXPECT_TRUE(told);
}

TEST(Pack, TablesAreCountedWithTheRulesBesideIt) {
  PackOptions options = SampleOptions();
  const Pack alone = Build({kGood}, options);
  options.beside = {SampleRule("('ixor', ('ior', 'a@32', 'b'), 'c')", "'c'").entry};
  const Pack beside = Build({kGood}, options);
  EXPECT_GT(beside.pass.tables.states, alone.pass.tables.states);
  EXPECT_EQ(beside.pass.tables.tuples, alone.pass.tables.tuples + 1);
}

TEST(Pack, RulesStandWhereDriversDoBestWithThem) {
  std::vector<ProvedRule> candidates = SampleRules();
  const auto choose = [&](size_t candidate, const char* name) {
    v1::PackEntry& entry = candidates[candidate].entry;
    v1::RuleTrial::Place* place = entry.mutable_rule()->add_trials()->add_places();
    place->set_name(name);
    place->set_chosen(true);
    TakePlacesOfTrials(&entry);
  };
  choose(0, "main_rest");
  choose(0, "before_late");
  choose(2, "before_late");
  const Pack pack = Build(candidates);
  const auto text = WriteNir(pack.message, DefaultNirTarget());
  ASSERT_TRUE(text.ok()) << text.status();
  const auto places = NirPlaces(pack.message, DefaultNirTarget());
  EXPECT_EQ(*places, std::vector<std::string>({"main_rest", "before_ffma", "before_late", "after_late"}));
  EXPECT_TRUE(absl::StrContains(*text, "   'before_late': [rules[i] for i in (")) << *text;
  // Each of the rule's two passes has its own table.
  EXPECT_GT(pack.pass.tables.tuples, Build(SampleRules()).pass.tables.tuples);

  Manifest manifest;
  manifest.target = pack.target;
  manifest.rule_class = pack.rule_class;
  v1::Pack wrong = pack.message;
  EXPECT_TRUE(CheckEntries(wrong, manifest).empty());
  wrong.mutable_entries(1)->add_places("nowhere");
  const std::vector<Finding> findings = CheckEntries(wrong, manifest);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(absl::StrContains(findings[0].what, "nowhere")) << findings[0].what;
}

TEST(Pack, WhatTrialsMeasuredDecidesWhatIsLeftOut) {
  PackOptions options = SampleOptions();
  options.limits.bytes = Build(SampleRules(), options).pass.tables.bytes * 2 / 3;
  const auto kept = [&](const std::vector<ProvedRule>& candidates, const std::string& search) {
    const Pack pack = Build(candidates, options);
    return std::any_of(pack.message.entries().begin(), pack.message.entries().end(),
                       [&](const v1::PackEntry& entry) { return entry.rule().search() == search; });
  };
  std::vector<ProvedRule> candidates = SampleRules();
  for (ProvedRule& one : candidates) {
    v1::RuleTrial* trial = one.entry.mutable_rule()->add_trials();
    v1::RuleTrial::Place* place = trial->add_places();
    place->set_chosen(true);
    place->mutable_in_set()->set_time(-1);
  }
  size_t left_out = 0, brought_in = 0;
  for (ProvedRule& one : candidates) {
    const std::string& search = one.entry.rule().search();
    if (kept(candidates, search)) continue;
    ++left_out;
    v1::RuleTrial::Effect* effect = one.entry.mutable_rule()->mutable_trials(0)->mutable_places(0)->mutable_in_set();
    effect->set_time(-9);
    brought_in += kept(candidates, search);
    effect->set_time(-1);
  }
  EXPECT_GT(left_out, 0u);
  EXPECT_GT(brought_in, 0u);
}

TEST(Pack, AsksForEvidence) {
  ProvedRule candidate = kGood;
  candidate.entry.clear_confirmations();
  EXPECT_NE(ReasonFor(candidate).find("neither a second solver"), std::string::npos);
  for (auto& proof : *candidate.entry.mutable_proofs()) proof.set_tier(v1::TIER_EXHAUSTIVE);
  EXPECT_NE(ReasonFor(candidate).find("another encoding"), std::string::npos);
  candidate = kGood;
  candidate.entry.mutable_confirmations(1)->set_vectors(99999);
  EXPECT_NE(ReasonFor(candidate).find("another encoding"), std::string::npos);
  candidate = kGood;
  candidate.entry.clear_mutants();
  EXPECT_EQ(ReasonFor(candidate), "none of its mutants was refuted");
  PackOptions lax = SampleOptions();
  lax.require_confirmations = false;
  EXPECT_EQ(ReasonFor(candidate, lax), "");
  candidate.objection = "costs 8 cycles";
  EXPECT_EQ(ReasonFor(candidate, lax), "costs 8 cycles");
  candidate = kGood;
  candidate.entry.mutable_proofs(0)->set_tier(v1::TIER_VECTORS);
  EXPECT_EQ(ReasonFor(candidate), "test vectors alone are not a proof");
  candidate = kGood;
  candidate.entry.mutable_rule()->set_state(v1::RULE_STATE_REFUTED);
  EXPECT_NE(ReasonFor(candidate).find("refuted or lost"), std::string::npos);
}

TEST(Pack, FoldedOpsAreFree) {
  const std::string replace = "('imul', 'a', ('imul', 'b', 'c'))";
  EXPECT_EQ(ReasonFor(SampleRule("('imul', ('imul', 'a@32(is_not_const)', '#b@32'), '#c@32')", replace)), "");
  EXPECT_NE(ReasonFor(SampleRule("('imul', ('imul', 'a@32(is_not_const)', 'b@32'), '#c@32')", replace)), "");
  // A pass sees the products of constants before they are folded. If a rule adds more products than it removes, the
  // pass may not terminate.
  EXPECT_NE(ReasonFor(SampleRule("('imul', ('iadd', 'a@32', '#b@32'), '#c@32')",
                                 "('iadd', ('imul', 'a', 'c'), ('imul', 'b', 'c'))"))
                .find("a pass with it may not terminate"),
            std::string::npos);
}

TEST(Pack, ZeroLiteralsMustBeProvedForBothZeros) {
  ProvedRule candidate = SampleRule("('fmul', ('fneg', 'a@32'), 0.0)", "('fneg', ('fmul', 'a', 0.0))");
  candidate.literals_exact = true;
  EXPECT_NE(ReasonFor(candidate).find("matches both zeros"), std::string::npos);
}

TEST(Pack, OtherMachinesRulesAndWrongIdsStayOut) {
  ProvedRule candidate = kGood;
  candidate.entry.mutable_rule()->set_machine("agx_g13");
  EXPECT_EQ(ReasonFor(candidate), "is for agx_g13, not for intel_gen9");
  candidate = kGood;
  candidate.entry.mutable_rule()->set_id("0123");
  EXPECT_NE(ReasonFor(candidate).find("its id does not match the digest"), std::string::npos);
}

TEST(Pack, WaivedRulesAreListedWithTheReason) {
  PackOptions options = SampleOptions();
  v1::PackWaiver* const waiver = options.manifest.add_waivers();
  waiver->set_subject(ir::RuleId("(('iand', ('ior', 'a', 'b'), 'a'), 'a')", "").hex());
  waiver->set_reason("hurts the scheduler");
  EXPECT_EQ(ReasonFor(kGood, options), "waived: hurts the scheduler");
}

TEST(Pack, ClassesNeverMix) {
  const Pack strict = Build(SampleRules());
  EXPECT_EQ(strict.set_aside, 1u);
  EXPECT_EQ(Searches(strict).find('~'), std::string::npos);
  PackOptions options = SampleOptions();
  options.rule_class = v1::RULE_CLASS_INEXACT;
  const Pack inexact = Build(SampleRules(), options);
  EXPECT_EQ(inexact.message.entries_size(), 1);
  EXPECT_NE(Searches(inexact).find('~'), std::string::npos);
}

// The rule is proved over the reals, so its bitwise verdict may be unknown. A strict rule has no other proof.
TEST(Pack, UnknownBitwiseVerdictsAreInexactOnly) {
  const auto leave_open = [](ProvedRule candidate) {
    for (v1::CaseVerdict& proof : *candidate.entry.mutable_proofs()) proof.set_verdict(v1::VERDICT_UNKNOWN);
    return candidate;
  };
  PackOptions options = SampleOptions();
  EXPECT_EQ(Build({leave_open(kGood)}, options).message.entries_size(), 0);
  options.rule_class = v1::RULE_CLASS_INEXACT;
  ProvedRule open = leave_open(
      SampleInexact("('~fadd', ('fmul', 'a', 'b'), ('fmul', 'a', 'c'))", "('fmul', 'a', ('fadd', 'b', 'c'))"));
  EXPECT_EQ(Build({open}, options).message.entries_size(), 1);
  open.entry.mutable_rule()->mutable_inexact()->set_reals(v1::VERDICT_UNKNOWN);
  EXPECT_EQ(Build({open}, options).message.entries_size(), 0);
}

// The rule's condition excludes a mode in which it is refuted or unknown.
TEST(Pack, OneModeThatIsNotProvedCostsThatModeOnly) {
  for (const v1::Verdict verdict : {v1::VERDICT_REFUTED, v1::VERDICT_UNKNOWN}) {
    ProvedRule candidate = SampleRule("('fmin', ('fmin', 'a@32', 'b'), 'b')", "('fmin', 'a', 'b')");
    for (v1::CaseVerdict& proof : *candidate.entry.mutable_proofs()) {
      if (proof.mode() == v1::DENORM_MODE_FLUSH) proof.set_verdict(verdict);
    }
    const Pack pack = Build({candidate});
    ASSERT_EQ(pack.message.entries_size(), 1) << (pack.blocked.empty() ? "" : pack.blocked[0].reason);
    const auto rule = ir::ParseRule("(('fmin', ('fmin', 'a@32', 'b'), 'b'), ('fmin', 'a', 'b'))");
    ASSERT_TRUE(rule.ok());
    const auto proved = FindProvedCases(*rule, pack.message.entries(0));
    ASSERT_TRUE(proved.ok());
    ASSERT_EQ(proved->cases.size(), 1u);
    EXPECT_EQ(proved->cases[0].condition, "!nir_is_denorm_flush_to_zero(info->float_controls_execution_mode, 32)");
  }
}

TEST(Pack, WishesNameMissingPredicates) {
  ProvedRule candidate = kGood;
  auto* const wish = candidate.entry.mutable_rule()->mutable_generalisation()->add_preconditions();
  wish->set_node("a");
  wish->set_predicate("is_below_seven");
  const Pack pack = Build({candidate});
  ASSERT_EQ(pack.message.manifest().wishes_size(), 1);
  EXPECT_EQ(pack.message.manifest().wishes(0), "is_below_seven");
  EXPECT_EQ(pack.message.entries_size(), 0);
}

TEST(Pack, HostileTextIsRefusedAndCannotLeaveItsPlace) {
  for (const char* name : {"a'", "a\n", "<script>", "\"", "a\\", "__import__", "a1"}) {
    ProvedRule candidate = kGood;
    candidate.entry.mutable_rule()->set_search("('iand', ('ior', '" + std::string(name) + "', 'b'), 'a')");
    EXPECT_NE(ReasonFor(candidate), "") << name;
  }
  ProvedRule candidate = kGood;
  candidate.entry.mutable_confirmations(0)->set_by("x\n)]\nimport os\n<script>'\"\xff");
  const std::string line = ProofLine(candidate.entry);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(line.find('\xff'), std::string::npos);
}

TEST(Pack, UnknownMachinesAreAnError) {
  PackOptions options = SampleOptions();
  options.machine = "intel_gen99";
  EXPECT_EQ(BuildPack({}, options).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace rewrought::emitter
