// Finds the other rules of a family: the same rule for minimum and maximum, for signed and unsigned integers, for
// integers and floats, and so on.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_OP_FAMILIES_H_
#define REWROUGHT_PIPELINE_GENERALIZE_OP_FAMILIES_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/term.h"
#include "pipeline/generalize/judge.h"

namespace rewrought::pipeline {

// A way to derive a rule from another one.
struct OpExchange {
  // Each op is replaced by the other op of its pair, in both directions unless `one_way` is set.
  std::vector<std::pair<std::string, std::string>> pairs;
  bool swaps_comparisons = false;      // also exchange the operands of less-than and greater-or-equal comparisons
  bool complements_constants = false;  // also exchange 0 with all ones, and True with False
  bool one_way = false;                // replace only the first op of each pair by the second
};

// Returns the exchanges that apply to the ops of the rule.
std::vector<OpExchange> ExchangesFor(const ir::Rule& rule);

// Returns the rule after the exchange, or nullopt if no op changes or the result does not parse.
std::optional<ir::Rule> Exchanged(const ir::Rule& rule, const OpExchange& exchange, ir::Dialect dialect);

// The largest number of rules in a family.
inline constexpr size_t kMaxFamily = 16;

// Returns the other members of the rule's family, without the rule itself: the rules that a sequence of exchanges
// derives from it, that `judge` proves, and that save at least as many instructions.
std::vector<ir::Rule> FamilyOf(const ir::Rule& rule, Judge* judge);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_OP_FAMILIES_H_
