// Applies the existing rules of a driver's source tree to a whole shader before fragments are extracted, so that
// searches find only improvements that the tree misses (docs/decisions/corpus.md).
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
  // Each pass is applied until no rule matches. The rules need not be proved, because they only influence which
  // fragments are searched.
  explicit Baseline(rules::RulePasses passes);

  // Rewrites the shader in place and returns the number of rule applications. Between rounds, constants are folded and
  // equal values are merged. Preconditions are checked with the facts of corpus/facts.h. Rules that do not terminate
  // are stopped, and a note is added to the shader. Sets `origins` (may be null) as described in ir::RewriteResult.
  // Thread-safe.
  size_t Normalise(ir::Shader* shader, std::vector<ir::NodeIndex>* origins = nullptr) const;

  size_t rules() const { return passes_.rules; }
  size_t left_out() const { return passes_.left_out; }
  // Returns a digest that identifies the rules and how they are applied.
  const ir::Digest& digest() const { return digest_; }

 private:
  const rules::RulePasses passes_;
  const ir::Digest digest_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_BASELINE_H_
