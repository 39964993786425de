// The message of a term must contain everything that a client without a parser needs to draw the term.
#include "server/messages/rule_proto.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/text/rule_text.h"

namespace rewrought::rpc {
namespace {

v1::Term TermOf(const std::string& text) {
  const absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
  EXPECT_TRUE(term.ok()) << term.status();
  return term.ok() ? ToProto(*term) : v1::Term();
}

std::vector<std::string> Labels(const std::string& text) {
  std::vector<std::string> labels;
  const v1::Term term = TermOf(text);
  for (const v1::TermNode& node : term.nodes()) labels.push_back(node.label());
  return labels;
}

using Strings = std::vector<std::string>;

TEST(TermProto, NodesNameTheirSourcesAndTheRoot) {
  const v1::Term term = TermOf("('fadd', a, ('fneg', a))");
  ASSERT_EQ(term.nodes_size(), 3);
  const v1::TermNode& root = term.nodes(static_cast<int>(term.root()));
  ASSERT_EQ(root.op().name(), "fadd");
  ASSERT_EQ(root.op().sources_size(), 2);
  const v1::TermNode& negated = term.nodes(static_cast<int>(root.op().sources(1).node()));
  EXPECT_EQ(negated.op().name(), "fneg");
  EXPECT_EQ(negated.op().sources(0).node(), root.op().sources(0).node());
  EXPECT_EQ(term.text(), "('fadd', 'a', ('fneg', 'a'))");
}

TEST(TermProto, LabelsAreThePartsOfTheText) {
  EXPECT_EQ(Labels("('~fadd@32(nsz)', '#a(is_not_negative)', 1.0)"),
            (Strings{"#a(is_not_negative)", "1.0", "~fadd@32(nsz)"}));
  EXPECT_EQ(Labels("ignore_exact('fmax', a, 'inf')"), (Strings{"a", "inf", "ignore_exact(fmax)"}));
}

TEST(TermProto, PatternsThatAnOpReadsAsFloatsAreFloats) {
  EXPECT_EQ(Labels("('fmul', 'a@32', 0x3dcccccd@32)"), (Strings{"a@32", "0.1", "fmul"}));
  EXPECT_EQ(Labels("('fmin', 'a@16', 0xfc00@16)"), (Strings{"a@16", "-inf", "fmin"}));
  EXPECT_EQ(Labels("('fadd', 'a@64', 0x8000000000000000@64)"), (Strings{"a@64", "-0.0", "fadd"}));
  EXPECT_EQ(Labels("('iand', 'a@32', 0x7fffffff@32)"), (Strings{"a@32", "0x7fffffff@32", "iand"}));
}

TEST(TermProto, AConstantAloneIsWhatItReplaces) {
  store::RuleRecord record;
  record.search = "('fadd@32', 'a', ('fneg', 'a'))";
  record.replace = "0x80000000@32";
  EXPECT_EQ(TextsOf(record).replace_term().nodes(0).label(), "-0.0");
  record.search = "('ixor@32', 'a', 'a')";
  EXPECT_EQ(TextsOf(record).replace_term().nodes(0).label(), "0x80000000@32");
}

TEST(TermProto, ARulesTermsAreThoseThatParse) {
  store::RuleRecord record;
  record.search = "('fneg', ('fneg', 'a'))";
  record.program = "[MOV(r(F), a(F))]";
  v1::RewriteRule rule = TextsOf(record);
  EXPECT_EQ(rule.search_term().nodes_size(), 3);
  EXPECT_FALSE(rule.has_replace_term());
  record.search = "('fneg', ";
  record.replace = "'a'";
  for (int i = 0; i < 2; ++i) {  // computed first, then cached
    rule = TextsOf(record);
    EXPECT_FALSE(rule.has_search_term());
    EXPECT_EQ(rule.replace_term().nodes(0).label(), "a");
    EXPECT_EQ(rule.search(), record.search);
  }
}

}  // namespace
}  // namespace rewrought::rpc
