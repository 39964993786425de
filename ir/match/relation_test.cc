// Tests where a relation between constants is allowed and which ops it may contain. Also checks that each function that
// handles a search keeps the relation or reports that it does not.
#include "ir/match/relation.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/evaluate.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/text/canonical.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {
namespace {

constexpr char kShifts[] =
    "(('where', ('ushr', ('ushr', 'a@32', '#b(is_ult_32)'), '#c(is_ult_32)'), ('ult', ('iadd', 'b', 'c'), 32)), "
    "('ushr', 'a', ('iadd', 'b', 'c')))";

Rule Parsed(absl::string_view text) {
  const absl::StatusOr<Rule> rule = ParseRule(text);
  EXPECT_TRUE(rule.ok()) << text << "\n" << rule.status();
  return rule.value_or(Rule());
}

std::string Refused(const std::string& text) {
  ParseError error;
  return ParseRule(text, 1, &error).ok() ? "accepted" : absl::StrCat(error.column, ": ", error.message);
}

std::string RefusedRelation(const std::string& relation) {
  return Refused(absl::StrCat("(('where', ('ushr', ('ushr', 'a@32', '#b'), '#c'), ", relation, "), 'a')"));
}

TEST(Relation, IsNoOpOfTheTable) {
  EXPECT_EQ(FindOp(kWhere), nullptr);
  EXPECT_TRUE(CheckRow(WhereRow()).ok()) << CheckRow(WhereRow());
}

TEST(Relation, GivesWhatItIsAroundOrAnything) {
  Term term = *ParseSearch("('where', ('iadd@8', '#a@8', '#b@8'), ('ult', 'a', 'b'))");
  ASSERT_EQ(term.root_node().bits, 8);
  Dag dag;
  const absl::StatusOr<ChoiceTerm> lowered = LowerWithChoices(&dag, term, DenormMode::kNone, 0);
  EXPECT_FALSE(lowered.ok());  // the size of ult is open
  for (Node& node : term.nodes) {
    if (node.kind == NodeKind::kOp && node.op->name == "ult") node.bits = 1;
  }
  Dag sized;
  const absl::StatusOr<ChoiceTerm> choices = LowerWithChoices(&sized, term, DenormMode::kNone, 0);
  ASSERT_TRUE(choices.ok()) << choices.status();
  const std::vector<uint64_t> inside = {2, 3}, outside = {3, 2};
  const AllowedSet sum = AllowedResults(sized, *choices, inside, 4), any = AllowedResults(sized, *choices, outside, 4);
  EXPECT_EQ(sum.results, (std::vector<AllowedResult>{{{AllowedKind::kValue, 5}}}));
  EXPECT_EQ(any.results[0][0].kind, AllowedKind::kAnyValue);
}

TEST(Relation, TextIsReadBack) {
  const Rule rule = Parsed(kShifts);
  ASSERT_TRUE(HasRelation(rule.search));
  EXPECT_EQ(PrintRule(rule), kShifts);
  const char* sized = "('where', ('ushr@32', 'a@32', '#b@32'), ('ult@1', ('iadd@32', 'b', 1@32), 0x00000020@32))";
  EXPECT_EQ(PrintTerm(*ParseSearch(sized)), sized);
  EXPECT_EQ(ParseSearch(sized)->root_node().bits, 32);
}

TEST(Relation, StandsAroundAWholeSearchOnly) {
  const std::string search = "('where', ('ushr', 'a', '#b'), ('ult', 'b', 4))";
  constexpr char kNowhere[] = "'where' must enclose a rule's whole search";
  for (const std::string& text :
       {absl::StrCat("(('iadd', ", search, ", 'c'), 'a')"), absl::StrCat("(('iadd', 'a', '#b'), ", search, ")"),
        absl::StrCat("(('iadd', 'a', '#b'), ('ineg', ", search, "))"),
        absl::StrCat("(('where', ", search, ", ('ult', 'b', 4)), 'a')"),
        absl::StrCat("(ignore_exact", search, ", 'a')"),
        std::string("(('where', ('ushr', 'a', '#b'), ('where', ('ult', 'b', 4), ('ult', 'b', 4))), 'a')")}) {
    EXPECT_TRUE(absl::StrContains(Refused(text), kNowhere)) << text << "\n" << Refused(text);
  }
  EXPECT_TRUE(absl::StrContains(ParseTerm(search).status().message(), kNowhere));
  EXPECT_EQ(Refused("(('iadd', ('where', ('ushr', 'a', '#b'), ('ult', 'b', 4)), 'c'), 'a')").substr(0, 4), "13: ");
  EXPECT_TRUE(absl::StrContains(Refused("(('where', 'a', ('ult', '#b', 4)), 'a')"), "not a bare value"));
  EXPECT_TRUE(absl::StrContains(Refused("(('where', ('ushr', 'a', '#b')), 'a')"), "where takes 2 sources, not 1"));
  for (const char* name : {"where@32", "~where", "!where", "where(nsz)", "where(is_used_once)", "where.x"}) {
    const std::string text = absl::StrCat("(('", name, "', ('ushr', 'a', '#b'), ('ult', 'b', 4)), 'a')");
    EXPECT_NE(Refused(text), "accepted") << text;
  }
}

TEST(Relation, IsBetweenIntegerConstantsOfTheSearch) {
  EXPECT_EQ(RefusedRelation("('ult', 'b', 'c')"), "accepted");
  EXPECT_EQ(RefusedRelation("('iand', ('ult', 'b', 'c'), ('ine', ('isub', 'b', 1), 0x7))"), "accepted");
  // The columns point to the offending token.
  const auto refuses = [](const std::string& relation, absl::string_view what) {
    const std::string told = RefusedRelation(relation);
    EXPECT_TRUE(absl::StrContains(told, what)) << relation << "\n" << told;
  };
  refuses("('ult', 'a', 'c')", "61: 'a' is not a constant of the search");
  refuses("('ult', 'd', 'c')", "61: 'd' is not a constant of the search");
  refuses("('ult', '#d', 'c')", "61: 'd' is not a constant of the search");
  refuses("('flt', 'b', 'c')", "54: a relation between constants cannot have flt: it works on floats");
  refuses("('ieq', ('f2i32', 'b'), 'c')", "cannot have f2i32: it works on floats");
  refuses("('ult', 'b', 1.0)", "65: a relation between constants works on integers");
  refuses("('ieq', ('amul', 'b', 'c'), 4)", "cannot have amul: it is undefined for some operands");
  refuses("('ieq', ('idiv', 'b', 'c'), 4)", "cannot have idiv: it is undefined for some operands");
  refuses("('ieq', ('u2u', 'b'), 4)", "cannot have u2u: it has no size; write the size");
  refuses("('inot', ('ult32', 'b', 'c'))", "a Boolean of more than 1 bit");
  refuses("('ball_iequal2', 'b', 'c')", "does not work per component");
  refuses("('ult', ('iadd(is_used_once)', 'b', 1), 'c')", "cannot have flags, predicates or components");
  refuses("('ult', 'b.y', 'c')", "remove the swizzle");
  refuses("'b'", "a single constant is not a relation");
  refuses("True", "a literal is not a relation");
}

TEST(Relation, SizesAreThoseOfTheConstants) {
  const Rule rule = Parsed("(('where', ('umin', ('umin', 'a', '#b'), '#c'), ('uge', 'c', 'b')), ('umin', 'a', 'b'))");
  const auto sizes = EnumerateSizes(rule);
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  EXPECT_EQ(sizes->size(), 5u);
  for (const SizeAssignment& one : *sizes) {
    const absl::StatusOr<Rule> sized = Instantiate(rule, one);
    ASSERT_TRUE(sized.ok());
    EXPECT_TRUE(HasRelation(sized->search));
    EXPECT_TRUE(CheckRelation(sized->search).ok());
    EXPECT_EQ(sized->search.root_node().bits, one.width);
  }
  const auto message = [](const char* text) { return std::string(EnumerateSizes(Parsed(text)).status().message()); };
  EXPECT_TRUE(absl::StrContains(message("(('where', ('ushr', 'a', '#b'), ('ult', 3, 5)), 'a')"),
                                "in the relation is undetermined: it follows from no variable"));
  EXPECT_TRUE(absl::StrContains(message("(('where', ('ushr', 'a', '#b'), ('iadd', 'b', 1)), 'a')"), "1 bits"));
}

TEST(Relation, CanonicalFormKeepsIt) {
  const Rule rule = Parsed(kShifts);
  const Rule canonical = CanonicalRule(rule);
  ASSERT_TRUE(HasRelation(canonical.search));
  EXPECT_TRUE(CheckRelation(canonical.search).ok()) << CheckRelation(canonical.search);
  const auto digest = [](const std::string& text) { return CanonicalDigest(Parsed(text)); };
  const auto shifts = [](const std::string& x, const std::string& y, const std::string& relation) {
    return absl::StrCat("(('where', ('ushr', ('ushr', 'a@32', '#", x, "(is_ult_32)'), '#", y, "(is_ult_32)'), ",
                        relation, "), ('ushr', 'a', ('iadd', '", x, "', '", y, "')))");
  };
  const std::string same = digest(kShifts);
  EXPECT_EQ(digest(shifts("c", "b", "('ult', ('iadd', 'c', 'b'), 32)")), same);  // different names
  // Swapping the sum's operands yields the same rule.
  EXPECT_EQ(digest(shifts("b", "c", "('ult', ('iadd', 'c', 'b'), 32)")), same);
  // Any other relation, or the lack of one, yields a different rule.
  for (const char* other :
       {"('uge', ('iadd', 'b', 'c'), 32)", "('ult', ('iadd', 'b', 'c'), 33)", "('ult', ('iadd', 'b', 'b'), 32)",
        "('ult', ('isub', 'c', 'b'), 32)", "('ult', ('isub', 'b', 'c'), 32)", "('ult', 32, ('iadd', 'b', 'c'))"}) {
    EXPECT_NE(digest(shifts("b", "c", other)), same) << other;
  }
  EXPECT_NE(digest("(('ushr', ('ushr', 'a@32', '#b(is_ult_32)'), '#c(is_ult_32)'), ('ushr', 'a', ('iadd', 'b', 'c')))"),
            same);
  EXPECT_FALSE(StructurallyEqual(rule.search, Matched(rule.search)));
}

TEST(Relation, IsTakenOffAndPutOnAgain) {
  const Rule rule = Parsed(kShifts);
  EXPECT_EQ(PrintTerm(Matched(rule.search)), "('ushr', ('ushr', 'a@32', '#b(is_ult_32)'), '#c(is_ult_32)')");
  const Term relation = RelationOf(rule.search);
  EXPECT_EQ(PrintTerm(relation), "('ult', ('iadd', '#b(is_ult_32)', '#c(is_ult_32)'), 32)");
  const Term again = WithRelation(Matched(rule.search), relation);
  EXPECT_TRUE(CheckRelation(again).ok()) << CheckRelation(again);
  EXPECT_EQ(PrintTerm(Matched(again)), PrintTerm(Matched(rule.search)));
  EXPECT_EQ(PrintTerm(RelationOf(again)), PrintTerm(relation));
  const Term plain = Matched(rule.search);
  EXPECT_FALSE(HasRelation(plain));
  EXPECT_TRUE(RelationOf(plain).nodes.empty());
  EXPECT_EQ(PrintTerm(WithRelation(plain, {})), PrintTerm(plain));
}

TEST(Relation, TermsThatNoTextGivesAreRefused) {
  const Rule rule = Parsed(kShifts);
  const auto refuses = [](const Term& term) { return !CheckRelation(term).ok(); };
  EXPECT_FALSE(refuses(rule.search));
  Term inside = rule.search;  // `where` below another op
  Node negated;
  negated.kind = NodeKind::kOp;
  negated.op = FindOp("ineg");
  negated.bits = 32;
  negated.sources = {{inside.root}};
  inside.root = static_cast<NodeIndex>(inside.nodes.size());
  inside.nodes.push_back(negated);
  EXPECT_TRUE(refuses(inside));
  EXPECT_FALSE(CheckNoRelation(inside).ok());
  Term variable = rule.search;  // a variable that is not a constant
  for (Node& node : variable.nodes) node.constant_only = false;
  EXPECT_TRUE(refuses(variable));
  Term flagged = rule.search;
  flagged.nodes[flagged.root].flags = kNoNan;
  EXPECT_TRUE(refuses(flagged));
  Term floats = rule.search;
  for (Node& node : floats.nodes) {
    if (node.kind == NodeKind::kOp && node.op->name == "ult") node.op = FindOp("flt");
  }
  EXPECT_TRUE(refuses(floats));
  Term turned = rule.search;
  std::swap(turned.nodes[turned.root].sources[0], turned.nodes[turned.root].sources[1]);
  EXPECT_TRUE(refuses(turned));
}

}  // namespace
}  // namespace rewrought::ir
