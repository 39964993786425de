// Rules that a search must find by itself, verified by the real prover: fragments in, proved programs out.
#include <memory>
#include <string>
#include <vector>

#include "enumerator/block_compare.h"
#include "enumerator/generalise.h"
#include "enumerator/minimise.h"
#include "enumerator/search.h"
#include "enumerator/tape.h"
#include "gtest/gtest.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "verifier/prover.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::enumerator {
namespace {

class VerifierProver : public ProverInterface {
 public:
  VerifierProver() : pool_(*verifier::WorkerPool::Create({})), prover_(pool_.get(), nullptr, {}) {}

  ProofResult ProveCandidate(const ir::Term& search, const ir::Term& replace,
                             absl::Span<const ir::DenormMode> modes) override {
    ++asked;
    for (const ir::DenormMode mode : modes) {
      const verifier::CaseResult result = prover_.Prove({search, replace, mode});
      if (result.verdict == verifier::Verdict::kProved) continue;
      ProofResult answer;
      answer.reason = result.reason;
      if (result.verdict == verifier::Verdict::kRefuted) answer.outcome = Outcome::kRefuted;
      if (result.witness.has_value()) {
        for (const auto& variable : result.witness->variables)
          answer.witness.emplace_back(variable.name, variable.value);
      }
      return answer;
    }
    return {Outcome::kProved, {}, {}};
  }

  int asked = 0;

 private:
  std::unique_ptr<verifier::WorkerPool> pool_;
  verifier::Prover prover_;
};

SearchFragment Fragment(const std::string& text) {
  absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
  EXPECT_TRUE(term.ok()) << term.status();
  ir::Rule rule;
  rule.search = *term;
  absl::StatusOr<std::vector<ir::SizeAssignment>> sizes = ir::EnumerateSizes(rule);
  EXPECT_TRUE(sizes.ok() && sizes->size() == 1) << text;
  absl::StatusOr<ir::Rule> sized = ir::Instantiate(rule, sizes->front());
  EXPECT_TRUE(sized.ok()) << sized.status();
  return {sized->search, {}};
}

class DiscoveryTest : public ::testing::Test {
 protected:
  // Rules for `fragments`; "nir" searches NIR itself.
  std::vector<DiscoveredRule> Discover(const std::string& machine, const std::vector<SearchFragment>& fragments,
                                       SearchOptions options = OneInstruction(),
                                       const InstructionSetOptions& set_options = {}) {
    set_ = machine == "nir" ? *InstructionSet::OfNir(set_options)
                            : *InstructionSet::OfMachine(**machine::FindMachine(machine), set_options);
    Search search(set_.get(), &prover_, options);
    std::vector<DiscoveredRule> rules = search.Run(fragments);
    run_statistics_ = search.statistics();
    EXPECT_EQ(run_statistics_.fragments, fragments.size());
    EXPECT_EQ(run_statistics_.skipped, 0u);
    return rules;
  }

  static SearchOptions OneInstruction() {
    SearchOptions options;
    options.bank.max_size = options.local_bank.max_size = 1;
    return options;
  }

  std::string Text(const DiscoveredRule& rule) {
    if (!rule.program.has_value()) return ir::PrintTerm(rule.replace);
    return machine::PrintProgram(*set_->machine(), *rule.program);
  }

  // The flags of all op nodes together.
  static uint8_t Flags(const ir::Term& term) {
    uint8_t flags = 0;
    for (const ir::Node& node : term.nodes) flags |= node.flags;
    return flags;
  }

  VerifierProver prover_;
  std::unique_ptr<const InstructionSet> set_;
  RunStatistics run_statistics_;
};

TEST_F(DiscoveryTest, AgxFusesComparesWithSelects) {
  const auto rules = Discover("agx_g13", {Fragment("('bcsel', ('flt', 'a@32', 'b@32'), 'c@32', 'd@32')"),
                                          Fragment("('bcsel', ('ilt', 'a@32', 'b@32'), 'c@32', 'd@32')")});
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(Text(rules[0]), "[fcmpsel(r(UD), a(F), b(F), c(UD), d(UD)).cond(LT)]");
  EXPECT_EQ(rules[0].flags, 0);
  EXPECT_EQ(Text(rules[1]), "[icmpsel(r(UD), a(D), b(D), c(UD), d(UD)).cond(LT)]");
  EXPECT_LT(rules[1].cost, rules[1].base_cost);
}

TEST_F(DiscoveryTest, IntelTakesNegatedSourcesAndSaturates) {
  const auto rules = Discover("intel_gen9", {Fragment("('inot', ('iand', 'a@32', 'b@32'))"),
                                             Fragment("('fmin', ('fmax', 'a@32', '0x0@32'), '0x3f800000@32')"),
                                             Fragment("('fmin', ('fmax', 'a@32', '0x3e800000@32'), '0x3f800000@32')"),
                                             Fragment("('fmax', ('fmin', 'a@32', '0x3f800000@32'), '0x3e800000@32')")});
  ASSERT_EQ(rules.size(), 4u);
  EXPECT_EQ(Text(rules[0]), "[OR(r(D), ~a(D), ~b(D))]");
  EXPECT_EQ(Text(rules[1]), "[MOV(r(F), a(F)).sat()]");
  EXPECT_EQ(rules[1].flags, ir::kNoSignedZero);
  EXPECT_EQ(Text(rules[2]), "[SEL(r(F), a(F), imm(0.25, F)).cmod(GE).sat()]");
  EXPECT_EQ(rules[2].flags, 0);
  EXPECT_EQ(Text(rules[3]), Text(rules[2]));
  EXPECT_EQ(rules[3].flags, ir::kNoNan);  // the other nesting gives 1 for a NaN, not 0.25
  EXPECT_FALSE(rules[3].granted);
  EXPECT_LT(rules[3].cost, rules[3].tuned_cost);

  Generaliser generaliser(set_->machine(), &prover_, {});
  // No lower end but 0.25: a denormal one may be flushed, and then the saturation may give -0.
  const GeneralRule clamp = generaliser.Generalise(rules[2]);
  EXPECT_EQ(ir::PrintTerm(clamp.rule.search), ir::PrintTerm(rules[2].search));
  const GeneralRule saturate = generaliser.Generalise(rules[1]);
  int carrying = 0;
  for (const ir::Node& node : saturate.rule.search.nodes) carrying += node.flags != 0;
  EXPECT_EQ(carrying, 1);  // nsz at one node is enough
}

TEST_F(DiscoveryTest, NirRulesOpenTheirSizesAndUseFacts) {
  SearchFragment magnitude = Fragment("('fabs', 'a@32')");
  magnitude.facts["a"] = {ValueSet::kFloat32NonNegative};
  const auto rules = Discover("nir", {Fragment("('fmul', ('fneg', 'a@32'), ('fneg', 'b@32'))"), magnitude,
                                      Fragment("('ineg', ('isub', 'a@32', 'b@32'))")});
  std::vector<GeneralRule> general = Generaliser(nullptr, &prover_, {}).GeneraliseAll(rules, &run_statistics_);
  ASSERT_EQ(general.size(), 3u);
  EXPECT_TRUE(general[0].open_sizes);
  EXPECT_EQ(general[0].widths, (std::vector<int>{16, 32, 64}));
  EXPECT_EQ(ir::PrintTerm(general[0].rule.replace), "('fmul', 'a', 'b')");
  EXPECT_NE(ir::PrintTerm(general[1].rule.search).find("is_not_negative"), std::string::npos);
  EXPECT_EQ(Flags(general[1].rule.search), ir::kNoSignedZero);  // -0 is not negative either
  EXPECT_TRUE(general[2].open_sizes);
  EXPECT_EQ(ir::PrintTerm(general[2].rule.replace), "('isub', 'b', 'a')");
  EXPECT_EQ(run_statistics_.general, 3u);
}

TEST_F(DiscoveryTest, ConstantsBecomeSymbols) {
  const auto intel = Discover("intel_gen9", {Fragment("('iadd', ('ineg', 'a@32'), '0x5@32')")});
  ASSERT_GE(intel.size(), 1u);
  const GeneralRule sum = Generaliser(set_->machine(), &prover_, {}).Generalise(intel[0]);
  EXPECT_EQ(machine::PrintProgram(*set_->machine(), *sum.program), "[ADD(r(D), -a(D), b(D))]");
  EXPECT_NE(ir::PrintTerm(sum.rule.search).find("#b"), std::string::npos);
  // A condition is needed here, and one of Mesa's states it.
  const auto nir = Discover("nir", {Fragment("('fmax', ('fsat', 'a@32'), '0xbf800000@32')")});
  ASSERT_GE(nir.size(), 1u);
  const GeneralRule clamp = Generaliser(nullptr, &prover_, {}).Generalise(nir[0]);
  EXPECT_NE(ir::PrintTerm(clamp.rule.search).find("#b(is_"), std::string::npos) << ir::PrintTerm(clamp.rule.search);
  EXPECT_EQ(ir::PrintTerm(clamp.rule.replace), "('fsat', 'a')");
}

// The expression once read itself, and whoever walked it never came back.
TEST_F(DiscoveryTest, AConstantOfTheReplacementBecomesAnExpression) {
  const std::pair<const char*, const char*> rules[] = {
      {"('fsub', 'a@32', '0x40400000@32')", "('fadd', 'a@32', '0xc0400000@32')"},
      {"('isub', 'a@32', '0x5@32')", "('iadd', 'a@32', '0xfffffffb@32')"},
      {"('iadd', 'a@32', '0x5@32')", "('isub', ('iadd', 'a@32', '0x6@32'), '0x1@32')"}};
  const char* const expected[] = {"('fadd', 'a', ('fneg', '#b'))", "('iadd', 'a', ('ineg', '#b'))",
                                  "('isub', ('iadd', 'a', ('iadd', '#b', 1)), 1)"};
  for (size_t i = 0; i < std::size(rules); ++i) {
    DiscoveredRule rule;
    rule.search = Fragment(rules[i].first).term;
    rule.replace = Fragment(rules[i].second).term;
    const GeneralRule general = Generaliser(nullptr, &prover_, {}).Generalise(rule);
    EXPECT_EQ(ir::PrintTerm(general.rule.replace), expected[i]);
  }
}

TEST_F(DiscoveryTest, DerivedRulesGo) {
  const auto rules =
      Discover("nir", {Fragment("('ineg', ('isub', 'a@32', 'b@32'))"), Fragment("('ineg', ('ineg', 'a@32'))"),
                       Fragment("('iadd', ('ineg', ('ineg', 'a@32')), 'b@32')")});
  const std::vector<GeneralRule> general = Generaliser(nullptr, &prover_, {}).GeneraliseAll(rules, &run_statistics_);
  ASSERT_EQ(general.size(), 3u);
  const std::vector<GeneralRule> minimal = Minimise(general, &run_statistics_);
  ASSERT_EQ(minimal.size(), 2u);  // the third follows from the second
  EXPECT_EQ(minimal[0].digest, general[0].digest);
  EXPECT_EQ(minimal[1].digest, general[1].digest);
  EXPECT_EQ(run_statistics_.minimal, 2u);
}

TEST_F(DiscoveryTest, WrongCandidatesAreRejected) {
  // By the blocks: another function altogether, and one that differs only for NaNs.
  const SearchFragment clamp = Fragment("('fmax', ('fmin', 'a@32', '0x3f800000@32'), '0x3e800000@32')");
  const std::vector<std::string> names = {"a"};
  const std::vector<ValueSet> sets = {ValueSet::kFloat32};
  const FragmentValues values = *FragmentValues::Create(clamp.term, names, sets);
  const auto proposals = [&](const std::string& text) {
    const Tape tape = *CompileTerm(Fragment(text).term, names);
    return values.FlagProposals([&](BlockKind kind) {
      const LaneBlock* input = &InputLanes(ValueSet::kFloat32, 0, kind);
      LaneBlock out;
      TapeScratch scratch;
      tape.Run(Kernels(), &input, &out, &scratch);
      return out;
    });
  };
  EXPECT_TRUE(proposals("('fmax', ('fmin', 'a@32', '0x3f800000@32'), '0x3e800001@32')").empty());
  EXPECT_EQ(proposals("('fmin', ('fmax', 'a@32', '0x3e800000@32'), '0x3f800000@32')"),
            std::vector<uint8_t>{ir::kNoNan});
  // By the prover, with a witness.
  const ProofResult result =
      Ask(&prover_, Fragment("('iadd', 'a@32', 'b@32')").term, Fragment("('ior', 'a@32', 'b@32')").term, {});
  EXPECT_EQ(result.outcome, Outcome::kRefuted);
  EXPECT_EQ(result.witness.size(), 2u);
}

// A prover that refutes everything: no rule comes out, whatever the blocks say.
class NoProver : public ProverInterface {
 public:
  ProofResult ProveCandidate(const ir::Term&, const ir::Term&, absl::Span<const ir::DenormMode>) override {
    return {Outcome::kRefuted, {}, {}};
  }
};

TEST_F(DiscoveryTest, NothingComesOutUnproved) {
  const auto set = *InstructionSet::OfNir({});
  NoProver prover;
  Search search(set.get(), &prover, OneInstruction());
  const SearchFragment fragments[] = {Fragment("('fmul', ('fneg', 'a@32'), ('fneg', 'b@32'))")};
  EXPECT_TRUE(search.Run(fragments).empty());
  EXPECT_GT(search.statistics().candidates, 0u);
  EXPECT_EQ(search.statistics().proved, 0u);
  EXPECT_EQ(search.statistics().refuted, search.statistics().candidates);
}

TEST_F(DiscoveryTest, ThreeInstructionsForThreeInputs) {
  SearchOptions options;
  options.bank.max_candidates = options.bank.max_longer = 40'000'000;
  options.longer = true;
  options.max_proofs = 4;
  // ((a & b) | (a & c)) ^ b is (a & (b | c)) ^ b: four ops, three instructions, nothing shorter.
  const auto rules = Discover(
      "intel_gen9", {Fragment("('ixor', ('ior', ('iand', 'a@32', 'b@32'), ('iand', 'a@32', 'c@32')), 'b@32')")},
      options, {.saturate = false, .result_flags = false, .only = {"AND", "OR", "XOR", "NOT"}});
  ASSERT_GE(rules.size(), 1u);
  EXPECT_EQ(rules[0].program->instructions.size(), 3u);
  EXPECT_LT(rules[0].cost, rules[0].tuned_cost);
}

}  // namespace
}  // namespace rewrought::enumerator
