// The rules that a driver's tree has already, applied to a whole shader before its fragments are taken: what is found
// in the rest is what the tree misses (docs/decisions/corpus.md).
#ifndef REWROUGHT_CORPUS_BASELINE_H_
#define REWROUGHT_CORPUS_BASELINE_H_

#include <cstddef>
#include <vector>

#include "ir/digest.h"
#include "ir/shader.h"
#include "rules/rule_passes.h"

namespace rewrought::corpus {

class Baseline {
 public:
  // Each pass is applied until none of its rules fits. They are believed: they choose what is looked at, not what is
  // proved.
  explicit Baseline(rules::RulePasses passes);

  // Rewrites the shader in place, with constants folded and equal values made one between the rounds; facts
  // of corpus/facts.h meet preconditions. How often a rule was applied. Rules that do not terminate are stopped, with a
  // note in the shader. `origins`, if not null, is as ir::RewriteResult has it. Thread-safe.
  size_t Normalise(ir::Shader* shader, std::vector<ir::NodeIndex>* origins = nullptr) const;

  size_t rules() const { return passes_.rules; }
  size_t left_out() const { return passes_.left_out; }
  // Names the rules and what is done with them.
  const ir::Digest& digest() const { return digest_; }

 private:
  const rules::RulePasses passes_;
  const ir::Digest digest_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_BASELINE_H_
