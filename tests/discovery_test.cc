// Tests that the search finds known programs, using the real prover: each test passes a term and expects a proved
// program.
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "enumerator/bank_search.h"
#include "enumerator/prover_interface.h"
#include "enumerator/symbolic_constants.h"
#include "gtest/gtest.h"
#include "ir/facts/assumptions.h"
#include "ir/facts/value_facts.h"
#include "ir/match/mesa_build.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "machine/base/base_selection.h"
#include "machine/base/nir_form.h"
#include "machine/candidate.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "rules/site_assumptions.h"
#include "verifier/prover.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::enumerator {
namespace {

const std::vector<ir::DenormMode> kModes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};

// Proves candidates. If builds_as_mesa is set, builds NIR replacements as Mesa does.
class VerifierProver : public ProverInterface {
 public:
  VerifierProver() : prover_(verifier::OpenSolvers({})->FirstAlone(), {}) {}

  ProofResult ProveCandidate(const ir::Term& search, const ir::Term& replace,
                             absl::Span<const ir::DenormMode> modes) override {
    ir::Term built = replace;
    if (builds_as_mesa) ir::BuildAsMesa(search, &built);
    for (const ir::DenormMode mode : modes) {
      const verifier::CaseResult result = prover_.Prove({search, built, mode});
      if (result.verdict == v1::VERDICT_PROVED) continue;
      ProofResult answer;
      answer.reason = result.reason;
      if (result.verdict == v1::VERDICT_REFUTED) answer.outcome = Outcome::kRefuted;
      return answer;
    }
    return {Outcome::kProved, {}, {}};
  }

  bool builds_as_mesa = false;

 private:
  verifier::Prover prover_;
};

ir::Term Parsed(const std::string& text) {
  absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
  EXPECT_TRUE(term.ok()) << term.status();
  return *term;
}

SearchGoal GoalOf(const machine::Machine& machine, const ir::Term& term) {
  return {term, std::vector<ir::ValueFacts>(ir::VariablesInOrder(term).size()),
          *machine::BaseCost(machine, term, machine::BaseKind::kNaive)};
}

class DiscoveryTest : public ::testing::Test {
 protected:
  // Returns the first proved program with one instruction, and the flags that its proof needs.
  std::optional<machine::Candidate> Find(const std::string& id, const std::string& text) {
    const machine::Machine& machine = **machine::FindMachine(id);
    const ir::Term term = Parsed(text);
    BankSearchOptions options;
    options.max_size = 1;
    options.max_inputs = 4;
    const std::unique_ptr<BankSearch> search = *BankSearch::Create(machine, options);
    std::optional<machine::Candidate> proved;
    const auto searched = search->Search(GoalOf(machine, term), {}, [&](machine::Program program) {
      proved = Proved({&machine, term, std::move(program), {}});
      return !proved.has_value();
    });
    EXPECT_TRUE(searched.ok()) << searched.status();
    return proved;
  }

  // Proves the candidate without flags, or with a minimal set of flags.
  std::optional<machine::Candidate> Proved(machine::Candidate candidate) {
    const ir::Term replace = *machine::ReplacementTerm(candidate);
    const ir::Holds holds = [&](const ir::Term& search) -> absl::StatusOr<ir::Answer> {
      const Outcome outcome = Ask(&prover_, search, replace, kModes).outcome;
      return outcome == Outcome::kProved ? ir::Answer::kHolds : ir::Answer::kFails;
    };
    std::vector<ir::AssumptionSet> sets(1);
    for (ir::AssumptionSet& set : rules::FlagsOfAnySite(candidate.search)) sets.push_back(std::move(set));
    if (*ir::FirstSufficientSet(sets, holds, &candidate.search) != ir::Answer::kHolds) return std::nullopt;
    EXPECT_TRUE(ir::Weaken(ir::WithoutFlags(candidate.search), holds, &candidate.search).ok());
    return candidate;
  }

  std::string FoundText(const std::string& id, const std::string& text) {
    const std::optional<machine::Candidate> found = Find(id, text);
    return found.has_value() ? machine::CandidateText(*found) : "nothing";
  }

  VerifierProver prover_;
};

TEST_F(DiscoveryTest, AgxFusesComparesWithSelects) {
  EXPECT_EQ(FoundText("agx_g13", "('bcsel@32', ('flt@1', 'a@32', 'b@32'), 'c@32', 'd@32')"),
            "(('bcsel@32', ('flt@1', 'a@32', 'b@32'), 'c@32', 'd@32'), "
            "[fcmpsel(r(UD), a(F), b(F), c(UD), d(UD)).cond(LT)])");
  EXPECT_EQ(FoundText("agx_g13", "('bcsel@32', ('ilt@1', 'a@32', 'b@32'), 'c@32', 'd@32')"),
            "(('bcsel@32', ('ilt@1', 'a@32', 'b@32'), 'c@32', 'd@32'), "
            "[icmpsel(r(UD), a(D), b(D), c(UD), d(UD)).cond(LT)])");
}

TEST_F(DiscoveryTest, IntelTakesNegatedSourcesAndSaturates) {
  EXPECT_EQ(FoundText("intel_gen9", "('inot@32', ('iand@32', 'a@32', 'b@32'))"),
            "(('inot@32', ('iand@32', 'a@32', 'b@32')), [OR(r(D), ~a(D), ~b(D))])");
  // nsz at one node is sufficient.
  EXPECT_EQ(FoundText("intel_gen9", "('fmin@32', ('fmax@32', 'a@32', 0x00000000@32), 0x3f800000@32)"),
            "(('fmin@32', ('fmax@32(nsz)', 'a@32', 0x00000000@32), 0x3f800000@32), [MOV(r(F), a(F)).sat()])");
  EXPECT_EQ(FoundText("intel_gen9", "('fmin@32', ('fmax@32', 'a@32', 0x3e800000@32), 0x3f800000@32)"),
            "(('fmin@32', ('fmax@32', 'a@32', 0x3e800000@32), 0x3f800000@32), "
            "[SEL(r(F), a(F), imm(0.25, F)).cmod(GE).sat()])");
  // With the operations nested the other way, the term returns 1 for a NaN instead of 0.25, so the proof needs nnan.
  EXPECT_EQ(FoundText("intel_gen9", "('fmax@32', ('fmin@32', 'a@32', 0x3f800000@32), 0x3e800000@32)"),
            "(('fmax@32', ('fmin@32(nnan)', 'a@32', 0x3f800000@32), 0x3e800000@32), "
            "[SEL(r(F), a(F), imm(0.25, F)).cmod(GE).sat()])");
}

TEST_F(DiscoveryTest, NothingComesOutUnproved) {
  // The search reports only programs that are cheaper, and the prover refutes programs that are only similar.
  EXPECT_EQ(FoundText("intel_gen9", "('fmul@32', 'a@32', 'b@32')"), "nothing");
  const machine::Machine& intel = **machine::FindMachine("intel_gen9");
  const machine::Program program = *machine::ParseProgram(intel, "[MOV(r(F), a(F)).sat()]");
  EXPECT_FALSE(Proved({&intel, Parsed("('fmin@32', 'a@32', 0x3f800000@32)"), program, {}}).has_value());
}

TEST_F(DiscoveryTest, ConstantsBecomeSymbols) {
  const std::optional<machine::Candidate> sum = Find("intel_gen9", "('iadd@32', ('ineg@32', 'a@32'), 0x00000005@32)");
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(machine::CandidateText(WithSymbolicConstants(*sum, kModes, &prover_, {})),
            "(('iadd@32', ('ineg@32', 'a@32'), '#b@32'), [ADD(r(D), -a(D), b(D))])");
  prover_.builds_as_mesa = true;
  const machine::Machine* intel = *machine::FindMachine("intel_gen9");
  const auto general = [&](const std::string& search, const std::string& replace) {
    const machine::Candidate candidate{intel, Parsed(search), std::nullopt, Parsed(replace)};
    return machine::CandidateText(WithSymbolicConstants(candidate, kModes, &prover_, {}));
  };
  // This rule needs a condition, and one of Mesa's conditions is sufficient.
  EXPECT_NE(
      general("('fmax@32', ('fsat@32(nnan,ninf)', 'a@32'), 0xbf800000@32)", "('fsat@32', 'a@32')").find("#b@32(is_"),
      std::string::npos);
  // Regression: the symbolic expression once contained itself, so traversing it did not terminate.
  EXPECT_EQ(general("('fsub@32', 'a@32', 0x40400000@32)", "('fadd@32', 'a@32', 0xc0400000@32)"),
            "(('fsub@32', 'a@32', '#b@32'), ('fadd@32', 'a@32', ('fneg@32', 'b@32')))");
  EXPECT_EQ(general("('isub@32', 'a@32', 0x00000005@32)", "('iadd@32', 'a@32', 0xfffffffb@32)"),
            "(('isub@32', 'a@32', '#b@32'), ('iadd@32', 'a@32', ('ineg@32', 'b@32')))");
  EXPECT_EQ(
      general("('iadd@32', 'a@32', 0x00000005@32)", "('isub@32', ('iadd@32', 'a@32', 0x00000006@32), 0x00000001@32)"),
      "(('iadd@32', 'a@32', '#b@32'), "
      "('isub@32', ('iadd@32', 'a@32', ('iadd@32', 'b@32', 0x00000001@32)), 0x00000001@32))");
}

TEST_F(DiscoveryTest, ThreeInstructionsForThreeInputs) {
  const machine::Machine& intel = **machine::FindMachine("intel_gen9");
  BankSearchOptions options;
  options.instructions = {.saturate = false, .result_flags = false, .only = {"AND", "OR", "XOR", "NOT"}};
  options.max_longer = 40'000'000;
  const std::unique_ptr<BankSearch> search = *BankSearch::Create(intel, options);
  // ((a & b) | (a & c)) ^ b equals (a & (b | c)) ^ b: four ops become three instructions, and no shorter program
  // exists.
  const ir::Term term = Parsed("('ixor@32', ('ior@32', ('iand@32', 'a@32', 'b@32'), ('iand@32', 'a', 'c@32')), 'b')");
  const SearchGoal goals[] = {GoalOf(intel, term)};
  std::optional<machine::Candidate> proved;
  search->SearchLonger(goals, {}, [&](size_t, machine::Program program) {
    if (!proved.has_value()) proved = Proved({&intel, term, std::move(program), {}});
  });
  ASSERT_TRUE(proved.has_value());
  EXPECT_EQ(proved->program->instructions.size(), 3u);
}

// Mesa lowers a signed division by a power of two to this term. One instance suffices to find the general rule.
TEST_F(DiscoveryTest, ASignedNumberByAnyPowerOfTwo) {
  const machine::Machine& rdna = **machine::FindMachine("rdna");
  const std::unique_ptr<BankSearch> search = *BankSearch::Create(rdna, {});
  const ir::Term term = Parsed("('imul@32', ('isign@32', 'a@32'), ('ushr@32', ('iabs@32', 'a'), 0x00000003@32))");
  const SearchGoal goals[] = {GoalOf(rdna, term)};
  std::set<std::string> general;
  search->SearchLonger(goals, {}, [&](size_t, machine::Program program) {
    const std::optional<machine::Candidate> proved = Proved({&rdna, term, std::move(program), {}});
    if (!proved.has_value()) return;
    const absl::StatusOr<ir::Term> replace = machine::NirTermOf(rdna, *proved->program);
    if (!replace.ok()) return;
    general.insert(
        machine::CandidateText(WithSymbolicConstants({&rdna, term, std::nullopt, *replace}, kModes, &prover_, {})));
  });
  const std::string search_side = "(('imul@32', ('isign@32', 'a@32'), ('ushr@32', ('iabs@32', 'a'), '#b@32')), ";
  const std::string mask = "('iadd@32', ('ishl@32', 0x00000001@32, 'b@32'), 0xffffffff@32)";
  // The rule's id is derived from this text.
  for (const std::string& text : general) EXPECT_EQ(ir::PrintRule(*ir::ParseRule(text)), text);
  for (const std::string& replace :
       {absl::StrCat("('ishr@32', ('umin@32', ('iadd@32', 'a@32', ", mask,
                     "), ('imax@32', 'a', 0xffffffff@32)), 'b'))"),
        absl::StrCat("('ishr@32', ('iadd@32', ('imin@32', 'a@32', 0x00000000@32), ('imax@32', 'a', ", mask,
                     ")), 'b'))")})
    EXPECT_TRUE(general.contains(search_side + replace)) << replace << "\n" << testing::PrintToString(general);
}

}  // namespace
}  // namespace rewrought::enumerator
