// Tests the stages together, with real solvers: the rules that they find, caching, resuming after a kill, and the
// effect of a lying solver.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "corpus/fragment_form.h"
#include "corpus/site_record.h"
#include "emitter/pack_files.h"
#include "enumerator/bank_search.h"
#include "gtest/gtest.h"
#include "ir/digest.h"
#include "ir/facts/value_facts.h"
#include "ir/site_flags.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "machine/candidate.h"
#include "pipeline/discovery/discover.h"
#include "pipeline/harvest.h"
#include "pipeline/improve.h"
#include "pipeline/nightly/nightly.h"
#include "pipeline/nightly/nightly_config.h"
#include "pipeline/pack_build.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"
#include "pipeline/sites/measure.h"
#include "pipeline/support.h"
#include "pipeline/testing/pipeline_testing.h"
#include "proto/read_file.h"
#include "rules/tree_rules.h"
#include "store/corpus_store.h"
#include "store/rule_store.h"
#include "verifier/oracle/host_oracle.h"
#include "verifier/oracle/mutants.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::pipeline {
namespace {

TEST_F(PipelineTest, FormOfAFragmentKeepsFindsMultiUseIntermediatesAndFacts) {
  corpus::Fragment fragment;
  fragment.term = *ir::ParseTerm("('fadd@32(nsz,nnan)', ('!fmul@32', 'a@32', 'b@32'), 'c@32')");
  fragment.facts.resize(3);
  fragment.facts[0].number = true;
  fragment.facts[0].low = 0;
  fragment.multi_use.resize(fragment.term.nodes.size());
  for (size_t i = 0; i < fragment.term.nodes.size(); ++i) {
    fragment.multi_use[i] = fragment.term.nodes[i].kind == ir::NodeKind::kOp && i != fragment.term.root;
  }
  absl::StatusOr<corpus::SiteRecord> site = corpus::StoredSite(fragment);
  ASSERT_TRUE(site.ok()) << site.status();
  EXPECT_EQ(site->node_flags, 0x16u);  // fadd is nsz and nnan; fmul is exact
  EXPECT_EQ(site->multi_use, 2u);
  EXPECT_EQ(site->fragment.nodes, 2);
  absl::StatusOr<ir::Term> term = corpus::TermOfStored(site->fragment.text);
  ASSERT_TRUE(term.ok());
  ir::ApplyNodeFlags(site->node_flags, &*term);
  EXPECT_EQ(term->root_node().flags, ir::kNoSignedZero | ir::kNoNan);
  const std::vector<ir::ValueFacts> facts = ir::ParseFactsSummary(site->facts);
  ASSERT_EQ(facts.size(), 3u);
  EXPECT_TRUE(facts[0].number && facts[0].not_negative());
  EXPECT_FALSE(facts[1].number);
}

TEST_F(PipelineTest, HarvestCountsWhatIsBadAndReadsNothingTwice) {
  fs::create_directories(root_ / "in");
  for (const char* name : {"scalar_fragment.nir", "loop.nir", "damaged.nir"}) {
    fs::copy(fs::path("corpus/samples/nir") / name, root_ / "in" / name);
  }
  std::ofstream(root_ / "in" / "noise.bin") << std::string("\x01\x02\x00\xff", 4);
  std::unique_ptr<store::Store> store = OpenStore("h.db");
  absl::StatusOr<HarvestReport> first = Harvest(store.get(), {{(root_ / "in").string(), "here", false}}, {});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_GE(first->added, 2u);
  EXPECT_GE(first->skipped, 1u);
  EXPECT_FALSE(first->reasons.empty());
  EXPECT_GT(first->fragments, first->distinct);
  absl::StatusOr<HarvestReport> second = Harvest(store.get(), {{(root_ / "in").string(), "here", false}}, {});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->added, 0u);
  EXPECT_EQ(second->shaders, first->shaders);
  EXPECT_EQ(second->fragments, 0u);
  std::stop_source stopped;
  stopped.request_stop();
  HarvestOptions options;
  options.stop = stopped.get_token();
  absl::StatusOr<HarvestReport> third = Harvest(store.get(), {{(root_ / "in").string(), "here", false}}, options);
  ASSERT_TRUE(third.ok());
  EXPECT_TRUE(third->interrupted);
  EXPECT_EQ(third->shaders, 0u);
  EXPECT_TRUE(absl::IsNotFound(Harvest(store.get(), {{(root_ / "none").string(), "", false}}, {}).status()));
}

TEST_F(PipelineTest, RightProgramsBecomeRulesWrongOnesDoNotAndNothingIsTriedTwice) {
  std::unique_ptr<store::Store> store = OpenStore("d.db");
  PutTerms(store.get(), "one", false, StoredTexts());
  PutTerms(store.get(), "two", true, {Fragments()[1]});
  ListedSearch search(*machine_, Programs());
  CountingSolver counting(solvers_.first());
  absl::StatusOr<DiscoverReport> first =
      Discover(store.get(), *machine_, &search, {&counting, solvers_.confirming()}, Options());
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first->finished);
  EXPECT_EQ(first->run_statistics.fragments(), 4u);
  EXPECT_EQ(first->run_statistics.proved(), 3u);
  EXPECT_EQ(first->run_statistics.refuted(), 3u);
  EXPECT_EQ(RuleIds(store.get()).size(), kRules);
  EXPECT_GT(first->queries, 0u);
  const int searched = search.searched;

  CountingSolver again(solvers_.first());
  absl::StatusOr<DiscoverReport> second =
      Discover(store.get(), *machine_, &search, {&again, solvers_.confirming()}, Options());
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(again.queries, 0);
  EXPECT_EQ(second->queries, 0u);
  EXPECT_EQ(search.searched, searched);

  ASSERT_TRUE(MeasureRules(store.get(), *machine_, {}).ok());
  absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store.get(), kMachine);
  ASSERT_TRUE(ranked.ok());
  ASSERT_EQ(ranked->size(), kRules);
  // The first two rows are the two forms (program and NIR) of the rule that occurs in both sources.
  EXPECT_EQ(ranked->at(0).rule.program + ranked->at(1).rule.program, "[XOR(r(UD), a(UD), b(UD))]");
  EXPECT_EQ(ranked->at(0).rule.replace + ranked->at(1).rule.replace, "('ixor@32', 'a@32', 'b@32')");
  EXPECT_EQ(ranked->front().held_out.hits, 3);
  EXPECT_EQ(ranked->front().discovery.hits, 3);
  for (const RankedRule& row : *ranked) EXPECT_TRUE(row.beats_tuned_baseline) << row.rule.search;

  absl::StatusOr<ExportReport> exported = ExportPack(store.get(), *machine_, (root_ / "out").string(), {});
  ASSERT_TRUE(exported.ok()) << exported.status();
  EXPECT_EQ(exported->exported, kExported) << (exported->blocked.empty() ? "" : exported->blocked[0].reason);
  EXPECT_TRUE(fs::exists(root_ / "out" / kMachine / "pack.json"));
}

// A fragment gets no rule if the rule for a part of it saves as much. If the fragment's rule was found first, it is
// marked as derived when the rule for the part is found.
TEST_F(PipelineTest, DerivedRulesAreNotFoundOrAreMarked) {
  const std::string part = Fragments()[1], whole = absl::StrCat("('iadd@32', ", part, ", 'c@32')");
  const std::vector<std::pair<std::string, std::string>> programs = {
      {part, "[XOR(r(UD), a(UD), b(UD))]"}, {whole, "[XOR(t(UD), a(UD), b(UD)), ADD(r(D), t(D), c(D))]"}};
  const auto states = [&](store::Store* store) {
    std::map<std::string, v1::RuleState> found;
    for (const std::string& id : RuleIds(store)) {
      absl::StatusOr<store::RuleRecord> rule = store::RuleStore(store).GetRule(id);
      EXPECT_TRUE(rule.ok()) << rule.status();
      if (!rule->program.empty()) found[rule->search] = rule->state;
    }
    return found;
  };
  ListedSearch search(*machine_, programs);
  std::unique_ptr<store::Store> together = OpenStore("together.db");
  PutTerms(together.get(), "one", false, {whole, part});
  ASSERT_TRUE(Discover(together.get(), *machine_, &search, solvers_, Options()).ok());
  EXPECT_EQ(states(together.get()), (std::map<std::string, v1::RuleState>{{part, v1::RULE_STATE_NEW}}));

  std::unique_ptr<store::Store> later = OpenStore("later.db");
  PutTerms(later.get(), "one", false, {whole});
  ASSERT_TRUE(Discover(later.get(), *machine_, &search, solvers_, Options()).ok());
  EXPECT_EQ(states(later.get()), (std::map<std::string, v1::RuleState>{{whole, v1::RULE_STATE_NEW}}));
  PutTerms(later.get(), "two", false, {part});
  absl::StatusOr<DiscoverReport> second = Discover(later.get(), *machine_, &search, solvers_, Options());
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(states(later.get()),
            (std::map<std::string, v1::RuleState>{{part, v1::RULE_STATE_NEW}, {whole, v1::RULE_STATE_DERIVED}}));
  ASSERT_TRUE(MeasureRules(later.get(), *machine_, {}).ok());
  const absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(later.get(), kMachine);
  ASSERT_TRUE(ranked.ok()) << ranked.status();
  for (const RankedRule& row : *ranked) EXPECT_EQ(row.rule.search, part);
}

// A form equal over the reals becomes an inexact rule with `~` if it is refuted bit for bit, and a strict rule
// otherwise. Rules that lose precision are not exported, and inexact rules do not apply to exact nodes.
TEST_F(PipelineTest, FormsOverTheRealsBecomeInexactRules) {
  const std::string scaled = "('fmul@32', ('fmul@32', 'a@32', 0x3e99999a@32), 0x3f333333@32)";
  const std::string cancels =
      "('fmul@32', ('fadd@32', 'a@32', 'b@32'), ('fsub@32', 'a', 'b'))";  // a*a - b*b loses precision
  const std::string signs = "('fabs@32', ('fneg@32', 'a@32'))";
  std::unique_ptr<store::Store> store = OpenStore("reals.db");
  PutTerms(store.get(), "one", false, {scaled, cancels, signs});
  PutTerms(store.get(), "two", true, {scaled, "('!fmul@32', ('fmul@32', 'a@32', 0x3f000001@32), 0x3f333333@32)"});
  ListedSearch search(*machine_, {});
  absl::StatusOr<DiscoverReport> report = Discover(store.get(), *machine_, &search, solvers_, Options());
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_TRUE(MeasureRules(store.get(), *machine_, {}).ok());
  absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store.get(), kMachine);
  ASSERT_TRUE(ranked.ok());
  ASSERT_EQ(ranked->size(), 2u) << report->run_statistics.ShortDebugString();
  const auto accurate = std::find_if(ranked->begin(), ranked->end(), [](const RankedRule& one) {
    return DetailOf(one.rule).rule().inexact().accuracy_class() == v1::ACCURACY_CLASS_NOT_LESS_ACCURATE;
  });
  ASSERT_NE(accurate, ranked->end());
  const RankedRule& row = *accurate;
  const RankedRule& less = accurate == ranked->begin() ? ranked->back() : ranked->front();
  EXPECT_EQ(DetailOf(less.rule).rule().inexact().accuracy_class(), v1::ACCURACY_CLASS_CANCELLING);
  EXPECT_FALSE(DetailOf(less.rule).rule().inexact().hardest_input().empty());
  EXPECT_EQ(row.rule.rule_class, v1::RULE_CLASS_INEXACT);
  EXPECT_EQ(row.rule.search, "('~fmul@32', ('fmul@32', 'a@32(is_not_const)', '#b@32'), '#c@32')");
  EXPECT_EQ(row.rule.replace, "('fmul@32', 'a@32', ('fmul@32', 'b@32', 'c@32'))");
  EXPECT_EQ(row.held_out.hits, 3);  // the rule does not apply where the node is exact
  EXPECT_GT(row.held_out.tuned_cycles, 0);
  absl::StatusOr<ExportReport> exported = ExportPack(store.get(), *machine_, (root_ / "out").string(), {});
  ASSERT_TRUE(exported.ok()) << exported.status();
  EXPECT_EQ(exported->exported, 1u) << (exported->blocked.empty() ? "" : exported->blocked[0].reason);
  ASSERT_EQ(exported->blocked.size(), 1u);
  EXPECT_TRUE(absl::StrContains(exported->blocked[0].reason, "loses digits")) << exported->blocked[0].reason;
  EXPECT_EQ(exported->inexact, 1u);
  EXPECT_TRUE(fs::exists(root_ / "out" / kMachine / "inexact" / "nir.py"));
}

TEST_F(PipelineTest, ChainsThatShareOperandsGiveRules) {
  const std::string product = "('fmul@32', ('fmul@32', 'a@32', 'b@32'), 'c@32')";
  const std::string sum = "('iadd@32', ('iadd@32', 'a@32', 'b@32'), 'c@32')";
  std::unique_ptr<store::Store> store = OpenStore("sharing.db");
  PutTerms(store.get(), "alone", false, {product, sum});
  ListedSearch search(*machine_, {});
  ASSERT_TRUE(Discover(store.get(), *machine_, &search, solvers_, Options()).ok());
  EXPECT_EQ(RuleIds(store.get()).size(), 0u);

  store = OpenStore("sharing2.db");
  PutTerms(store.get(), "shared", false, {product, sum}, "fragment", ";chains=3;");
  PutTerms(store.get(), "alone", true, {product});
  PutTerms(store.get(), "other", true, {product}, "fragment", "chains=2;;");
  ASSERT_TRUE(Discover(store.get(), *machine_, &search, solvers_, Options()).ok());
  ASSERT_TRUE(MeasureRules(store.get(), *machine_, {}).ok());
  const absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store.get(), kMachine);
  ASSERT_TRUE(ranked.ok());
  ASSERT_EQ(ranked->size(), 2u) << (ranked->empty() ? "none" : ranked->front().rule.search);
  for (const RankedRule& row : *ranked) {
    const bool inexact = absl::StrContains(row.rule.search, "fmul");
    EXPECT_EQ(row.rule.rule_class, inexact ? v1::RULE_CLASS_INEXACT : v1::RULE_CLASS_STRICT);
    EXPECT_TRUE(absl::StrContains(row.rule.search, "'b@32(is_shared_with_outer)'")) << row.rule.search;
    const double one = 2;  // the issue cycles of each of these ops on gen9
    EXPECT_EQ(row.discovery.hits, 3);
    // The three chains share one instruction, so each of them saves two thirds of it.
    EXPECT_DOUBLE_EQ(row.discovery.tuned_cycles, 3 * one * 2 / 3);
    EXPECT_EQ(row.held_out.hits, inexact ? 3 : 0);  // no hit if no other chain shares the operands
  }
  const absl::StatusOr<ExportReport> exported = ExportPack(store.get(), *machine_, (root_ / "out").string(), {});
  ASSERT_TRUE(exported.ok()) << exported.status();
  EXPECT_EQ(exported->exported, 2u) << (exported->blocked.empty() ? "" : exported->blocked[0].reason);
}

TEST_F(PipelineTest, WhatKeepsOutOfVertexShadersSavesNothingThere) {
  const std::string sum = "('fadd@32', ('fmul@32', ('fmul@32', 'a@32', 'b@32'), 'c@32'), ('fmul@32', 'd@32', 'b'))";
  std::unique_ptr<store::Store> store = OpenStore("positions.db");
  PutTerms(store.get(), "one", false, {sum});
  PutTerms(store.get(), "positions", true, {sum}, "vertex");
  ListedSearch search(*machine_, {});
  ASSERT_TRUE(Discover(store.get(), *machine_, &search, solvers_, Options()).ok());
  ASSERT_TRUE(MeasureRules(store.get(), *machine_, {}).ok());
  const absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store.get(), kMachine);
  ASSERT_TRUE(ranked.ok());
  ASSERT_EQ(ranked->size(), 1u);
  EXPECT_EQ(ranked->front().discovery.hits, 3);
  EXPECT_EQ(ranked->front().held_out.hits, 0);
}

// A trial determines which rules are exported and at which places the driver applies them.
TEST_F(PipelineTest, MeasuredExportTakesWhatDriversGainFrom) {
  std::unique_ptr<store::Store> store = OpenStore("measured.db");
  const std::string sum = "('fadd@32', ('fadd@32', ('fmul@32', 'a@32', 'a'), ('fmul@32', 'b@32', 'b')), 'c@32')";
  PutTerms(store.get(), "one", false, {sum});
  PutTerms(store.get(), "positions", true, {sum}, "vertex");
  ListedSearch search(*machine_, {});
  ASSERT_TRUE(Discover(store.get(), *machine_, &search, solvers_, Options()).ok());
  ASSERT_TRUE(MeasureRules(store.get(), *machine_, {}).ok());
  const absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store.get(), kMachine);
  ASSERT_TRUE(ranked.ok() && ranked->size() == 1);
  EXPECT_EQ(ranked->front().discovery.hits, 3);
  EXPECT_EQ(ranked->front().held_out.hits, 3);  // in vertex shaders, the form that ignores other users matches
  PackBuildOptions options;
  options.measured = true;
  const auto blocked = [&] {
    const absl::StatusOr<ExportReport> report = ExportPack(store.get(), *machine_, (root_ / "out").string(), options);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() && !report->blocked.empty() ? report->blocked[0].reason : "";
  };
  const auto put = [&](bool chosen, v1::RuleTrial::Stages stages = v1::RuleTrial::STAGES_UNSPECIFIED) {
    v1::RuleTrial trial;
    trial.set_driver("brw-skl");
    v1::RuleTrial::Place* place = trial.add_places();
    place->set_name("main_rest");
    place->set_chosen(chosen);
    place->set_stages(stages);
    trial.mutable_example()->set_code("the driver's code");
    EXPECT_TRUE(store::RuleStore(store.get()).PutTrial(ranked->front().rule.id, trial).ok());
  };
  EXPECT_EQ(blocked(), "was not tried on a driver; run `rewrought trial` first");
  put(false);
  EXPECT_EQ(blocked(), "no driver gains more with it than with the other rules alone (`rewrought trial`)");
  put(true);
  EXPECT_EQ(blocked(), "");
  const auto read = [&](const char* name) {
    std::ifstream file(root_ / "out" / kMachine / "inexact" / name);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  EXPECT_TRUE(absl::StrContains(read("nir.py"), "   'main_rest': rules[:1],\n   'before_ffma': [],")) << read("nir.py");
  EXPECT_TRUE(absl::StrContains(read("pack.json"), "\"brw-skl\""));
  EXPECT_FALSE(absl::StrContains(read("pack.json"), "the driver's code"));
  // If a driver gains only from the form for positions, this form is exported alone.
  for (const auto stages : {v1::RuleTrial::STAGES_OTHER, v1::RuleTrial::STAGES_POSITIONS}) {
    put(true, stages);
    EXPECT_EQ(blocked(), "");
    EXPECT_EQ(absl::StrContains(read("nir.py"), "(is_not_used_for_position)"), stages == v1::RuleTrial::STAGES_OTHER);
  }
  options.driver = "ir3-a630";
  EXPECT_EQ(blocked(), "was not tried on a driver; run `rewrought trial` first");
}

// A rule that applies in too few sources stays in the database, unless another size of it applies in enough sources.
TEST_F(PipelineTest, RareRulesAreNotExported) {
  const auto sum = [](int bits) {
    return absl::StrReplaceAll("('fadd@N', ('fadd@N', ('fmul@N', 'a@N', 'a'), ('fmul@N', 'b@N', 'b')), 'c@N')",
                               {{"N", absl::StrCat(bits)}});
  };
  std::unique_ptr<store::Store> store = OpenStore("rare.db");
  PutTerms(store.get(), "one", false, {sum(32)});
  PutTerms(store.get(), "two", false, {sum(32)});
  PutTerms(store.get(), "three", false, {sum(16), "('fmul@32', ('fmul@32', 'a@32', 0x40000000@32), 0x40800000@32)"});
  ListedSearch search(*machine_, {});
  ASSERT_TRUE(Discover(store.get(), *machine_, &search, solvers_, Options()).ok());
  ASSERT_TRUE(MeasureRules(store.get(), *machine_, {}).ok());
  const auto exported = [&](size_t sources) {
    PackBuildOptions options;
    options.support.sources = sources;
    const absl::StatusOr<ExportReport> report = ExportPack(store.get(), *machine_, (root_ / "out").string(), options);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *report : ExportReport{};
  };
  const ExportReport all = exported(1), frequent = exported(2);
  EXPECT_EQ(all.exported, 3u);
  EXPECT_EQ(all.blocked.size(), 0u);
  EXPECT_EQ(frequent.exported, 2u);
  ASSERT_EQ(frequent.blocked.size(), 1u);
  EXPECT_EQ(frequent.blocked[0].reason,
            "applies in 1 shader of 1 source of the discovery corpus; --min-sources and --min-shaders export it");
}

TEST_F(PipelineTest, LimitsAreLowerForASmallCorpus) {
  std::unique_ptr<store::Store> store = OpenStore("small.db");
  const auto limits = [&] {
    const absl::StatusOr<SupportLimits> lowered = LimitsForCorpus(store.get(), {});
    EXPECT_TRUE(lowered.ok()) << lowered.status();
    return std::pair(lowered->sources, lowered->shaders);
  };
  EXPECT_EQ(limits(), std::pair(size_t{0}, size_t{0}));
  for (int i = 0; i < 45; ++i)
    PutTerms(store.get(), i < 40 ? "one" : "two", false, {absl::StrCat("('iadd@32', 'a@32', ", 3 + i, "@32)")});
  EXPECT_EQ(limits(), std::pair(size_t{2}, size_t{2}));
  PutTerms(store.get(), "held", true, {"('iadd@32', 'a@32', 2@32)"});
  EXPECT_EQ(limits(), std::pair(size_t{2}, size_t{2}));
}

// The two sides are equal over the reals, and no vector distinguishes them. They become an inexact rule although the
// bit-for-bit query is undecided.
TEST_F(PipelineTest, WhatSolversLeaveOpenIsInexact) {
  std::unique_ptr<store::Store> store = OpenStore("open.db");
  PutTerms(store.get(), "one", false, {"('fmul@32', ('fmul@32', 'a@32', 0x40000000@32), 0x40800000@32)"});
  ListedSearch search(*machine_, {});
  Undecided undecided;
  ASSERT_TRUE(Discover(store.get(), *machine_, &search, &undecided, Options()).ok());
  ASSERT_TRUE(MeasureRules(store.get(), *machine_, {}).ok());
  absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store.get(), kMachine);
  ASSERT_TRUE(ranked.ok());
  ASSERT_EQ(ranked->size(), 1u);
  EXPECT_EQ(ranked->front().rule.rule_class, v1::RULE_CLASS_INEXACT);
  absl::StatusOr<ExportReport> exported = ExportPack(store.get(), *machine_, (root_ / "out").string(), {});
  ASSERT_TRUE(exported.ok()) << exported.status();
  EXPECT_EQ(exported->inexact, 1u) << (exported->blocked.empty() ? "" : exported->blocked[0].reason);
}

// A select instruction passes denormals through, whereas arithmetic in mode flush does not, so the pack excludes mode
// flush.
TEST_F(PipelineTest, ARuleThatOneModeRefutesIsExportedForTheOthers) {
  const std::string mix = "('flrp@32', 'a@32', 'b@32', ('b2f32@32', 'c@1'))";
  std::unique_ptr<store::Store> store = OpenStore("mode.db");
  PutTerms(store.get(), "one", false, {mix});
  ListedSearch search(*machine_, {{mix, "[MOV(null(D), c(BD)).cmod(Z), SEL(r(F), a(F), b(F)).predicate(NORMAL)]"}});
  ASSERT_TRUE(Discover(store.get(), *machine_, &search, solvers_, Options()).ok());
  ASSERT_TRUE(MeasureRules(store.get(), *machine_, {}).ok());
  PackBuildOptions pack;
  pack.support = {.sources = 0, .shaders = 0};
  absl::StatusOr<ExportReport> exported = ExportPack(store.get(), *machine_, (root_ / "out").string(), pack);
  ASSERT_TRUE(exported.ok()) << exported.status();
  EXPECT_GE(exported->exported, 1u) << (exported->blocked.empty() ? "" : exported->blocked[0].reason);
  std::ifstream file(root_ / "out" / kMachine / "machine.py");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("!nir_is_denorm_flush_to_zero(info->float_controls_execution_mode, 32)"), std::string::npos)
      << text;
}

// Reordering a sum of three products yields another sum of three products. Therefore, the rule that moves a value
// behind two products must not match if the value is itself a product.
TEST_F(PipelineTest, ALicensedRuleEnds) {
  std::unique_ptr<store::Store> store = OpenStore("sum.db");
  PutTerms(store.get(), "one", false,
           {"('fadd@32', ('fadd@32', ('fmul@32', 'a@32', 'a'), ('fmul@32', 'b@32', 'b')), 'c@32')"});
  ListedSearch search(*machine_, {});
  ASSERT_TRUE(Discover(store.get(), *machine_, &search, solvers_, Options()).ok());
  ASSERT_TRUE(MeasureRules(store.get(), *machine_, {}).ok());
  absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store.get(), kMachine);
  ASSERT_TRUE(ranked.ok());
  ASSERT_EQ(ranked->size(), 1u);
  EXPECT_NE(ranked->front().rule.search.find("'c@32(is_not_fmul)'"), std::string::npos) << ranked->front().rule.search;
  EXPECT_EQ(ranked->front().discovery.hits, 3);
  absl::StatusOr<ExportReport> exported = ExportPack(store.get(), *machine_, (root_ / "out").string(), {});
  ASSERT_TRUE(exported.ok()) << exported.status();
  EXPECT_EQ(exported->inexact, 1u) << (exported->blocked.empty() ? "" : exported->blocked[0].reason);
}

TEST_F(PipelineTest, KilledAtAnyQueryItEndsWithTheSameRules) {
  std::unique_ptr<store::Store> whole = OpenStore("whole.db");
  PutTerms(whole.get(), "one", false, StoredTexts());
  ListedSearch search(*machine_, Programs());
  ASSERT_TRUE(Discover(whole.get(), *machine_, &search, solvers_, Options()).ok());
  const std::set<std::string> expected = RuleIds(whole.get());
  ASSERT_EQ(expected.size(), kRules);
  for (const int kill_at : {1, 2, 3}) {
    const std::string name = absl::StrCat("killed", kill_at, ".db");
    PutTerms(OpenStore(name).get(), "one", false, StoredTexts());
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {  // the child needs its own solver processes, because only the calling thread survives a fork
      const absl::StatusOr<verifier::Solvers> own = verifier::OpenSolvers({});
      CountingSolver deadly(own->first());
      deadly.kill_at = kill_at;
      ListedSearch listed(*machine_, Programs());
      (void)Discover(OpenStore(name).get(), *machine_, &listed, &deadly, Options());
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "query " << kill_at << " was never asked";
    std::unique_ptr<store::Store> killed = OpenStore(name);
    absl::StatusOr<DiscoverReport> resumed = Discover(killed.get(), *machine_, &search, solvers_, Options());
    ASSERT_TRUE(resumed.ok()) << resumed.status();
    EXPECT_TRUE(resumed->finished);
    EXPECT_EQ(RuleIds(killed.get()), expected) << "killed at query " << kill_at;
    EXPECT_EQ(resumed->run_statistics.fragments(), 4u);
  }
}

// One fragment is a part of the other. With `independent`, the search for each fragment ignores the rule of the other,
// so both fragments get rules, even if the run is interrupted between them. Without `independent`, the second search
// uses the first rule.
TEST_F(PipelineTest, AnIndependentFragmentSeesNoRuleOfItsRun) {
  const std::string inner = "('iadd@32', ('ineg@32', 'a@32'), ('iadd@32', 'a', 'b@32'))";
  const std::string outer = "('iand@32', ('iadd@32', ('ineg@32', 'a@32'), ('iadd@32', 'a', 'b@32')), 'c@32')";
  ListedSearch search(*machine_, {{inner, "[MOV(r(D), b(D))]"}, {outer, "[AND(r(UD), b(UD), c(UD))]"}});
  const auto rules_of = [&](const std::string& name, bool independent, const std::vector<int64_t>& parts) {
    std::unique_ptr<store::Store> store = OpenStore(name);
    PutTerms(store.get(), "one", false, {inner, outer});
    PutTerms(store.get(), "two", false, {inner});  // `inner`, which is in two sources, is searched first
    for (const int64_t most : parts) {
      DiscoverOptions options = Options();
      options.deterministic = true;
      options.independent = independent;
      options.max_fragments = most;
      const absl::StatusOr<DiscoverReport> report = Discover(store.get(), *machine_, &search, solvers_, options);
      EXPECT_TRUE(report.ok()) << report.status();
    }
    return RuleIds(store.get());
  };
  const std::set<std::string> together = rules_of("together.db", true, {-1});
  EXPECT_EQ(together.size(), 4u);  // two rules, each as a program and in NIR
  EXPECT_EQ(rules_of("parts.db", true, {1, -1}), together);
  EXPECT_EQ(rules_of("learning.db", false, {1, -1}).size(), 2u);
}

// A search that calls `visit` once, before its first search.
class VisitedSearch : public ListedSearch {
 public:
  using ListedSearch::ListedSearch;
  absl::StatusOr<enumerator::SearchStatistics> Search(const enumerator::SearchGoal& goal, std::stop_token stop,
                                                      const std::function<bool(machine::Program)>& found) override {
    if (visit != nullptr) std::exchange(visit, nullptr)();
    return ListedSearch::Search(goal, std::move(stop), found);
  }
  std::function<void()> visit;
};

TEST_F(PipelineTest, WhatIsSearchedNobodyElseSearches) {
  std::unique_ptr<store::Store> store = OpenStore("mine.db");
  PutTerms(store.get(), "one", false, StoredTexts());
  fs::create_symlink("mine.db", root_ / "link.db");
  VisitedSearch search(*machine_, Programs());
  ListedSearch others(*machine_, Programs());
  const auto other = [&](int shard, int shards) {
    DiscoverOptions options = Options();
    options.shard = shard;
    options.shards = shards;
    std::unique_ptr<store::Store> linked = OpenStore("link.db");
    return Discover(linked.get(), *machine_, &others, solvers_, options);
  };
  search.visit = [&] {
    const absl::Status refused = other(0, 1).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
    EXPECT_TRUE(absl::StrContains(refused.message(), absl::StrCat("process ", getpid(), " ("))) << refused;
    EXPECT_TRUE(absl::StrContains(refused.message(), "--shard")) << refused;
    EXPECT_TRUE(absl::IsFailedPrecondition(other(1, 3).status())) << "overlaps the first half";
    const absl::StatusOr<DiscoverReport> half = other(1, 2);
    ASSERT_TRUE(half.ok()) << half.status();
    EXPECT_TRUE(half->finished);
    EXPECT_EQ(half->run_statistics.fragments(), static_cast<uint64_t>(others.searched));
  };
  DiscoverOptions options = Options();
  options.shards = 2;
  const absl::StatusOr<DiscoverReport> report = Discover(store.get(), *machine_, &search, solvers_, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(search.visit, nullptr) << "no fragment in the first half";
  EXPECT_EQ(search.searched + others.searched, 4) << "each once";
  EXPECT_EQ(report->run_statistics.fragments(), static_cast<uint64_t>(search.searched)) << "each run counts its own";
  EXPECT_EQ(RuleIds(store.get()).size(), kRules);
  EXPECT_TRUE(other(0, 1).ok()) << "the lock was not released";
}

TEST_F(PipelineTest, ALyingSolverNeverReachesAPack) {
  std::unique_ptr<store::Store> store = OpenStore("liar.db");
  // The search side differs from the replacement for only one value of a, which the vectors do not contain.
  const std::string text = "('bcsel@32', ('ieq@1', 'a@32', 0x3ade68b1@32), 0x00000000@32, 'b@32')";
  PutTerms(store.get(), "one", false, {text});
  ListedSearch search(*machine_, {{text, "[MOV(r(UD), b(UD))]"}});
  Liar liar;
  DiscoverOptions options = Options();
  options.prover.exhaustive_bits = options.prover.last_resort_bits = 8;
  absl::StatusOr<DiscoverReport> report =
      Discover(store.get(), *machine_, &search, {&liar, solvers_.confirming()}, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->run_statistics.candidates(), 1u);
  EXPECT_EQ(report->run_statistics.proved(), 0u) << "cvc5 says sat";
  EXPECT_TRUE(RuleIds(store.get()).empty());

  // If no other solver contradicts the lie, the wrong candidate becomes an unconfirmed rule, which is not exported.
  std::unique_ptr<store::Store> alone = OpenStore("alone.db");
  PutTerms(alone.get(), "one", false, {text});
  ASSERT_TRUE(Discover(alone.get(), *machine_, &search, &liar, options).ok());
  ASSERT_TRUE(MeasureRules(alone.get(), *machine_, {}).ok());
  absl::StatusOr<ExportReport> exported = ExportPack(alone.get(), *machine_, (root_ / "out").string(), {});
  ASSERT_TRUE(exported.ok()) << exported.status();
  EXPECT_EQ(exported->exported, 0u);
}

TEST_F(PipelineTest, StopsWhenToldAndWhenTheBudgetIsSpent) {
  std::unique_ptr<store::Store> store = OpenStore("s.db");
  PutTerms(store.get(), "one", false, StoredTexts());
  ListedSearch search(*machine_, Programs());
  std::stop_source stopped;
  stopped.request_stop();
  DiscoverOptions options = Options();
  options.stop = stopped.get_token();
  absl::StatusOr<DiscoverReport> report = Discover(store.get(), *machine_, &search, solvers_, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->ended_by, "stopped");
  EXPECT_EQ(report->run_statistics.fragments(), 0u);
  options = Options();
  options.memory_bytes = 1;
  report = Discover(store.get(), *machine_, &search, solvers_, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->ended_by, "memory");
  options = Options();
  options.seconds = 1e-9;
  report = Discover(store.get(), *machine_, &search, solvers_, options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->ended_by, "time");
  report = Discover(store.get(), *machine_, &search, solvers_, Options());
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->finished);
  EXPECT_EQ(report->run_statistics.fragments(), 4u);
}

TEST_F(PipelineTest, HostOracleAgreesWithRightProgramsAndNotWithWrongOnes) {
  const ir::Term search = *ir::ParseTerm("('fadd@32', 'a@32', ('fneg@32', 'b@32'))");
  const auto term = [&](const std::string& program) {
    return *machine::ReplacementTerm({machine_, search, *machine::ParseProgram(*machine_, program), {}});
  };
  const verifier::OracleTally right = verifier::CompareWithHost(search, term("[ADD(r(F), a(F), -b(F))]"), 1000);
  EXPECT_TRUE(right.covered);
  EXPECT_EQ(right.agreed, 1000u);
  EXPECT_EQ(right.disagreed, 0u);
  EXPECT_GT(verifier::CompareWithHost(search, term("[ADD(r(F), a(F), b(F))]"), 1000).disagreed, 100u);
}

// RDNA's output multipliers exist only in modes that flush denormals. The host preserves denormals, and its results
// still agree.
TEST_F(PipelineTest, HostOracleTakesWhatExistsWhereDenormalsAreFlushed) {
  const machine::Machine& rdna = **machine::FindMachine("rdna");
  const ir::Term search = *ir::ParseTerm("('fmul@32(nsz)', ('fadd@32', 'a@32', 'b@32'), 0x40000000@32)");
  const auto compare = [&](const char* program) {
    return verifier::CompareWithHost(
        search, *machine::ReplacementTerm({&rdna, search, *machine::ParseProgram(rdna, program), {}}), 1000);
  };
  EXPECT_EQ(compare("[v_add_f32(r(F), a(F), b(F)).mul2()]").disagreed, 0u);
  EXPECT_EQ(compare("[v_add_f32(r(F), a(F), b(F)).mul2()]").agreed, 1000u);
  EXPECT_GT(compare("[v_add_f32(r(F), a(F), b(F)).mul4()]").disagreed, 100u);
}

TEST_F(PipelineTest, HostOracleTakesFreeZerosBothWays) {
  constexpr uint64_t kVectors = 100000;  // with fewer vectors, a signaling NaN was missed
  const auto compare = [&](const char* search, const char* program) {
    const ir::Term term = *ir::ParseTerm(search);
    return verifier::CompareWithHost(
        term, *machine::ReplacementTerm({machine_, term, *machine::ParseProgram(*machine_, program), {}}), kVectors);
  };
  const char kClamp[] = "('fmin@32', ('fmax@32(nsz)', 0x00000000@32, 'a@32'), 0x3f800000@32)";
  const verifier::OracleTally saturated = compare(kClamp, "[MOV(r(F), a(F)).sat()]");
  EXPECT_EQ(saturated.agreed, kVectors);
  EXPECT_EQ(saturated.disagreed, 0u);
  EXPECT_GT(compare(kClamp, "[MOV(r(F), a(F))]").disagreed, 100u);
  // Unless nsz is set, the product of zero and a has the sign of a. If a is infinite, the product is a NaN, for which
  // nnan permits any result.
  EXPECT_EQ(compare("('fmul@32(nsz,nnan)', 0x00000000@32, 'a@32')", "[MOV(r(F), imm(0.0, F))]").agreed, kVectors);
  EXPECT_GT(compare("('fmul@32(nnan)', 0x00000000@32, 'a@32')", "[MOV(r(F), imm(0.0, F))]").disagreed, 100u);
  EXPECT_EQ(
      compare("('fexp2@32', ('fceil@32', 'a@32'))", "[RNDD(t0(F), -a(F)), MATH(r(F), -t0(F)).function(EXP)]").agreed,
      kVectors);
  EXPECT_EQ(compare("('inot@1', ('iand@1', 'a@1', 'b@1'))", "[AND(null(D), a(BD), b(BD)).cmod(Z, r)]").agreed,
            kVectors);
}

// Regression test: MutantsOf replaced an instruction that writes a flag with an instruction that cannot, and printing
// the mutant crashed.
TEST_F(PipelineTest, MutantsOfAFlagWriterWriteFlags) {
  machine::Candidate candidate{machine_, *ir::ParseTerm("('flt@1', 0x00000000@32, 'a@32')"), {}, {}};
  absl::StatusOr<machine::Program> program = machine::ParseProgram(*machine_, "[MOV(null(F), a(F)).cmod(G, r)]");
  ASSERT_TRUE(program.ok()) << program.status();
  candidate.program = *program;
  EXPECT_GT(verifier::MutantsOf(candidate, 100).size(), 3u);
}

// Regression test: MutantsOf replaced a saturating instruction with an instruction that cannot saturate, and discovery
// crashed.
TEST_F(PipelineTest, MutantsOfASaturatingInstructionSaturate) {
  const machine::Machine* const rdna = *machine::FindMachine("rdna");
  machine::Candidate candidate{rdna, *ir::ParseTerm("('uadd_sat@32', 'a@32', 'b@32')"), {}, {}};
  absl::StatusOr<machine::Program> program = machine::ParseProgram(*rdna, "[v_add_nc_u32(r(UD), a(UD), b(UD)).sat()]");
  ASSERT_TRUE(program.ok()) << program.status();
  candidate.program = *program;
  EXPECT_GT(verifier::MutantsOf(candidate, 100).size(), 3u);
}

TEST_F(PipelineTest, ImproveFindsWhatBaseSelectionMisses) {
  absl::StatusOr<std::unique_ptr<enumerator::BankSearch>> search = enumerator::BankSearch::Create(*machine_, [] {
    enumerator::BankSearchOptions options;
    options.max_size = 1;
    return options;
  }());
  ASSERT_TRUE(search.ok()) << search.status();
  std::vector<Improvement> found;
  const absl::Status status =
      Improve("('ixor', ('iand', 'a', 'b'), ('ior', 'a', 'b'))", *machine_, search->get(), solvers_.FirstAlone(), {},
              [&](const Improvement& improvement) { found.push_back(improvement); });
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found.front().cost.instructions, 3);
  EXPECT_EQ(found.back().cost.instructions, 1);
  EXPECT_TRUE(absl::StartsWith(found.back().program, "[XOR(")) << found.back().program;
  EXPECT_EQ(found.back().verdict, v1::VERDICT_PROVED);
  EXPECT_TRUE(
      absl::IsInvalidArgument(Improve("('nonsense', 'a')", *machine_, search->get(), solvers_.FirstAlone(), {}, {})));
}

TEST_F(PipelineTest, ImproveSaysWhatIsOnlyEqualOverTheReals) {
  ListedSearch search(*machine_, {});
  std::vector<Improvement> found;
  const auto improve = [&](const char* expression) {
    found.clear();
    const absl::Status status = Improve(expression, *machine_, &search, solvers_.FirstAlone(), {},
                                        [&](const Improvement& improvement) { found.push_back(improvement); });
    ASSERT_TRUE(status.ok()) << status;
  };
  improve("('fadd', ('fmul', 'a', 'b'), ('fmul', 'a', 'c'))");
  ASSERT_EQ(found.size(), 1u);  // base selection's program already uses a multiply-add
  improve("('fmul', ('fsqrt', 'a'), ('fsqrt', 'a'))");
  ASSERT_GE(found.size(), 2u);
  EXPECT_TRUE(found.back().inexact);
  EXPECT_EQ(found.back().verdict, v1::VERDICT_REFUTED);
  EXPECT_EQ(found.back().cost.issue_cycles, 0);                 // the program is just a
  improve("('fmul', ('fadd', 'a', 'b'), ('fsub', 'a', 'b'))");  // a*a - b*b loses precision
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(PipelineTest, ImproveSaysThatNothingCoversTheExpression) {
  ListedSearch search(*machine_, {});
  EXPECT_TRUE(absl::IsUnimplemented(Improve("('isign', 'a')", *machine_, &search, solvers_.FirstAlone(), {}, {})));
}

TEST_F(PipelineTest, NightlyTellsWhatIsNewAndThatTheNextNightHasNothingNew) {
  fs::create_directories(root_ / "in");
  fs::copy("corpus/samples/nir/scalar_fragment.nir", root_ / "in/scalar_fragment.nir");
  std::unique_ptr<store::Store> store = OpenStore("n.db");
  PutTerms(store.get(), "one", false, StoredTexts());
  const std::string text = absl::StrCat(
      "corpus { path: \"", (root_ / "in").string(), "\" source: \"nir\" held_out: true }\n", "machines: \"", kMachine,
      "\" export_formats: \"json\" export_dir: \"", (root_ / "out").string(), "\" budget { seconds: 300 }");
  absl::StatusOr<v1::NightlyConfig> config = ParseNightlyConfig(text, "night.textproto");
  ASSERT_TRUE(config.ok()) << config.status();
  NightlyOptions options;
  options.solvers = solvers_;
  options.make_search =
      [](const machine::Machine& machine) -> absl::StatusOr<std::unique_ptr<enumerator::CandidateSearch>> {
    return std::make_unique<ListedSearch>(machine, Programs());
  };
  std::stop_source stopped;
  stopped.request_stop();
  NightlyOptions cut = options;
  cut.stop = stopped.get_token();
  absl::StatusOr<NightlyReport> interrupted = RunNightly(store.get(), *config, cut);
  ASSERT_TRUE(interrupted.ok()) << interrupted.status();
  EXPECT_EQ(interrupted->exit_code(), 130);
  absl::StatusOr<NightlyReport> first = RunNightly(store.get(), *config, options);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first->resumed);
  EXPECT_EQ(first->run, interrupted->run);
  ASSERT_EQ(first->machines.size(), 1u);
  EXPECT_EQ(first->machines[0].added.size(), kRules);
  EXPECT_EQ(first->machines[0].exported, kExported);
  EXPECT_EQ(first->exit_code(), 0);
  absl::StatusOr<NightlyReport> second = RunNightly(store.get(), *config, options);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_NE(second->run, first->run);
  EXPECT_TRUE(second->machines[0].added.empty());
  EXPECT_TRUE(second->machines[0].changed.empty());
  EXPECT_EQ(second->machines[0].rules, kRules);
  // A NIR rule that loops with a tree's main pass is put into the late list. If it also loops with the late pass, it is
  // not exported. Programs are not affected.
  absl::StatusOr<ir::Rule> back = ir::ParseRule(absl::StrCat("(('ixor@32', 'a@32', 'b@32'), ", Fragments()[1], ")"));
  ASSERT_TRUE(back.ok()) << back.status();
  for (const bool late_too : {false, true}) {
    std::vector<std::vector<ir::Rule>> passes = {{*back}};
    if (late_too) passes.push_back({*back});
    const rules::TreeRules tree(rules::CompilePasses(passes));
    NightlyOptions with_tree = options;
    with_tree.tree = &tree;
    absl::StatusOr<NightlyReport> beside = RunNightly(store.get(), *config, with_tree);
    ASSERT_TRUE(beside.ok()) << beside.status();
    EXPECT_EQ(beside->machines[0].exported, kExported - (late_too ? 1 : 0));
    EXPECT_EQ(beside->machines[0].blocked, second->machines[0].blocked + (late_too ? 1 : 0));
    const std::string json =
        proto::ReadFile((root_ / "out" / kMachine / "pack.json").string(), proto::kPackFileLimits).value_or("");
    EXPECT_EQ(absl::StrContains(json, "\"late\":true") || absl::StrContains(json, "\"late\": true"), !late_too);
  }
  EXPECT_TRUE(
      absl::StartsWith(ParseNightlyConfig("machines: 3", "night.textproto").status().message(), "night.textproto:1:"));
}

TEST_F(PipelineTest, ARuleThatNoLongerHoldsEndsTheNightWithOne) {
  std::unique_ptr<store::Store> store = OpenStore("r.db");
  store::RuleRecord rule;
  rule.machine = kMachine;
  rule.search = "('iadd@32', 'a@32', 'b@32')";
  rule.program = "[OR(r(UD), a(UD), b(UD))]";
  rule.semantics = ir::Digest::Of("older semantics");
  rule.id = machine::CandidateId(*CandidateOfRecord(rule));
  ASSERT_TRUE(store::RuleStore(store.get()).PutRule(rule).ok());
  v1::NightlyConfig config;
  config.add_machines(kMachine);
  NightlyOptions options;
  options.solvers = solvers_;
  options.make_search =
      [](const machine::Machine& machine) -> absl::StatusOr<std::unique_ptr<enumerator::CandidateSearch>> {
    return std::make_unique<ListedSearch>(machine, Programs());
  };
  absl::StatusOr<NightlyReport> night = RunNightly(store.get(), config, options);
  ASSERT_TRUE(night.ok()) << night.status();
  EXPECT_EQ(night->exit_code(), 1);
  EXPECT_EQ(night->machines[0].refuted, std::vector<std::string>{rule.id.hex()});
}

TEST(BankSearchTest, WhatADriverRefinesHasNoBareInstruction) {
  const machine::Machine& machine = **machine::FindMachine("vc4");
  enumerator::BankSearchOptions small;
  small.max_candidates = 100'000;
  absl::StatusOr<std::unique_ptr<enumerator::BankSearch>> search = enumerator::BankSearch::Create(machine, small);
  ASSERT_TRUE(search.ok()) << search.status();
  const auto search_for = [&](const std::string& text) {
    enumerator::SearchGoal goal{*ir::ParseTerm(text), {}, {}};
    goal.base.issue_cycles = 1e30;
    size_t found = 0;
    const auto searched = (*search)->Search(goal, {}, [&](machine::Program) { return ++found > 0; });
    EXPECT_TRUE(searched.ok()) << text << ": " << searched.status();
    return found;
  };
  EXPECT_EQ(search_for("('frcp@32', 'a@32')"), 0u);
  EXPECT_GT(search_for("('fadd@32', 'a@32', 'a')"), 0u);
}

}  // namespace
}  // namespace rewrought::pipeline
