// Applies an ordered list of rules to a DAG until none fits, as an optimisation pass of Mesa's does.
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
    uint32_t rule = 0;   // index in the list
    NodeIndex root = 0;  // in the numbering of the run: the term's own nodes, then those built, in order
  };
  std::vector<Application> applications;
  bool step_limit_reached = false;  // rules were still firing: a cycle, or a bound too low
  std::vector<Source> values;       // where each node's value is in the term now; meaningless for dead nodes
  std::vector<bool> alive;          // by node before: whether its value still exists
  std::vector<NodeIndex> origins;   // by node after: the node before that it is, or in whose place it was built
};

class Rewriter {
 public:
  // `rules` must outlive this; their driver conditions are taken as true. Facts default to FactsOfNodes; `uses` of the
  // options is ignored: the rewriter counts uses itself.
  Rewriter(absl::Span<const CompiledRule> rules, MatchOptions options, size_t max_steps = 100000);
  Rewriter(std::vector<const CompiledRule*> rules, MatchOptions options, size_t max_steps = 100000);

  // Rewrites in place: nodes are visited from the last backwards, at each the first rule in order that fits is applied,
  // ops on literals that it builds are folded (ir/fold.h); what changed is visited again. `roots` are the nodes whose
  // values are needed; of the rest only what they reach survives. Afterwards nodes stand in topological order, and
  // term->root follows its value (a `mov` is added if that value is read through a swizzle and a row `mov` exists among
  // the resolver's). Same input, same output.
  RewriteResult Run(Term* term, absl::Span<const NodeIndex> roots) const;
  RewriteResult Run(Term* term) const { return Run(term, {term->root}); }

  // As Run with the values that the shader's uses read as roots; `info` follows: a new value gets the block and line of
  // the one in whose place it stands; and so do the uses.
  RewriteResult Run(Shader* shader) const;

  // The rules, by index, whose root may be `op`, in order.
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
