#include "audit/audit_changes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/text/rule_text.h"
#include "proto/json_text.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

// Returns the canonical text of the tuple, or the given text if it cannot be parsed.
std::string Canonical(const std::string& tuple) {
  const absl::StatusOr<ir::Rule> rule = ir::ParseRule(tuple);
  if (!rule.ok()) return tuple;
  ir::Rule plain = *rule;
  plain.condition.clear();
  return ir::PrintRule(plain);
}

std::string Key(const std::string& search, const std::string& replace, const std::string& condition) {
  return absl::StrCat(search, "\n", replace, "\n", condition);
}

// Returns a number that is higher for a worse verdict.
int Badness(const std::string& verdict) {
  const std::vector<std::string> order = {"proved", "inexact", "vacuous", "unsupported", "unknown", "refuted"};
  return static_cast<int>(std::find(order.begin(), order.end(), verdict) - order.begin());
}

bool IsId(absl::string_view text) {
  return text.size() >= 8 && text.size() <= 12 && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isxdigit(static_cast<unsigned char>(c)) &&
                  !absl::ascii_isupper(static_cast<unsigned char>(c));
         });
}

// Returns the position of the first '#' outside quotes, which starts the reason.
size_t ReasonMark(absl::string_view line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '\'' || line[i] == '"') {
      quote = line[i];
    } else if (line[i] == '#') {
      return i;
    }
  }
  return absl::string_view::npos;
}

}  // namespace

absl::StatusOr<std::vector<Waiver>> ParseWaivers(absl::string_view text, const std::string& file) {
  std::vector<Waiver> waivers;
  int number = 0;
  for (const absl::string_view raw : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || line[0] == '#') continue;
    const auto fail = [&](absl::string_view what) {
      return absl::InvalidArgumentError(absl::StrCat(file, ":", number, ":1: ", what));
    };
    const size_t mark = ReasonMark(line);
    Waiver waiver;
    waiver.line = number;
    if (mark != absl::string_view::npos) waiver.reason = std::string(absl::StripAsciiWhitespace(line.substr(mark + 1)));
    if (waiver.reason.empty()) return fail("a waiver needs a reason: RULE  # why");
    const absl::string_view what = absl::StripSuffix(absl::StripAsciiWhitespace(line.substr(0, mark)), ",");
    if (!what.empty() && what[0] == '(') {
      waiver.what = Canonical(std::string(what));
    } else {
      // Only the id in "file:line:id" matters; the file and the line help human readers.
      const size_t colon = what.rfind(':');
      waiver.what = std::string(colon == absl::string_view::npos ? what : what.substr(colon + 1));
      waiver.is_id = true;
      if (!IsId(waiver.what)) return fail("expected a rule '(search, replace)' or its id (8 to 12 hex digits)");
    }
    waivers.push_back(std::move(waiver));
  }
  return waivers;
}

std::vector<int> ApplyWaivers(const AuditReport& report, std::vector<Waiver>* waivers) {
  std::vector<int> waived(report.rules.size(), -1);
  if (waivers->empty()) return waived;
  for (size_t i = 0; i < report.rules.size(); ++i) {
    const AuditedRule& rule = report.rules[i];
    const std::string id = rule.source.Id(), text = Canonical(rule.source.Text());
    for (size_t k = 0; k < waivers->size(); ++k) {
      Waiver& waiver = (*waivers)[k];
      if (waiver.is_id ? id.compare(0, waiver.what.size(), waiver.what) != 0 : waiver.what != text) continue;
      waiver.known = true;
      waiver.used = waiver.used || rule.verdict == v1::VERDICT_REFUTED;
      waived[i] = static_cast<int>(k);
    }
  }
  return waived;
}

absl::StatusOr<EarlierAudit> EarlierAudit::Parse(absl::string_view json_lines, const std::string& file) {
  EarlierAudit earlier;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(json_lines, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const Json entry = proto::ParseJson(line);
    const auto text = [&](const char* name) {
      return entry.is_object() && entry.contains(name) && entry[name].is_string() ? entry[name].get<std::string>()
                                                                                  : std::string();
    };
    if (text("class").empty() || !entry.contains("search")) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ":", number, ":1: not an object from `rewrought audit --json`"));
    }
    const int at = entry.contains("line") && entry["line"].is_number_integer() ? entry["line"].get<int>() : 0;
    const Entry found{text("class"), absl::StrCat(text("file"), ":", at),
                      absl::StrCat("(", text("search"), ", ", text("replace"), ")")};
    const auto [place, added] =
        earlier.by_text_.try_emplace(Key(text("search"), text("replace"), text("condition")), found);
    if (!added && Badness(found.verdict) > Badness(place->second.verdict)) place->second = found;
  }
  return earlier;
}

std::string EarlierAudit::ClassOf(const MesaRule& rule) const {
  const auto found = by_text_.find(Key(rule.search, rule.replace, rule.condition));
  if (found != by_text_.end()) return found->second.verdict;
  // Look for the same search side and replacement with other conditions.
  std::string worst;
  const std::string prefix = Key(rule.search, rule.replace, "");
  for (auto other = by_text_.lower_bound(prefix); other != by_text_.end() && absl::StartsWith(other->first, prefix);
       ++other) {
    if (worst.empty() || Badness(other->second.verdict) > Badness(worst)) worst = other->second.verdict;
  }
  return worst;
}

std::vector<std::string> EarlierAudit::RemovedRules(const AuditReport& report) const {
  std::set<std::string> present;
  for (const AuditedRule& rule : report.rules) {
    present.insert(Key(rule.source.search, rule.source.replace, rule.source.condition));
  }
  std::vector<std::string> gone;
  for (const auto& [key, entry] : by_text_) {
    if (!present.contains(key)) gone.push_back(absl::StrCat(entry.place, " ", entry.verdict, " ", entry.rule));
  }
  return gone;
}

}  // namespace rewrought::audit
