#include "verifier/message/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

TEST(ExplainWitness, GivesEachNodeItsValue) {
  const RuleCase rule = CaseOf("(('iadd', 'a@8', ('imul', 'b@8', 3)), ('isub', 'a', 'b'))", 0, ir::DenormMode::kNone);
  Witness witness;
  witness.variables = {{"a", 8, 0xfe}, {"b", 8, 2}};
  const absl::StatusOr<std::vector<ExplainedNode>> nodes = ExplainWitness(rule, witness);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  std::vector<std::pair<bool, uint64_t>> ops;  // side and value of the op nodes, in order
  for (const ExplainedNode& node : *nodes) {
    ASSERT_EQ(node.values.size(), 1u);
    EXPECT_EQ(node.bits, 8);
    if (node.text == "a") {
      EXPECT_EQ(node.values[0], 0xfeu);
    } else if (node.text == "b") {
      EXPECT_EQ(node.values[0], 2u);
    } else {
      ops.emplace_back(node.in_search, node.values[0]);
    }
  }
  EXPECT_EQ(ops, (std::vector<std::pair<bool, uint64_t>>{{true, 6}, {true, 4}, {false, 0xfc}}));
  EXPECT_NE(std::find_if(nodes->begin(), nodes->end(),
                         [](const ExplainedNode& node) { return node.text.find("imul b, 0x03") != std::string::npos; }),
            nodes->end());
}

TEST(FormatValue, PadsToTheSizeAndReadsFloats) {
  EXPECT_EQ(FormatHex(5, 8), "0x05");
  EXPECT_EQ(FormatHex(~uint64_t{0}, 16), "0xffff");  // bits above the size are not shown
  EXPECT_EQ(FormatHex(1, 1), "0x1");
  EXPECT_EQ(FormatValue(0x3f800000, 32), "0x3f800000 (1)");
  EXPECT_EQ(FormatValue(0xc000, 16), "0xc000 (-2)");
  EXPECT_EQ(FormatValue(5, 8), "0x05");
}

}  // namespace
}  // namespace rewrought::verifier
