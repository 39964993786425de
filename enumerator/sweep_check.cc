#include "enumerator/sweep_check.h"

#include <algorithm>

namespace rewrought::enumerator {

std::vector<TermIndex> NotDerived(const TermTable& terms, const SweepRules& settled,
                                  absl::Span<const PatternRule> rules) {
  SweepRules again(&terms, settled.directed());
  for (const PatternRule& rule : rules) again.AddRule(rule.first, rule.second);
  std::vector<std::vector<TermIndex>> by_size;
  for (TermIndex term = 0; term < terms.size(); ++term) {
    if (settled.KnownAs(term) == kNoTerm) continue;  // the sweep was stopped
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
    for (const TermIndex term : open) {
      if (again.KnownAs(term) != kNoTerm) continue;
      if (!again.Reaches(term, settled.KnownAs(term))) underived.push_back(term);
      again.Assume(term, settled.KnownAs(term));
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
