#include "ir/match/match.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/match/facts.h"
#include "ir/match/rewriter.h"
#include "ir/text/rule_text.h"

namespace rewrought::ir {
namespace {

CompiledRule Compiled(absl::string_view text) {
  const absl::StatusOr<Rule> rule = ParseRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status();
  absl::StatusOr<CompiledRule> compiled = CompiledRule::Compile(*rule);
  EXPECT_TRUE(compiled.ok()) << text << "\n" << compiled.status();
  return *std::move(compiled);
}

Term Parsed(absl::string_view text) {
  const absl::StatusOr<Term> term = ParseTerm(text);
  EXPECT_TRUE(term.ok()) << text << "\n" << term.status();
  return *term;
}

std::string Rewritten(const std::vector<const char*>& rules, absl::string_view text, const MatchOptions& options = {}) {
  std::vector<CompiledRule> compiled;
  for (const char* rule : rules) compiled.push_back(Compiled(rule));
  Term term = Parsed(text);
  EXPECT_FALSE(Rewriter(compiled, options, 100).Run(&term).step_limit_reached);
  return PrintTerm(term);
}

bool Matches(absl::string_view rule, absl::string_view text, MatchOptions options = {}) {
  const Term term = Parsed(text);
  if (!options.facts) options.facts = &FactsOfNodes;
  return MatchAt(Compiled(rule), term, term.root, options).has_value();
}

TEST(Match, Variables) {
  const char* rule = "(('fadd', a, ('fneg', a)), 0.0)";
  EXPECT_TRUE(Matches(rule, "('fadd@32', 'x@32', ('fneg@32', 'x@32'))"));
  EXPECT_TRUE(Matches(rule, "('fadd@32', ('fneg@32', 'x@32'), 'x@32')"));
  EXPECT_FALSE(Matches(rule, "('fadd@32', 'x@32', ('fneg@32', 'y@32'))"));
  EXPECT_FALSE(Matches("(('fsub', a, ('fneg', b)), a)", "('fsub@32', ('fneg@32', 'x@32'), 'x@32')"));
  EXPECT_FALSE(Matches(rule, "('fadd@32', 'x@32x2.x', ('fneg@32', 'x@32x2.y'))"));
  EXPECT_TRUE(Matches(rule, "('fadd@32', 'x@32x2.y', ('fneg@32', 'x@32x2.y'))"));
  EXPECT_TRUE(Matches("(('fadd', '#a', b), a)", "('fadd@32', 'x@32', 1.0@32)"));
  EXPECT_FALSE(Matches("(('fadd', '#a', b), a)", "('fadd@32', 'x@32', 'y@32')"));
}

TEST(Match, GivesTheMatchOfEachOrder) {
  const CompiledRule rule = Compiled("(('fadd', a, ('fmul', b, c)), a)");
  const Term term = Parsed("('fadd@32', ('fmul@32', 'x@32', 'y@32'), ('fmul@32', 'x@32', 'z@32'))");
  std::set<std::vector<NodeIndex>> found;
  for (const Match& match : MatchesAt(rule, term, term.root)) {
    std::vector<NodeIndex> nodes;
    for (const Binding& binding : match.variables) nodes.push_back(binding.node);
    found.insert(nodes);
  }
  EXPECT_EQ(found.size(), 4u);  // both products, each in two operand orders
  EXPECT_TRUE(MatchesAt(rule, Parsed("('fadd@32', 'x@32', 'y@32')"), 2).empty());
}

TEST(Match, TriesAllOrders) {
  const char* rule = "(('fadd', ('fmul', a, b), ('fadd', ('fmul', b, c), a)), a)";
  EXPECT_TRUE(
      Matches(rule, "('fadd@32', ('fadd@32', 'x@32', ('fmul@32', 'z@32', 'y@32')), ('fmul@32', 'y@32', 'x@32'))"));
  EXPECT_FALSE(
      Matches(rule, "('fadd@32', ('fadd@32', 'x@32', ('fmul@32', 'z@32', 'y@32')), ('fmul@32', 'w@32', 'x@32'))"));
}

// If True and False matched wider values, the rule would turn a select that clears a float into an iand of a Boolean
// and a float.
TEST(Match, TrueAndFalseAreOneBit) {
  const char* rule = "(('bcsel', a, b, False), ('iand', a, b))";
  EXPECT_TRUE(Matches(rule, "('bcsel@1', 'x@1', 'y@1', 0x0@1)"));
  EXPECT_FALSE(Matches(rule, "('bcsel@32', 'x@1', 'y@32', 0x00000000@32)"));
  EXPECT_TRUE(Matches("(('ieq', a, True), a)", "('ieq@1', 'x@1', 0x1@1)"));
  EXPECT_FALSE(Matches("(('ieq', a, True), a)", "('ieq@1', 'x@32', 0x00000001@32)"));
}

TEST(Match, SizesAndTypes) {
  EXPECT_FALSE(Matches("(('iadd@16', a, b), a)", "('iadd@32', 'x@32', 'y@32')"));
  EXPECT_TRUE(Matches("(('iadd', 'a@32', b), a)", "('iadd@32', 'x@32', 'y@32')"));
  EXPECT_TRUE(Matches("(('i2f', a), ('u2f', a))", "('i2f32@32', 'x@16')"));
  EXPECT_FALSE(Matches("(('i2f', a), ('u2f', a))", "('u2f32@32', 'x@16')"));
  EXPECT_TRUE(Matches("(('iadd', 'a@float', b), a)", "('iadd@32', ('fneg@32', 'x@32'), 'y@32')"));
  EXPECT_FALSE(Matches("(('iadd', 'a@float', b), a)", "('iadd@32', 'x@32', ('ineg@32', 'y@32'))"));
  EXPECT_TRUE(Matches("(('b2i32', 'a@bool'), ('b2i32', a))",
                      "('b2i32@32', ('iand@1', ('flt@1', 'x@32', 'y@32'), ('ilt@1', 'x@32', 'y@32')))"));
  EXPECT_FALSE(
      Matches("(('b2i32', 'a@bool'), ('b2i32', a))", "('b2i32@32', ('iand@1', ('flt@1', 'x@32', 'y@32'), 'z@1'))"));
}

TEST(Match, Literals) {
  const char* zero = "(('fadd', a, 0.0), a)";
  EXPECT_TRUE(Matches(zero, "('fadd@32', 'x@32', 0x80000000@32)"));  // a float zero matches both zeros
  MatchOptions exact;
  exact.literals_exact = true;
  EXPECT_FALSE(Matches(zero, "('fadd@32', 'x@32', 0x80000000@32)", exact));
  EXPECT_TRUE(Matches(zero, "('fadd@32', 'x@32', 0x00000000@32)", exact));
  // An integer zero matches only the same bits.
  EXPECT_FALSE(Matches("(('fadd', a, 0), a)", "('fadd@32', 'x@32', 0x80000000@32)"));
  EXPECT_TRUE(Matches("(('iadd', a, -1), a)", "('iadd@8', 'x@8', 0xff@8)"));
  // NaN does not equal anything.
  EXPECT_FALSE(Matches("(('fadd', a, 'nan'), a)", "('fadd@32', 'x@32', 0x7fc00000@32)"));
  EXPECT_FALSE(Matches("(('fmul', a, 0.1), a)", "('fmul@32', 'x@32', 0x3dcccccd@32)"));  // 0.1 is not a 32-bit float
  EXPECT_TRUE(Matches("(('fmul', a, 0.5), a)", "('fmul@16', 'x@16', 0x3800@16)"));
  EXPECT_TRUE(Matches("(('fmul@32', a, 0x3f000000@32), a)", "('fmul@32', 0x3f000000@32, 'x@32')"));
  EXPECT_FALSE(Matches("(('bcsel', True, a, b), a)", "('bcsel@32', 0x0@1, 'x@32', 'y@32')"));
}

TEST(Match, FlagsAndExactness) {
  EXPECT_FALSE(Matches("(('fadd(nsz)', a, 0.0), a)", "('fadd@32', 'x@32', 0.0@32)"));
  EXPECT_TRUE(Matches("(('fadd(nsz)', a, 0.0), a)", "('fadd@32(nsz,nnan)', 'x@32', 0.0@32)"));
  const char* inexact = "(('~fadd', ('fmul', a, b), c), ('ffma', a, b, c))";
  EXPECT_TRUE(Matches(inexact, "('fadd@32', ('fmul@32', 'x@32', 'y@32'), 'z@32')"));
  EXPECT_FALSE(Matches(inexact, "('!fadd@32', ('fmul@32', 'x@32', 'y@32'), 'z@32')"));
  EXPECT_FALSE(Matches(inexact, "('fadd@32', ('!fmul@32', 'x@32', 'y@32'), 'z@32')"));
  EXPECT_TRUE(Matches("(('~fadd', ignore_exact('fmul', a, b), c), ('ffma', a, b, c))",
                      "('fadd@32', ('!fmul@32', 'x@32', 'y@32'), 'z@32')"));
  MatchOptions options;
  options.nodes_state_fast_math = true;
  EXPECT_FALSE(Matches(inexact, "('fadd@32(nsz)', ('fmul@32', 'x@32', 'y@32'), 'z@32')", options));
  EXPECT_TRUE(Matches(inexact, "('fadd@32(nsz,nnan,ninf)', ('fmul@32', 'x@32', 'y@32'), 'z@32')", options));
  options.denormals_flushed = true;
  EXPECT_FALSE(Matches(inexact, "('fadd@32(nsz,nnan,ninf)', ('fmul@32', 'x@32', 'y@32'), 'z@32')", options));
}

TEST(Match, Predicates) {
  const char* rule = "(('imul', a, '#b(is_pos_power_of_two)'), ('ishl', a, ('find_lsb', b)))";
  EXPECT_TRUE(Matches(rule, "('imul@32', 0x00000008@32, 'x@32')"));
  EXPECT_FALSE(Matches(rule, "('imul@32', 0x00000006@32, 'x@32')"));
  EXPECT_FALSE(Matches("(('fmul', 'a(is_not_negative)', b), b)", "('fmul@32', 'x@32', 'y@32')"));
  EXPECT_TRUE(Matches("(('fmul', 'a(is_not_negative)', b), b)", "('fmul@32', 1.0@32, 'y@32')"));
  EXPECT_FALSE(Matches("(('fadd', 'a(is_not_const)', 1.0), a)", "('fadd@32', 1.0@32, 1.0@32)"));
  EXPECT_TRUE(
      Matches("(('fadd', 'a(is_fmul)', b), a)", "('fadd@32', 'x@32', ('fneg@32', ('fmul@32', 'x@32', 'y@32')))"));
  MatchOptions known;
  known.facts = [](const PredicateQuery& query) { return query.predicate == "is_not_negative"; };
  EXPECT_TRUE(Matches("(('fmul', 'a(is_not_negative)', b), b)", "('fmul@32', 'x@32', 'y@32')", known));
}

TEST(Match, Swizzles) {
  const char* rule = "(('pack_64_2x32_split', ('unpack_64_2x32', a), ('unpack_64_2x32.y', a)), a)";
  EXPECT_TRUE(
      Matches(rule, "('pack_64_2x32_split@64', ('unpack_64_2x32@32x2', 'x@64'), ('unpack_64_2x32@32x2.y', 'x@64'))"));
  EXPECT_FALSE(
      Matches(rule, "('pack_64_2x32_split@64', ('unpack_64_2x32@32x2', 'x@64'), ('unpack_64_2x32@32x2', 'x@64'))"));
}

TEST(Replace, BuildsWhatTheRuleSays) {
  EXPECT_EQ(Rewritten({"(('fsub', a, b), ('fadd', a, ('fneg', b)))"}, "('fsub@16', 'x@16', 2.0@16)"),
            "('fadd@16', 'x@16', 0xc000@16)");
  EXPECT_EQ(Rewritten({"(('fmul', a, 2.0), ('fadd', a, a))"}, "('fmul@32', 'x@32', 0x40000000@32)"),
            "('fadd@32', 'x@32', 'x')");
  EXPECT_EQ(Rewritten({"(('fadd', a, a), ('fmul', a, 2.0))"}, "('fadd@64', 'x@64', 'x')"),
            "('fmul@64', 'x@64', 0x4000000000000000@64)");
  // Sizes follow from variables and from the root.
  EXPECT_EQ(Rewritten({"(('b2f', 'a@1'), ('bcsel', a, 1.0, 0.0))"}, "('b2f16@16', 'x@1')"),
            "('bcsel@16', 'x@1', 0x3c00@16, 0x0000@16)");
  EXPECT_EQ(Rewritten({"(('ine', a, 0), ('inot', ('ieq', a, 0)))"}, "('ine@1', 'x@8', 0x00@8)"),
            "('inot@1', ('ieq@1', 'x@8', 0x00@8))");
  EXPECT_EQ(Rewritten({"(('i2f', ('i2i', 'a@8')), ('i2f', a))"}, "('i2f32@32', ('i2i16@16', 'x@8'))"),
            "('i2f32@32', 'x@8')");
}

TEST(Replace, CarriesFlagsOfTheRoot) {
  EXPECT_EQ(Rewritten({"(('fneg', ('fmul', a, b)), ('fmul', a, ('fneg', b)))"},
                      "('fneg@32(nsz)', ('!fmul@32(ninf)', 'x@32', 'y@32'))"),
            "('!fmul@32(nsz)', 'x@32', ('!fneg@32(nsz)', 'y@32'))");
  EXPECT_EQ(Rewritten({"(('fneg', ('fneg', a)), ('!fmul', a, 1.0))"}, "('fneg@32', ('fneg@32', 'x@32'))"),
            "('!fmul@32', 'x@32', 0x3f800000@32)");
}

TEST(Replace, KeepsComponents) {
  EXPECT_EQ(Rewritten({"(('fadd', a, ('fneg', b)), ('fsub', a, b))"},
                      "('fadd@32x3', 'x@32x3', ('fneg@32x3.zyx', 'y@32x4.wzyx'))"),
            "('fsub@32x3', 'x@32x3', 'y@32x4.yzw')");
  // A bare variable read through a swizzle at the root becomes a mov.
  EXPECT_EQ(Rewritten({"(('fneg', ('fneg', a)), a)"}, "('fneg@32', ('fneg@32', 'x@32x2.y'))"),
            "('mov@32', 'x@32x2.y')");
  EXPECT_EQ(Rewritten({"(('vec2', 'a.y', 'a.x'), 'a.yx')"}, "('vec2@32x2', 'x@32x2.y', 'x@32x2.x')").substr(0, 8),
            "('mov@32");
  EXPECT_EQ(
      Rewritten({"(('fmul', a, 1.0), ('fadd', a, 0.5))"}, "('fmul@32x2', 'x@32x2', '0x3f800000,0x3f800000@32x2')"),
      "('fadd@32x2', 'x@32x2', '0x3f000000,0x3f000000@32x2')");
}

TEST(Rewriter, FirstRuleWinsAndWorkContinues) {
  EXPECT_EQ(Rewritten({"(('fneg', ('fneg', a)), a)", "(('fsub', a, b), ('fadd', a, ('fneg', b)))"},
                      "('fsub@32', 'x@32', ('fneg@32', ('fneg@32', ('fneg@32', 'y@32'))))"),
            "('fadd@32', 'x@32', 'y@32')");
  EXPECT_EQ(Rewritten({"(('fadd', a, 0.0), a)", "(('fadd', a, b), ('fsub', a, b))"}, "('fadd@32', 'x@32', 0.0@32)"),
            "'x@32'");
}

TEST(Rewriter, CountsUses) {
  const std::vector<const char*> rules = {"(('fadd', ('fmul(is_used_once)', a, b), c), ('ffma', a, b, c))"};
  EXPECT_EQ(Rewritten(rules, "('fadd@32', ('fmul@32', 'x@32', 'y@32'), 'z@32')"),
            "('ffma@32', 'x@32', 'y@32', 'z@32')");
  const char* twice = "('fsub@32', ('fadd@32', ('fmul@32', 'x@32', 'y@32'), 'z@32'), ('fmul@32', 'x', 'y'))";
  EXPECT_EQ(Rewritten(rules, twice), PrintTerm(Parsed(twice)));
  // The sum is visited before the other use disappears, and must be visited again.
  EXPECT_EQ(Rewritten({rules[0], "(('fsub', a, b), a)"},
                      "('vec2@32x2', ('fsub@32', 'w@32', ('fmul@32', 'x@32', 'y@32')), ('fadd@32', ('fmul@32', 'x', "
                      "'y'), 'z@32'))"),
            "('vec2@32x2', 'w@32', ('ffma@32', 'x@32', 'y@32', 'z@32'))");
  // Another rule removes the second use; after that, rules[0] matches.
  EXPECT_EQ(Rewritten({rules[0], "(('fsub', a, b), a)"}, twice), "('ffma@32', 'x@32', 'y@32', 'z@32')");
}

TEST(Rewriter, StopsAtItsBound) {
  std::vector<CompiledRule> rules = {Compiled("(('fadd', a, b), ('fadd', b, a))")};
  Term term = Parsed("('fadd@32', 'x@32', 'y@32')");
  const RewriteResult result = Rewriter(rules, {}, 51).Run(&term);
  EXPECT_TRUE(result.step_limit_reached);
  EXPECT_EQ(result.applications.size(), 51u);
  EXPECT_EQ(PrintTerm(term), "('fadd@32', 'y@32', 'x@32')");
}

TEST(Rewriter, MovesWhatAShaderKnows) {
  Shader shader;
  shader.values = Parsed("('fadd@32', ('fneg@32', ('fneg@32', 'x@32')), 'y@32')");
  const size_t count = shader.values.nodes.size();
  shader.info.resize(count);
  for (size_t i = 0; i < count; ++i) shader.info[i].line = static_cast<int>(10 + i);
  // The outer fneg is stored twice, once before y is loaded. The nodes are x, fneg, fneg, y, fadd.
  shader.uses = {{"store", 0, 3, {{2, 0}}, {}}, {"tex", 0, 3, {}, {3}}, {"store", 0, 5, {{2, 0}, {4, 0}}, {}}};
  shader.info[0].opaque = "phi";
  std::vector<CompiledRule> rules = {Compiled("(('fneg', ('fneg', a)), a)"),
                                     Compiled("(('fadd', a, b), ('fsub', a, ('fneg', b)))")};
  const RewriteResult result = Rewriter(rules, {}).Run(&shader);
  EXPECT_EQ(result.applications.size(), 2u);
  ASSERT_EQ(shader.values.nodes.size(), shader.info.size());
  ASSERT_EQ(shader.values.nodes.size(), 4u);  // x, y, fneg, fsub
  const NodeIndex x = result.values[2].node, root = result.values[count - 1].node;
  EXPECT_EQ(shader.values.nodes[x].name, "x");
  EXPECT_EQ(OutsideUses(shader)[x], 2u);
  EXPECT_EQ(shader.info[x].opaque, "phi");
  EXPECT_EQ(shader.values.nodes[root].op->name, "fsub");
  EXPECT_EQ(shader.info[root].line, static_cast<int>(10 + count - 1));
  EXPECT_EQ(OutsideUses(shader)[root], 1u);
  EXPECT_FALSE(result.alive[1]);
  ASSERT_EQ(shader.uses.size(), 3u);
  EXPECT_EQ(shader.uses[0].before, x + 1);
  EXPECT_EQ(shader.uses[0].reads, (std::vector<ShaderLane>{{x, 0}}));
  ASSERT_EQ(shader.uses[1].gives.size(), 1u);
  EXPECT_EQ(shader.values.nodes[shader.uses[1].gives[0]].name, "y");
  EXPECT_GE(shader.uses[1].gives[0], shader.uses[1].before);
  EXPECT_EQ(shader.uses[2].reads, (std::vector<ShaderLane>{{x, 0}, {root, 0}}));
  EXPECT_EQ(shader.uses[2].before, 4u);
  for (NodeIndex i = 0; i < shader.values.nodes.size(); ++i) {
    for (const Source& source : shader.values.nodes[i].sources) EXPECT_LT(source.node, i);
  }
}

// A rule builds a new sum for a store that precedes a load. The sum is built before the store, and the store stays
// before the load.
TEST(Rewriter, KeepsStoresInFrontOfLoads) {
  Shader shader;
  shader.values = Parsed("('fadd@32', ('fsub@32', 'x@32', 'y@32'), 'z@32')");  // x, y, fsub, z, fadd
  ASSERT_EQ(shader.values.nodes[3].name, "z");
  shader.info.resize(5);
  shader.uses = {{"store_reg", 0, 3, {{2, 0}}, {}}, {"store", 0, 5, {{4, 0}}, {}}};
  const std::vector<CompiledRule> rules = {Compiled("(('fsub', a, b), ('fadd', a, ('fneg', b)))")};
  EXPECT_EQ(Rewriter(rules, {}).Run(&shader).applications.size(), 1u);
  ASSERT_EQ(shader.values.nodes.size(), 6u);
  NodeIndex z = 0;
  while (shader.values.nodes[z].name != "z") ++z;
  EXPECT_EQ(shader.values.nodes[shader.uses[0].reads[0].node].op->name, "fadd");
  EXPECT_LT(shader.uses[0].reads[0].node, shader.uses[0].before);
  EXPECT_LE(shader.uses[0].before, z);
}

// A rule whose search has a relation between its constants (ir/match/relation.h).
constexpr char kShifts[] =
    "(('where', ('ushr', ('ushr', a, '#b(is_ult_32)'), '#c(is_ult_32)'), ('ult', ('iadd', b, c), 32)), "
    "('ushr', a, ('iadd', b, c)))";

std::string Shifts(int first, int second) {
  return "('ushr@32', ('ushr@32', 'x@32', " + std::to_string(first) + "@32), " + std::to_string(second) + "@32)";
}

TEST(Match, MeetsTheRelation) {
  EXPECT_TRUE(Matches(kShifts, Shifts(15, 16)));
  EXPECT_FALSE(Matches(kShifts, Shifts(16, 16)));
  EXPECT_FALSE(Matches(kShifts, Shifts(16, 17)));
  EXPECT_TRUE(Matches(kShifts, Shifts(31, 0)));
  EXPECT_FALSE(Matches(kShifts, "('ushr@32', ('ushr@32', 'x@32', 'b@32'), 3@32)"));  // not a constant
  EXPECT_EQ(Rewritten({kShifts}, Shifts(15, 16), {.facts = &FactsOfNodes}), "('ushr@32', 'x@32', 0x0000001f@32)");
  EXPECT_EQ(Rewritten({kShifts}, Shifts(16, 16), {.facts = &FactsOfNodes}), Shifts(16, 16));
  // The root and the ops of a match are those of the term that `where` encloses.
  const CompiledRule rule = Compiled(kShifts);
  EXPECT_EQ(rule.root_ops()[0]->name, "ushr");
  const Term term = Parsed(Shifts(1, 2));
  const auto match = MatchAt(rule, term, term.root, {.facts = &FactsOfNodes});
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->ops.size(), 2u);
}

TEST(Match, RelationsAreNotSymmetric) {
  const char* rule = "(('where', ('umin', ('umin', a, '#b'), '#c'), ('ult', b, c)), ('umin', a, b))";
  EXPECT_TRUE(Matches(rule, "('umin@16', ('umin@16', 'x@16', 3@16), 4@16)"));
  EXPECT_TRUE(Matches(rule, "('umin@16', 4@16, ('umin@16', 3@16, 'x@16'))"));
  EXPECT_FALSE(Matches(rule, "('umin@16', ('umin@16', 'x@16', 4@16), 3@16)"));
  EXPECT_FALSE(Matches(rule, "('umin@16', ('umin@16', 'x@16', 3@16), 3@16)"));
  EXPECT_TRUE(Matches(rule, "('umin@16', ('umin@16', 'x@16', 3@16), -1@16)"));  // unsigned comparison
  // The relation uses the constants' size: 0x100 + 0xff00 is 0 at 16 bits.
  const char* sum = "(('where', ('iadd', ('iadd', a, '#b'), '#c'), ('ult', ('iadd', b, c), 1)), a)";
  EXPECT_TRUE(Matches(sum, "('iadd@16', ('iadd@16', 'x@16', 0x100@16), 0xff00@16)"));
  EXPECT_FALSE(Matches(sum, "('iadd@32', ('iadd@32', 'x@32', 0x100@32), 0xff00@32)"));
}

// Another operand order may satisfy the relation even if the first one does not.
TEST(Match, RelationChoosesTheOrder) {
  const char* rule = "(('where', ('imul', ('iadd', a, '#b'), ('iadd', a, '#c')), ('ult', b, c)), a)";
  for (const char* text : {"('imul@32', ('iadd@32', 'x@32', 3@32), ('iadd@32', 'x@32', 5@32))",
                           "('imul@32', ('iadd@32', 'x@32', 5@32), ('iadd@32', 'x@32', 3@32))"}) {
    EXPECT_TRUE(Matches(rule, text)) << text;
  }
  EXPECT_FALSE(Matches(rule, "('imul@32', ('iadd@32', 'x@32', 5@32), ('iadd@32', 'x@32', 5@32))"));
}

TEST(Match, RelationHoldsInEachComponent) {
  const auto shifts = [](const char* first, const char* second) {
    return std::string("('ushr@32x2', ('ushr@32x2', 'x@32x2', ") + first + "), " + second + ")";
  };
  Term term = Parsed(shifts("5@32x2", "20@32x2"));
  ASSERT_TRUE(MatchAt(Compiled(kShifts), term, term.root, {.facts = &FactsOfNodes}).has_value());
  for (Node& node : term.nodes) {
    if (node.kind == NodeKind::kConstant) node.values[1] = 20;  // 5 + 20 in x, 40 in y
    node.literal = LiteralKind::kBits;
  }
  EXPECT_FALSE(MatchAt(Compiled(kShifts), term, term.root, {.facts = &FactsOfNodes}).has_value());
}

TEST(Compile, Refuses) {
  const auto error = [](absl::string_view text) {
    return std::string(CompiledRule::Compile(*ParseRule(text)).status().message());
  };
  std::string sum = "a";
  for (char c = 'b'; c <= 'j'; ++c) sum = std::string("('fadd', ") + c + ", " + sum + ")";
  EXPECT_NE(error("(" + sum + ", a)").find("more than 8 commutative"), std::string::npos);
  EXPECT_NE(error("(('iadd', 'a@8', 'b@16'), a)").find("share one size"), std::string::npos);
}

}  // namespace
}  // namespace rewrought::ir
