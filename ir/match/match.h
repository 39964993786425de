// Finds where a rule's search side fits in a concrete DAG, and builds its replacement there: what Mesa's nir_search.c
// does (25.0.7), with the facts about values injected.
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

// A predicate asked of a value, or of an op.
struct PredicateQuery {
  absl::string_view predicate;
  const Term* term = nullptr;       // its nodes need not stand in order while rules are being applied
  Source value;                     // the value read; for predicates of ops: the op
  int components = 1;               // lanes of value.swizzle that are read
  BaseType base = BaseType::kUint;  // as which the value is read
  uint32_t uses = 0;                // of value.node, if MatchOptions::uses is set
  NodeIndex reader = 0;             // for predicates of variables: where the value is read
  size_t source = 0;                // of the reader
};

// Answers whether a predicate surely holds; false whenever in doubt.
using FactCallback = std::function<bool(const PredicateQuery&)>;

struct MatchOptions {
  FactCallback facts;           // none: every predicate fails
  bool literals_exact = false;  // a search's 0.0 and -0.0 match only themselves
  bool allow_inexact = true;    // rules with `~`
  // Whether a node without nsz, nnan, ninf preserves these, as Mesa's fp_fast_math says it: `~` at the root then needs
  // all three there (docs/nir.md 1.3). False: only `exact` holds `~` back.
  bool nodes_state_fast_math = false;
  bool denormals_flushed = false;  // the shader requires flushing: `~` at the root is held back (docs/nir.md 1.3)
  const std::vector<uint32_t>* uses = nullptr;  // by node, for PredicateQuery
};

// What a variable stands for: lane i of the variable is component lanes[i] of `node`; kUnboundLane where nothing reads
// it.
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
  std::vector<Binding> variables;  // by CompiledRule::variables()
  std::vector<NodeIndex> ops;      // the op nodes matched, in prefix order of the search as written (of ir::Matched)
  bool has_exact = false;          // one of them is exact and the search does not ignore that
};

// A rule made ready for matching.
class CompiledRule {
 public:
  // A search with a relation (ir/match/relation.h) matches what it is around, where the constants found meet it.
  // InvalidArgument where sizes or components do not fit (see RuleSizes), the search has more than 4096 values when
  // written out, or more than 8 commutative ops without many-comm-expr (then only the first 8 are tried both ways).
  static absl::StatusOr<CompiledRule> Compile(Rule rule, const SizeOptions& options = {});

  const Rule& rule() const { return rule_; }
  const std::vector<std::string>& variables() const { return variables_; }
  // The rows that the root of a match may have.
  const std::vector<const OpRow*>& root_ops() const { return patterns_[0].ops; }

 private:
  friend class Matcher;
  friend class Replacer;
  struct Pattern {
    NodeIndex node = 0;                  // of rule_.search
    Swizzle swizzle = kIdentitySwizzle;  // through which its user reads it
    int variable = -1;
    int commutative = -1;           // number among the commutative ops, or -1
    std::vector<const OpRow*> ops;  // that it matches; for a conversion without a size, all its sized ones
    std::vector<uint32_t> sources;
    bool inexact = false, ignore_exact = false;
    std::vector<std::string> predicates;  // without marks that are no predicates
  };
  absl::Status AddPattern(const Source& use, bool is_root, uint32_t* index);
  void AddRelation(const std::vector<SizeOrigin>& origins);
  SizeOrigin AsNumbered(SizeOrigin origin) const;

  Rule rule_;
  OpResolver find_ = nullptr;
  std::vector<Pattern> patterns_;  // the search as a tree, root first
  int commutative_count_ = 0;
  std::vector<std::string> variables_;
  std::vector<SizeOrigin> origins_;  // by node of rule_.replace; kVariable counts in variables_
  Term relation_;                    // that a match must meet (ir/match/relation.h); empty: none
  std::vector<SizeOrigin> relation_origins_;
};

// Matches `rule` at node `root` of `term`, all 2^n operand orders of n <= 8 commutative ops. The rule's condition is
// the caller's business.
std::optional<Match> MatchAt(const CompiledRule& rule, const Term& term, NodeIndex root,
                             const MatchOptions& options = {});

// The same for every order of operands that fits, not the first one alone; several may be the same match.
std::vector<Match> MatchesAt(const CompiledRule& rule, const Term& term, NodeIndex root,
                             const MatchOptions& options = {});

// Appends the replacement's nodes to `term` and returns the value that takes the root's place: component i of the root
// is component swizzle[i] of the node. New ops carry the root's fast-math flags, and are exact if the match has an
// exact op or the replacement says `!` (Mesa 25.0.7 nir_search.c:473-480). Nullopt, and nothing appended, if the
// replacement reads a lane that the search did not bind.
std::optional<Source> ApplyReplacement(const CompiledRule& rule, const Match& match, Term* term);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_MATCH_H_
