#include "lsp/rule_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lsp/rule_edit.h"

namespace rewrought::lsp {
namespace {

using Views = std::vector<absl::string_view>;

TEST(ElementsOf, SplitsTuples) {
  EXPECT_EQ(ElementsOf("(('fadd', a, b), a)"), (Views{"('fadd', a, b)", "a"}));
  EXPECT_EQ(ElementsOf("(a,  # x, (\n b,\n 'x, y)', )"), (Views{"a", "b", "'x, y)'"}));
  EXPECT_EQ(ElementsOf("(a, '\\'(')"), (Views{"a", "'\\'('"}));
  EXPECT_EQ(ElementsOf("(a, b"), Views());
  EXPECT_EQ(ElementsOf("(a, 'b)"), Views());
  EXPECT_EQ(ElementsOf("a, b"), Views());
  EXPECT_EQ(ElementsOf(")((a)"), Views());
  EXPECT_EQ(ElementsOf("a (b)"), Views());
}

// A tree with an empty nir_algebraic.py, by which a rule file is recognized.
class RuleFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "rule_file_test/compiler/nir/";
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "nir_algebraic.py") << "\n";
  }
  std::string folder_;
};

audit::MesaRule Imported(int line, const std::string& search, const std::string& replace) {
  audit::MesaRule rule;
  rule.line = line;
  rule.search = search;
  rule.replace = replace;
  return rule;
}

TEST_F(RuleFileTest, FindsLiteralsOnlyInListsAtTheTopLevel) {
  RuleFile file(folder_ + "rules.py", {}, "");
  const TextLines lines(
      "import nir_algebraic\n"
      "optimizations = [\n"
      "   (('iadd', a, 0), a),\n"
      "   (('iadd', a, b), ('iadd', b,\n"
      "     a), 'x' % y),\n"
      "]\n"
      "for s in [8, 16]:\n"
      "   optimizations.extend([\n"
      "      (('ishl', a, s), a),\n"
      "   ])\n",
      CharacterUnit::kUtf8);
  ASSERT_EQ(file.KindOf(lines.text()), FileKind::kMesa);
  EXPECT_TRUE(file.ReadLiterals(lines).rules.empty()) << "the dialect is not known before the import";
  audit::MesaRules imported;
  imported.dialect = ir::Dialect::kNir26;
  imported.rules = {Imported(3, "('iadd', 'a', 0)", "'a'"), Imported(9, "('ishl', 'a', 8)", "'a'"),
                    Imported(9, "('ishl', 'a', 16)", "'a'")};
  const RuleList list = file.ReadImported(lines, imported);
  ASSERT_EQ(list.rules.size(), 3);
  EXPECT_TRUE(list.rules[0].is_literal);
  EXPECT_EQ(lines.text().substr(list.rules[0].range.begin, 20), "(('iadd', a, 0), a),");
  EXPECT_FALSE(list.rules[1].is_literal);
  EXPECT_EQ(list.rules[1].range, lines.LineRange(8));
  const RuleList literals = file.ReadLiterals(lines);
  ASSERT_EQ(literals.rules.size(), 1) << "the second condition is not a literal, and the last rule is in a loop";
  EXPECT_EQ(literals.rules[0].question->key, list.rules[0].question->key);
}

TEST_F(RuleFileTest, AnImportedRuleThatDiffersFromItsTextIsNotLiteral) {
  RuleFile file(folder_ + "rules.py", {}, "");
  const TextLines lines("from nir_algebraic import x\nx = [\n(('iadd', a, 0), a),\n]\n", CharacterUnit::kUtf8);
  audit::MesaRules imported;
  imported.rules = {Imported(3, "('iadd', 'a', 1)", "'a'")};
  EXPECT_FALSE(file.ReadImported(lines, imported).rules[0].is_literal);
}

// The text `c` is the variable 'c' only if Python does not bind the name to anything else.
TEST_F(RuleFileTest, ANameThatMayNotBeAVariableIsLeftToTheImporter) {
  RuleFile file(folder_ + "rules.py", {}, "");
  const auto text = [](const std::string& names, const std::string& rules) {
    return TextLines("import nir_algebraic  # b\n" + names + "\nx = [\n" + rules + "]\n", CharacterUnit::kUtf8);
  };
  const std::string names = "a, b, c = 'a', 'b', 0", own = "  (('iadd', a, 1), a),\n",
                    constant = "  (('iadd', a, c), a),\n";
  audit::MesaRules imported;
  imported.rules = {Imported(4, "('iadd', 'a', 1)", "'a'"), Imported(5, "('iadd', 'a', 0)", "'a'")};
  const auto lines_of = [&](const TextLines& lines) {
    std::vector<int> found;
    for (const FileRule& rule : file.ReadLiterals(lines).rules) found.push_back(rule.source.line);
    return found;
  };
  using Lines = std::vector<int>;
  // Before the import has compared the text with the rules, nothing is known about c.
  const TextLines first = text(names, own);
  imported.rules.pop_back();
  file.ReadImported(first, imported);
  EXPECT_EQ(lines_of(text(names, own + constant)), Lines{4});
  imported.rules.push_back(Imported(5, "('iadd', 'a', 0)", "'a'"));
  file.ReadImported(text(names, own + constant), imported);
  EXPECT_EQ(lines_of(text(names, own + "  (('isub', a, c), a),\n" + "  (('isub', a, 0), 'a'),\n")), (Lines{4, 6}));
  // A name that is a variable in one place and a constant in another one is never trusted.
  imported.rules.push_back(Imported(9, "('iadd', 2, 1)", "2"));
  const TextLines twice = text(names, own + constant + "]\na = 2\n" + "y = [\n" + own);
  file.ReadImported(twice, imported);
  EXPECT_EQ(lines_of(twice), Lines{});
  imported.rules.pop_back();
  file.ReadImported(text(names, own + constant), imported);
  // A new statement may bind a name that was a variable.
  EXPECT_EQ(lines_of(text("a = 0", own + "  (('isub', 'a', 0), 'a'),\n")), Lines{5});
  EXPECT_EQ(lines_of(text(names + "\nfor b, a in y:", own)), Lines{});
  EXPECT_EQ(lines_of(text(names + "\ndef a():", own)), Lines{});
  EXPECT_EQ(lines_of(text(names + "\n# a = 0", own)), Lines{5});
  EXPECT_EQ(lines_of(text(names + "\nx += [(('ineg', a), a) for s in (8, 16)]", own)), Lines{5});
}

TEST_F(RuleFileTest, IgnoresOtherPythonFiles) {
  const std::string imports = "import nir_algebraic\n";
  EXPECT_EQ(RuleFile(folder_ + "rules.py", {}, "").KindOf("x = [\n(('iadd', a, 0), a)]\n"), FileKind::kOther);
  EXPECT_EQ(RuleFile(testing::TempDir() + "elsewhere.py", {}, "").KindOf(imports), FileKind::kOther);
  EXPECT_TRUE(RuleFile("/x.py", {}, "").ReadLiterals(TextLines("(a, b)\n", CharacterUnit::kUtf8)).problems.empty());
}

TEST(RuleFile, ReadsFilesOfRules) {
  RuleFile file("some.rules", {}, "");
  EXPECT_EQ(file.KindOf(""), FileKind::kRules);
  const RuleList list =
      file.ReadLiterals(TextLines("(('iadd', a, 0), a)\n(('nothing', a), a)\n", CharacterUnit::kUtf8));
  ASSERT_EQ(list.rules.size(), 1);
  EXPECT_EQ(list.rules[0].range, (ByteRange{0, 19}));
  ASSERT_EQ(list.problems.size(), 1);
  EXPECT_EQ(list.problems[0].range.begin, 23);
}

TEST(RuleEdit, ReplacesSidesAndKeepsTheCondition) {
  const TextLines lines("x = [\n  (('fadd', a, 0.0), a, 'c'),\n  y]\n", CharacterUnit::kUtf8);
  const ByteRange tuple = {8, 34};
  const std::optional<Edit> edit = ReplaceSides(lines, tuple, "(('fadd(nsz)', 'a', 0.0), 'a')");
  ASSERT_TRUE(edit.has_value());
  std::string text = lines.text();
  text.replace(edit->range.begin, edit->range.end - edit->range.begin, edit->text);
  EXPECT_EQ(text, "x = [\n  (('fadd(nsz)', a, 0.0), a, 'c'),\n  y]\n");
  const Edit removal = RemoveRule(lines, tuple);
  text = lines.text();
  text.replace(removal.range.begin, removal.range.end - removal.range.begin, "");
  EXPECT_EQ(text, "x = [\n  y]\n");
  EXPECT_EQ(WithoutTilde("(('~fadd', a, ('~fmul', b, c)), a, 'c')"), "(('fadd', a, ('fmul', b, c)), a)");
  EXPECT_EQ(WithoutTilde("(('fadd', a, b), a)"), std::nullopt);
}

}  // namespace
}  // namespace rewrought::lsp
