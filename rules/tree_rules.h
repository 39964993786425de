// What the rules that a driver's tree ships make of a rule of ours: whether they subsume it, so that it gives nothing
// new to the compiler's authors, and whether they undo it.
#ifndef REWROUGHT_RULES_TREE_RULES_H_
#define REWROUGHT_RULES_TREE_RULES_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/digest.h"
#include "machine/candidate.h"
#include "rules/rule_passes.h"

namespace rewrought::rules {

class TreeRules {
 public:
  explicit TreeRules(RulePasses passes) : passes_(std::move(passes)) {}

  const ir::Digest& digest() const { return passes_.digest; }  // of all passes

  // Whether tuned baseline selection of the rule's search side, after one or more of the passes, costs no more than the
  // rule's right side in cycles and instructions. Symbols are taken as some constants; preconditions of variables hold.
  // False for rules that share (rules/sharing.h).
  bool GiveAsMuch(const machine::Candidate& rule) const;

  // By rule: whether it never ends in turns with pass number `pass`, alone or with those of the others that do, since
  // that pass makes of its result again and again something that is rewritten. Symbols and preconditions as above;
  // false for programs, which no pass of the tree's sees, for rules that share, and where there is no such pass.
  std::vector<bool> Undone(absl::Span<const machine::Candidate> rules, size_t pass) const;

 private:
  bool GoesRound(const machine::Candidate& start, absl::Span<const ir::CompiledRule> ours, size_t pass) const;

  const RulePasses passes_;
};

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_TREE_RULES_H_
