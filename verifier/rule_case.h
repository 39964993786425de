// A case of a rule, prepared for verification: both sides and the preconditions lowered into one Dag, in one denormal
// mode.
#ifndef REWROUGHT_VERIFIER_RULE_CASE_H_
#define REWROUGHT_VERIFIER_RULE_CASE_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/dag.h"
#include "ir/dialect/dialect.h"
#include "ir/evaluate.h"
#include "ir/float_contract.h"
#include "ir/match/mesa_build.h"
#include "ir/term.h"

namespace rewrought::verifier {

// The two sides have fixed sizes and share variables by name. A relation in the search side (ir/match/relation.h)
// becomes a precondition, and the term that it encloses is verified. Op nodes in `replace` have the flags that they
// will have when the rule is applied (BuildAsMesa sets them as Mesa does).
struct RuleCase {
  ir::Term search;
  ir::Term replace;
  ir::DenormMode mode = ir::DenormMode::kAny;
  ir::Dialect dialect = ir::Dialect::kNir25;
  bool index_in_range = false;  // RuleCheckOptions::index_in_range
  // Whether Mesa's range analysis is trusted, for example that `a(is_not_negative)` is never negative. The analysis is
  // wrong about some ops (docs/float_contract.md 7), so a proof that trusts it is valid only where the analysis is
  // right. The analysis of constants is trusted unless RestsOnRangeAnalysis returns true.
  bool trusts_ranges = false;
  // Whether the search's root is marked with its unknown flags (ir::MarkUnknownFlags). If not, ReadAsMesa and
  // PreparedCase::Create mark it.
  bool flags_marked = false;
  bool other_users = true;  // whether other instructions may read inner nodes of the search (ReadAsMesa)
};

// Returns the type that the predicates of `variable` assume: the type of its first use, or of the use that states them.
ir::BaseType TypeForPredicates(ir::Dialect dialect, const ir::Term& search, const ir::Node& variable);

// Returns whether the truth of `predicate` for `variable` depends on Mesa's range analysis, which may be wrong. This
// holds for range predicates of variables that are not constants, and for some predicates of 64-bit float constants.
bool RestsOnRangeAnalysis(const RuleCase& rule_case, const ir::Node& variable, absl::string_view predicate);

// Marks the matched root of the case's search with its unknown flags, unless it is already marked.
void MarkUnknownFlags(RuleCase* rule_case);

// Returns the case in which the matched root carries only the flags that the rule names.
RuleCase WithNamedFlagsOnly(RuleCase rule_case);

// The literals for the choices of a copy of the search side. A choice without an entry follows the replacement's own
// choices. The keys are the names of choices in certificates, such as "n2.0:3#1".
using ChoiceLiterals = std::map<std::string, uint64_t>;

// Determines the choices that have no literal.
struct CopyPolicy {
  // The value of a flush or zero sign if the replacement makes no choice about the same value. If 1, choices of NaN
  // patterns and poison values inside the search also take the value of the replacement's root, for ops that propagate
  // such a value to the search's root.
  uint64_t otherwise = 0;
  bool guided = true;     // at the root and below packing, choose the value that yields the replacement's root
  bool merged = false;    // flush if the replacement flushes the value, its negation or its absolute value anywhere
  bool selected = false;  // also guide the results that a bcsel at the root may select
};

inline constexpr size_t kMostRootFlushes = 3;

class PreparedCase {
 public:
  // Fails with InvalidArgument, meaning unsupported, if a side cannot be lowered, the roots' shapes differ, or a
  // precondition cannot be expressed.
  static absl::StatusOr<std::unique_ptr<PreparedCase>> Create(const RuleCase& rule_case);

  const ir::Dag& dag() const { return dag_; }
  ir::Dag* mutable_dag() { return &dag_; }
  const ir::ChoiceTerm& replace() const { return replace_; }  // T, whose choices come first in the Dag
  const ir::ChoiceTerm& search() const { return search_; }    // S with open choices, for membership queries
  ir::ValueIndex assumption() const { return assumption_; }   // the preconditions as a 1-bit value
  int root_bits() const { return dag_.at(replace_.lowered.root[0]).width; }

  // Lowers another copy of the search side and returns its root, indexed by component. A choice takes its literal if
  // there is one. Otherwise, it takes T's own choice about the same value, or the value that `policy` specifies. If
  // neither applies, a wide choice takes T's first NaN of that width, or 0 if T has none. Every copy is a valid way for
  // the search side to choose, so more copies can only help a proof.
  absl::StatusOr<std::vector<ir::ValueIndex>> SearchCopy(const ChoiceLiterals& literals, const CopyPolicy& policy);

  // Returns the literals of a copy with the given values of search().choices.
  ChoiceLiterals LiteralsOf(absl::Span<const uint64_t> choices) const;

  // Returns every combination of flushes for the sources of the op at the search's root. Returns none if the op has no
  // such choices or more than kMostRootFlushes of them.
  std::vector<ChoiceLiterals> RootFlushes() const;

 private:
  PreparedCase() = default;
  absl::Status AddAssumptions(const ir::Term& search);
  absl::StatusOr<ir::ValueIndex> AssumedBy(absl::string_view predicate, const ir::Term& search,
                                           const ir::Node& variable, ir::ValueIndex value);
  absl::Status AssumeRelation(const ir::Term& search);
  void AssumeBoolean(ir::ValueIndex value);
  void AssumeBooleanOperands(const ir::Term& search, const ir::Node& op);
  void AssumeIndexInRange(const ir::Node& op);
  void AssumeDefined(const ir::Term& search, ir::NodeIndex index);
  absl::Status AssumeNoWrap(const ir::Term& search, ir::NodeIndex index);
  void AssumeUnlessChosen(ir::ValueIndex truth);
  std::optional<ir::ValueIndex> TargetOf(const ir::Choice& choice, bool selected);
  ir::ValueIndex Guided(const ir::Choice& choice, ir::ValueIndex target);
  ir::ValueIndex SameChoice(const ir::Choice& choice) const;
  ir::ValueIndex MergedFlush(const ir::Choice& choice);
  std::optional<ir::ValueIndex> SignThatReplaceReads(const ir::Choice& choice);
  ir::ValueIndex ChoiceIn26(const ir::Choice& choice, bool flush, bool drops_signs);
  ir::ValueIndex Magnitude(ir::ValueIndex value) const;

  RuleCase rule_case_;
  ir::Dag dag_;
  ir::ChoiceTerm replace_;
  ir::ChoiceTerm search_;
  ir::ValueIndex assumption_ = 0;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_RULE_CASE_H_
