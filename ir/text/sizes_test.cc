#include "ir/text/sizes.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/text/canonical.h"
#include "ir/text/components.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_text.h"

namespace rewrought::ir {
namespace {

// Returns "32:a=32,root=1 …" for all assignments, or the error message.
std::string Sizes(absl::string_view text, const SizeOptions& options = {}) {
  const absl::StatusOr<Rule> rule = ParseRule(text);
  if (!rule.ok()) return std::string(rule.status().message());
  const auto assignments = EnumerateSizes(*rule, options);
  if (!assignments.ok()) return std::string(assignments.status().message());
  std::string result;
  for (const SizeAssignment& assignment : *assignments) {
    absl::StrAppend(&result, result.empty() ? "" : " ", assignment.width, ":");
    for (const auto& [name, bits] : assignment.names)
      absl::StrAppend(&result, name == "root" ? "" : name + "=", bits, ",");
    result.pop_back();
  }
  return result;
}

Rule Sized(absl::string_view text, int width, const SizeOptions& options = {}) {
  const absl::StatusOr<Rule> rule = ParseRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status();
  const auto assignments = EnumerateSizes(*rule, options);
  EXPECT_TRUE(assignments.ok()) << text << "\n" << assignments.status();
  for (const SizeAssignment& assignment : *assignments) {
    if (assignment.width != width) continue;
    const absl::StatusOr<Rule> sized = Instantiate(*rule, assignment, options);
    EXPECT_TRUE(sized.ok()) << sized.status();
    return *sized;
  }
  ADD_FAILURE() << "no case of width " << width;
  return Rule();
}

TEST(Sizes, FollowTheOpsTypes) {
  EXPECT_EQ(Sizes("(('fadd', a, b), ('fadd', b, a))"), "16:a=16,b=16,16 32:a=32,b=32,32 64:a=64,b=64,64");
  EXPECT_EQ(Sizes("(('iadd', a, 0), a)"), "1:a=1,1 8:a=8,8 16:a=16,16 32:a=32,32 64:a=64,64");
  EXPECT_EQ(Sizes("(('iadd', 'a@32', 0), a)"), "32:a=32,32");
  EXPECT_EQ(Sizes("(('inot', ('flt', a, b)), ('fge', a, b))"), "16:a=16,b=16,1 32:a=32,b=32,1 64:a=64,b=64,1");
  EXPECT_EQ(Sizes("(('bcsel', a, b, b), b)"), "1:a=1,b=1,1 8:a=1,b=8,8 16:a=1,b=16,16 32:a=1,b=32,32 64:a=1,b=64,64");
  EXPECT_EQ(Sizes("(('ishl', a, b), ('ishl', a, b))"),
            "1:a=1,b=32,1 8:a=8,b=32,8 16:a=16,b=32,16 32:a=32,b=32,32 64:a=64,b=32,64");
  EXPECT_EQ(Sizes("(('iand', 'a@4', a), a)"), "4:a=4,4");
  EXPECT_EQ(Sizes("(('iadd', 'a@float', 0), a)"), "16:a=16,16 32:a=32,32 64:a=64,64");
  EXPECT_EQ(Sizes("(('ieq', a, True), a)"), "1:a=1,1");
}

TEST(Sizes, OfConversionsAreTheirOwn) {
  EXPECT_EQ(Sizes("(('f2f32', ('f2f', 'a@32')), a)"), "16:a=32,n1=16,32 32:a=32,n1=32,32 64:a=32,n1=64,32");
  EXPECT_EQ(Sizes("(('b2f', 'a@1'), ('b2f', a))"), "16:a=1,16 32:a=1,32 64:a=1,64");
  const Rule rule = Sized("(('b2f', 'a@1'), ('b2f', a))", 32);
  EXPECT_EQ(rule.search.root_node().op->name, "b2f32");
  EXPECT_EQ(rule.replace.root_node().op->name, "b2f32");
  // If several classes are free, the first variable's size is the width, and assignments of equal width are sorted by
  // the sizes in the order of their names.
  EXPECT_EQ(Sizes("(('ilt', ('i2i', 'a@8'), b), ('ilt', ('i2i', a), b))").substr(0, 9), "8:a=8,b=8");
  EXPECT_EQ(Sizes("(('iand', ('ine', a, 0), ('ieq', 'b@8', 0)), ('ine', a, 0))"),
            "1:a=1,b=8,1 8:a=8,b=8,1 16:a=16,b=8,1 32:a=32,b=8,1 64:a=64,b=8,1");
  const std::string two = Sizes("(('iand', ('ine', a, 0), ('ieq', b, 0)), ('ine', a, 0))");
  EXPECT_EQ(two.substr(0, 37), "1:a=1,b=1,1 1:a=1,b=8,1 1:a=1,b=16,1 ");
}

TEST(Sizes, NameWhatContradicts) {
  EXPECT_EQ(Sizes("(('iadd', 'a@16', 'b@32'), a)"),
            "'a' has 16 bits and 'b' has 32, but sources 1 and 2 of iadd share one size");
  EXPECT_EQ(Sizes("(('fadd@8', a, b), a)"), "the result of fadd has 8 bits, but fadd takes 16, 32, 64");
  EXPECT_NE(Sizes("(('ishl', a, 'b@16'), a)").find("'b' must have 32 bits as source 2 of ishl"), std::string::npos);
  EXPECT_NE(Sizes("(('flt', a, b), ('fadd', a, b))").find("both are roots"), std::string::npos);
  EXPECT_NE(Sizes("(('iadd', a, b), ('i2i', ('i2i', a)))").find("the size of the result of i2i in the replacement"),
            std::string::npos);
  EXPECT_NE(Sizes("(('fadd', 'a@32', 1@16), a)").find("share one size"), std::string::npos);
}

TEST(Sizes, MayRefuseWhatMesaRefuses) {
  SizeOptions strict;
  strict.replacement_may_narrow = false;
  const char* narrows = "(('bcsel', a, b, 0), ('iand', a, b))";
  EXPECT_EQ(Sizes(narrows), "1:a=1,b=1,1");
  EXPECT_NE(Sizes(narrows, strict).find("the replacement fixes 'b' to 1 bits"), std::string::npos);
  const char* joins = "(('ior', ('ine', a, 0), ('ine', b, 0)), ('ine', ('ior', a, b), 0))";
  EXPECT_NE(Sizes(joins, strict).find("only the replacement makes the sizes of 'a' and 'b' equal"), std::string::npos);
  EXPECT_EQ(Sizes("(('fadd', a, b), ('fadd', b, a))", strict), Sizes("(('fadd', a, b), ('fadd', b, a))"));
}

TEST(Instantiate, GivesPatterns) {
  const Rule half = Sized("(('fmul', a, 0.1), ('fmul', a, -2.0))", 16);
  EXPECT_EQ(PrintRule(half), "(('fmul@16', 'a@16', 0x2e66@16), ('fmul@16', 'a@16', 0xc000@16))");
  const Rule bytes = Sized("(('iadd', a, -1), ('iadd', a, 0x1ff))", 8);
  EXPECT_EQ(PrintRule(bytes), "(('iadd@8', 'a@8', 0xff@8), ('iadd@8', 'a@8', 0xff@8))");
  // The literal 1 denotes the bits 1, and 1.0 denotes the bits of a float.
  const Rule raw = Sized("(('fadd', a, 1), ('iadd', a, 1.0))", 32);
  EXPECT_EQ(PrintRule(raw), "(('fadd@32', 'a@32', 0x00000001@32), ('iadd@32', 'a@32', 0x3f800000@32))");
  const Rule truth = Sized("(('b32csel', True, a, b), ('b32csel', False, b, a))", 32);
  EXPECT_EQ(PrintRule(truth),
            "(('b32csel@32', 0xffffffff@32, 'a@32', 'b@32'), ('b32csel@32', 0x00000000@32, 'b@32', 'a@32'))");
  EXPECT_EQ(PrintRule(Sized("(('ieq', a, True), a)", 1)), "(('ieq@1', 'a@1', 0x1@1), 'a@1')");
  // A search compares integers modulo 2, but a replacement has True for each integer except 0.
  EXPECT_EQ(PrintRule(Sized("(('ixor', a, -2), ('ixor', a, -2))", 1)),
            "(('ixor@1', 'a@1', 0x0@1), ('ixor@1', 'a@1', 0x1@1))");
  EXPECT_EQ(PrintRule(Sized("(('ixor', a, 0x101), 0)", 1)), "(('ixor@1', 'a@1', 0x1@1), 0x0@1)");
  const Rule special = Sized("(('fadd', a, 'inf'), 'nan')", 64);
  EXPECT_EQ(PrintRule(special), "(('fadd@64', 'a@64', 0x7ff0000000000000@64), 0x7ff8000000000000@64)");
}

TEST(Sizes, ErrorsHaveAPlace) {
  const std::pair<const char*, int> rules[] = {
      {"(('iadd', 'a@32', ('imul', 'b@16', 'a')), b)", 21},             // imul reads two sizes
      {"(('fadd', 'a@32', b), ('fadd', a, ('fneg', 'b@16')))", 45},     // the size of b in the replacement
      {"(('iadd', a, b),\n ('fadd', ('f2f16', a), ('f2f32', b)))", 4},  // fadd, on line 2
      {"(('iand', 'a@8', b), ('u2u', 'a'))", 0},
      {"(('bcsel', a, 'b@32', c), ('iand', b, 'a'))", 29},
  };
  for (const auto& [text, column] : rules) {
    const absl::StatusOr<Rule> rule = ParseRule(text);
    ASSERT_TRUE(rule.ok()) << rule.status();
    const absl::StatusOr<RuleSizes> sizes = RuleSizes::Infer(*rule);
    const auto node = NodeOfSizeError(sizes.status());
    ASSERT_EQ(node.has_value(), column != 0) << text << ": " << sizes.status();
    if (node) {
      EXPECT_EQ(LocateNode(text, node->in_replacement, node->node).column, column) << text << ": " << sizes.status();
    }
  }
}

TEST(Instantiate, LetsZerosMatchBoth) {
  const Rule both = Sized("(('fadd', ('fmul', a, 0.0), ('fmul', a, -0.0)), 0.0)", 32);
  int zeros = 0;
  for (const Node& node : both.search.nodes)
    zeros += node.predicates == std::vector<std::string>{std::string(kEitherZeroMark)};
  EXPECT_EQ(zeros, 2);  // the zeros may differ in sign, so they stay two nodes
  EXPECT_TRUE(both.replace.root_node().predicates.empty());
  SizeOptions exact;
  exact.literals_exact = true;
  const Rule apart = Sized("(('fadd', a, -0.0), 0.0)", 32, exact);
  EXPECT_EQ(PrintRule(apart), "(('fadd@32', 'a@32', 0x80000000@32), 0x00000000@32)");
}

TEST(Instantiate, MergesEqualNodes) {
  const Rule rule = Sized("(('iadd', ('i2i', 'a@8'), ('i2i', 'a@8')), ('ishl', ('i2i', 'a'), 1))", 32);
  EXPECT_EQ(rule.search.nodes.size(), 3u);
}

TEST(Components, FollowVectorsAndSwizzles) {
  const Rule dot = Sized("(('fdot3', a, b), ('fadd', ('fmul', 'a.x', 'b.x'), ('fmul', 'a.z', 'b.y')))", 32);
  EXPECT_EQ(dot.search.nodes[0].components, 3);
  EXPECT_EQ(dot.search.root_node().components, 1);
  EXPECT_EQ(dot.replace.nodes[0].components, 3);
  const Rule vector = Sized("(('fneg', ('vec2', a, b)), ('vec2', ('fneg', a), ('fneg', b)))", 32);
  EXPECT_EQ(vector.search.root_node().components, 2);
  const auto infer = [](absl::string_view text) {
    Rule rule = *ParseRule(text);
    return std::string(InferComponents(&rule).message());
  };
  EXPECT_NE(infer("(('fneg', a), ('fneg', 'a.y'))").find("reads 2 components of a"), std::string::npos);
  EXPECT_NE(infer("(('fdot3', a, ('vec2', a, b)), a)").find("reads 3 components, but vec2 returns 2"),
            std::string::npos);
  EXPECT_NE(infer("(('vec2', a, b), ('vec3', a, b, a))").find("the search has 2 components"), std::string::npos);
}

}  // namespace
}  // namespace rewrought::ir
