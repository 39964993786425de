// States a rule of a Mesa tree as a question to the verifier, and answers the question.
#ifndef REWROUGHT_AUDIT_QUESTION_H_
#define REWROUGHT_AUDIT_QUESTION_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "audit/mesa_rules.h"
#include "ir/text/rule_text.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/entry_check.h"
#include "verifier/prover.h"
#include "verifier/rule_check.h"

namespace rewrought::audit {

// The classes of a rule, in the order of the report. A rule that the run did not reach has class
// v1::VERDICT_UNSPECIFIED.
inline constexpr v1::Verdict kAuditClasses[] = {v1::VERDICT_PROVED,  v1::VERDICT_INEXACT,     v1::VERDICT_REFUTED,
                                                v1::VERDICT_UNKNOWN, v1::VERDICT_UNSUPPORTED, v1::VERDICT_VACUOUS};

// A rule in the form in which it is verified. Not copyable, because the views in `entry` point into `text`.
struct Question {
  Question() = default;
  Question(const Question&) = delete;

  std::string text;     // the rule as a tuple with current op names
  std::string search;   // the search side as imported
  ir::RuleEntry entry;  // entry.rule is an error if `text` cannot be parsed
  verifier::RuleCheckOptions check;
  std::string note;         // the differences between the rule and the verified rule
  std::string verified_as;  // the canonical text of the verified rule, or "" if there is none
  std::string key;          // a digest of everything that determines the answer
};

// States the rule as Mesa applies it. `options` contains the dialect, modes, widths, and the meaning of literals.
// `limits` describes all other settings that affect answers (AuditLimits) and becomes part of the key.
std::unique_ptr<Question> MakeQuestion(const MesaRule& rule, const SourceSizes& sizes,
                                       const verifier::RuleCheckOptions& options, const std::string& limits);

// States the only rule in `text` as written, as `rewrought check` verifies it. `limits` is as for MakeQuestion.
std::unique_ptr<Question> MakeQuestionAsWritten(std::string text, const verifier::RuleCheckOptions& options,
                                                const std::string& limits);

// Verifies the rule without medium precision (WithoutMediumPrecision), or returns nullopt if it has none. The rule must
// have been parsed.
std::optional<verifier::CheckedEntry> CheckWithoutMediumPrecision(const Question& question,
                                                                  const verifier::Prover& prover);

// Returns whether a node of the search side is marked `~`.
bool IsInexact(const ir::RuleEntry& entry);

// Returns the JSON object that `rewrought check --json --explain` prints. It also has "matches_nothing" if the search
// side cannot match, "medium_precision" if the rule holds only without medium precision, and "unsat", the sorted short
// digests (verifier/cache/unsat_digests.h) of the queries that a solver found unsatisfiable. If cancellation is
// requested through the prover's `cancel` during the call, the answer must not be stored.
nlohmann::json AnswerOf(const Question& question, const verifier::Prover& prover);

// Returns the key under which the result of Infer is stored.
std::string InferenceKey(const Question& question);

// Returns the fixes of a refuted rule, or the conditions that a proved rule does not need (audit/suggested_fix.h). The
// rule must have been parsed. `answer` is the rule's answer. The note on cancellation of AnswerOf applies.
nlohmann::json Infer(const Question& question, const nlohmann::json& answer, const verifier::Prover& prover);

// Returns the class of the rule, one of kAuditClasses.
v1::Verdict ClassOf(const nlohmann::json& answer);

// Returns whether another attempt may decide a case of the answer (verifier::IsRetryable).
bool IsRetryable(const nlohmann::json& answer);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_QUESTION_H_
