#include "enumerator/sweep/sweep_check.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace rewrought::enumerator {

std::vector<TermIndex> NotDerived(const TermTable& terms, const SweepRules& settled,
                                  absl::Span<const PatternRule> rules, absl::Span<const DroppedRule> dropped) {
  absl::flat_hash_map<TermIndex, TermIndex> replacement_of;
  for (const DroppedRule& rule : dropped) replacement_of[rule.search] = rule.replace;
  SweepRules again(&terms, settled.directed());
  for (const PatternRule& rule : rules) again.AddRule(rule.first, rule.second);
  std::vector<std::vector<TermIndex>> by_size;
  for (TermIndex term = 0; term < terms.size(); ++term) {
    if (settled.KnownAs(term) == kNoTerm) continue;  // The sweep was stopped.
    const size_t size = static_cast<size_t>(terms.shape(term).size);
    if (by_size.size() <= size) by_size.resize(size + 1);
    by_size[size].push_back(term);
  }
  std::vector<TermIndex> underived;
  for (const std::vector<TermIndex>& of_size : by_size) {
    std::vector<TermIndex> open;
    for (const TermIndex term : of_size) {
      if (settled.KnownAs(term) == term) {
        again.AddRepresentative(term);
      } else {
        open.push_back(term);
      }
    }
    again.Open(open);
    // Check the search terms of dropped rules first, because other terms may need these rules.
    std::stable_partition(open.begin(), open.end(), [&](TermIndex term) { return replacement_of.contains(term); });
    for (const TermIndex term : open) {
      const bool derived = again.KnownAs(term) != kNoTerm || again.Reaches(term, settled.KnownAs(term));
      if (!derived) underived.push_back(term);
      const auto rule = replacement_of.find(term);
      if (rule != replacement_of.end()) {
        again.AddRule(term, rule->second);
      } else if (again.KnownAs(term) == kNoTerm) {
        again.Assume(term, settled.KnownAs(term));
      }
    }
    again.Close();
  }
  std::sort(underived.begin(), underived.end());
  return underived;
}

std::vector<size_t> NotKnown(const SweepRules& settled, absl::Span<const PatternRule> rules) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < rules.size(); ++i) {
    const TermIndex search = settled.KnownAs(rules[i].first), replace = settled.KnownAs(rules[i].second);
    if (search == kNoTerm || search != replace) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace rewrought::enumerator
