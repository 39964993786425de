#include "ir/match/value_numbering.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"

namespace rewrought::ir {
namespace {

// A shader in which block 0 branches to blocks 1 and 2, and the dominator of block 3 is unknown.
class ValueNumberingTest : public testing::Test {
 protected:
  ValueNumberingTest() {
    shader_.blocks.resize(4);
    shader_.blocks[1].dominator = shader_.blocks[2].dominator = 0;
    for (const char* name : {"a", "b"}) {
      Node variable;
      variable.name = name;
      Add(0, variable);
    }
  }
  NodeIndex Add(uint32_t block, Node node) {
    node.bits = 32;
    shader_.values.nodes.push_back(node);
    shader_.info.emplace_back().block = block;
    return static_cast<NodeIndex>(shader_.values.nodes.size() - 1);
  }
  // Appends an op and a store in `block` that reads it.
  void StoreOp(uint32_t block, const char* op, NodeIndex x, NodeIndex y, uint8_t flags = 0) {
    Node node;
    node.kind = NodeKind::kOp;
    node.op = FindOp(op);
    node.flags = flags;
    node.sources = {{x, kIdentitySwizzle}, {y, kIdentitySwizzle}};
    const NodeIndex made = Add(block, node);
    shader_.uses.push_back({"store", block, made + 1, {{made, 0}}, {}});
  }
  std::vector<NodeIndex> Stored() const {
    std::vector<NodeIndex> stored;
    for (const ShaderUse& use : shader_.uses) stored.push_back(use.reads[0].node);
    return stored;
  }
  Shader shader_;
};

TEST_F(ValueNumberingTest, WhatADominatingBlockHasIsThere) {
  StoreOp(0, "iadd", 0, 1);
  StoreOp(1, "iadd", 1, 0);
  StoreOp(2, "iadd", 0, 1);
  EXPECT_EQ(NumberValues(&shader_), 2u);
  EXPECT_EQ(Stored(), (std::vector<NodeIndex>{2, 2, 2}));
}

TEST_F(ValueNumberingTest, ElsewhereItMayNotBe) {
  StoreOp(1, "iadd", 0, 1);
  StoreOp(2, "iadd", 0, 1);
  StoreOp(3, "iadd", 0, 1);
  StoreOp(3, "isub", 0, 1);
  StoreOp(3, "isub", 1, 0);
  EXPECT_EQ(NumberValues(&shader_), 0u);
  EXPECT_EQ(Stored(), (std::vector<NodeIndex>{2, 3, 4, 5, 6}));
}

TEST_F(ValueNumberingTest, WhatReadsEqualValuesIsEqual) {
  Node constant;
  constant.kind = NodeKind::kConstant;
  constant.values[0] = 7;
  const NodeIndex x = Add(1, constant), y = Add(2, constant);
  StoreOp(0, "iadd", 0, 1);
  StoreOp(1, "imul", 4, x);
  StoreOp(1, "iadd", 1, 0);
  StoreOp(1, "imul", 6, y);
  EXPECT_EQ(NumberValues(&shader_), 3u);
  EXPECT_EQ(Stored(), (std::vector<NodeIndex>{4, 5, 4, 5}));
}

TEST_F(ValueNumberingTest, WhatEitherForbidsIsForbidden) {
  StoreOp(0, "fadd", 0, 1, kNoNan | kNoInf);
  StoreOp(1, "fadd", 0, 1, kNoNan | kExact);
  EXPECT_EQ(NumberValues(&shader_), 1u);
  EXPECT_EQ(shader_.values.at(2).flags, kNoNan | kExact);
}

}  // namespace
}  // namespace rewrought::ir
