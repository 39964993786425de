#include "ir/text/canonical.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "ir/digest.h"
#include "ir/text/node_table.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {
namespace {

std::string Form(absl::string_view text) { return PrintTerm(CanonicalTerm(*ParseTerm(text))); }

TEST(Canonical, SortsRenamesAndMerges) {
  EXPECT_EQ(Form("('fadd@32', ('fmul@32', 'y@32', 'x@32'), 'q@32')"),
            "('fadd@32', 'a@32', ('fmul@32', 'b@32', 'c@32'))");
  EXPECT_EQ(Form("('fadd@32', 1.0@32, 'q@32')"), "('fadd@32', 'a@32', 1.0@32)");
  EXPECT_EQ(Form("('fsub@32', 'y@32', 'x@32')"), "('fsub@32', 'a@32', 'b@32')");
  EXPECT_EQ(CanonicalTerm(*ParseTerm("('iadd', ('ishl', a, 1), ('ishl', a, 1))")).nodes.size(), 4u);
}

TEST(Canonical, IsBlindToNamesAndOrder) {
  const char* pairs[][2] = {
      {"('fadd', ('fmul', a, b), ('fmul', a, c))", "('fadd', ('fmul', q, p), ('fmul', r, p))"},
      {"('fadd', ('fsub', a, b), ('fsub', b, a))", "('fadd', ('fsub', b, a), ('fsub', a, b))"},
      {"('ffma', a, b, ('ffma', c, d, a))", "('ffma', y, x, ('ffma', z, x, w))"},
      {"('fadd', ('fmul', a, a), ('fmul', a, b))", "('fadd', ('fmul', d, c), ('fmul', c, c))"},
      {"('fadd', ('fadd', ('fsub', a, b), ('fsub', b, c)), ('fsub', c, a))",
       "('fadd', ('fsub', b, c), ('fadd', ('fsub', a, b), ('fsub', c, a)))"},
      {"('vec2', 'a.x', 'a.y')", "('vec2', 'k.x', 'k.y')"},
  };
  const bool equal[] = {true, true, false, true, true, true};
  for (size_t i = 0; i < std::size(pairs); ++i) {
    const Term x = *ParseTerm(pairs[i][0]), y = *ParseTerm(pairs[i][1]);
    EXPECT_EQ(StructurallyEqual(x, y), equal[i]) << PrintTerm(CanonicalTerm(x)) << "\n" << PrintTerm(CanonicalTerm(y));
    EXPECT_EQ(CanonicalDigest(x) == CanonicalDigest(y), equal[i]);
    EXPECT_TRUE(SameTerm(CanonicalTerm(CanonicalTerm(x)), CanonicalTerm(x))) << pairs[i][0];
  }
}

TEST(Canonical, KeepsApartWhatDiffers) {
  const char* base = "('fadd@32', 'a@32', ('fmul@32', 'b@32', 'c@32'))";
  for (const char* other :
       {"('fadd@32', 'a@32', ('fmul@32', 'a@32', 'c@32'))", "('fadd@32(nsz)', 'a@32', ('fmul@32', 'b@32', 'c@32'))",
        "('fadd@16', 'a@16', ('fmul@16', 'b@16', 'c@16'))", "('fadd@32', '#a@32', ('fmul@32', 'b@32', 'c@32'))",
        "('!fadd@32', 'a@32', ('fmul@32', 'b@32', 'c@32'))", "('fadd@32', 'a@32', ('fmul@32', 'b@32', 1.0@32))"}) {
    EXPECT_NE(CanonicalDigest(*ParseTerm(base)), CanonicalDigest(*ParseTerm(other))) << other;
  }
  EXPECT_NE(CanonicalDigest(*ParseTerm("('fsub', a, b)")), CanonicalDigest(*ParseTerm("('fsub', a, a)")));
}

TEST(Canonical, RulesShareNames) {
  const Rule x = *ParseRule("(('fadd', ('fneg', q), p), ('fsub', p, q), 'c')");
  const Rule y = *ParseRule("(('fadd', b, ('fneg', a)), ('fsub', b, a), 'c')");
  const Rule wrong = *ParseRule("(('fadd', b, ('fneg', a)), ('fsub', a, b), 'c')");
  EXPECT_EQ(PrintRule(CanonicalRule(x)), "(('fadd', 'a', ('fneg', 'b')), ('fsub', 'a', 'b'), 'c')");
  EXPECT_TRUE(StructurallyEqual(x, y));
  EXPECT_EQ(CanonicalDigest(x), CanonicalDigest(y));
  EXPECT_FALSE(StructurallyEqual(x, wrong));
  EXPECT_NE(CanonicalDigest(y), CanonicalDigest(wrong));
  // The search is symmetric; only the replacement distinguishes its operands.
  const Rule left = *ParseRule("(('fadd', a, b), ('fsub', a, b))"),
             right = *ParseRule("(('fadd', a, b), ('fsub', b, a))");
  EXPECT_TRUE(StructurallyEqual(left, right));
}

TEST(Canonical, DigestIsSha256) {
  EXPECT_EQ(Sha256Hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-4 example
  EXPECT_EQ(CanonicalDigest(*ParseTerm("'a@32'")), Sha256Hex("32x1:15 a\nroot 0\n"));
}

}  // namespace
}  // namespace rewrought::ir
