// Verifies attempts to generalize a rule, each only once, until a time limit is reached.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_JUDGE_H_
#define REWROUGHT_PIPELINE_GENERALIZE_JUDGE_H_

#include <chrono>
#include <map>
#include <stop_token>
#include <string>

#include "ir/term.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/deadline.h"
#include "verifier/prover.h"
#include "verifier/rule_check.h"

namespace rewrought::pipeline {

struct Judgment {
  bool proved = false;  // bit for bit, or for a rule with `~`, over the reals and with the required accuracy
  std::string reason;   // if not proved: the case and the witness that refute the rule, or the error
  // The accuracy of a rule with `~` that is not proved bit for bit, and otherwise ACCURACY_CLASS_UNSPECIFIED.
  v1::AccuracyClass accuracy = v1::ACCURACY_CLASS_UNSPECIFIED;
};

// Returns whether the replacement of a proved rule is at least as accurate as its search. `accuracy` is
// Judgment::accuracy.
bool KeepsAccuracy(v1::AccuracyClass accuracy);

class Judge {
 public:
  // Every attempt must hold in the modes and the dialect of `check`. After `limit` has passed or `stop` is requested,
  // Verify proves no new rule.
  Judge(const verifier::Prover& prover, const verifier::RuleCheckOptions& check, std::chrono::milliseconds limit,
        const std::stop_token& stop);

  // Verifies the rule at all its sizes.
  Judgment Verify(const ir::Rule& rule);

  // From now on, a rule with `~` that is not proved bit for bit must be of class v1::ACCURACY_CLASS_NOT_LESS_ACCURATE.
  void RequireAccuracy() { requires_accuracy_ = true; }

  // Returns the options under which the sizes of rules are enumerated.
  ir::SizeOptions size_options() const { return verifier::SizeOptionsOf(check_, true); }
  ir::Dialect dialect() const { return check_.dialect; }
  bool time_is_up() const { return deadline_.token().stop_requested(); }

 private:
  const verifier::RuleCheckOptions check_;
  const verifier::Deadline deadline_;
  const verifier::Prover prover_;
  bool requires_accuracy_ = false;
  std::map<std::string, Judgment> known_;  // without regard to requires_accuracy_

  Judgment WithRequiredAccuracy(Judgment judgment) const;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_JUDGE_H_
