// Which terms of a sweep follow from its rules: what is known to equal what, settled size by size. Terms are looked up,
// not made; sources are representatives and stand for all terms that are known to equal them (congruence).
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

// A term whose variables stand for any term of their size. The root comes last.
struct Pattern {
  struct Node {
    int op = kSweepVariable;
    int variable = 0;
    TermIndex constant = kNoTerm;
    int bits = 0;
    std::array<uint8_t, kSweepSources> sources = {};
  };
  std::vector<Node> nodes;
  uint32_t variables = 0;  // those that occur, as bits
  const Node& root() const { return nodes.back(); }
};

Pattern PatternOf(const TermTable& terms, TermIndex term);
// InvalidArgument if an op or constant is none of the sweep's.
absl::StatusOr<Pattern> PatternOf(const TermTable& terms, const ir::Term& term);

class SweepRules {
 public:
  static constexpr uint64_t kNow = std::numeric_limits<uint64_t>::max();

  // `directed`: rules say what may replace what, and not the other way; so it is where floats choose among results.
  SweepRules(const TermTable* terms, bool directed) : terms_(*terms), directed_(directed) {}

  // A function of its own. What is known to lead to it is known with it.
  void AddRepresentative(TermIndex term);
  // Begins a size: the terms of it that may equal known ones. What the rules so far say of them is found at once.
  void Open(std::vector<TermIndex> terms);
  // Ends it: its terms stand for their representatives in larger ones.
  void Close();

  // Makes it a rule; with what follows for open terms. `search` is known as `replace` from then on.
  size_t AddRule(TermIndex search, TermIndex replace);
  // A rule from elsewhere, before the first size is opened.
  void AddRule(Pattern search, Pattern replace);
  // Known as `replace` without a rule that says so.
  void Assume(TermIndex search, TermIndex replace) { Know(search, replace); }

  // The representative that a term is known to be, or kNoTerm.
  TermIndex KnownAs(TermIndex term) const { return term < known_.size() ? known_[term].as : kNoTerm; }
  // The same of a term in a pattern's form.
  TermIndex KnownAs(const Pattern& term) const;
  bool directed() const { return directed_; }
  // Whether a few rules in a row, through terms that may be larger than those looked at, lead from `term` to one that
  // was known as `representative` before `before`. A rule that is left out takes no part.
  // `most`: terms looked at.
  bool Reaches(TermIndex term, TermIndex representative, uint64_t before = kNow, size_t most = 400) const;
  void LeaveOut(size_t rule, bool out) { rules_[rule].left_out = out; }
  bool IsLeftOut(size_t rule) const { return rules_[rule].left_out; }
  // When a term became known: counted.
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
  // A pattern that is still to be matched, and the term that it must match; those after it live in outer calls.
  struct Goal {
    uint8_t node = 0;
    TermIndex term = kNoTerm;
    const Goal* next = nullptr;
  };

  Rule MakeRule(Pattern search, Pattern replace) const;
  void Know(TermIndex term, TermIndex representative);
  void AddEdge(TermIndex from, TermIndex to);
  void Apply(const Direction& direction);

  // Calls found(bindings) for each way to match until it returns true; whether it did. Members known before `before`.
  template <typename Found>
  bool MatchRoot(const Pattern& pattern, const Shape& shape, uint64_t before, const Found& found) const;
  template <typename Found>
  bool MatchSources(const Pattern& pattern, const Pattern::Node& node, const Shape& shape, const Goal* goals,
                    const Bindings& bound, uint64_t before, const Found& found) const;
  template <typename Found>
  bool MatchGoals(const Pattern& pattern, const Goal* goals, Bindings bound, uint64_t before, const Found& found) const;
  // The term that an instance's part is known as; if `open`, one that is not known yet may stand for itself.
  TermIndex PartOf(const Pattern& pattern, size_t node, const Bindings& bound, uint64_t before, bool open) const;
  // The instance's root over such parts; false if a part is none. An instance that is a leaf is `*leaf`.
  bool RootOf(const Pattern& pattern, const Bindings& bound, uint64_t before, bool open, Shape* root,
              TermIndex* leaf) const;
  // A search from a term: what it came to, and how much it may still look at.
  struct Search {
    TermIndex goal = kNoTerm;
    uint64_t before = kNow;
    size_t terms_left = 0, matches_left = 0;
    bool arrived = false;
    absl::flat_hash_set<Shape> seen;
    std::vector<Shape> queue;
  };
  // Adds what one step from `shape` leads to.
  void Step(const Shape& shape, Search* search) const;

  const TermTable& terms_;
  const bool directed_;
  std::vector<Rule> rules_;
  std::vector<std::vector<std::pair<uint32_t, uint8_t>>> by_op_;  // rules and their directions
  std::vector<Known> known_;                                      // by term
  std::vector<std::vector<TermIndex>> members_;                   // by representative, of sizes that are closed
  std::vector<uint64_t> member_ops_;                              // of them, or of an open term, as bits
  std::vector<std::vector<TermIndex>> leading_to_;                // by term: what equals it, or is replaced by it
  std::vector<std::vector<TermIndex>> open_;                      // by op
  uint64_t order_ = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_SWEEP_SWEEP_RULES_H_
