#include "enumerator/bank_search.h"

#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "enumerator/lanes/tape.h"
#include "gtest/gtest.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "machine/base/base_selection.h"
#include "machine/program.h"
#include "machine/program_term.h"

namespace rewrought::enumerator {
namespace {

std::vector<machine::Program> ProgramsFor(BankSearch* search, const SearchGoal& goal) {
  std::vector<machine::Program> programs;
  const auto searched = search->Search(goal, {}, [&](machine::Program program) {
    programs.push_back(std::move(program));
    return true;
  });
  EXPECT_TRUE(searched.ok()) << searched.status();
  return programs;
}

SearchGoal GoalOn(const machine::Machine& machine, const std::string& text) {
  const ir::Term term = *ir::ParseTerm(text);
  return {term, std::vector<ir::ValueFacts>(ir::VariablesInOrder(term).size()),
          *machine::BaseCost(machine, term, machine::BaseKind::kNaive)};
}

// Uses only a few integer instructions, so that banks are built quickly.
class BankSearchTest : public testing::Test {
 protected:
  std::unique_ptr<BankSearch> Make(BankSearchOptions options = {}) {
    options.instructions = {.saturate = false, .result_flags = false, .only = {"AND", "OR", "ADD", "NOT"}};
    return *BankSearch::Create(machine_, options);
  }
  SearchGoal Goal(const std::string& text) { return GoalOn(machine_, text); }
  std::vector<std::string> Found(BankSearch* search, const SearchGoal& goal) {
    std::vector<std::string> texts;
    for (const machine::Program& program : ProgramsFor(search, goal))
      texts.push_back(machine::PrintProgram(machine_, program));
    return texts;
  }

  const machine::Machine& machine_ = **machine::FindMachine("intel_gen9");
};

const char kOrOfNots[] = "('inot@32', ('iand@32', 'a@32', 'b@32'))";

TEST_F(BankSearchTest, OnlyCheaperProgramsCheapestFirst) {
  const std::unique_ptr<BankSearch> search = Make();
  SearchGoal goal = Goal(kOrOfNots);
  const std::vector<std::string> found = Found(search.get(), goal);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0], "[OR(r(D), ~a(D), ~b(D))]");
  machine::Cost before;
  for (const std::string& text : found) {
    const machine::Cost cost = machine::ProgramCost(machine_, *machine::ParseProgram(machine_, text));
    EXPECT_TRUE(machine::CheaperThan(cost, goal.base)) << text;
    EXPECT_FALSE(machine::CheaperThan(cost, before)) << text;
    before = cost;
  }
  goal.base = machine::ProgramCost(machine_, *machine::ParseProgram(machine_, found[0]));
  EXPECT_TRUE(Found(search.get(), goal).empty());
}

TEST_F(BankSearchTest, OwnConstantsAreInputsOfASharedBank) {
  const std::unique_ptr<BankSearch> search = Make();
  const SearchGoal five = Goal("('iadd@32', ('ineg@32', 'a@32'), 0x00001235@32)"),
                   nine = Goal("('iadd@32', ('ineg@32', 'a@32'), 0x00001239@32)");
  EXPECT_EQ(search->SignatureOf(five), search->SignatureOf(nine));
  ASSERT_FALSE(Found(search.get(), five).empty());
  EXPECT_EQ(Found(search.get(), five)[0], "[ADD(r(D), -a(D), imm(0x1235, D))]");
  EXPECT_EQ(Found(search.get(), nine)[0], "[ADD(r(D), -a(D), imm(0x1239, D))]");
}

TEST_F(BankSearchTest, APowerOfTwoIsAShiftByItsExponent) {
  BankSearchOptions options;
  options.instructions = {.saturate = false, .result_flags = false, .only = {"SHL", "SHR"}};
  const std::unique_ptr<BankSearch> search = *BankSearch::Create(machine_, options);
  // 16 is a constant of every bank, but 4096 is not.
  const std::vector<std::string> own = Found(search.get(), Goal("('imul@32', 'a@32', 0x00001000@32)"));
  const std::vector<std::string> pooled = Found(search.get(), Goal("('udiv@32', 'a@32', 0x00000010@32)"));
  ASSERT_FALSE(own.empty());
  EXPECT_EQ(own[0], "[SHL(r(D), a(D), imm(12, D))]");
  ASSERT_FALSE(pooled.empty());
  EXPECT_EQ(pooled[0], "[SHR(r(UD), a(UD), imm(4, UD))]");
}

TEST_F(BankSearchTest, VariablesThatDoNotMatterStayOut) {
  const std::unique_ptr<BankSearch> search = Make();
  const SearchGoal absorbed = Goal("('iand@32', 'a@32', ('ior@32', 'a', 'b@32'))");
  EXPECT_EQ(search->SignatureOf(absorbed), search->SignatureOf(Goal("('inot@32', ('inot@32', 'a@32'))")));
  ASSERT_FALSE(Found(search.get(), absorbed).empty());
  EXPECT_EQ(Found(search.get(), absorbed)[0].find("b("), std::string::npos);
}

// Banks contain only programs that read their inputs. Constants are free, because their readers encode them as
// immediates.
TEST(BankSearchConstantTest, ValuesIndependentOfInputsAreConstantsOnAllMachines) {
  const struct {
    const char* goal;
    bool zero;
  } rows[] = {{"('fneu@1', 'a@32', 'a')", true},  // False except for NaN.
              {"('uge@1', 'a@32', 0x00000000@32)", false},
              {"('ixor@32', 'a@32', 'a')", true},
              {"('iand@1', ('ilt@1', 'a@32', 'b@32'), ('ilt@1', 'b', 'a'))", true},
              {"('fmul@32', 'a@32', 0x00000000@32)", true}};  // Zero except for the sign.
  for (const machine::Machine* const machine : machine::AllMachines()) {
    BankSearchOptions options;
    options.max_size = 0;
    const std::unique_ptr<BankSearch> search = *BankSearch::Create(*machine, options);
    size_t covered = 0;  // Some machines have no integers.
    for (const auto& row : rows) {
      if (!machine::BaseCost(*machine, *ir::ParseTerm(row.goal), machine::BaseKind::kNaive).ok()) continue;
      ++covered;
      const std::vector<machine::Program> found = ProgramsFor(search.get(), GoalOn(*machine, row.goal));
      ASSERT_FALSE(found.empty()) << machine->id() << " " << row.goal;
      EXPECT_EQ(machine::ProgramCost(*machine, found[0]).instructions, 0);
      EXPECT_EQ(found[0].instructions[0].sources[0].bits == 0, row.zero) << machine::PrintProgram(*machine, found[0]);
    }
    EXPECT_GT(covered, 0u) << machine->id();
  }
}

// The goal is half of a signed number, as in Mesa's lowering of division by 2. Over one input, there are 40,000
// programs of two instructions, and the one needed here is among the last that the search extends.
TEST(BankSearchLongerTest, ProgramsOfThreeInstructionsOverOneNumberAreFound) {
  const machine::Machine& machine = **machine::FindMachine("rdna");
  BankSearchOptions options;
  options.max_longer = 25'000'000;
  const std::unique_ptr<BankSearch> search = *BankSearch::Create(machine, options);
  const SearchGoal goal =
      GoalOn(machine, "('imul@32', ('isign@32', 'a@32'), ('ushr@32', ('iabs@32', 'a'), 0x00000001@32))");
  std::vector<machine::Program> found;
  search->SearchLonger({&goal, 1}, {}, [&](size_t, machine::Program program) { found.push_back(std::move(program)); });
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].instructions.size(), 3u) << machine::PrintProgram(machine, found[0]);
}

// The goal is a signed number divided by 8, as in Mesa's lowering, which is a program of four instructions with three
// constants. One constant is a shift amount, and another is 32 minus that amount.
TEST(BankSearchLongerTest, TheLastOfFourInstructionsIsInverted) {
  const std::pair<const char*, const char*> rows[] = {
      {"ir3_a6xx", "('imax@32', ('imin@32', 'a@32', 0x00000001@32), 0xffffffff@32)"},  // ir3 has no isign.
      {"rdna", "('isign@32', 'a@32')"}};
  for (const auto& [id, sign] : rows) {
    const machine::Machine& machine = **machine::FindMachine(id);
    const std::unique_ptr<BankSearch> search = *BankSearch::Create(machine, {});
    const SearchGoal goal =
        GoalOn(machine, absl::StrCat("('imul@32', ", sign, ", ('ushr@32', ('iabs@32', 'a@32'), 0x00000003@32))"));
    bool found = false;
    search->SearchLonger({&goal, 1}, {}, [&](size_t, machine::Program program) {
      EXPECT_TRUE(machine::CheaperThan(machine::ProgramCost(machine, program), goal.base));
      found = found || program.instructions.size() == 4;
    });
    EXPECT_TRUE(found) << id;
  }
}

// There are so many programs of four instructions that some equal the goal on all ordinary vectors but not on other
// inputs.
TEST(BankSearchLongerTest, FoundProgramsAreCorrectOnOtherNumbers) {
  const machine::Machine& machine = **machine::FindMachine("rdna");
  BankSearchOptions options;
  options.max_found = 1000;
  const std::unique_ptr<BankSearch> search = *BankSearch::Create(machine, options);
  const SearchGoal goal =
      GoalOn(machine, "('imul@32', ('isign@32', 'a@32'), ('ushr@32', ('iabs@32', 'a@32'), 0x00000003@32))");
  const auto values = [](const ir::Term& term, const LaneBlock& numbers) {
    const LaneBlock* inputs[] = {&numbers};
    LaneBlock result;
    TapeScratch scratch;
    CompileTerm(term, {"a"})->Run(Kernels(), inputs, &result, &scratch);
    return std::vector<uint32_t>(std::begin(result.lane), std::end(result.lane));
  };
  std::mt19937 random(1);
  size_t found = 0;
  search->SearchLonger({&goal, 1}, {}, [&](size_t, const machine::Program& program) {
    const ir::Term term = *machine::ProgramTerm(machine, program);
    ++found;
    for (int block = 0; block < 1000; ++block) {
      LaneBlock numbers;
      for (uint32_t& number : numbers.lane) number = random() >> random() % 32;
      ASSERT_EQ(values(term, numbers), values(goal.term, numbers)) << machine::PrintProgram(machine, program);
    }
  });
  EXPECT_GT(found, 1u);
}

TEST_F(BankSearchTest, GoalsOfOneVariableWithTheSameCountsShareABankOfLongerPrograms) {
  const std::unique_ptr<BankSearch> search = Make();
  const std::string by_three = search->SignatureOf(Goal("('ishr@32', 'a@32', 0x00000003@32)"));
  EXPECT_EQ(by_three, search->SignatureOf(Goal("('iadd@32', ('ushr@32', 'b@32', 0x00000003@32), 'b')")));
  EXPECT_NE(by_three, search->SignatureOf(Goal("('ishr@32', 'a@32', 0x00000004@32)")));
  // Every bank contains 1 and 31.
  EXPECT_EQ(search->SignatureOf(Goal("('ishr@32', 'a@32', 0x00000001@32)")),
            search->SignatureOf(Goal("('inot@32', 'a@32')")));
}

// Depending on the machine, programs compute Booleans in registers, in flags, or in either.
TEST(BankSearchBooleanTest, ComparisonsAreFoundInRegistersAndFlags) {
  const struct {
    const char *machine, *instruction, *goal, *found;
  } rows[] = {
      {"ir3_a6xx", "cmps_f", "('ior@1', ('flt@1', 'a@32', 'b@32'), ('feq@1', 'a@32', 'b@32'))",
       "[cmps_f(r(B), a(F), b(F)).cond(LE)]"},
      {"ir3_a6xx", "cmps_f", "('flt@1', 0x00000000@32, ('fadd@32', 'a@32', 'b@32'))",
       "[cmps_f(r(B), -a(F), b(F)).cond(LT)]"},
      // The goal differs from false only because the vectors contain zeros.
      {"ir3_a6xx", "cmps_f", "('iand@1', ('feq@1', 'a@32', 0x00000000@32), ('feq@1', 'b@32', 0x00000000@32))",
       "[cmps_f(r(B), abs(a(F)), -abs(b(F))).cond(LE)]"},
      {"intel_gen9", "CMP", "('ior@1', ('ilt@1', 'a@32', 'b@32'), ('ieq@1', 'a@32', 'b@32'))",
       "[CMP(null(D), b(D), a(D)).cmod(GE, r)]"},
      {"intel_gen9", "CMP", "('ior@1', ('ilt@1', 'a@32', 'b@32'), ('ieq@1', 'a@32', 'b@32'))",
       "[CMP(r(BD), b(D), a(D)).cmod(GE)]"},
  };
  for (const auto& row : rows) {
    const machine::Machine& machine = **machine::FindMachine(row.machine);
    BankSearchOptions options;
    options.instructions.only = {row.instruction};
    const std::unique_ptr<BankSearch> search = *BankSearch::Create(machine, options);
    std::set<std::string> found;
    for (const machine::Program& program : ProgramsFor(search.get(), GoalOn(machine, row.goal)))
      found.insert(machine::PrintProgram(machine, program));
    EXPECT_TRUE(found.contains(row.found)) << row.goal << ": " << testing::PrintToString(found);
  }
}

TEST_F(BankSearchTest, TooManyInputsAreUnimplemented) {
  BankSearchOptions few_inputs;
  few_inputs.max_inputs = 2;
  const std::unique_ptr<BankSearch> search = Make(few_inputs);
  const SearchGoal goal = Goal("('iand@32', ('iand@32', 'a@32', 'b@32'), 'c@32')");
  EXPECT_TRUE(absl::IsUnimplemented(search->Search(goal, {}, [](machine::Program) { return true; }).status()));
  EXPECT_EQ(search->SignatureOf(goal), "");
}

TEST_F(BankSearchTest, ABankThatAStopCutShortIsNotKept) {
  const std::unique_ptr<BankSearch> search = Make();
  std::stop_source stopped;
  stopped.request_stop();
  const auto none = search->Search(Goal(kOrOfNots), stopped.get_token(), [](machine::Program) { return true; });
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->cut_short);
  EXPECT_FALSE(Found(search.get(), Goal(kOrOfNots)).empty());
}

TEST_F(BankSearchTest, TheConfigurationTellsWhatDecidesWhatIsFound) {
  BankSearchOptions short_programs, few_programs, no_constants;
  short_programs.max_size = 1;
  few_programs.max_found = 3;
  no_constants.constants.clear();
  std::set<std::string> configurations = {Make()->Configuration()};
  for (const BankSearchOptions& options : {short_programs, few_programs, no_constants}) {
    configurations.insert(Make(options)->Configuration());
  }
  EXPECT_EQ(configurations.size(), 4u);
}

}  // namespace
}  // namespace rewrought::enumerator
