// Searches of rules as rows of the tables: the machine's own patterns and those of a pack's entries.
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

// Ops whose operands are tried both ways round.
inline constexpr int kMostCommutative = 8;

struct RulePattern {
  std::vector<rw_pattern> rows;
  std::map<std::string, uint16_t> variables;  // as the rule's program calls them, numbered
  int commutative = 0;
  bool never = false;  // fits nothing: a literal that its size does not hold
};

// The search of `rule` where its root is the op called `root`. Conditions go into the builder's tables. Unimplemented
// says what the tables have no form for.
absl::Status PatternOf(const machine::select::SelectionRule& rule, const std::string& root, TableBuilder* builder,
                       RulePattern* pattern);

// The base type of ops that `a@int` and its like ask for.
uint8_t TypedOf(ir::BaseType base);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_RULE_PATTERNS_H_
