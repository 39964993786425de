// Searches for a cycle among all terms that can be reached from a term by applying rules in every order and at every
// node. Stops at a maximum number of terms.
#ifndef REWROUGHT_RULES_TERM_EXPLORER_H_
#define REWROUGHT_RULES_TERM_EXPLORER_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ir/match/match.h"
#include "ir/term.h"

namespace rewrought::rules {

struct TerminationFinding {
  // The cycle, from a term back to itself; empty if the bound was reached instead.
  std::vector<std::string> terms;
  // The indices of the applied rules, where rules of the pack precede those of the tree. If the bound was reached,
  // these are the rules of the longest path.
  std::vector<size_t> rules;

  // Returns one line such as "A -> (rule 3) B -> (rule 0) A".
  std::string Text() const;
};

class TermExplorer {
 public:
  // The first `pack_size` rules are those of the pack. Ignores cycles that contain no pack rule.
  TermExplorer(const std::vector<ir::CompiledRule>& rules, size_t pack_size, size_t max_states)
      : rules_(rules), pack_size_(pack_size), max_states_(max_states) {}

  // Explores from `start` with all rules, or only with the rules in `alone` if that list is not empty. Returns whether
  // it found a cycle or more than max_states terms, and describes the result in `finding`.
  bool Explore(const ir::Term& start, const std::vector<size_t>& alone, TerminationFinding* finding);

 private:
  enum class Color { kOnPath, kDone };

  void Visit(const ir::Term& given);
  void Apply(size_t rule, const ir::Term& term, ir::NodeIndex root);
  void ReportCycle(const std::string& text);

  const std::vector<ir::CompiledRule>& rules_;
  const size_t pack_size_, max_states_;
  std::vector<size_t> in_use_;
  std::map<std::string, Color> colors_;
  std::vector<std::string> path_;
  std::vector<size_t> path_rules_, longest_;
  bool found_ = false;
  TerminationFinding finding_;
};

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_TERM_EXPLORER_H_
