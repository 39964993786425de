#include "pipeline/report/rule_families.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "machine/candidate.h"
#include "pipeline/generalize/coverage.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"

namespace rewrought::pipeline {
namespace {

// Returns the rule, or nullopt for a program.
std::optional<ir::Rule> NirRuleOf(const store::RuleRecord& record) {
  const absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(record);
  if (!candidate.ok() || candidate->program.has_value()) return std::nullopt;
  return machine::NirTuple(*candidate);
}

}  // namespace

std::vector<ReportedFamily> GroupIntoFamilies(std::vector<RankedRule> ranked,
                                              const std::vector<store::RuleRecord>& redundant) {
  std::vector<ReportedFamily> families;
  std::vector<std::string> texts;  // of each family's rule, without sizes
  std::vector<CoveringRules> covering;
  const auto covers = [&](size_t family, const std::optional<ir::Rule>& rule) {
    return rule.has_value() && covering[family].Cover(*rule);
  };
  for (RankedRule& row : ranked) {
    const std::string text = TextWithoutSizes(row.rule);
    const std::optional<ir::Rule> rule = NirRuleOf(row.rule);
    size_t at = 0;
    while (at < families.size() && texts[at] != text && !covers(at, rule)) ++at;
    if (at < families.size()) {
      families[at].others.push_back(std::move(row));
      continue;
    }
    families.push_back({std::move(row), {}, {}});
    texts.push_back(text);
    covering.emplace_back(rule.has_value() ? std::vector<ir::Rule>{*rule} : std::vector<ir::Rule>{}, ir::SizeOptions{});
  }
  for (const store::RuleRecord& record : redundant) {
    const std::optional<ir::Rule> rule = NirRuleOf(record);
    size_t at = 0;
    while (at < families.size() && !covers(at, rule)) ++at;
    if (at < families.size()) families[at].special.push_back(TupleText(record));
  }
  for (ReportedFamily& family : families) std::sort(family.special.begin(), family.special.end());
  return families;
}

}  // namespace rewrought::pipeline
