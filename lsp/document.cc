#include "lsp/document.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lsp/verdict_text.h"
#include "proto/names.h"

namespace rewrought::lsp {
namespace {

// DiagnosticSeverity and DiagnosticTag of the protocol.
enum Severity { kError = 1, kWarning = 2, kInformation = 3, kHint = 4 };
constexpr int kUnnecessary = 1;

// The numbers of lines that two versions of a document have in common at their start and at their end.
struct CommonLines {
  size_t first = 0, last = 0;
};

CommonLines CommonLinesOf(const TextLines& before, const TextLines& after) {
  CommonLines common;
  const size_t most = std::min(before.size(), after.size());
  while (common.first < most && before.Line(common.first) == after.Line(common.first)) ++common.first;
  while (common.last < most - common.first &&
         before.Line(before.size() - 1 - common.last) == after.Line(after.size() - 1 - common.last))
    ++common.last;
  return common;
}

Json DiagnosticOf(const TextLines& lines, ByteRange range, int severity, absl::string_view code, std::string message) {
  return {{"range", lines.RangeOf(range)},
          {"severity", severity},
          {"code", std::string(code)},
          {"source", "rewrought"},
          {"message", std::move(message)}};
}

int SeverityOf(v1::Verdict verdict) {
  switch (verdict) {
    case v1::VERDICT_REFUTED:
      return kError;
    case v1::VERDICT_VACUOUS:
      return kWarning;
    case v1::VERDICT_PROVED:
    case v1::VERDICT_INEXACT:
      return kHint;
    default:
      return kInformation;
  }
}

std::string MessageOf(const FileRule& rule, const Json& answer) {
  std::string message = VerdictLine(answer);
  if (!rule.is_literal) absl::StrAppend(&message, "\n", rule.source.Text());
  if (rule.question->entry.rule.ok() && audit::ClassOf(answer) == v1::VERDICT_REFUTED)
    absl::StrAppend(&message, "\n", CounterexampleText(answer, *rule.question->entry.rule));
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return message;
}

}  // namespace

void Document::SetText(int64_t version, TextLines lines) {
  const CommonLines common = CommonLinesOf(*lines_, lines);
  const size_t before = lines_->size(), after = lines.size();
  version_ = version;
  lines_ = std::make_shared<const TextLines>(std::move(lines));
  kind_ = file_.KindOf(lines_->text());
  edited_line_ = common.first;
  RuleList list = file_.ReadLiterals(*lines_);
  for (FileRule& rule : list_.rules) {
    if (rule.is_literal || kind_ != FileKind::kMesa) continue;
    size_t line = static_cast<size_t>(std::max(rule.source.line, 1)) - 1;
    if (line >= before - common.last) {
      line += after - before;
    } else if (line >= common.first) {
      continue;
    }
    rule.source.line = static_cast<int>(line) + 1;
    rule.range = lines_->LineRange(line);
    rule.shadowed_by.reset();
    list.rules.push_back(std::move(rule));
  }
  list_ = std::move(list);
  UpdateKeys(/*same_text=*/false);
  if (kind_ == FileKind::kRules) complete_ = true;
}

void Document::SetImported(const audit::MesaRules& imported) {
  list_ = file_.ReadImported(*lines_, imported);
  UpdateKeys(/*same_text=*/true);
  complete_ = true;
}

void Document::SetImportError(std::string message) { list_.problems = {{lines_->LineRange(0), std::move(message)}}; }

void Document::SetShadows(const std::vector<std::optional<size_t>>& shadows) {
  for (size_t i = 0; i < shadows.size() && i < list_.rules.size(); ++i) list_.rules[i].shadowed_by = shadows[i];
}

void Document::UpdateKeys(bool same_text) {
  std::set<std::string> keys, fresh;
  for (const FileRule& rule : list_.rules) {
    if (rule.question == nullptr) continue;
    const std::string& key = rule.question->key;
    keys.insert(key);
    // The rules of a newly opened file are not urgent.
    if (complete_ && (!keys_.contains(key) || (same_text && new_keys_.contains(key)))) fresh.insert(key);
  }
  typed_keys_.insert(fresh.begin(), fresh.end());
  new_keys_ = std::move(fresh);
  keys_ = std::move(keys);
}

Document::Questions Document::QuestionsByUrgency() const {
  std::vector<const FileRule*> rules;
  for (const FileRule& rule : list_.rules) {
    if (rule.question != nullptr) rules.push_back(&rule);
  }
  const auto distance = [&](const FileRule* rule) {
    return std::abs(static_cast<int64_t>(rule->source.line) - 1 - static_cast<int64_t>(edited_line_));
  };
  std::stable_sort(rules.begin(), rules.end(), [&](const FileRule* a, const FileRule* b) {
    const bool a_new = IsUrgent(a->question->key), b_new = IsUrgent(b->question->key);
    return a_new != b_new ? a_new : distance(a) < distance(b);
  });
  Questions questions;
  std::set<std::string> seen;
  for (const FileRule* rule : rules) {
    if (!seen.insert(rule->question->key).second) continue;
    questions.all.push_back(rule->question);
    if (IsUrgent(rule->question->key)) ++questions.urgent;
  }
  return questions;
}

const FileRule* Document::LiteralAt(ByteRange range) const {
  for (const FileRule& rule : list_.rules) {
    if (rule.is_literal && rule.range.begin <= range.end && range.begin <= rule.range.end) return &rule;
  }
  return nullptr;
}

std::vector<const FileRule*> Document::RulesAt(size_t offset) const {
  std::vector<const FileRule*> rules;
  for (const FileRule& rule : list_.rules) {
    if (rule.range.begin <= offset && offset <= rule.range.end) rules.push_back(&rule);
  }
  return rules;
}

Json Document::Diagnostics(const FindAnswer& find) const {
  Json diagnostics = Json::array();
  // A line that creates many rules gets one diagnostic for each verdict.
  struct Created {
    size_t diagnostic = 0;  // its index
    int more = 0;           // the number of further rules
  };
  std::map<std::pair<size_t, v1::Verdict>, Created> created;  // by the start of the line
  for (const FileRule& rule : list_.rules) {
    if (rule.question == nullptr) {
      diagnostics.push_back(DiagnosticOf(*lines_, rule.range, kInformation, "unsupported", rule.source.reason));
      continue;
    }
    if (rule.shadowed_by.has_value()) {
      const FileRule& other = list_.rules[*rule.shadowed_by];
      Json shadowed =
          DiagnosticOf(*lines_, rule.range, kHint, "shadowed",
                       absl::StrCat("never applied: the rule on line ", other.source.line, " matches first"));
      shadowed["tags"] = {kUnnecessary};
      diagnostics.push_back(std::move(shadowed));
    }
    const std::shared_ptr<const Json> answer = find(rule.question->key);
    if (answer == nullptr) continue;
    const v1::Verdict verdict = audit::ClassOf(*answer);
    // Verdicts on rules that hold would clutter a file, so they are shown only for rules that the user has typed.
    if (SeverityOf(verdict) == kHint && !typed_keys_.contains(rule.question->key)) continue;
    if (!rule.is_literal) {
      const auto [found, added] = created.try_emplace({rule.range.begin, verdict}, Created{diagnostics.size()});
      if (!added) {
        ++found->second.more;
        continue;
      }
    }
    diagnostics.push_back(
        DiagnosticOf(*lines_, rule.range, SeverityOf(verdict), NameOf(verdict), MessageOf(rule, *answer)));
  }
  for (const auto& [what, one] : created) {
    if (one.more == 0) continue;
    std::string& message = diagnostics[one.diagnostic]["message"].get_ref<std::string&>();
    absl::StrAppend(&message, "\n", one.more, " more rules on this line are ", NameOf(what.second));
  }
  for (const Problem& problem : list_.problems)
    diagnostics.push_back(DiagnosticOf(*lines_, problem.range, kError, "unreadable", problem.message));
  return {{"uri", uri_}, {"version", version_}, {"diagnostics", std::move(diagnostics)}};
}

}  // namespace rewrought::lsp
