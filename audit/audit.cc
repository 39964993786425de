#include "audit/audit.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "audit/rule_reading.h"
#include "audit/shadow.h"
#include "audit/suggested_fix.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/dialect/reading.h"
#include "ir/digest.h"
#include "ir/float_contract.h"
#include "ir/semantics.h"
#include "ir/text/rule_text.h"
#include "proto/names.h"
#include "verifier/budget.h"
#include "verifier/entry_check.h"
#include "verifier/inexact/inexact.h"
#include "verifier/message/verdict_json.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

// Increment this version when the meaning of verdicts changes, to invalidate cached verdicts.
constexpr char kAuditVersion[] = "audit-4";

// A rule in the form in which it is verified.
struct Question {
  std::string text;     // the views in `entry` point into it
  std::string search;   // as imported
  ir::RuleEntry entry;  // entry.rule is an error if it cannot be parsed
  verifier::RuleCheckOptions check;
  std::string note, verified_as;
  std::string key;
  std::vector<size_t> rules;  // the indices of all rules with this question
};

// Returns whether a node of the search side is marked `~`.
bool IsInexact(const ir::RuleEntry& entry) { return entry.rule.ok() && verifier::IsMarkedInexact(entry.rule->search); }

std::string ModesText(const verifier::RuleCheckOptions& check) {
  std::vector<std::string> modes;
  for (const ir::DenormMode mode : check.modes) modes.emplace_back(ir::NameOf(mode));
  return absl::StrCat(absl::StrJoin(modes, ","), " ", absl::StrJoin(check.widths, ","),
                      check.literals_exact ? " exact" : "", check.inherit_flags ? "" : " flags not inherited");
}

// Returns the rule as a tuple with current op names. Removes syntax that Mesa ignores but our grammar rejects.
std::string ReadableText(const MesaRule& rule, std::vector<std::string>* notes) {
  // Mesa accepts `~` on the right side but ignores it (nir_search.c checks only the search side).
  const std::string replace = absl::StrReplaceAll(rule.replace, {{"('~", "('"}});
  if (replace != rule.replace) notes->push_back("~ on the replacement has no effect");
  const std::string text = absl::StrCat("(", rule.search, ", ", replace, ")");
  const std::string today = WithTodaysOps(text);
  if (today != text) notes->push_back("old op names are replaced with current ones");
  return today;
}

// Fills in `question`. If the rule cannot be read, question->entry contains the error.
void Ask(const MesaRule& rule, const SourceSizes& sizes, const AuditOptions& options, Question* question) {
  question->check = options.check;
  question->check.index_in_range = true;
  question->check.spare_after_refuted = true;
  question->search = rule.search;
  std::vector<std::string> notes, dropped, later;
  question->text = ReadableText(rule, &notes);
  question->text = WithoutUnknownPredicates(std::move(question->text), &dropped);
  for (const std::string& name : dropped) notes.push_back(absl::StrCat("ignores the unknown predicate ", name));
  const bool is_26 = options.check.dialect == ir::Dialect::kNir26;
  if (!is_26) question->text = WithoutLaterPredicates(std::move(question->text), &later);
  for (const std::string& name : later) {
    notes.push_back(absl::StrCat("the predicate of ", name, " is at a later use, where the matcher ignores it"));
  }
  std::vector<ir::RuleEntry> entries = ir::ParseRules(question->text, ir::ResolverOf(options.check.dialect));
  if (entries.size() == 1) question->entry = std::move(entries[0]);
  if (entries.size() != 1) question->entry.rule = absl::InvalidArgumentError("expected exactly one rule");
  const ConditionReading reading = ReadCondition(rule.condition);
  if (question->entry.rule.ok() && reading.only_toward_zero) {
    question->entry.rule =
        absl::UnimplementedError("the condition holds only if the shader rounds toward zero, which is not modeled");
  }
  if (!question->entry.rule.ok()) {
    if (question->entry.error.message.empty())
      question->entry.error.message = std::string(question->entry.rule.status().message());
    if (absl::StrContains(question->text, "'fddx") || absl::StrContains(question->text, "'fddy"))
      notes.push_back("a derivative is not a function of one invocation's values");
  } else {
    if (FixSourceSizes(sizes, &*question->entry.rule)) notes.push_back("source sizes are fixed by this tree's opcodes");
    if (LoosenFloats(reading.loose_sizes, &*question->entry.rule)) {
      question->check.inherit_flags = false;
      notes.push_back("the condition permits nsz, nnan and ninf");
    }
    if (reading.only_mode.has_value()) {
      question->check.modes = {*reading.only_mode};
      notes.push_back(
          absl::StrCat("the condition holds in mode ", std::string(ir::NameOf(*reading.only_mode)), " only"));
    }
    question->verified_as = ir::PrintRule(*question->entry.rule);
    for (const std::string& mark : question->entry.rule->search.root_node().predicates) {
      if (mark == "is_only_used_as_float") notes.push_back("is_only_used_as_float: both sides are read by fneg");
      if (mark == "only_lower_8_bits_used") notes.push_back("only the low 8 bits of the results are compared");
      if (mark == "only_lower_16_bits_used") notes.push_back("only the low 16 bits of the results are compared");
    }
  }
  question->note = absl::StrJoin(notes, "; ");
  question->key = ir::Sha256Hex(absl::StrCat(
      kAuditVersion, "\n", ir::SemanticsDigestIn(question->check.dialect), "\n", question->entry.error.message, "\n",
      question->verified_as.empty() ? question->text : question->verified_as, "\n", ModesText(question->check), "\n",
      options.limits, IsInexact(question->entry) ? verifier::kInexactVersion : ""));
}

bool IsRefuted(const Json& one) { return one.value("verdict", "") == "refuted"; }

bool IsOfOneBit(const Json& one) {
  const Json sizes = one.value("sizes", Json::object());
  for (const auto& [name, bits] : sizes.items()) {
    if (bits != 1) return false;
  }
  return true;
}

bool IsRetryable(const Json& answer) {
  const Json cases = answer.value("cases", Json::array());
  return std::any_of(cases.begin(), cases.end(),
                     [](const Json& one) { return verifier::IsRetryable(one.value("reason", "")); });
}

v1::Verdict ClassOf(const Json& answer) {
  const std::string verdict = answer.value("verdict", "unsupported");
  if (answer.value("matches_nothing", false)) return v1::VERDICT_VACUOUS;
  if (verdict == "refuted" && answer.contains("inexact")) {
    // A rule that may round differently counts as refuted only if it is also refuted over the reals.
    return answer["inexact"].value("reals", "") == "refuted" ? v1::VERDICT_REFUTED : v1::VERDICT_UNKNOWN;
  }
  const v1::Verdict named = v1::Named<v1::Verdict>(verdict);
  return std::count(std::begin(kAuditClasses), std::end(kAuditClasses), named) > 0 ? named : v1::VERDICT_UNSUPPORTED;
}

bool HoldsWithoutMediumPrecision(const Question& question, const verifier::Prover& prover) {
  std::optional<ir::Rule> plain = WithoutMediumPrecision(*question.entry.rule);
  if (!plain.has_value()) return false;
  ir::RuleEntry entry = question.entry;
  entry.rule = *std::move(plain);
  const verifier::CheckedEntry checked = verifier::CheckEntry(entry, prover, question.check, nullptr);
  return checked.error.empty() && (checked.verdict.verdict == v1::VERDICT_PROVED || checked.IsInexact());
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
      auto question = std::make_unique<Question>();
      Ask(rule.source, report_.source_sizes, options_, question.get());
      rule.inexact = IsInexact(question->entry);
      const auto [found, added] = by_key.try_emplace(question->key, questions_.size());
      if (added) questions_.push_back(std::move(question));
      questions_[found->second]->rules.push_back(i);
    }
  }

  void Work() {
    for (size_t i = next_++; i < questions_.size(); i = next_++) {
      if (options_.stop.stop_requested()) return;
      const Question& question = *questions_[i];
      std::optional<Json> answer = Cached(question);
      const bool cached = answer.has_value();
      if (!cached) answer = Verify(question);
      if (!answer.has_value()) return;  // stopped, or the disk is full
      if (!Infer(question, &*answer)) return;
      const std::lock_guard<std::mutex> lock(mutex_);
      ++(cached ? report_.cached : report_.verified);
      for (const size_t rule : question.rules) Fill(question, *answer, cached, &report_.rules[rule]);
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
    next_ = questions_.size();
    return false;
  }

  std::optional<Json> Verify(const Question& question) {
    const verifier::CheckedEntry checked = verifier::CheckEntry(question.entry, prover_, question.check, nullptr);
    // This is the JSON that `rewrought check --json --explain` prints.
    Json answer = verifier::ToJson(verifier::RuleProto(checked, "", {.explain = true}));
    if (!checked.error.empty() && MatchesNothing(WithTodaysOps(question.search))) answer["matches_nothing"] = true;
    if (checked.error.empty() && checked.verdict.verdict == v1::VERDICT_REFUTED && !checked.IsInexact() &&
        HoldsWithoutMediumPrecision(question, prover_)) {
      answer["verdict"] = "inexact";
      answer["medium_precision"] = true;
    }
    if (options_.stop.stop_requested()) return std::nullopt;
    if (!Keep(question.key, answer)) return std::nullopt;
    return answer;
  }

  // Adds the requested fixes or weaker conditions to `answer`. Returns false if the run must end.
  bool Infer(const Question& question, Json* answer) {
    if (!question.entry.rule.ok()) return true;
    const bool is_proved = ClassOf(*answer) == v1::VERDICT_PROVED;
    const bool is_refuted = answer->value("verdict", "") == "refuted";
    if (!(is_proved && options_.find_weaker) && !(is_refuted && options_.suggest_fixes)) return true;
    const std::string key = question.key + "+infer-2";
    std::optional<Json> inferred = verdicts_->Find(key);
    if (!inferred.has_value()) {
      inferred = is_proved ? WeakerConditions(question.entry, prover_, question.check)
                           : SuggestedFixesOf(question.entry, prover_, question.check, *answer);
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
    rule->note = question.note;
    if (!question.note.empty()) rule->verified_as = question.verified_as;
    const auto add_note = [&](const std::string& note) {
      absl::StrAppend(&rule->note, rule->note.empty() ? "" : "; ", note);
    };
    if (rule->verdict == v1::VERDICT_REFUTED &&
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
  std::vector<std::unique_ptr<Question>> questions_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  absl::Status status_;
  AuditOptions::Progress progress_;
};

}  // namespace

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
