// Adds the patterns of base rules and the search sides of a pack's entries to the tables.
#ifndef REWROUGHT_EMITTER_C_RULE_PATTERNS_H_
#define REWROUGHT_EMITTER_C_RULE_PATTERNS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "emitter/c/table_builder.h"
#include "ir/op_row.h"
#include "machine/select/rules.h"

namespace rewrought::emitter {

// The maximum number of ops in a pattern that are matched in both operand orders.
inline constexpr int kMostCommutative = 8;

struct RulePattern {
  std::vector<rw_pattern> rows;
  std::map<std::string, uint16_t> variables;  // Maps each variable's name in the program to its number.
  int commutative = 0;
  bool never = false;  // True if the pattern never matches, because a literal is not representable at its size.
};

// Appends the search side of `rule`, with the op `root` at its root, to `pattern`. Appends its conditions to the
// builder's tables. Fails with Unimplemented if the tables cannot express the rule.
absl::Status PatternOf(const machine::select::SelectionRule& rule, const std::string& root, TableBuilder* builder,
                       RulePattern* pattern);

// Returns the base type that a mark such as `a@int` requires of the op that computes the value.
uint8_t TypedOf(ir::BaseType base);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_RULE_PATTERNS_H_
