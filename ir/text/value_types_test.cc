#include "ir/text/value_types.h"

#include <gtest/gtest.h>

#include "ir/text/rule_text.h"

namespace rewrought::ir {
namespace {

// Returns the type of the variable `name` of the search, or of the search's root if `name` is "root".
std::optional<BaseType> TypeOf(const char* text, const std::string& name) {
  const Rule rule = *ParseRule(text);
  const ValueTypes types = InferTypes(rule);
  for (size_t i = 0; i < rule.search.nodes.size(); ++i) {
    if (name == "root" ? i == rule.search.root : rule.search.nodes[i].name == name) return types.search[i];
  }
  ADD_FAILURE() << "no " << name;
  return std::nullopt;
}

TEST(ValueTypes, ComeFromOps) {
  EXPECT_EQ(TypeOf("(('fadd', a, b), a)", "a"), BaseType::kFloat);
  EXPECT_EQ(TypeOf("(('idiv', a, b), a)", "b"), BaseType::kInt);
  EXPECT_EQ(TypeOf("(('udiv', a, b), a)", "root"), BaseType::kUint);
  EXPECT_EQ(TypeOf("(('flt', a, b), ('fge', b, a))", "root"), BaseType::kBool);
}

TEST(ValueTypes, PassThroughSelectionsAndSides) {
  EXPECT_EQ(TypeOf("(('bcsel', c, a, ('fneg', b)), a)", "a"), BaseType::kFloat);
  EXPECT_EQ(TypeOf("(('bcsel', c, a, ('fneg', b)), a)", "c"), BaseType::kBool);
  EXPECT_EQ(TypeOf("(('bcsel', c, a, b), ('fadd', a, b))", "root"), BaseType::kFloat);
  EXPECT_EQ(TypeOf("(('iand', a, b), ('fabs', a))", "b"), BaseType::kUint);  // read as bits although a is a float
}

TEST(ValueTypes, AreNotGuessedForVariables) {
  EXPECT_EQ(TypeOf("(('bcsel', c, a, b), a)", "a"), std::nullopt);
  // The other operand of the select is 1.0.
  EXPECT_EQ(TypeOf("(('bcsel', c, 0x3f800000@32, a), a)", "a"), BaseType::kFloat);
  EXPECT_EQ(TypeOf("(('bcsel', c, 5, a), a)", "a"), std::nullopt);
}

}  // namespace
}  // namespace rewrought::ir
