// Matches a rule's search side in a concrete DAG and builds the replacement there. Follows Mesa's nir_search.c
// (25.0.7), except that the caller supplies the facts about values.
#ifndef REWROUGHT_IR_MATCH_MATCH_H_
#define REWROUGHT_IR_MATCH_MATCH_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {

struct PredicateQuery {
  absl::string_view predicate;
  const Term* term = nullptr;       // not in topological order while rules are being applied
  Source value;                     // the value that is read; for a predicate of an op, the op
  int components = 1;               // the number of lanes of value.swizzle that are read
  BaseType base = BaseType::kUint;  // the type of the reader's operand
  uint32_t uses = 0;                // the number of uses of value.node, if MatchOptions::uses is set
  NodeIndex reader = 0;             // for predicates of variables, the node that reads the value
  size_t source = 0;                // the source index within `reader`
};

// Returns true only if the predicate certainly holds.
using FactCallback = std::function<bool(const PredicateQuery&)>;

struct MatchOptions {
  FactCallback facts;           // if empty, every predicate fails
  bool literals_exact = false;  // 0.0 in a search does not match -0.0, and vice versa
  bool allow_inexact = true;    // also match rules with `~`
  // If true, a node without nsz, nnan or ninf preserves signed zeros, NaNs or infinities, like Mesa's fp_fast_math. `~`
  // at the root then requires all three flags there (docs/nir.md 1.3). If false, only `exact` prevents matches of `~`.
  bool nodes_state_fast_math = false;
  // The shader requires that denormals be flushed, which prevents matches of `~` at the root (docs/nir.md 1.3).
  bool denormals_flushed = false;
  const std::vector<uint32_t>* uses = nullptr;  // indexed by node, for PredicateQuery::uses
};

// The value bound to a variable: lane i of the variable is component lanes[i] of `node`, or kUnboundLane if no use
// reads lane i.
inline constexpr uint8_t kUnboundLane = 0xff;
struct Binding {
  NodeIndex node = 0;
  bool bound = false;
  std::array<uint8_t, kMaxComponents> lanes = [] {
    std::array<uint8_t, kMaxComponents> unbound;
    unbound.fill(kUnboundLane);
    return unbound;
  }();
};

struct Match {
  NodeIndex root = 0;
  std::vector<Binding> variables;  // indexed like CompiledRule::variables()
  std::vector<NodeIndex> ops;      // the matched op nodes, in prefix order of ir::Matched(search) as written
  bool has_exact = false;          // a matched op is `exact`, and the search does not ignore the flag
};

class CompiledRule {
 public:
  // Compiles a rule. If the search has a relation (ir/match/relation.h), only the term that `where` encloses is
  // matched, and the matched constants must satisfy the relation. Fails with InvalidArgument if sizes or components are
  // inconsistent (see RuleSizes), if the search has more than 4096 nodes when written as a tree, or if it has more than
  // 8 commutative ops without many-comm-expr. With many-comm-expr, only the first 8 are tried in both orders.
  static absl::StatusOr<CompiledRule> Compile(Rule rule, const SizeOptions& options = {});

  const Rule& rule() const { return rule_; }
  const std::vector<std::string>& variables() const { return variables_; }
  const std::vector<const OpRow*>& root_ops() const { return patterns_[0].ops; }

 private:
  friend class Matcher;
  friend class Replacer;
  struct Pattern {
    NodeIndex node = 0;                  // in rule_.search
    Swizzle swizzle = kIdentitySwizzle;  // the swizzle through which its user reads it
    int variable = -1;
    int commutative = -1;           // index among the commutative ops, or -1
    std::vector<const OpRow*> ops;  // the ops that match; for an unsized conversion, all its sized ops
    std::vector<uint32_t> sources;
    bool inexact = false, ignore_exact = false;
    std::vector<std::string> predicates;  // Node::predicates without the marks that are not predicates
  };
  absl::Status AddPattern(const Source& use, bool is_root, uint32_t* index);
  void AddRelation(const std::vector<SizeOrigin>& origins);
  SizeOrigin AsNumbered(SizeOrigin origin) const;

  Rule rule_;
  OpResolver find_ = nullptr;
  std::vector<Pattern> patterns_;  // the search as a tree, root first
  int commutative_count_ = 0;
  std::vector<std::string> variables_;
  std::vector<SizeOrigin> origins_;  // indexed by node of rule_.replace; kVariable indexes variables_
  Term relation_;                    // the relation that a match must satisfy (ir/match/relation.h); empty if none
  std::vector<SizeOrigin> relation_origins_;
};

// Matches `rule` at node `root` of `term`, trying all 2^n operand orders of its n <= 8 commutative ops. The caller must
// check the rule's condition.
std::optional<Match> MatchAt(const CompiledRule& rule, const Term& term, NodeIndex root,
                             const MatchOptions& options = {});

// Like MatchAt, but returns the match for every operand order that fits. The result may contain equal matches.
std::vector<Match> MatchesAt(const CompiledRule& rule, const Term& term, NodeIndex root,
                             const MatchOptions& options = {});

// Appends the replacement's nodes to `term` and returns the value that replaces the root: component i of the root is
// component swizzle[i] of the returned node. New ops have the root's fast-math flags. They are exact if the match
// contains an exact op or the replacement has `!` (Mesa 25.0.7 nir_search.c:473-480). Returns nullopt and appends
// nothing if the replacement reads a lane that the search did not bind.
std::optional<Source> ApplyReplacement(const CompiledRule& rule, const Match& match, Term* term);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_MATCH_H_
