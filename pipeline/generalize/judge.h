// Verifies attempts to generalize a rule, each only once, until a time limit is reached.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_JUDGE_H_
#define REWROUGHT_PIPELINE_GENERALIZE_JUDGE_H_

#include <chrono>
#include <map>
#include <stop_token>
#include <string>

#include "ir/term.h"
#include "verifier/deadline.h"
#include "verifier/prover.h"
#include "verifier/rule_check.h"

namespace rewrought::pipeline {

struct Judgment {
  bool proved = false;
  std::string reason;  // if not proved: the case and the witness that refute the rule, or the error
};

class Judge {
 public:
  // Every attempt must hold in the modes and the dialect of `check`. After `limit` has passed or `stop` is requested,
  // Verify proves no new rule.
  Judge(const verifier::Prover& prover, const verifier::RuleCheckOptions& check, std::chrono::milliseconds limit,
        const std::stop_token& stop);

  // Verifies the rule at all its sizes.
  Judgment Verify(const ir::Rule& rule);

  // Returns the options under which the sizes of rules are enumerated.
  ir::SizeOptions size_options() const { return verifier::SizeOptionsOf(check_, true); }
  ir::Dialect dialect() const { return check_.dialect; }
  bool time_is_up() const { return deadline_.token().stop_requested(); }

 private:
  const verifier::RuleCheckOptions check_;
  const verifier::Deadline deadline_;
  const verifier::Prover prover_;
  std::map<std::string, Judgment> known_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_JUDGE_H_
