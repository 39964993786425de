// Whether the rules that a driver's tree ships already give what a rule of ours does: a rule is news to a compiler's
// authors only if not.
#ifndef REWROUGHT_SERVER_PIPELINE_FOREIGN_RULES_H_
#define REWROUGHT_SERVER_PIPELINE_FOREIGN_RULES_H_

#include <utility>

#include "server/pipeline/rule_draft.h"
#include "server/pipeline/rule_passes.h"

namespace rewrought::pipeline {

class ForeignRules {
 public:
  explicit ForeignRules(RulePasses passes) : passes_(std::move(passes)) {}

  // Whether strong base selection of the rule's search side, after one or more of the passes, costs no more than the
  // rule's right side in cycles and instructions. Symbols are taken as some constants; preconditions of variables hold.
  bool GiveAsMuch(const RuleDraft& rule) const;

 private:
  const RulePasses passes_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_FOREIGN_RULES_H_
