// Compares a rule with the rules of a driver's tree. Determines whether they subsume the rule, so that the tree does
// not need it, and whether they undo it.
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

  const ir::Digest& digest() const { return passes_.digest; }  // the digest of all passes

  // Returns whether the passes turn the rule's search side into a term that needs no more cycles and instructions,
  // under tuned base selection, than the rule's right side. The passes run in order, and the term after any of them may
  // satisfy this condition. Uses sample constants for symbols, and assumes that the preconditions of variables hold.
  // Returns false for sharing rules (rules/sharing.h).
  bool Subsume(const machine::Candidate& rule) const;

  // Returns, for each rule, whether it loops with pass number `pass`. A rule loops if it can rewrite the term again
  // after each run of the pass, either alone or together with the rules that do not loop alone. Treats symbols and
  // preconditions as Subsume does. Returns false for sharing rules, for programs (a tree's passes contain none), and if
  // there is no such pass.
  std::vector<bool> FindLooping(absl::Span<const machine::Candidate> rules, size_t pass) const;

 private:
  bool Loops(const machine::Candidate& start, absl::Span<const ir::CompiledRule> ours, size_t pass) const;

  const RulePasses passes_;
};

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_TREE_RULES_H_
