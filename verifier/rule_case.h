// One case of a rule, ready to be verified: both sides and the preconditions lowered into one Dag, in one denormal
// mode.
#ifndef REWROUGHT_VERIFIER_RULE_CASE_H_
#define REWROUGHT_VERIFIER_RULE_CASE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/dag.h"
#include "ir/evaluate.h"
#include "ir/float_contract.h"
#include "ir/match/mesa_build.h"
#include "ir/term.h"

namespace rewrought::verifier {

// `search` and `replace` of known sizes, sharing variables by name. A search's relation (ir/match/relation.h) is one of
// the preconditions: what it is around is what is proved. In `replace`, op nodes carry the flags they will have where
// the rule is applied (BuildAsMesa does so as Mesa does).
struct RuleCase {
  ir::Term search;
  ir::Term replace;
  ir::DenormMode mode = ir::DenormMode::kAny;
  bool index_in_range = false;  // RuleCheckOptions::index_in_range
};

// The literals with which one copy of the search side fills its choices; a choice without an entry is guided by the
// replacement's own choices. Keys as SearchCopyKey gives them.
using ChoiceLiterals = std::map<std::string, uint64_t>;

// How a copy of the search side takes choices for which it has no literal.
struct CopyPolicy {
  uint64_t otherwise =
      0;  // what a flush or the sign of a zero is, where the replacement has no choice about the same value; 1: also
          // T's root for every inner NaN or poison of its width, for what passes one on to the search's root
  bool guided = true;   // at the root: what would give just the replacement's root, else as elsewhere
  bool merged = false;  // flush where the replacement makes any flush of the value or of it negated or made absolute
};

inline constexpr size_t kMostRootFlushes = 3;

class PreparedCase {
 public:
  // InvalidArgument if a side cannot be lowered, the roots' shapes differ, or a precondition does not fit: unsupported.
  static absl::StatusOr<std::unique_ptr<PreparedCase>> Create(const RuleCase& rule_case);

  const ir::Dag& dag() const { return dag_; }
  ir::Dag* mutable_dag() { return &dag_; }
  const ir::ChoiceTerm& replace() const { return replace_; }  // T, its choices first in the Dag
  const ir::ChoiceTerm& search() const { return search_; }    // S with open choices, for membership
  ir::ValueIndex assumption() const { return assumption_; }   // 1 bit: the preconditions
  int root_bits() const { return dag_.at(replace_.lowered.root[0]).width; }

  // Lowers one more copy of the search side and returns its root, by component. A choice takes the literal given for
  // it, else what `policy` says before or after T's own choice about the same value (wide ones: T's first NaN of that
  // width, else 0). Every copy is a way in which the search side may choose, so more of them can only help a proof.
  absl::StatusOr<std::vector<ir::ValueIndex>> SearchCopy(const ChoiceLiterals& literals, const CopyPolicy& policy);

  // The literals that state `choices`, the values of search().choices, as a copy.
  ChoiceLiterals LiteralsOf(absl::Span<const uint64_t> choices) const;

  // Every way in which the op at the search's root may flush its sources; none if it has no such choice, or more than
  // kMostRootFlushes.
  std::vector<ChoiceLiterals> RootFlushes() const;

 private:
  PreparedCase() = default;
  absl::Status AddAssumptions(const ir::Term& search);
  absl::Status AssumeRelation(const ir::Term& search);
  void AssumeBoolean(ir::ValueIndex value);
  void AssumeBooleanOperands(const ir::Term& search, const ir::Node& op);
  void AssumeIndexInRange(const ir::Node& op);
  void AssumeDefined(const ir::Term& search, ir::NodeIndex index);
  void AssumeUnlessChosen(ir::ValueIndex truth);
  ir::ValueIndex Guided(const ir::Choice& choice);
  ir::ValueIndex SameChoice(const ir::Choice& choice) const;
  ir::ValueIndex MergedFlush(const ir::Choice& choice);
  ir::ValueIndex Magnitude(ir::ValueIndex value) const;

  RuleCase rule_case_;
  ir::Dag dag_;
  ir::ChoiceTerm replace_;
  ir::ChoiceTerm search_;
  ir::ValueIndex assumption_ = 0;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_RULE_CASE_H_
