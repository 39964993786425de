#include "ir/text/rule_text.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/text/node_table.h"
#include "ir/text/predicates.h"
#include "proto/parse_limits.h"

namespace rewrought::ir {
namespace {

void ExpectRoundTrip(absl::string_view text) {
  const absl::StatusOr<Rule> rule = ParseRule(text);
  ASSERT_TRUE(rule.ok()) << text << "\n" << rule.status();
  const std::string printed = PrintRule(*rule);
  const absl::StatusOr<Rule> again = ParseRule(printed);
  ASSERT_TRUE(again.ok()) << printed << "\n" << again.status();
  EXPECT_EQ(PrintRule(*again), printed) << text;
  EXPECT_TRUE(SameTerm(again->search, rule->search)) << printed;
  EXPECT_TRUE(SameTerm(again->replace, rule->replace)) << printed;
  EXPECT_EQ(again->condition, rule->condition);
}

std::string Canonical(absl::string_view text) {
  const absl::StatusOr<Rule> rule = ParseRule(text);
  return rule.ok() ? PrintRule(*rule) : std::string(rule.status().message());
}

TEST(RuleText, PrintsOneForm) {
  EXPECT_EQ(Canonical("(('fadd', a, 0.0), a)"), "(('fadd', 'a', 0.0), 'a')");
  EXPECT_EQ(Canonical("( (\"fadd\" ,'a', -0.0,), a, )"), "(('fadd', 'a', -0.0), 'a')");
  EXPECT_EQ(Canonical("((~fadd, a, b), a)").find("line 1, column 3: "), 0u);
  EXPECT_EQ(Canonical("(('~fadd@32(ninf,nsz)', a, b), ('!fsub', a, b))"),
            "(('~fadd@32(nsz,ninf)', 'a', 'b'), ('!fsub', 'a', 'b'))");
  EXPECT_EQ(Canonical("(('imul', 'a@bool1', 0x10), -1)"), "(('imul', 'a@bool', 16), -1)");
  EXPECT_EQ(Canonical("(('iand', 'a@32', 0xffffffffffffffff), 0x3f800000@32)"),
            "(('iand', 'a@32', -1), 0x3f800000@32)");
  EXPECT_EQ(Canonical("(('fmul', '#a(is_nan)', 1e-3), float('inf'))"), "(('fmul', '#a(is_nan)', 0.001), 'inf')");
  EXPECT_EQ(Canonical("(('fadd', a, b), a, \"x['y']\" ' && z')"), "(('fadd', 'a', 'b'), 'a', \"x['y'] && z\")");
  EXPECT_EQ(Canonical("(('fadd', a, b), a, 'x\\'\"\\\\')"), "(('fadd', 'a', 'b'), 'a', 'x\\'\"\\\\')");
  EXPECT_EQ(Canonical("(('fadd', a, b), a, 'true', nir_algebraic.TestStatus(1, [2]))"),
            "(('fadd', 'a', 'b'), 'a', 'true')");
  EXPECT_EQ(Canonical("(ignore_exact('fadd', a, b), a)"), "(ignore_exact('fadd', 'a', 'b'), 'a')");
  EXPECT_EQ(Canonical("(('vec2', 'a.y', b), 'a.xy')"), "(('vec2', 'a.y', 'b'), ('mov', 'a.xy'))");
}

TEST(RuleText, RoundTrips) {
  for (const char* text :
       {"(('fadd', 'a@float16', ('fneg(is_used_once,nsz)', '#b@32(is_not_zero)')), ('fsub', a, b), 'options->x')",
        "(('fadd', ('fmul', a, b), ('fmul', a, b)), ('fmul', 2.0, ('fmul', a, b)))",
        "(('iadd', ('ishl', a, 3), ('ishl', a, 3)), ('ishl', a, 4))",
        "(('pack_64_2x32_split', ('unpack_64_2x32_split_x', a), ('unpack_64_2x32_split_y', a)), a)",
        "(('vec4', 'a.x', 'a.y', 'a.z', 'a.w'), ('vec4', 'a.w', 'a.z', 'a.y', 'a.x'))",
        "(('i2f', ('i2i', 'a@16')), ('i2f', a))", "(('bcsel', a, True, False), a)",
        "(('fadd', 5e-324, 1.7976931348623157e308), 0.1)", "(('iadd', 9223372036854775808, -9223372036854775808), 0)",
        "(('fadd(many-comm-expr)', a, b), 'nan')", "(('fmul', 'a', '-inf'), a)",
        "(('fadd@32x2:x', 'a@32x2', '0x3f800000,0x00000000@32x2.yx'), 'a@32x2.yx')", "(('ior', '0x1@1.x', a), a)"}) {
    ExpectRoundTrip(text);
  }
}

TEST(RuleText, SharesRepeatsWhoseSizesFollow) {
  const absl::StatusOr<Rule> rule = ParseRule("(('fadd', ('fmul', a, 2.0), ('fmul', a, 2.0)), ('fmul', a, 4.0))");
  ASSERT_TRUE(rule.ok());
  EXPECT_EQ(rule->search.nodes.size(), 4u);  // a, 2.0, fmul, fadd
  EXPECT_EQ(rule->search.root_node().sources[0], rule->search.root_node().sources[1]);
  // These nodes stay separate: zeros may match zeros of different signs, conversions may have different sizes, and
  // flags distinguish ops.
  for (const char* apart :
       {"(('fadd', ('fmul', a, 0.0), ('fmul', a, 0.0)), a)", "(('iadd', ('i2i', a), ('i2i', a)), a)",
        "(('fadd', ('fmul(nsz)', a, b), ('fmul', a, b)), a)"}) {
    const absl::StatusOr<Rule> other = ParseRule(apart);
    ASSERT_TRUE(other.ok()) << other.status();
    const std::vector<Source>& sources = other->search.root_node().sources;
    EXPECT_NE(sources[0].node, sources[1].node) << apart;
  }
}

TEST(RuleText, ReadsMarksAndFlags) {
  const absl::StatusOr<Rule> rule =
      ParseRule("(('~fadd@16(nnan,is_used_once)', '#a@float32(is_nan)', b), ('!fneg', b))", 7);
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->line, 7);
  const Node& root = rule->search.root_node();
  EXPECT_EQ(root.flags, kInexact | kNoNan);
  EXPECT_EQ(root.bits, 16);
  EXPECT_EQ(root.predicates, std::vector<std::string>{"is_used_once"});
  const Node& a = rule->search.at(root.sources[0].node);
  EXPECT_TRUE(a.constant_only && a.typed && a.type == BaseType::kFloat && a.bits == 32);
  EXPECT_EQ(rule->replace.root_node().flags, kExact);
}

struct Refusal {
  const char* text;
  int column;
  const char* message;  // a fragment of the error message
};

TEST(RuleText, RefusesWithPlaceAndRemedy) {
  const Refusal refusals[] = {
      {"(('fnope', a, b), a)", 4, "no op is called 'fnope'"},
      {"(('fad', a, b), a)", 4, "no op is called 'fad'; did you mean 'fadd'? `rewrought ops`"},
      {"(('select', a, b, c), b)", 4, "no op is called 'select'; did you mean 'bcsel'?"},
      {"(('fadd', a), a)", 4, "fadd takes 2 sources, not 1"},
      {"(('fneg', a, b), a)", 4, "fneg takes 1 source, not 2"},
      {"(('vec4', a, b, c, d, e), a)", 23, "more than 4 sources"},
      {"(('fadd', 'a1', b), b)", 12, "only letters"},
      {"(('fadd', 'a_b', b), b)", 12, "only letters"},
      {"(('fadd', a, '1.0'), a)", 15, "numbers without quotes"},
      {"(('fadd', a, 'True'), a)", 15, "without quotes"},
      {"(('fadd', a, b), c)", 18, "'c' is not in the search side"},
      {"(('fadd', a, b), ('~fsub', a, b))", 20, "~ is allowed only on the search side"},
      {"(('~!fadd', a, b), a)", 4, "drop one of the marks"},
      {"(('fadd(is_used_once,is_used_by_if)', a, b), a)", 22, "two predicates"},
      {"(('fadd', 'a(is_nan,is_odd)', b), a)", 21, "two predicates"},
      {"(('fadd', 'a(is_nice)', b), a)", 14, "unknown predicate 'is_nice'"},
      {"(('fadd(is_nan)', a, b), a)", 9, "for variables"},
      {"(('fadd', 'a(is_used_once)', b), a)", 14, "for ops"},
      {"(('fadd', 'a(nsz)', b), a)", 14, "belongs on an op"},
      {"(('i2f@32', a), a)", 4, "write 'i2f32'"},
      {"(a, ('fadd', a, 0.0))", 2, "not a bare variable"},
      {"(1.0, a)", 2, "not a bare variable"},
      {"(('fadd', a, b), '#a')", 19, "belong to the search side"},
      {"(('fadd', a, b), 'a(is_nan)')", 19, "belong to the search side"},
      {"(('fadd', a, b), ('fneg(is_used_once)', a))", 20, "predicates belong to the search side"},
      {"(('fadd', a, 'a(is_nan)'), a)", 15, "first use"},
      {"(('fadd', 'a@16', 'a@32'), a)", 20, "16 bits at its first use"},
      {"(('fadd@7', a, b), a)", 9, "no value has '7' bits"},
      {"(('fadd(nsz)@32', a, b), a)", 13, "before the parentheses"},
      {"(('flt@32', a, b), a)", 4, "omit the size"},
      {"(('fadd.y', a, b), a)", 2, "swizzle on the root"},
      {"(('fadd', 'a.q', b), a)", 14, "letters x, y, z, w"},
      {"(('fadd', a, b), a", 19, "expected ')' at the end"},
      {"(('fadd', a, b) a)", 17, "',' and the replacement"},
      {"(('fadd' a, b), a)", 10, "expected ',' or ')'"},
      {"(('fadd', a, 1.0/3.0), a)", 17, "unexpected character"},
      {"(('fadd', a, 12ab), a)", 14, "not a 64-bit integer"},
      {"(('fadd', a, 99999999999999999999), a)", 14, "not a 64-bit integer"},
      {"(('fadd', a, 1e999), a)", 14, "range of a double"},
      {"(('fadd', a, 'b), a)", 14, "no closing quote"},
      {"(('fadd', fneg(a), b), a)", 11, "inside its parentheses"},
      {"(('fadd', a, b), a) x", 21, "may follow a rule"},
      {"(('iadd', a, 0x1ff@8), a)", 20, "more than 8 bits"},
      {"(('fadd', a, b), [ADD()])", 18, "a list is not a value"},
  };
  for (const Refusal& refusal : refusals) {
    ParseError error;
    const absl::StatusOr<Rule> rule = ParseRule(refusal.text, 3, &error);
    ASSERT_FALSE(rule.ok()) << refusal.text;
    EXPECT_EQ(rule.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(error.line, 3) << refusal.text;
    EXPECT_EQ(error.column, refusal.column) << refusal.text << "\n" << error.message;
    EXPECT_NE(error.message.find(refusal.message), std::string::npos) << refusal.text << "\n" << error.message;
    EXPECT_NE(std::string(rule.status().message()).find(error.message), std::string::npos);
  }
}

std::string Repeated(absl::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text.append(part.data(), part.size());
  return text;
}

// Parses every prefix of rules that cover the whole grammar, and every text with one byte replaced by a hostile one.
TEST(RuleText, SurvivesHostileText) {
  const std::string rules[] = {
      "(('~fadd@32(nsz,is_used_once)', '#c(is_odd)', ('unpack_half_2x16.y', 'a@bool32')), ('!fsub', -1e-3, 'c.xyz'), "
      "'x', [1])",
      "(('bcsel', True, '0x1,0x2@32x2.yx', 0x3f800000@32), float('inf'), \"a\\\"b\") # c"};
  size_t tried = 0, parsed = 0;
  for (const std::string& rule : rules) {
    for (size_t i = 0; i < rule.size(); ++i) {
      std::vector<std::string> mutants = {rule.substr(0, i), rule.substr(i), rule.substr(0, i) + rule.substr(i + 1)};
      for (const char c : {'\0', '\xff', '(', ')', '\'', '"', ',', '@', '9', '.', '#', '\n', '-', '~', '\\', '['}) {
        std::string mutant = rule;
        mutant[i] = c;
        mutants.push_back(mutant);
      }
      for (const std::string& mutant : mutants) {
        ++tried;
        ParseError error;
        const absl::StatusOr<Rule> parse = ParseRule(mutant, 1, &error);
        ParseRules(mutant);
        if (parse.ok()) {
          ++parsed;
          ExpectRoundTrip(mutant);
        } else {
          EXPECT_GE(error.line, 1);
          EXPECT_GE(error.column, 1);
          EXPECT_FALSE(error.message.empty());
        }
      }
    }
  }
  EXPECT_GT(tried, 3000u);
  EXPECT_GT(parsed, 50u);
}

TEST(RuleText, BoundsWhatItReads) {
  const std::vector<std::string> texts = {Repeated("(", 100000),
                                          Repeated("('fneg', ", 201),
                                          Repeated("('fneg', ", 100000),
                                          std::string(2000000, 'a'),
                                          "(('fadd', " + std::string(100, 'a') + ", b), b)",
                                          "(('" + std::string(70000, 'f') + "', a, b), b)",
                                          "(('fadd', a, " + std::string(100000, '1') + "), a)",
                                          "(('fadd', a, 0." + std::string(100000, '1') + "e), a)",
                                          "(('fadd', 'a(" + Repeated("is_nan,", 10000) + ")', b), a)",
                                          "(('fadd', a, b), a, '" + std::string(1 << 21, 'x') + "')",
                                          std::string("(('fadd', a\0, b), a)", 20),
                                          "(('fadd', a, '\xc3\x28'), a)",
                                          Repeated("[", 100000),
                                          Repeated("\xff", 1000)};
  for (const std::string& text : texts) {
    EXPECT_FALSE(ParseRule(text).ok()) << text.substr(0, 60);
    ParseRules(text);
    EXPECT_FALSE(ParseTerm(text).ok()) << text.substr(0, 60);
  }
  std::string many = "a";
  for (char c = 'b'; c <= 'q'; ++c) many = std::string("('fadd', ") + c + ", " + many + ")";
  EXPECT_NE(ParseRule("(" + many + ", a)").status().message().find("more than 16 variables"), absl::string_view::npos);
  std::string wide = "('ffma', a, b, c)";
  for (int i = 0; i < 6; ++i) wide = "('ffma', " + wide + ", " + wide + ", " + wide + ")";
  EXPECT_TRUE(ParseRule("(" + wide + ", a)").ok());
  wide = "('ffma', " + wide + ", " + wide + ", " + wide + ")";
  EXPECT_NE(ParseRule("(" + wide + ", a)").status().message().find("more than 4096 values"), absl::string_view::npos);
}

TEST(RuleText, BoundsAFileOfRules) {
  constexpr proto::ParseLimits kLimits = proto::kRuleFileLimits;
  const std::vector<RuleEntry> long_file = ParseRules(std::string(kLimits.bytes + 1, ' '));
  ASSERT_EQ(long_file.size(), 1u);
  EXPECT_NE(long_file[0].error.message.find("a file of rules"), std::string::npos) << long_file[0].error.message;
  EXPECT_TRUE(ParseRules(std::string(kLimits.bytes, ' ')).empty());
  // Invalid lines count toward the limit, just as rules do.
  const std::string rule = "('fadd', a)\n", junk = "x\n";
  for (const std::string& line : {rule, junk}) {
    const std::vector<RuleEntry> entries = ParseRules(Repeated(line, kLimits.items + 9));
    ASSERT_EQ(entries.size(), kLimits.items + 1);
    EXPECT_EQ(entries.back().line, kLimits.items + 1);
    EXPECT_NE(entries.back().error.message.find("1000000 rules"), std::string::npos) << entries.back().error.message;
    EXPECT_EQ(entries[kLimits.items - 1].error.message.find("1000000 rules"), std::string::npos);
  }
}

// Printing a doubling DAG without a bound would take exponential space.
TEST(RuleText, BoundsWhatItPrints) {
  Term term = *ParseTerm("('fadd', a, a)");
  for (int i = 0; i < 60; ++i) {
    Node node = term.root_node();
    node.sources = {{term.root}, {term.root}};
    term.root = static_cast<NodeIndex>(term.nodes.size());
    term.nodes.push_back(node);
  }
  const std::string text = PrintTerm(term);
  EXPECT_LT(text.size(), 3 * proto::kRuleLimits.bytes);
  EXPECT_EQ(text.substr(text.size() - 3), "...");
}

TEST(RuleText, ReadsFilesRuleByRule) {
  const std::vector<RuleEntry> entries = ParseRules(
      "# header\noptimizations = [\n (('fadd', a, 0.0),\n   a),  # two lines\n (('fadd', a), a),\n\n"
      " (('fmul', a, 1.0), a, 'x'), (('fmul', a, -1.0), ('fneg', a)),\n (('fadd', a, b), a\n (('fsub', a, b), a) junk\n"
      " what\n (('fsub', a, b), [ADD(r(F), \"x]\", -b(F)).sat()], 'y'),\n])\n");
  ASSERT_EQ(entries.size(), 8u);
  const int lines[] = {3, 5, 7, 7, 8, 9, 10, 11};
  const bool ok[] = {true, false, true, true, false, false, false, true};
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].line, lines[i]) << i;
    EXPECT_EQ(entries[i].rule.ok(), ok[i]) << i << " " << entries[i].text;
    EXPECT_EQ(entries[i].error.line, ok[i] ? 0 : lines[i]) << i << entries[i].error.message;
  }
  EXPECT_EQ(entries[1].error.column, 5);
  EXPECT_EQ(entries[3].column, 30);
  EXPECT_EQ(entries[5].error.column, 22);
  EXPECT_EQ(entries[7].program, "[ADD(r(F), \"x]\", -b(F)).sat()]");
  EXPECT_EQ(entries[7].program_line, 11);
  EXPECT_EQ(entries[7].program_column, 19);
  EXPECT_EQ(entries[7].rule->condition, "y");
  EXPECT_TRUE(entries[7].rule->replace.nodes.empty());
}

// The target may list tests/rules as data. The corpus is always present.
TEST(RuleText, RoundTripsFiles) {
  size_t rules = 0;
  for (const char* folder : {"ir/text/corpus", "tests/rules"}) {
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".rules" || file.path().stem() == "broken") continue;
      std::ifstream stream(file.path());
      const std::string text((std::istreambuf_iterator<char>(stream)), {});
      for (const RuleEntry& entry : ParseRules(text)) {
        // The comment after a rule states the expected result; a search cannot be a bare variable.
        const auto start = static_cast<size_t>(entry.text.data() - text.data());
        const std::string line = text.substr(start, text.find('\n', start) - start);
        const bool may_fail = line.find("expect: error") != std::string::npos || line.substr(0, 2) == "(a";
        EXPECT_TRUE(may_fail || entry.rule.ok()) << line << "\n" << entry.rule.status();
        if (entry.rule.ok()) ExpectRoundTrip(entry.text);
        ++rules;
      }
    }
  }
  EXPECT_GE(rules, 40u);
}

TEST(Predicates, AreFoundByName) {
  for (const PredicateInfo& row : AllPredicates()) EXPECT_EQ(FindPredicate(row.name), &row);
  EXPECT_EQ(FindPredicate("is_nan")->kind, PredicateKind::kConstant);
  EXPECT_EQ(FindPredicate("is_a_number")->kind, PredicateKind::kRange);
  EXPECT_EQ(FindPredicate("is_not_const")->kind, PredicateKind::kStructural);
  EXPECT_EQ(FindPredicate("is_used_once")->kind, PredicateKind::kExpression);
  EXPECT_EQ(FindPredicate("is_nice"), nullptr);
}

}  // namespace
}  // namespace rewrought::ir
