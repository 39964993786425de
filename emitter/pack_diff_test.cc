#include "emitter/pack_diff.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/pack_files.h"
#include "emitter/testing/sample_rules.h"
#include "ir/digest.h"

namespace rewrought::emitter {
namespace {

// Writes the pack of `candidates` into a folder.
std::string Written(const std::string& name, std::vector<ProvedRule> candidates,
                    const PackOptions& options = SampleOptions()) {
  const std::string directory = absl::StrCat(::testing::TempDir(), "/diff_", name);
  std::filesystem::remove_all(directory);
  auto pack = BuildPack(std::move(candidates), options);
  EXPECT_TRUE(pack.ok()) << pack.status();
  const auto files = RenderPack({}, &*pack);
  EXPECT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(WriteFiles(directory, *files).ok());
  return directory;
}

// Writes the pack of `rules` in the given order. If `new_ids` is set, computes ids from the machine and the text.
std::string WrittenRaw(const std::string& name, const std::string& machine, const std::vector<ProvedRule>& rules,
                       bool new_ids = true) {
  Pack pack = *BuildPack({}, SampleOptions());
  pack.message.mutable_manifest()->set_machine(machine);
  pack.message.mutable_manifest()->add_uncovered_ops("op_that_" + machine + "_lacks");
  pack.message.mutable_manifest()->set_driver("driver of " + machine);
  for (const ProvedRule& rule : rules) {
    v1::PackEntry* const entry = pack.message.add_entries();
    *entry = rule.entry;
    if (!new_ids) continue;
    entry->mutable_rule()->set_id(
        ir::Sha256Hex(absl::StrCat(machine, rule.entry.rule().search(), rule.entry.rule().program())));
  }
  const std::string directory = absl::StrCat(::testing::TempDir(), "/diff_", name);
  std::filesystem::remove_all(directory);
  const auto files = RenderPack({"json"}, &pack);
  EXPECT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(WriteFiles(directory, *files).ok());
  return directory;
}

// Returns lines of the form "kind: what: before -> after".
std::string Diff(const std::string& a, const std::string& b) {
  const auto differences = DiffPacks(a, b);
  if (!differences.ok()) return std::string(differences.status().message());
  std::string text;
  for (const Difference& one : *differences) {
    absl::StrAppend(&text, NameOf(one.kind), ": ", absl::StrJoin(one.what, ", "), ": ", one.before, " -> ", one.after,
                    "\n");
  }
  return text;
}

constexpr char kSearch[] = "('iand', ('ior', 'a', 'b'), 'a')";

TEST(PackDiff, EqualPacksDoNotDiffer) {
  const std::string all = Written("all", SampleRules());
  EXPECT_EQ(Diff(all, all), "");
}

TEST(PackDiff, AddedAndLost) {
  const ProvedRule x = SampleRule(kSearch, "'a'"), y = SampleRule("('ineg', ('ineg', 'a'))", "'a'");
  const std::string one = Written("one", {x}), both = Written("both", {x, y});
  EXPECT_EQ(Diff(one, both), "added: :  -> (('ineg', ('ineg', 'a')), 'a')\n");
  EXPECT_EQ(Diff(both, one), "lost: : (('ineg', ('ineg', 'a')), 'a') -> \n");
  EXPECT_EQ((*DiffPacks(both, one))[0].entry.size(), 64u);
}

TEST(PackDiff, SameSearchWithAnotherReplacementOrCondition) {
  const std::string a = Written("a", {SampleRule(kSearch, "'a'")}), b = Written("b", {SampleRule(kSearch, "'b'")});
  EXPECT_EQ(Diff(a, b), absl::StrCat("changed: replacement: (", kSearch, ", 'a') -> (", kSearch, ", 'b')\n"));
  const auto differences = DiffPacks(a, b);
  EXPECT_NE((*differences)[0].entry, (*differences)[0].old_entry);
  const std::string c = Written("c", {SampleRule(kSearch, "'a'", "!options->lower_bitops")});
  EXPECT_EQ(Diff(a, c), absl::StrCat("changed: condition: (", kSearch, ", 'a') -> (", kSearch,
                                     ", 'a', '!options->lower_bitops')\n"));
}

TEST(PackDiff, OtherEvidence) {
  ProvedRule candidate = SampleRule(kSearch, "'a'");
  const std::string before = Written("before", {candidate});
  candidate.entry.mutable_proofs(0)->set_tier(v1::TIER_NATIVE);
  candidate.entry.mutable_mutants()->set_refuted(77);
  const std::string text = absl::StrCat("(", kSearch, ", 'a')");
  EXPECT_EQ(Diff(before, Written("after", {candidate})),
            absl::StrCat("changed: proofs, mutants: ", text, " -> ", text, "\n"));
}

TEST(PackDiff, FieldsOfTheWhole) {
  PackOptions options = SampleOptions();
  const std::string before = Written("fields", {SampleRule(kSearch, "'a'")}, options);
  options.manifest.mutable_corpus()->set_shaders(4711);
  const std::string diff = Diff(before, Written("other_fields", {SampleRule(kSearch, "'a'")}, options));
  EXPECT_EQ(diff.find("pack: corpus: "), 0u) << diff;
  EXPECT_NE(diff.find("4711 shaders"), std::string::npos) << diff;
}

// Packs for different machines always differ in ids, evidence, measurements, and places, so these are not compared.
TEST(PackDiff, BetweenTwoMachinesProgramsAndCostsAreCompared) {
  const std::string sum = "('ineg', ('iadd', 'a@32', 'b'))", floor = "('ffloor', 'a@16')",
                    least = "('imin', 'a@32', 'b')";
  const auto rules_of = [&](const std::string& machine, const std::string& floor_program) {
    std::vector<ProvedRule> rules = {SampleProgram(machine, sum, "[ADD(r(D), -a(D), -b(D))]"),
                                     SampleProgram(machine, floor, floor_program)};
    return rules;
  };
  std::vector<ProvedRule> gen8 = rules_of("intel_gen8", "[MOV(w(F), a(HF)), RNDD(x(F), w(F)), MOV(r(HF), x(F))]");
  gen8.push_back(SampleProgram("intel_gen8", "('inot', ('ior', 'a@32', 'b'))", "[AND(r(UD), ~a(UD), ~b(UD))]"));
  std::vector<ProvedRule> gen9 = rules_of("intel_gen9", "[MOV(w(F), a(HF)), RNDD(x(F), w(F)), MOV(r(HF), x(F)).sat()]");
  gen9.push_back(
      SampleProgram("intel_gen9", "('bcsel', ('ilt', 'a@32', 'b'), 'a', 'b')", "[SEL(r(D), a(D), b(D)).cmod(L)]"));
  gen9[0].entry.mutable_mutants()->set_refuted(77);
  gen9[0].entry.mutable_rule()->mutable_measurements(0)->set_hits(1);
  const auto differences = DiffPacks(WrittenRaw("gen8", "intel_gen8", gen8), WrittenRaw("gen9", "intel_gen9", gen9));
  ASSERT_TRUE(differences.ok()) << differences.status();
  std::vector<std::string> kinds;
  const Difference* changed = nullptr;
  for (const Difference& one : *differences) {
    kinds.push_back(absl::StrCat(NameOf(one.kind), ":", absl::StrJoin(one.what, ",")));
    if (one.kind == Difference::Kind::kChanged) changed = &one;
  }
  EXPECT_EQ(absl::StrJoin(kinds, " "), "pack:machine changed:replacement added: lost:");
  ASSERT_NE(changed, nullptr);
  EXPECT_EQ(changed->detail, (std::vector<std::string>{"  MOV(w(F), a(HF))", "  RNDD(x(F), w(F))", "- MOV(r(HF), x(F))",
                                                       "+ MOV(r(HF), x(F)).sat()"}));
}

TEST(PackDiff, CostsAreStatedAndRulesPairedByText) {
  // Two rules with the same search side are paired correctly in either order.
  const std::string search = "('ineg', ('iadd', 'a@32', 'b'))";
  ProvedRule one = SampleProgram("intel_gen8", search, "[ADD(r(D), -a(D), -b(D))]");
  ProvedRule two = SampleProgram("intel_gen8", search, "[ADD(t(D), a(D), b(D)), MOV(r(D), -t(D))]");
  ProvedRule x = SampleProgram("intel_gen9", search, "[ADD(t(D), a(D), b(D)), MOV(r(D), -t(D))]");
  ProvedRule y = SampleProgram("intel_gen9", search, "[ADD(r(D), -a(D), -b(D))]");
  y.entry.mutable_rule()->mutable_cost()->set_cycles(3);
  const auto differences =
      DiffPacks(WrittenRaw("pair8", "intel_gen8", {one, two}), WrittenRaw("pair9", "intel_gen9", {x, y}));
  ASSERT_TRUE(differences.ok()) << differences.status();
  ASSERT_EQ(differences->size(), 2u);
  const Difference& cost = differences->back();
  EXPECT_EQ(cost.what, std::vector<std::string>{"cost"});
  EXPECT_EQ(cost.before, cost.after);
  EXPECT_EQ(cost.detail,
            std::vector<std::string>{"cost: 1 instructions, 2 cycles, latency 0 (without the rule 2, 4, 0) "
                                     "-> 1 instructions, 3 cycles, latency 0 (without the rule 2, 4, 0)"});
}

// Pairing between machines ignores ids.
TEST(PackDiff, IdsAreIgnoredBetweenMachines) {
  ProvedRule sum = SampleProgram("intel_gen8", "('ineg', ('iadd', 'a@32', 'b'))", "[ADD(r(D), -a(D), -b(D))]");
  ProvedRule least = SampleProgram("intel_gen8", "('imin', 'a@32', 'b')", "[SEL(r(D), a(D), b(D)).cmod(L)]");
  const auto named = [](ProvedRule rule, const std::string& machine, const std::string& id) {
    rule.entry.mutable_rule()->set_machine(machine);
    rule.entry.mutable_rule()->set_id(id);
    return rule;
  };
  const std::string gen8 =
      WrittenRaw("ids8", "intel_gen8", {named(sum, "intel_gen8", "x"), named(least, "intel_gen8", "y")}, false);
  const std::string gen9 =
      WrittenRaw("ids9", "intel_gen9", {named(least, "intel_gen9", "x"), named(sum, "intel_gen9", "y")}, false);
  const auto differences = DiffPacks(gen8, gen9);
  ASSERT_TRUE(differences.ok()) << differences.status();
  ASSERT_EQ(differences->size(), 1u) << differences->back().before << differences->back().after;
  EXPECT_EQ(differences->front().what, std::vector<std::string>{"machine"});
}

TEST(PackDiff, BetweenTwoMachinesProvedCasesAreCompared) {
  const std::string search = "('fneg', ('fneg', 'a@32'))";
  const ProvedRule rule = SampleProgram("intel_gen8", search, "[MOV(r(F), a(F))]");
  const auto in_flush = [](const v1::CaseVerdict& proof) { return proof.mode() == v1::DENORM_MODE_FLUSH; };
  const auto differences = DiffPacks(
      WrittenRaw("cases8", "intel_gen8", {rule}),
      WrittenRaw("cases9", "intel_gen9", {Only(SampleProgram("intel_gen9", search, "[MOV(r(F), a(F))]"), in_flush)}));
  ASSERT_TRUE(differences.ok()) << differences.status();
  ASSERT_EQ(differences->size(), 2u);
  EXPECT_EQ(differences->back().what, std::vector<std::string>{"proofs"});
}

TEST(PackDiff, AFolderWithoutAPackIsNotFound) {
  EXPECT_EQ(DiffPacks("/nonexistent", "/nonexistent").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace rewrought::emitter
