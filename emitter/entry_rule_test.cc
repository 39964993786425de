#include "emitter/entry_rule.h"

#include <gtest/gtest.h>

#include "ir/text/rule_text.h"

namespace rewrought::emitter {
namespace {

v1::RewriteRule RuleOf(const std::string& search, const std::string& replace) {
  v1::RewriteRule rule;
  rule.set_search(search);
  rule.set_replace(replace);
  return rule;
}

v1::RewriteRule With(v1::RewriteRule rule, const std::string& node, const std::string& predicate) {
  auto* const precondition = rule.mutable_generalisation()->add_preconditions();
  precondition->set_node(node);
  precondition->set_predicate(predicate);
  return rule;
}

std::string Error(const v1::RewriteRule& rule) { return std::string(ParseEntry(rule).status().message()); }

const v1::RewriteRule kRule = RuleOf("('iadd', ('ineg', 'a'), ('ineg', 'b'))", "('ineg', ('iadd', 'a', 'b'))");

TEST(EntryRule, UsedOnceIsPutOnTheNodeItNames) {
  const auto entry = ParseEntry(With(kRule, "n3", "is_used_once"));
  ASSERT_TRUE(entry.ok()) << entry.status();
  EXPECT_EQ(ir::PrintTerm(entry->rule.search), "('iadd', ('ineg', 'a'), ('ineg(is_used_once)', 'b'))");
  EXPECT_FALSE(entry->program.has_value());
}

TEST(EntryRule, UsedOnceBelongsOnInnerOpsWithOneUse) {
  EXPECT_EQ(Error(With(kRule, "n0", "is_used_once")), "precondition n0:is_used_once requires an inner op");
  EXPECT_EQ(Error(With(kRule, "a", "is_used_once")), "precondition a:is_used_once requires an inner op");
  EXPECT_EQ(Error(With(kRule, "n9", "is_used_once")), "precondition n9:is_used_once does not name a value");
  EXPECT_EQ(Error(With(RuleOf("('imul', ('ineg', 'a'), ('ineg', 'a'))", "('imul', 'a', 'a')"), "n1", "is_used_once")),
            "precondition n1:is_used_once: the search itself uses that value more than once");
}

TEST(EntryRule, OtherPreconditionsMustBeInTheText) {
  EXPECT_EQ(Error(With(kRule, "a", "is_odd")), "precondition a:is_odd is not in the rule's text");
  EXPECT_EQ(Error(With(kRule, "a", "is_below_seven")),
            "precondition a:is_below_seven has no equivalent predicate in Mesa");
  EXPECT_EQ(Error(With(kRule, "n0", "nsz")), "precondition n0:nsz is not in the rule's text");
  EXPECT_EQ(Error(With(RuleOf("('iadd', '#a(is_odd)', 'b')", "'b'"), "a", "is_odd")), "");
  EXPECT_EQ(Error(With(RuleOf("('fadd(nsz)', 'a', 0.0)", "'a'"), "n0", "nsz")), "");
}

TEST(EntryRule, EitherAReplacementOrALegalProgram) {
  v1::RewriteRule rule = kRule;
  rule.set_program("[ADD(r(D), -a(D), -b(D))]");
  EXPECT_EQ(Error(rule), "a rule must have either a replacement or a program");
  rule.clear_replace();
  EXPECT_EQ(ParseEntry(rule).status().code(), absl::StatusCode::kNotFound);  // The rule does not name a machine.
  rule.set_machine("intel_gen9");
  const auto entry = ParseEntry(rule);
  ASSERT_TRUE(entry.ok()) << entry.status();
  EXPECT_EQ(entry->program->instructions.size(), 1u);
  EXPECT_EQ(entry->machine->id(), "intel_gen9");
  rule.set_program("[NOSUCH(r(D), a(D))]");
  EXPECT_EQ(ParseEntry(rule).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(CanonicalText, IsAsPrintedAndWithoutWhatSitesAdd) {
  v1::RewriteRule rule = With(RuleOf("('iadd',('ineg', a), b)", "('isub', b, a)"), "n1", "is_used_once");
  rule.set_condition("options->has_isub");
  const auto text = CanonicalText(rule);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "(('iadd', ('ineg', 'a'), 'b'), ('isub', 'b', 'a'), 'options->has_isub')");
  rule.clear_replace();
  rule.set_machine("intel_gen9");
  rule.set_program("[ADD(r(D), -a(D), b(D))]");
  EXPECT_EQ(*CanonicalText(rule), "(('iadd', ('ineg', 'a'), 'b'), [ADD(r(D), -a(D), b(D))], 'options->has_isub')");
}

TEST(Wishes, ArePredicatesThatMesaLacks) {
  EXPECT_EQ(Wishes(With(With(With(kRule, "a", "is_below_seven"), "a", "is_odd"), "n0", "nsz")),
            std::vector<std::string>{"is_below_seven"});
}

}  // namespace
}  // namespace rewrought::emitter
