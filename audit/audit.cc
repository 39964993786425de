#include "audit/audit.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "audit/record/offline.h"
#include "audit/rule_reading.h"
#include "audit/shadow.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/dialect/reading.h"
#include "ir/text/rule_text.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

bool IsRefuted(const Json& one) { return one.value("verdict", "") == "refuted"; }

bool IsOfOneBit(const Json& one) {
  const Json sizes = one.value("sizes", Json::object());
  for (const auto& [name, bits] : sizes.items()) {
    if (bits != 1) return false;
  }
  return true;
}

class Auditor {
 public:
  Auditor(const verifier::Prover& prover, VerdictFile* verdicts, const AuditOptions& options, AuditReport* report)
      : prover_(prover), verdicts_(verdicts), options_(options), report_(*report) {}

  absl::Status Run() {
    MakeQuestions();
    std::vector<std::thread> threads;
    for (int i = 0; i < std::max(1, options_.threads); ++i) threads.emplace_back([this] { Work(); });
    for (std::thread& thread : threads) thread.join();
    report_.interrupted = options_.stop.stop_requested();
    return status_;
  }

 private:
  struct SharedQuestion {
    std::unique_ptr<Question> question;
    std::vector<size_t> rules;  // the indices of all rules with this question
  };

  void MakeQuestions() {
    std::map<std::string, size_t> by_key;
    for (size_t i = 0; i < report_.rules.size(); ++i) {
      AuditedRule& rule = report_.rules[i];
      rule.lowering = ReadCondition(rule.source.condition).is_lowering;
      if (!rule.source.reason.empty()) {
        rule.verdict = v1::VERDICT_UNSUPPORTED;
        rule.note = rule.source.reason;
        Count(rule.verdict, false);
        continue;
      }
      std::unique_ptr<Question> question =
          MakeQuestion(rule.source, report_.source_sizes, options_.check, options_.limits);
      rule.inexact = IsInexact(question->entry);
      rule.key = question->key;
      const auto [found, added] = by_key.try_emplace(question->key, work_.size());
      if (added) work_.push_back({std::move(question), {}});
      work_[found->second].rules.push_back(i);
    }
  }

  void Work() {
    for (size_t i = next_++; i < work_.size(); i = next_++) {
      if (options_.stop.stop_requested()) return;
      const Question& question = *work_[i].question;
      bool cached = false;
      const std::optional<Json> answer =
          options_.offline != nullptr ? AnswerWithoutSolvers(work_[i], &cached) : AnswerWithSolvers(question, &cached);
      if (!answer.has_value()) return;  // stopped, or the disk is full
      const std::lock_guard<std::mutex> lock(mutex_);
      ++(cached ? report_.cached : report_.verified);
      for (const size_t rule : work_[i].rules) Fill(question, *answer, cached, &report_.rules[rule]);
    }
  }

  std::optional<Json> Cached(const Question& question) const {
    std::optional<Json> answer = verdicts_->Find(question.key);
    if (!answer.has_value() || ClassOf(*answer) != v1::VERDICT_UNKNOWN) return answer;
    // With a time limit, reuse an unknown verdict that was stored under the same limit. Without one, verify the rule
    // again if a query previously ran out of time.
    const bool timed = prover_.options().timeout_ms > 0;
    if (options_.again_if_unknown || (!timed && IsRetryable(*answer))) return std::nullopt;
    return answer;
  }

  bool Keep(const std::string& key, const Json& value) {
    const absl::Status status = verdicts_->Put(key, value);
    if (status.ok()) return true;
    const std::lock_guard<std::mutex> lock(mutex_);
    status_.Update(status);
    next_ = work_.size();
    return false;
  }

  // Returns the stored or the new answer, with the requested fixes or weaker conditions, or nullopt if the run must
  // end.
  std::optional<Json> AnswerWithSolvers(const Question& question, bool* cached) {
    std::optional<Json> answer = Cached(question);
    *cached = answer.has_value();
    if (!*cached) {
      answer = AnswerOf(question, prover_);
      if (options_.stop.stop_requested() || !Keep(question.key, *answer)) return std::nullopt;
    }
    if (!AddInference(question, &*answer)) return std::nullopt;
    return answer;
  }

  // Returns the answer of AnswerOffline, or nullopt if the run must end.
  std::optional<Json> AnswerWithoutSolvers(const SharedQuestion& shared, bool* recorded) {
    const bool wants_witness = std::any_of(shared.rules.begin(), shared.rules.end(), [&](size_t rule) {
      return !options_.known_refuted->ListsAsRefuted(report_.rules[rule].source.Id());
    });
    Json answer = AnswerOffline(*shared.question, *options_.offline, prover_, wants_witness);
    if (options_.stop.stop_requested()) return std::nullopt;
    *recorded = answer.value("offline", "") == "recorded";
    return answer;
  }

  // Adds the requested fixes or weaker conditions to `answer`. Returns false if the run must end.
  bool AddInference(const Question& question, Json* answer) {
    if (!question.entry.rule.ok()) return true;
    const bool is_proved = ClassOf(*answer) == v1::VERDICT_PROVED;
    const bool is_refuted = answer->value("verdict", "") == "refuted";
    if (!(is_proved && options_.find_weaker) && !(is_refuted && options_.suggest_fixes)) return true;
    const std::string key = InferenceKey(question);
    std::optional<Json> inferred = verdicts_->Find(key);
    if (!inferred.has_value()) {
      inferred = Infer(question, *answer, prover_);
      if (options_.stop.stop_requested() || !Keep(key, *inferred)) return false;
    }
    answer->update(*inferred);
    return true;
  }

  // Fills in `rule` from `answer`. The caller must hold the mutex.
  void Fill(const Question& question, const Json& answer, bool cached, AuditedRule* rule) {
    rule->verdict = ClassOf(answer);
    rule->cached = cached;
    rule->cases = answer.value("cases", Json::array());
    rule->statement = answer.value("inexact", Json());
    rule->weakest = answer.value("weakest", std::vector<std::vector<std::string>>());
    rule->weaker = answer.value("weaker", std::vector<std::string>());
    rule->milliseconds = answer.value("ms", 0.0);
    rule->offline = answer.value("offline", "");
    if (answer.contains("unsat")) rule->queries = answer["unsat"].get<std::vector<std::string>>();
    rule->note = question.note;
    if (!question.note.empty()) rule->verified_as = question.verified_as;
    const auto add_note = [&](const std::string& note) {
      absl::StrAppend(&rule->note, rule->note.empty() ? "" : "; ", note);
    };
    if (rule->verdict == v1::VERDICT_REFUTED && !rule->cases.empty() &&
        std::all_of(rule->cases.begin(), rule->cases.end(),
                    [](const Json& one) { return !IsRefuted(one) || IsOfOneBit(one); })) {
      add_note("refuted at 1 bit only");
    }
    if (answer.contains("error")) add_note(answer["error"].value("message", ""));
    if (answer.value("medium_precision", false))
      add_note("inexact because of medium precision: the rule holds with 32 bits throughout");
    if (answer.contains("suggested_fix")) {
      const Json& suggested_fix = answer["suggested_fix"];
      rule->suggested_fix = SuggestedFix{suggested_fix.value("rule", ""), suggested_fix.value("change", ""),
                                         suggested_fix.value("verdict", "")};
    }
    if (rule->verdict == v1::VERDICT_PROVED && rule->inexact) rule->weaker.insert(rule->weaker.begin(), "~");
    Count(rule->verdict, cached);
  }

  void Count(v1::Verdict verdict, bool cached) {
    ++progress_.done;
    progress_.all = report_.rules.size();
    progress_.cached += cached ? 1 : 0;
    ++progress_.by_class[verdict];
    if (options_.progress) options_.progress(progress_);
  }

  const verifier::Prover& prover_;
  VerdictFile* const verdicts_;
  const AuditOptions& options_;
  AuditReport& report_;
  std::vector<SharedQuestion> work_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  absl::Status status_;
  AuditOptions::Progress progress_;
};

}  // namespace

TreeVerdicts RecordOf(const AuditReport& report) {
  TreeVerdicts record;
  for (const AuditedRule& rule : report.rules) {
    if (rule.key.empty()) continue;
    // A refutation depends on its witness and an unknown verdict on nothing, so neither records queries.
    const bool rests_on_queries = rule.verdict == v1::VERDICT_PROVED || rule.verdict == v1::VERDICT_INEXACT ||
                                  rule.verdict == v1::VERDICT_VACUOUS;
    TreeVerdict verdict{rule.source.Id(), rule.verdict, ShortKey(rule.key), {}};
    if (rests_on_queries && rule.queries.has_value()) verdict.queries = *rule.queries;
    record.Add(std::move(verdict));
  }
  return record;
}

std::vector<std::optional<size_t>> ShadowsAmong(const std::vector<MesaRule>& rules, ir::Dialect dialect) {
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> passes;
  for (size_t i = 0; i < rules.size(); ++i) passes[{rules[i].file, rules[i].pass}].push_back(i);
  std::vector<std::optional<size_t>> found(rules.size());
  for (const auto& [name, members] : passes) {
    std::vector<PassRule> pass;
    for (const size_t i : members) {
      PassRule rule;
      // Parse the rule as written in the tree, because an old op name matches ops that its replacement in the verified
      // text does not match.
      absl::StatusOr<ir::Rule> parsed = rules[i].reason.empty()
                                            ? ir::ParseRule(rules[i].Text(), 1, nullptr, ir::ResolverOf(dialect))
                                            : absl::InvalidArgumentError(rules[i].reason);
      if (parsed.ok()) {
        parsed->condition = rules[i].condition;
        rule.rule = *std::move(parsed);
      }
      pass.push_back(std::move(rule));
    }
    const std::vector<std::optional<size_t>> shadows = FindShadows(pass, ir::SizeOptionsIn(dialect));
    for (size_t k = 0; k < members.size(); ++k) {
      if (shadows[k].has_value()) found[members[k]] = members[*shadows[k]];
    }
  }
  return found;
}

absl::StatusOr<AuditReport> Audit(const MesaRules& rules, const verifier::Prover& prover, VerdictFile* verdicts,
                                  const AuditOptions& options) {
  AuditReport report;
  report.unreadable = rules.unreadable;
  report.source_sizes = rules.source_sizes;
  report.dialect = rules.dialect;
  report.offline = options.offline != nullptr;
  for (const MesaRule& rule : rules.rules) {
    report.rules.emplace_back();
    report.rules.back().source = rule;
  }
  AuditOptions of_tree = options;
  of_tree.check.dialect = rules.dialect;
  absl::Status status = Auditor(prover, verdicts, of_tree, &report).Run();
  if (!status.ok()) return status;
  const std::vector<std::optional<size_t>> shadows = ShadowsAmong(rules.rules, rules.dialect);
  for (size_t i = 0; i < shadows.size(); ++i) report.rules[i].shadowed_by = shadows[i];
  return report;
}

CaseCounts CountCases(const AuditReport& report, bool with_inexact) {
  CaseCounts counts;
  for (const AuditedRule& rule : report.rules) {
    if (rule.inexact && !with_inexact) continue;
    if (rule.cases.empty()) ++counts.all;
    const bool verified_over_reals = rule.verdict == v1::VERDICT_INEXACT || rule.verdict == v1::VERDICT_REFUTED;
    for (const Json& one : rule.cases) {
      ++counts.all;
      const std::string verdict = one.value("verdict", "");
      if (verdict == "proved" || verdict == "vacuous") ++counts.decided;
      if (verdict == "refuted" && (!rule.inexact || verified_over_reals)) ++counts.decided;
    }
  }
  return counts;
}

}  // namespace rewrought::audit
