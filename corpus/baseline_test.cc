#include "corpus/baseline.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/op_table.h"
#include "ir/text/rule_text.h"

namespace rewrought::corpus {
namespace {

rules::RulePasses Passes(const std::vector<std::vector<std::string>>& texts) {
  std::vector<std::vector<ir::Rule>> passes;
  for (const std::vector<std::string>& pass : texts) {
    passes.emplace_back();
    for (const std::string& text : pass) {
      absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
      EXPECT_TRUE(rule.ok()) << text << ": " << rule.status();
      passes.back().push_back(*std::move(rule));
    }
  }
  return rules::CompilePasses(passes);
}

// Returns a shader that computes the term `tuple` and uses only its root.
ir::Shader ShaderOf(const std::string& tuple) {
  ir::Shader shader;
  const absl::StatusOr<ir::Term> term = ir::ParseTerm(tuple);
  EXPECT_TRUE(term.ok()) << term.status();
  shader.values = *term;
  shader.info.resize(term->nodes.size());
  shader.blocks.resize(1);
  shader.uses = {{"store", 0, static_cast<ir::NodeIndex>(term->nodes.size()), {{term->root, 0}}, {}}};
  return shader;
}

std::string Last(const ir::Shader& shader) {
  ir::Term term = shader.values;
  term.root = shader.uses.at(0).reads.at(0).node;
  return ir::PrintTerm(term);
}

TEST(Baseline, AppliesEachPassUntilNoneFits) {
  const Baseline baseline(Passes(
      {{"(('fmul', a, 1.0), a)", "(('fneg', ('fneg', a)), a)"}, {"(('fadd', a, ('fneg', b)), ('fsub', a, b))"}}));
  ir::Shader shader = ShaderOf(
      "('fadd@32', ('fmul@32', 'x@32', 0x3f800000@32), ('fneg@32', ('fmul@32', ('fneg@32', ('fneg@32', 'y@32')), "
      "0x3f800000@32)))");
  EXPECT_EQ(baseline.Normalise(&shader), 4u);
  EXPECT_EQ(Last(shader), Last(ShaderOf("('fsub@32', 'x@32', 'y@32')")));
}

TEST(Baseline, SaysWhatEachNodeWasBefore) {
  const Baseline baseline(Passes({{"(('fneg', ('fneg', a)), a)"}, {"(('fadd', a, b), ('fsub', a, ('fneg', b)))"}}));
  const ir::Shader before = ShaderOf("('fadd@32', ('fneg@32', ('fneg@32', 'x@32')), 'y@32')");
  ir::Shader after = before;
  std::vector<ir::NodeIndex> origins;
  EXPECT_EQ(baseline.Normalise(&after, &origins), 2u);
  ASSERT_EQ(origins.size(), after.values.nodes.size());
  std::vector<std::string> names;
  for (size_t i = 0; i < origins.size(); ++i) {
    const ir::Node &now = after.values.nodes[i], &then = before.values.nodes.at(origins[i]);
    EXPECT_EQ(now.name, then.name);
    if (now.kind == ir::NodeKind::kOp) {
      EXPECT_EQ(then.op->name, "fadd") << now.op->name;
    } else {
      names.push_back(now.name);
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"x", "y"}));
}

TEST(Baseline, FoldsConstantsAndNumbersValuesBetweenRounds) {
  // The rule requires two equal values, and the sums become equal only when the constants are folded.
  const Baseline baseline(Passes({{"(('fmax', a, a), a)"}}));
  ir::Shader shader = ShaderOf(
      "('fmax@32', ('fadd@32', 'x@32', ('fadd@32', 0x3f800000@32, 0x3f800000@32)), ('fadd@32', 0x40000000@32, "
      "'x@32'))");
  EXPECT_EQ(baseline.Normalise(&shader), 1u);
  EXPECT_EQ(Last(shader), Last(ShaderOf("('fadd@32', 'x@32', 0x40000000@32)")));
}

TEST(Baseline, ValuesOfDifferentBlocksStayApart) {
  const Baseline baseline(Passes({{"(('fmax', a, a), a)"}}));
  ir::Shader shader = ShaderOf("('fmax@32', ('fabs@32', 'x@32'), ('fabs@32', 'x@32'))");
  // Parsed terms share equal nodes, so the second node is created by hand, in a separate block.
  const ir::NodeIndex root = shader.values.root;
  shader.values.nodes.push_back(shader.values.nodes[root]);
  shader.values.nodes[root] = shader.values.nodes[shader.values.nodes[root].sources[0].node];
  shader.values.nodes.back().sources[1].node = root;
  shader.info.push_back(shader.info[root]);
  shader.info[root] = {};
  shader.info[root].block = 1;
  shader.blocks.resize(2);
  EXPECT_EQ(baseline.Normalise(&shader), 0u);
}

TEST(Baseline, PreconditionsAreMetByFactsOfTheShader) {
  const Baseline baseline(Passes({{"(('fabs', 'a(is_not_negative)'), a)"}}));
  ir::Shader square = ShaderOf("('fabs@32', ('fmul@32', 'x@32', 'x'))");
  EXPECT_EQ(baseline.Normalise(&square), 1u);
  ir::Shader any = ShaderOf("('fabs@32', ('fmul@32', 'x@32', 'y@32'))");
  EXPECT_EQ(baseline.Normalise(&any), 0u);
}

TEST(Baseline, RulesThatGoRoundEndWithANote) {
  const Baseline baseline(
      Passes({{"(('fadd', a, b), ('fsub', a, ('fneg', b)))", "(('fsub', a, ('fneg', b)), ('fadd', a, b))"}}));
  ir::Shader shader = ShaderOf("('fadd@32', 'x@32', 'y@32')");
  EXPECT_GT(baseline.Normalise(&shader), 0u);
  EXPECT_EQ(shader.notes, (std::vector<ir::ShaderNote>{{"rules of the baseline do not terminate", 0}}));
}

TEST(Baseline, TheDigestNamesTheRules) {
  EXPECT_EQ(Baseline(Passes({{"(('fmul', a, 1.0), a)"}})).digest(),
            Baseline(Passes({{"(('fmul', a, 1.0), a)"}})).digest());
  EXPECT_NE(Baseline(Passes({{"(('fmul', a, 1.0), a)"}})).digest(),
            Baseline(Passes({{"(('fmul', a, 2.0), a)"}})).digest());
}

}  // namespace
}  // namespace rewrought::corpus
