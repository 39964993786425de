#include "rules/positions.h"

#include "gtest/gtest.h"
#include "ir/text/rule_text.h"

namespace rewrought::rules {
namespace {

bool Looks(const char* rule) { return DependsOnOtherUsers(ir::ParseRule(rule)->search); }

TEST(Positions, VertexAndGeometryShadersComputeThem) {
  EXPECT_TRUE(ComputesPositions("vertex"));
  EXPECT_TRUE(ComputesPositions("geometry"));
  for (const char* stage : {"fragment", "compute", "tess_ctrl", "tess_eval", ""})
    EXPECT_FALSE(ComputesPositions(stage));
}

TEST(Positions, OnlyPredicatesOnUsersLookAtThem) {
  EXPECT_TRUE(Looks("(('fadd', ('fmul(is_used_once)', a, b), c), ('ffma', a, b, c))"));
  EXPECT_TRUE(Looks("(('fadd', ('fmul(is_only_used_by_fadd)', a, b), c), ('ffma', a, b, c))"));
  EXPECT_FALSE(Looks("(('fadd', ('fmul', a, '#b(is_not_zero)'), 'c(is_not_const)'), ('ffma', a, b, c))"));
}

TEST(Positions, WhatLooksAtUsersIsTakenAway) {
  const ir::Rule rule = FormForPositions(
      *ir::ParseRule("(('fadd', ('fmul(is_used_once)', a, '#b(is_not_zero)'), 'c(is_not_const)'), ('ffma', a, b, c))"));
  EXPECT_EQ(ir::PrintRule(rule),
            "(('fadd', ('fmul', 'a', '#b(is_not_zero)'), 'c(is_not_const)'), ('ffma', 'a', 'b', 'c'))");
}

}  // namespace
}  // namespace rewrought::rules
