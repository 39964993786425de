// Determines which terms of a sweep are equal according to the sweep's rules. Terms are processed in order of size.
// Rewritten terms are looked up, but never created. The sources of a term are representatives. Each source represents
// all terms that are known to equal it (congruence).
#ifndef REWROUGHT_ENUMERATOR_SWEEP_SWEEP_RULES_H_
#define REWROUGHT_ENUMERATOR_SWEEP_SWEEP_RULES_H_

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "enumerator/lanes/vector_blocks.h"
#include "enumerator/sweep/term_table.h"
#include "ir/term.h"

namespace rewrought::enumerator {

// A term whose variables match any term of their size. The root is the last node.
struct Pattern {
  struct Node {
    int op = kSweepVariable;
    int variable = 0;
    TermIndex constant = kNoTerm;
    int bits = 0;
    std::array<uint8_t, kSweepSources> sources = {};
  };
  std::vector<Node> nodes;
  uint32_t variables = 0;  // A bit mask of the variables that occur.
  const Node& root() const { return nodes.back(); }
};

Pattern PatternOf(const TermTable& terms, TermIndex term);
// Converts a term to a pattern. Fails with InvalidArgument if an op or a constant is not part of the sweep.
absl::StatusOr<Pattern> PatternOf(const TermTable& terms, const ir::Term& term);

class SweepRules {
 public:
  static constexpr uint64_t kNow = std::numeric_limits<uint64_t>::max();

  // If `directed`, rules are applied from left to right only. This is necessary for floats, because their results may
  // be nondeterministic.
  SweepRules(const TermTable* terms, bool directed) : terms_(*terms), directed_(directed) {}

  // Adds a term that computes a new function. Terms that the rules rewrite to this term also become known.
  void AddRepresentative(TermIndex term);
  // Starts the next size. Applies the existing rules to `terms`, which are the terms of this size that may equal known
  // terms.
  void Open(std::vector<TermIndex> terms);
  // Ends the size. From now on, a representative in a larger term also represents the terms of this size that equal it.
  void Close();

  // Adds a rule and applies it to open terms. `search` is then known to equal `replace`. Returns the index of the rule.
  size_t AddRule(TermIndex search, TermIndex replace);
  // Adds a rule that is not from the sweep. Must be called before the first size is opened.
  void AddRule(Pattern search, Pattern replace);
  // Records that `search` equals `replace` without adding a rule.
  void Assume(TermIndex search, TermIndex replace) { Know(search, replace); }

  // Returns the representative that a term is known to equal, or kNoTerm if there is none.
  TermIndex KnownAs(TermIndex term) const { return term < known_.size() ? known_[term].as : kNoTerm; }
  // Does the same for a term in pattern form.
  TermIndex KnownAs(const Pattern& term) const;
  bool directed() const { return directed_; }
  // Returns true if a few rule applications lead from `term` to a term that was known to equal `representative` before
  // sequence number `before`. Intermediate terms may be larger than the sweep's terms, and at most `most` terms are
  // visited. Disabled rules are not used.
  bool Reaches(TermIndex term, TermIndex representative, uint64_t before = kNow, size_t most = 400) const;
  void SetDisabled(size_t rule, bool out) { rules_[rule].left_out = out; }
  bool IsDisabled(size_t rule) const { return rules_[rule].left_out; }
  // Returns a sequence number that reflects the order in which terms became known.
  uint64_t OrderOf(TermIndex term) const { return known_[term].order; }

 private:
  using Bindings = std::array<TermIndex, kMaxInputs>;
  struct Known {
    TermIndex as = kNoTerm;
    uint64_t order = 0;
  };
  struct Direction {
    Pattern from, to;
  };
  struct Rule {
    std::vector<Direction> directions;
    bool left_out = false;
  };
  // A pattern node, the term that it must match, and the next goal. The goals are linked through the stack frames of
  // the matcher.
  struct Goal {
    uint8_t node = 0;
    TermIndex term = kNoTerm;
    const Goal* next = nullptr;
  };

  Rule MakeRule(Pattern search, Pattern replace) const;
  void Know(TermIndex term, TermIndex representative);
  void AddEdge(TermIndex from, TermIndex to);
  void Apply(const Direction& direction);

  // Calls found(bindings) for each match of the pattern until `found` returns true, and returns whether it did. Uses
  // only terms that were known before sequence number `before`.
  template <typename Found>
  bool MatchRoot(const Pattern& pattern, const Shape& shape, uint64_t before, const Found& found) const;
  template <typename Found>
  bool MatchSources(const Pattern& pattern, const Pattern::Node& node, const Shape& shape, const Goal* goals,
                    const Bindings& bound, uint64_t before, const Found& found) const;
  template <typename Found>
  bool MatchGoals(const Pattern& pattern, const Goal* goals, Bindings bound, uint64_t before, const Found& found) const;
  // Returns the representative of the subterm at `node` of an instance of the pattern. If `open`, a term that is not
  // known yet may represent itself.
  TermIndex PartOf(const Pattern& pattern, size_t node, const Bindings& bound, uint64_t before, bool open) const;
  // Builds the root of an instance, whose sources are the representatives that PartOf returns. Returns false if a
  // subterm is unknown. If the instance is a leaf, sets `*leaf` instead of `*root`.
  bool RootOf(const Pattern& pattern, const Bindings& bound, uint64_t before, bool open, Shape* root,
              TermIndex* leaf) const;
  // The state and the remaining budget of a search that starts from a term.
  struct Search {
    TermIndex goal = kNoTerm;
    uint64_t before = kNow;
    size_t terms_left = 0, matches_left = 0;
    bool arrived = false;
    absl::flat_hash_set<Shape> seen;
    std::vector<Shape> queue;
  };
  // Adds to the search every term to which `shape` can be rewritten in one step.
  void Step(const Shape& shape, Search* search) const;

  const TermTable& terms_;
  const bool directed_;
  std::vector<Rule> rules_;
  std::vector<std::vector<std::pair<uint32_t, uint8_t>>> by_op_;  // Rule and direction indices.
  std::vector<Known> known_;                                      // Indexed by term.
  std::vector<std::vector<TermIndex>> members_;                   // Indexed by representative, for closed sizes.
  std::vector<uint64_t> member_ops_;                // Bit masks of the ops of the members, or of an open term.
  std::vector<std::vector<TermIndex>> leading_to_;  // The terms that equal each term or are replaced by it.
  std::vector<std::vector<TermIndex>> open_;        // Indexed by op.
  uint64_t order_ = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_SWEEP_SWEEP_RULES_H_
