// Verifies every rule of a Mesa tree once, keeps each verdict as it is reached, and says of each rule what an auditor
// asks.
#ifndef REWROUGHT_AUDIT_AUDIT_H_
#define REWROUGHT_AUDIT_AUDIT_H_

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "audit/mesa_rules.h"
#include "audit/verdict_file.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/prover.h"
#include "verifier/rule_check.h"

namespace rewrought::audit {

// What a rule can be found to be, in the order of a report. A rule that the run did not come to is
// v1::VERDICT_UNSPECIFIED.
inline constexpr v1::Verdict kAuditClasses[] = {v1::VERDICT_PROVED,  v1::VERDICT_INEXACT,     v1::VERDICT_REFUTED,
                                                v1::VERDICT_UNKNOWN, v1::VERDICT_UNSUPPORTED, v1::VERDICT_VACUOUS};

// A change that makes a refuted rule hold, itself verified.
struct SuggestedFix {
  std::string rule;     // the tuple
  std::string change;   // "n0:nsz", "width 32", "~"
  std::string verdict;  // "proved" or "inexact"
};

struct AuditedRule {
  MesaRule source;
  v1::Verdict verdict = v1::VERDICT_UNSPECIFIED;
  bool inexact = false;   // `~` on some node of the search
  bool lowering = false;  // ConditionReading::is_lowering
  std::string
      verified_as;   // canonical text of what was verified, where conditions or old op names made it differ; else ""
  std::string note;  // what the class rests on: "medium precision", "the condition permits ...", why unsupported
  nlohmann::json cases = nlohmann::json::array();  // as docs/commands.md gives them, with "explain"
  nlohmann::json statement;                        // "inexact" of the contract; null if there is none
  std::vector<std::vector<std::string>> weakest;   // with `infer`, of refuted rules
  std::vector<std::string> weaker;            // with `infer`, of proved rules: assumptions that may go; "n0:~" always
  std::optional<SuggestedFix> suggested_fix;  // with `infer`
  std::optional<size_t> shadowed_by;          // index into AuditReport::rules
  double milliseconds = 0;                    // when it was verified, maybe in an earlier run
  bool cached = false;                        // verified in an earlier run
};

struct AuditOptions {
  verifier::RuleCheckOptions check;  // widths, modes, literals; `infer` asks for weakest, weaker and suggested fixes
  std::string limits;                // what else decides a verdict (budgets), as text: a part of a verdict's key
  bool again_if_unknown = false;     // verify again what is cached as unknown
  int threads = 1;
  std::stop_token stop;
  // Called after each rule, from all threads, one at a time: rules done so far of all, by class.
  struct Progress {
    size_t done = 0, all = 0, cached = 0;
    std::map<v1::Verdict, size_t> by_class;
  };
  std::function<void(const Progress&)> progress;
};

struct AuditReport {
  std::vector<AuditedRule> rules;  // as imported
  std::vector<UnreadableFile> unreadable;
  SourceSizes source_sizes;  // as imported
  bool interrupted = false;
  size_t verified = 0, cached = 0;  // different questions: asked now, answered by the file
};

// Verifies `rules`. Equal rules are verified once. A verdict goes to `verdicts` before the next is begun; those that a
// stop cut short do not. Errors: those of VerdictFile::Put; what is wrong with one rule is that rule's.
absl::StatusOr<AuditReport> Audit(const MesaRules& rules, const verifier::Prover& prover, VerdictFile* verdicts,
                                  const AuditOptions& options);

// Cases decided of all, for rules without `~` and for all: a case of a `~` rule that was refuted strictly is decided if
// its rule was verified over the reals; a rule without cases counts as one undecided case.
struct CaseCounts {
  size_t decided = 0, all = 0;
};
CaseCounts CountCases(const AuditReport& report, bool with_inexact);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_AUDIT_H_
