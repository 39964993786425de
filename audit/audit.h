// Verifies every rule of a Mesa tree once, and stores each verdict as soon as it is reached.
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
#include "audit/question.h"
#include "audit/record/tree_verdicts.h"
#include "audit/verdict_file.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/prover.h"
#include "verifier/rule_check.h"

namespace rewrought::audit {

// A verified change that makes a refuted rule hold.
struct SuggestedFix {
  std::string rule;     // the tuple
  std::string change;   // "n0:nsz", "width 32", "~"
  std::string verdict;  // "proved" or "inexact"
};

struct AuditedRule {
  MesaRule source;
  v1::Verdict verdict = v1::VERDICT_UNSPECIFIED;
  bool inexact = false;     // True if a node of the search side is marked `~`.
  bool lowering = false;    // ConditionReading::is_lowering.
  std::string verified_as;  // The canonical text of the verified rule if it differs from the source, else "".
  // Explains the class: "medium precision", "the condition permits ...", or why the rule is unsupported.
  std::string note;
  nlohmann::json cases = nlohmann::json::array();  // See docs/commands.md; includes "explain".
  nlohmann::json statement;                        // The JSON object "inexact", or null if there is none.
  std::vector<std::vector<std::string>> weakest;   // Filled in only for refuted rules, if requested.
  // The assumptions that a proved rule does not need, if requested. Contains "~" if the rule is marked `~`.
  std::vector<std::string> weaker;
  std::optional<SuggestedFix> suggested_fix;  // Set only for refuted rules, if requested and found.
  std::optional<size_t> shadowed_by;          // An index into AuditReport::rules.
  double milliseconds = 0;                    // The verification time, possibly from an earlier run.
  bool cached = false;                        // True if the rule was verified in an earlier run.
  std::string key;                            // Question::key, or "" if the rule cannot be imported.
  // The queries on which a proved, inexact, or vacuous class rests (AnswerOf), or nullopt if the stored answer lacks
  // them.
  std::optional<std::vector<std::string>> queries;
  std::string offline;  // The field "offline" of AnswerOffline, or "" if solvers were available.
};

struct AuditOptions {
  // Widths, modes, and literals. The tree determines the dialect.
  verifier::RuleCheckOptions check;
  bool suggest_fixes = false;     // True to fill in `weakest` and `suggested_fix` of refuted rules.
  bool find_weaker = false;       // True to fill in `weaker` of proved rules.
  std::string limits;             // Describes other settings that affect verdicts (budgets); part of each key.
  bool again_if_unknown = false;  // True to reverify rules whose cached verdict is unknown.
  // If set, answers questions with AnswerOffline, and neither uses solvers nor stores verdicts.
  const TreeVerdicts* offline = nullptr;
  // Looks for a witness of each recorded rule that is refuted and that this file does not list as refuted. Must be set
  // if `offline` is set.
  const TreeVerdicts* known_refuted = nullptr;
  int threads = 1;
  std::stop_token stop;
  // Passed to `progress` after each rule. Calls may come from any thread, but they never overlap.
  struct Progress {
    size_t done = 0, all = 0, cached = 0;
    std::map<v1::Verdict, size_t> by_class;
  };
  std::function<void(const Progress&)> progress;
};

struct AuditReport {
  std::vector<AuditedRule> rules;  // in import order
  std::vector<UnreadableFile> unreadable;
  SourceSizes source_sizes;                   // as imported
  ir::Dialect dialect = ir::Dialect::kNir25;  // of the tree
  bool interrupted = false;
  bool offline = false;             // AuditOptions::offline was set, so recorded rules have no cases.
  size_t verified = 0, cached = 0;  // The numbers of distinct rules verified in this run and found in the file.
};

// Verifies `rules`. Equal rules are verified only once. Each thread stores a verdict in `verdicts` before it starts its
// next rule, unless a stop request interrupted the verification. Returns any error of VerdictFile::Put. A problem with
// a rule is not an error; it is reported with the rule.
absl::StatusOr<AuditReport> Audit(const MesaRules& rules, const verifier::Prover& prover, VerdictFile* verdicts,
                                  const AuditOptions& options);

// Returns the verdicts of all rules that have a key, as a file that can be committed to the tree. The audit must not
// have been interrupted.
TreeVerdicts RecordOf(const AuditReport& report);

// Returns, for each rule, the index of the rule that shadows it (audit/shadow.h). The rules may belong to several
// passes.
std::vector<std::optional<size_t>> ShadowsAmong(const std::vector<MesaRule>& rules, ir::Dialect dialect);

// Counts all cases and the decided cases. If `with_inexact` is false, counts only rules without `~`. A refuted case of
// a `~` rule counts as decided only if the rule was verified over the reals. A rule that has no cases counts as one
// undecided case.
struct CaseCounts {
  size_t decided = 0, all = 0;
};
CaseCounts CountCases(const AuditReport& report, bool with_inexact);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_AUDIT_H_
