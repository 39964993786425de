#include "emitter/machine/families.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/machine/pieces.h"
#include "machine/machine.h"

namespace rewrought::emitter {
namespace {

Words WordsOf(const std::vector<std::string>& programs) {
  const auto machine = machine::FindMachine("intel_gen9");
  Words words;
  for (const std::string& program : programs) {
    EXPECT_TRUE(words.AddProgram(**machine, *machine::ParseProgram(**machine, program)).ok());
  }
  return words;
}

Words SomeWords() {
  return WordsOf({"[ADD(r(F), a(F), b(F)), MUL(r(F), a(F), b(F))]", "[ADD(r(HF), a(HF), b(HF))]",
                  "[SEL(r(D), a(D), b(D)).cmod(L), SEL(r(D), a(D), b(D)).cmod(GE)]"});
}

std::string Sum(const std::string& op, int bits, const std::string& instruction, const std::string& type) {
  return absl::StrCat("(('", op, "', 'a@", bits, "', 'b'), InstructionList([\n    ", instruction, "(r(", type, "), a(",
                      type, "), b(", type, ")),\n]))");
}

std::vector<std::string> ReadAll(std::string text) {
  absl::string_view rest = text;
  const auto patterns = ReadPatterns(&rest, 1 << 20);
  EXPECT_TRUE(patterns.ok()) << patterns.status();
  EXPECT_EQ(rest, "");
  return patterns.ok() ? *patterns : std::vector<std::string>();
}

TEST(Families, OpcodesAndWidthsAreColumns) {
  const std::vector<std::string> patterns = {Sum("fadd", 16, "ADD", "HF"), Sum("fadd", 32, "ADD", "F"),
                                             Sum("fmul", 32, "MUL", "F")};
  const std::vector<Family> families = GroupPatterns(patterns, SomeWords());
  ASSERT_EQ(families.size(), 1u);
  EXPECT_EQ(families[0].text,
            "for op, bits, opcode, type in [\n"
            "    ('fadd', 16, ADD, HF),\n"
            "    ('fadd', 32, ADD, F),\n"
            "    ('fmul', 32, MUL, F),\n"
            "]:\n"
            "    entries += [((op, f'a@{bits}', 'b'), InstructionList([\n"
            "        opcode(r(type), a(type), b(type)),\n"
            "    ]))]\n\n");
  EXPECT_EQ(ReadAll(families[0].text), patterns);
}

TEST(Families, OtherDifferencesPreventFamilies) {
  const std::vector<std::string> patterns = {
      "(('imin', 'a', 'b'), InstructionList([\n    SEL(r(D), a(D), b(D)).cmod(L),\n]))",
      // Operands, methods, predicates, and registers cannot be columns.
      "(('imin', 'a', 'b'), InstructionList([\n    SEL(r(D), -a(D), b(D)).cmod(L),\n]))",
      "(('imin', 'a', 'b'), InstructionList([\n    SEL(r(D), a(D), b(D)).cmod(L).sat(),\n]))",
      "(('imin', 'a(is_odd)', 'b'), InstructionList([\n    SEL(r(D), a(D), b(D)).cmod(L),\n]))",
      "(('imin', 'a', 'b'), InstructionList([\n    SEL(r(D), b(D), a(D)).cmod(L),\n]))",
      // These patterns would need too many columns.
      "(('imul', 'a', 'b', 1, 2), InstructionList([\n    SEL(r(D), a(F), imm(3, D)).cmod(L),\n]))",
      "(('imax', 'a', 'b', 4, 5), InstructionList([\n    MUL(r(HF), a(D), imm(6, F)).cmod(GE),\n]))"};
  const std::vector<Family> families = GroupPatterns(patterns, SomeWords());
  EXPECT_EQ(families.size(), patterns.size());
  for (const Family& family : families) EXPECT_EQ(family.members.size(), 1u);
}

TEST(Families, SizesInConditionsGoWithThoseOfTheSearch) {
  const auto pattern = [](int bits, const std::string& type) {
    std::string text = Sum("fadd", bits, "ADD", type);
    text.insert(text.size() - 1, absl::StrCat(", 'lower(info->mode_1, ", bits, ") == 0x1'"));
    return text;
  };
  const std::vector<std::string> patterns = {pattern(16, "HF"), pattern(32, "F")};
  const std::vector<Family> families = GroupPatterns(patterns, SomeWords());
  ASSERT_EQ(families.size(), 1u);
  EXPECT_NE(families[0].text.find("for bits, type in"), std::string::npos) << families[0].text;
  EXPECT_NE(families[0].text.find("f'lower(info->mode_1, {bits}) == 0x1')]"), std::string::npos) << families[0].text;
  EXPECT_EQ(ReadAll(families[0].text), patterns);
}

// Braces are special in f-strings, so a condition that contains them is one fixed piece.
TEST(Families, ConditionsWithBracesAreLeftWhole) {
  std::vector<std::string> patterns = {Sum("fadd", 16, "ADD", "HF"), Sum("fadd", 32, "ADD", "F")};
  for (std::string& text : patterns) text.insert(text.size() - 1, ", '{16}[0] == \\'16\\''");
  const std::vector<Family> families = GroupPatterns(patterns, SomeWords());
  ASSERT_EQ(families.size(), 1u);
  EXPECT_NE(families[0].text.find(", '{16}[0] == \\'16\\'')]"), std::string::npos) << families[0].text;
}

TEST(Families, VariablesTakeNoNameOfTheProgram) {
  const Words words = WordsOf({"[ADD(op(F), a(F), bits(F)), ADD(r(F), a(F), b(F))]", "[ADD(r(HF), a(HF), b(HF))]"});
  const std::vector<Family> families =
      GroupPatterns({Sum("fadd", 16, "ADD", "HF"), Sum("fmul", 32, "ADD", "F")}, words);
  ASSERT_EQ(families.size(), 1u);
  EXPECT_EQ(families[0].text.substr(0, 24), "for op2, bits2, type in ") << families[0].text;
}

TEST(Families, LongOnesAreCut) {
  std::vector<std::string> patterns;
  for (int i = 0; i < 100; ++i) patterns.push_back(Sum(absl::StrCat("op", i), 32, "ADD", "F"));
  size_t members = 0;
  std::string text;
  for (const Family& family : GroupPatterns(patterns, SomeWords())) {
    EXPECT_LE(family.members.size(), 32u);
    members += family.members.size();
    text += family.text;
  }
  EXPECT_EQ(members, 100u);
  EXPECT_EQ(ReadAll(text), patterns);
}

TEST(Families, PiecesAreTheTextAgain) {
  const std::string text =
      "(('~fadd(nsz)', 'a@16(is_odd)', ('b2f', '#b@1'), float('inf'), -1.5e-05, constant(('iadd@32', 1, 'c'))), "
      "InstructionList([\n    TempReg(\"t\", F),\n    ADD(t(F), -abs(a(F).swizzle(\"x0\")), imm(-1.5e-05, F)).cmod(L, "
      "p),\n"
      "]), \"f(x, 16) == '1'\")";
  std::string joined;
  std::vector<std::string> varying;
  for (const Piece& piece : PiecesOf(text, SomeWords())) {
    absl::StrAppend(&joined, piece.text);
    if (piece.kind != Piece::Kind::kFixed && piece.kind != Piece::Kind::kQuote) varying.push_back(CellOf(piece));
  }
  EXPECT_EQ(joined, text);
  EXPECT_EQ(absl::StrJoin(varying, " "), "'fadd' 16 'b2f' 1 1.5e-05 'iadd' 32 1 F ADD F F 1.5e-05 F L 16 1");
}

TEST(Families, MalformedEntriesAreRefused) {
  const std::string loop = "for a, b in [\n    (1, 2),\n]:\n    entries += [((a, b), InstructionList([\n    ]))]\n";
  EXPECT_EQ(ReadAll(loop), std::vector<std::string>{"((1, 2), InstructionList([\n]))"});
  const struct {
    std::string text, says;
  } kCases[] = {
      {"for a, b in [\n    (1, 2),\n", "is not a row"},
      {"for a, b, c, d, e in [\n", "has more variables"},
      {"for a, b in (\n", "is not a loop"},
      {"for a, b in [\n    (1, 2, 3),\n]:\n", "does not have one value for each loop variable"},
      {"for a in [\n    1,\n]:\n    other += [((a), InstructionList([\n", "adds nothing"},
      {"for a in [\n    1,\n]:\n    entries += [((a), InstructionList([\n", "is truncated"},
      {"for a in [\n    1,\n]:\n    entries += [((a), InstructionList([\n    ]))\n", "does not end an entry"}};
  for (const auto& one : kCases) {
    absl::string_view rest = one.text;
    const auto patterns = ReadPatterns(&rest, 1 << 20);
    EXPECT_EQ(patterns.status().code(), absl::StatusCode::kDataLoss) << one.text;
    EXPECT_NE(patterns.status().message().find(one.says), absl::string_view::npos) << patterns.status();
  }
  absl::string_view rest = loop;
  EXPECT_FALSE(ReadPatterns(&rest, 10).ok()) << "the patterns exceed max_bytes";
}

}  // namespace
}  // namespace rewrought::emitter
