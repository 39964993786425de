#include "server/audit/wide_vectors.h"

#include <gtest/gtest.h>

#include "ir/text/rule_text.h"

namespace rewrought::audit {
namespace {

TEST(WideVectorsTest, FourComponentsAreOneVariable) {
  const std::string text = WithoutWideVectors("(('ball_iequal8', ('feq', 'a', 'b'), -1), ('ball_fequal8', 'a', 'b'))");
  EXPECT_EQ(text,
            "(('iand', ('ball_iequal4', ('feq', 'aqb', 'bqb'), -1), ('ball_iequal4', ('feq', 'aqa', 'bqa'), -1)), "
            "('iand', ('ball_fequal4', 'aqb', 'bqb'), ('ball_fequal4', 'aqa', 'bqa')))");
  EXPECT_TRUE(ir::ParseRule(text).ok());
}

TEST(WideVectorsTest, SwizzlesNameTheSameComponents) {
  const std::string text = WithoutWideVectors("(('bany_inequal16', 'a', 'b'), ('ine', 'a.p', 'b.f'))");
  EXPECT_NE(text.find(", ('ine', 'aqd.w', 'bqb.y'))"), std::string::npos) << text;
}

TEST(WideVectorsTest, TruthsAsFloatsAreJoinedByMinimumAndMaximum) {
  EXPECT_EQ(WithoutWideVectors("(('fall_equal8', 'a', 'b'), ('seq', ('fany_nequal8', 'a', 'b'), 0.0))"),
            "(('fmin', ('fall_equal4', 'aqb', 'bqb'), ('fall_equal4', 'aqa', 'bqa')), ('seq', ('fmax', ('fany_nequal4', "
            "'aqb', 'bqb'), ('fany_nequal4', 'aqa', 'bqa')), 0.0))");
}

TEST(WideVectorsTest, OtherRulesStayAsTheyAre) {
  for (const char* rule : {"(('fdot4', 'a', 'b'), ('fdot4', 'b', 'a'))", "(('ball_iequal8', 'a(is_odd)', 'b'), True)",
                           "(('bcsel', ('ball_iequal8', 'a', 'b'), 'a', 'b'), 'b')", "(('iadd', 'a', 0), 'a')", "(", ""}) {
    EXPECT_EQ(WithoutWideVectors(rule), rule);
  }
}

}  // namespace
}  // namespace rewrought::audit
