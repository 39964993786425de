// Whether the rules that a driver's tree ships already give what a rule of ours does: a rule is news to a compiler's
// authors only if not.
#ifndef REWROUGHT_SERVER_PIPELINE_FOREIGN_RULES_H_
#define REWROUGHT_SERVER_PIPELINE_FOREIGN_RULES_H_

#include <vector>

#include "ir/match/match.h"
#include "ir/term.h"
#include "server/pipeline/rule_draft.h"

namespace rewrought::pipeline {

class ForeignRules {
 public:
  // `passes`: lists of rules that are applied one after the other, each to a fixed point, as the tree has them;
  // conditions are taken as true. Rules that cannot be matched are left out and counted.
  explicit ForeignRules(const std::vector<std::vector<ir::Rule>>& passes);

  // Whether strong base selection of the rule's search side, after one or more of the passes, costs no more than the
  // rule's right side in cycles and instructions. Symbols are taken as some constants; preconditions of variables hold.
  bool GiveAsMuch(const RuleDraft& rule) const;

  size_t left_out() const { return left_out_; }

 private:
  std::vector<std::vector<ir::CompiledRule>> passes_;
  size_t left_out_ = 0;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_FOREIGN_RULES_H_
