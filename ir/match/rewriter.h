// Applies an ordered list of rules to a DAG until no rule matches, like an optimization pass of Mesa.
#ifndef REWROUGHT_IR_MATCH_REWRITER_H_
#define REWROUGHT_IR_MATCH_REWRITER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/match/match.h"
#include "ir/shader.h"
#include "ir/term.h"

namespace rewrought::ir {

struct RewriteResult {
  struct Application {
    uint32_t rule = 0;   // index in the list of rules
    NodeIndex root = 0;  // numbered as in the run: the original nodes, then the built nodes in order
  };
  std::vector<Application> applications;
  bool step_limit_reached = false;  // true if a rule still matched, because the rules cycle or the limit is too low
  std::vector<Source> values;       // the current value of each original node; meaningless for dead nodes
  std::vector<bool> alive;          // indexed by original node; true if its value still exists
  // Indexed by new node: the same node in the original term, or the node that it replaces.
  std::vector<NodeIndex> origins;
};

class Rewriter {
 public:
  // `rules` must outlive the rewriter; their driver conditions are assumed to be true. If `options.facts` is empty,
  // FactsOfNodes provides the facts. The rewriter counts uses itself and ignores `options.uses`.
  Rewriter(absl::Span<const CompiledRule> rules, MatchOptions options, size_t max_steps = 100000);
  Rewriter(std::vector<const CompiledRule*> rules, MatchOptions options, size_t max_steps = 100000);

  // Rewrites in place. Visits nodes in reverse order and applies the first rule that matches. Folds new ops whose
  // operands are all literals (ir/fold.h) and revisits changed nodes. `roots` are the nodes whose values are needed;
  // nodes that they do not reach are removed. Afterwards, the nodes are in topological order and term->root is the
  // root's new value. If that value is read through a swizzle, adds a `mov`. The result is deterministic.
  RewriteResult Run(Term* term, absl::Span<const NodeIndex> roots) const;
  RewriteResult Run(Term* term) const { return Run(term, {term->root}); }

  // Like the functions above, but the roots are the values that the shader's uses read. Also updates the uses and
  // `info`: a new value gets the block and line of the value that it replaces.
  RewriteResult Run(Shader* shader) const;

  // Returns the indices of the rules whose root may be `op`, in order.
  absl::Span<const uint32_t> RulesFor(const OpRow* op) const;

 private:
  friend class RewriteRun;
  std::vector<const CompiledRule*> rules_;
  MatchOptions options_;
  size_t max_steps_;
  absl::flat_hash_map<const OpRow*, std::vector<uint32_t>> by_root_;
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_REWRITER_H_
