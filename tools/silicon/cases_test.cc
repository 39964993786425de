// Tests that the table covers every instruction, choice, modifier and mode of sm70, and that incomplete tables are
// rejected.
#include "tools/silicon/cases.h"

#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tools/silicon/ptx_row_files.h"

namespace rewrought::silicon {
namespace {

const machine::Machine& Sm70() { return **machine::FindMachine("sm70"); }

std::vector<Case> Cases() {
  const absl::StatusOr<PtxRows> rows = BuiltInPtxRows();
  EXPECT_TRUE(rows.ok()) << rows.status();
  absl::StatusOr<std::vector<Case>> cases = AllCases(Sm70(), *rows);
  EXPECT_TRUE(cases.ok()) << cases.status();
  return *std::move(cases);
}

const Case& CaseNamed(const std::vector<Case>& cases, const std::string& name) {
  for (const Case& one : cases) {
    if (one.name() == name) return one;
  }
  ADD_FAILURE() << "no case " << name;
  return cases[0];
}

TEST(CasesTest, EveryChoiceModifierAndModeOfTheMachineIsACase) {
  const std::vector<Case> cases = Cases();
  std::set<std::string> names;
  std::map<std::pair<const machine::Variant*, int>, std::set<ir::DenormMode>> modes;
  std::set<std::pair<const machine::Variant*, std::string>> places;  // "0:neg_f", "destination:sat"
  std::set<std::string> without;
  for (const Case& one : cases) {
    EXPECT_TRUE(names.insert(one.name()).second) << one.name();
    if (one.body.empty()) without.insert(one.text);
    if (one.program.instructions.size() != 1) continue;
    const machine::Instruction& instruction = one.program.instructions[0];
    modes[{instruction.variant, instruction.choice}].insert(one.mode);
    for (size_t i = 0; i < instruction.sources.size(); ++i) {
      for (const machine::ModifierIndex m : instruction.sources[i].modifiers)
        places.insert({instruction.variant, absl::StrCat(i, ":", Sm70().modifiers()[m].id)});
    }
    for (const machine::ModifierIndex m : instruction.destination_modifiers)
      places.insert({instruction.variant, absl::StrCat("destination:", Sm70().modifiers()[m].id)});
  }
  for (const machine::Variant& variant : Sm70().variants()) {
    const int choices =
        variant.selector < 0 ? 1 : static_cast<int>(Sm70().selectors()[variant.selector].choices.size());
    // The modifiers of a row that copies bits are not float operations.
    const std::set<ir::DenormMode> wanted =
        variant.rows[0]->contract == ir::Contract::kBits
            ? std::set<ir::DenormMode>{ir::DenormMode::kNone}
            : std::set<ir::DenormMode>{ir::DenormMode::kPreserve, ir::DenormMode::kFlush};
    for (int choice = 0; choice < choices; ++choice) {
      const std::pair key(&variant, variant.selector < 0 ? -1 : choice);
      EXPECT_EQ(modes[key], wanted) << variant.mnemonic << " " << choice;
    }
    for (size_t i = 0; i < variant.sources.size(); ++i) {
      for (const machine::ModifierIndex m : variant.operands[i].modifiers) {
        if (!Sm70().modifiers()[m].rows.contains(variant.sources[i])) continue;
        EXPECT_TRUE(places.contains({&variant, absl::StrCat(i, ":", Sm70().modifiers()[m].id)})) << variant.mnemonic;
      }
    }
    for (const machine::ModifierIndex m : variant.destination_modifiers)
      EXPECT_TRUE(places.contains({&variant, absl::StrCat("destination:", Sm70().modifiers()[m].id)}))
          << variant.mnemonic;
  }
  for (const std::string& text : without) EXPECT_TRUE(absl::StrContains(text, ".function(")) << text;
  EXPECT_EQ(without.size(), 8u);  // SIN and COS, each plain, -, abs and -abs
  std::printf("%zu cases\n", cases.size());
}

TEST(CasesTest, PtxOfACaseHasItsModifiersModeAndChoice) {
  const std::vector<Case> cases = Cases();
  EXPECT_EQ(CaseNamed(cases, "[FADD(r(F), -abs(a(F)), b(F)).sat()] flush").body,
            "abs.f32 %w1, %a;\nneg.f32 %w2, %w1;\nadd.rn.ftz.sat.f32 %r, %w2, %b;\n");
  EXPECT_EQ(CaseNamed(cases, "[FADD(r(F), a(F), b(F))] preserve").body, "add.rn.f32 %r, %a, %b;\n");
  EXPECT_EQ(CaseNamed(cases, "[FSETP(r(P), a(F), -b(F)).cmp(GEU)] flush").body,
            "neg.f32 %w1, %b;\nsetp.geu.ftz.f32 %r, %a, %w1;\n");
  EXPECT_EQ(CaseNamed(cases, "[LEA(r(UD), a(UD), -b(UD)).shift(7)] none").body,
            "neg.s32 %w1, %b;\nshl.b32 %w2, %a, 7; add.u32 %r, %w2, %w1;\n");
  EXPECT_EQ(CaseNamed(cases, "[SEL(r(UD), a(UD), b(UD), ~c(P))] none").body,
            "not.pred %p1, %c;\nselp.b32 %r, %a, %b, %p1;\n");
}

absl::Status StatusOf(const std::string& table) {
  const absl::StatusOr<PtxRows> rows = ParsePtxRows(table, "rows.txt");
  if (!rows.ok()) return rows.status();
  return AllCases(Sm70(), *rows).status();
}

TEST(CasesTest, TablesThatLackOrInventARowAreRefused) {
  const std::string table(PtxRowFiles()[0].text);
  const auto with = [&](const std::string& from, const std::string& to) {
    EXPECT_TRUE(absl::StrContains(table, from)) << from;
    return std::string(StatusOf(absl::StrReplaceAll(table, {{from, to}})).message());
  };
  EXPECT_EQ(StatusOf(table), absl::OkStatus());
  EXPECT_TRUE(absl::StrContains(with("POPC UD UD |", "# "), "'POPC UD UD' has no PTX row"));
  EXPECT_TRUE(absl::StrContains(with("FRND F F CEIL |", "# "), "'FRND F F CEIL' has no PTX row"));
  EXPECT_TRUE(absl::StrContains(with("modifier neg_i |", "# "), "modifier 'neg_i' has no row"));
  EXPECT_TRUE(absl::StrContains(with("modifier sat |", "# "), "modifier 'sat' has no row"));
  EXPECT_TRUE(absl::StrContains(with("POPC UD UD |", "POPC UD UD UD |"), "no PTX row"));
  EXPECT_TRUE(
      absl::StrContains(std::string(StatusOf(table + "FNOP F | x;\n").message()), "the machine has no 'FNOP F'"));
  EXPECT_TRUE(absl::StrContains(std::string(StatusOf(table + "modifier bnot | x;\n").message()), "'bnot'"));
  EXPECT_TRUE(absl::StrContains(with("popc.b32 {r}, {a};", "popc.b32 {r}, {b};"), "'{b}' is not a placeholder"));
  EXPECT_TRUE(absl::StrContains(with("popc.b32 {r}, {a};", "popc.b32 {r, a;"), "without a '}'"));
  EXPECT_TRUE(absl::StrContains(with("| ulp 2 |", "| upl 2 |"), "'upl'"));
  EXPECT_TRUE(absl::StrContains(with("| ulp 2 |", "| ulp -2 |"), "not a positive number"));
  EXPECT_TRUE(
      absl::StrContains(std::string(StatusOf("MOV F F | none\n").message()), "rows.txt:1: 'none' requires a reason"));
  EXPECT_TRUE(absl::StrContains(std::string(StatusOf("\nMOV F F\n").message()), "rows.txt:2: expected 2 to 4 columns"));
  EXPECT_TRUE(
      absl::StrContains(std::string(StatusOf("A | x\nA | y\n").message()), "rows.txt:2: 'A' already has a row"));
}

}  // namespace
}  // namespace rewrought::silicon
