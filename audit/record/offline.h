// Answers a question from the verdict file of a tree, without solvers.
#ifndef REWROUGHT_AUDIT_RECORD_OFFLINE_H_
#define REWROUGHT_AUDIT_RECORD_OFFLINE_H_

#include <chrono>
#include <nlohmann/json.hpp>

#include "audit/question.h"
#include "audit/record/tree_verdicts.h"
#include "verifier/prover.h"

namespace rewrought::audit {

// The wall time that a rule whose key is not in the file may use.
inline constexpr std::chrono::milliseconds kOfflineRuleTime{2000};

// Returns the answer to the question, which must not be stored. Its field "offline" is one of these:
//   "recorded": the file contains the key; the answer has only its class. If the class is refuted and `wants_witness`,
//               it also has the cases with the witness, unless refuting the rule again needs a solver.
//   "verified": the prover decided the rule with test vectors, enumeration, and the file's queries. The answer is that
//               of AnswerOf.
//   "missing":  neither decides the rule, so its class is unknown. Also states the reasons of the undecided cases.
// Refutes a rule only if no solver's answers could change its class. Uses the options of `prover` but not its solvers,
// and takes at most `time`.
nlohmann::json AnswerOffline(const Question& question, const TreeVerdicts& verdicts, const verifier::Prover& prover,
                             bool wants_witness = false, std::chrono::milliseconds time = kOfflineRuleTime);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_RECORD_OFFLINE_H_
