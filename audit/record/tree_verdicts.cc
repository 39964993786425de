#include "audit/record/tree_verdicts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "audit/question.h"
#include "ir/digest.h"
#include "proto/names.h"
#include "proto/parse_limits.h"
#include "verifier/cache/unsat_digests.h"

namespace rewrought::audit {
namespace {

constexpr size_t kIdLength = 12;

bool IsId(absl::string_view text) {
  return text.size() == kIdLength &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string LineOf(const TreeVerdict& verdict) {
  std::string line = absl::StrCat(verdict.id, " ", NameOf(verdict.verdict), " ", verdict.key);
  for (const std::string& query : verdict.queries) absl::StrAppend(&line, " ", query);
  return line;
}

// Parses one line. Returns InvalidArgument, which describes the first malformed word.
absl::StatusOr<TreeVerdict> ParseLine(absl::string_view line) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  TreeVerdict verdict;
  if (!IsId(words[0])) return absl::InvalidArgumentError("expected the id of a rule, 12 lowercase hex digits");
  verdict.id = std::string(words[0]);
  if (words.size() < 3) return absl::InvalidArgumentError("expected RULE_ID CLASS KEY QUERIES...");
  verdict.verdict = v1::VERDICT_UNSPECIFIED;
  for (const v1::Verdict one : kAuditClasses) {
    if (NameOf(one) == words[1]) verdict.verdict = one;
  }
  if (verdict.verdict == v1::VERDICT_UNSPECIFIED) {
    std::vector<std::string> names;
    for (const v1::Verdict one : kAuditClasses) names.emplace_back(NameOf(one));
    return absl::InvalidArgumentError(absl::StrCat("expected a class: ", absl::StrJoin(names, ", ")));
  }
  for (size_t i = 2; i < words.size(); ++i) {
    if (!verifier::IsShortDigest(words[i])) {
      return absl::InvalidArgumentError(absl::StrCat(i == 2 ? "the key" : "the digest of a query", " must have ",
                                                     verifier::kShortDigestLength,
                                                     " characters from A-Z, a-z, 0-9, - and _"));
    }
    if (i == 2) verdict.key = std::string(words[i]);
    if (i > 2) verdict.queries.emplace_back(words[i]);
  }
  return verdict;
}

}  // namespace

std::string ShortKey(absl::string_view question_key) {
  return verifier::ShortForm(ir::Digest::FromHex(question_key).value());
}

const TreeVerdict* TreeVerdicts::Insert(TreeVerdict verdict) {
  lines_.insert(LineOf(verdict));
  queries_.insert(verdict.queries.begin(), verdict.queries.end());
  if (verdict.verdict == v1::VERDICT_REFUTED) refuted_ids_.insert(verdict.id);
  const auto [place, added] = by_key_.try_emplace(verdict.key, verdict);
  if (added || verdict.verdict == v1::VERDICT_UNKNOWN || place->second.verdict == verdict.verdict) return nullptr;
  if (place->second.verdict != v1::VERDICT_UNKNOWN) return &place->second;
  place->second = std::move(verdict);
  return nullptr;
}

absl::StatusOr<TreeVerdicts> TreeVerdicts::Parse(absl::string_view text, const std::string& file) {
  TreeVerdicts verdicts;
  int number = 1;
  const auto fail = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(file, ":", number, ":1: ", what,
                                                   "; restore the file, or write it with `rewrought audit --record`"));
  };
  proto::ParseBudget budget(proto::kTreeVerdictLimits);
  if (!budget.TakeBytes(text.size())) return fail(budget.error());
  absl::string_view previous;
  for (absl::string_view rest = text; !rest.empty() || number == 1; ++number) {
    const size_t end = rest.find('\n');
    const absl::string_view line = rest.substr(0, end);
    if (number == 1 && line != kTreeVerdictsHeader) {
      if (absl::StartsWith(line, "rewrought-verdicts "))
        return fail(absl::StrCat("this version reads only '", kTreeVerdictsHeader, "'"));
      return fail(absl::StrCat("expected '", kTreeVerdictsHeader, "'"));
    }
    if (!budget.TakeItems()) return fail(budget.error());
    if (end == absl::string_view::npos) return fail("the line is truncated: it does not end with a line feed");
    rest.remove_prefix(end + 1);
    if (line == kTreeVerdictsHeader) continue;  // a merge of two new files can repeat it
    absl::StatusOr<TreeVerdict> parsed = ParseLine(line);
    if (!parsed.ok()) return fail(parsed.status().message());
    parsed->line = number;
    const v1::Verdict stated = parsed->verdict;
    if (const TreeVerdict* earlier = verdicts.Insert(*std::move(parsed))) {
      return fail(absl::StrCat("the key has the class ", NameOf(stated), " here, but ", NameOf(earlier->verdict),
                               " on line ", earlier->line));
    }
    if (line < previous && verdicts.unsorted_line_ == 0) verdicts.unsorted_line_ = number;
    previous = line;
  }
  return verdicts;
}

std::string TreeVerdicts::Text() const {
  return absl::StrCat(kTreeVerdictsHeader, "\n", absl::StrJoin(lines_, "\n"), lines_.empty() ? "" : "\n");
}

v1::Verdict TreeVerdicts::ClassOf(const std::string& short_key) const {
  const auto found = by_key_.find(short_key);
  return found == by_key_.end() ? v1::VERDICT_UNSPECIFIED : found->second.verdict;
}

}  // namespace rewrought::audit
