#include "rules/term_explorer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/text/canonical.h"
#include "ir/text/rule_text.h"
#include "rules/term_steps.h"

namespace rewrought::rules {

bool TermExplorer::Explore(const ir::Term& start, const std::vector<size_t>& alone, TerminationFinding* finding) {
  in_use_ = alone;
  for (size_t rule = 0; alone.empty() && rule < rules_.size(); ++rule) in_use_.push_back(rule);
  colors_.clear();
  path_.clear();
  path_rules_.clear();
  longest_.clear();
  found_ = false;
  Visit(Sorted(start));
  if (!found_ && colors_.size() > max_states_) {
    found_ = true;
    finding_ = {{}, longest_};
  }
  if (found_) *finding = finding_;
  return found_;
}

void TermExplorer::Visit(const ir::Term& given) {
  if (found_ || colors_.size() > max_states_) return;
  const ir::Term term = ir::CanonicalTerm(given);
  const std::string text = ir::PrintTerm(term);
  const auto [place, is_new] = colors_.try_emplace(text, Color::kOnPath);
  if (!is_new) {
    if (place->second == Color::kOnPath) ReportCycle(text);
    return;
  }
  path_.push_back(text);
  if (path_rules_.size() > longest_.size()) longest_ = path_rules_;
  for (const size_t rule : in_use_) {
    for (ir::NodeIndex root = 0; root < term.nodes.size(); ++root) Apply(rule, term, root);
  }
  path_.pop_back();
  colors_[text] = Color::kDone;
}

void TermExplorer::Apply(size_t rule, const ir::Term& term, ir::NodeIndex root) {
  path_rules_.push_back(rule);
  ForEachStep(rules_[rule], term, root, [this](const ir::Term& next) { Visit(next); });
  path_rules_.pop_back();
}

void TermExplorer::ReportCycle(const std::string& text) {
  const size_t from = std::find(path_.begin(), path_.end(), text) - path_.begin();
  TerminationFinding cycle;
  cycle.terms.assign(path_.begin() + from, path_.end());
  cycle.terms.push_back(text);
  cycle.rules.assign(path_rules_.begin() + from, path_rules_.end());
  const bool ours = std::any_of(cycle.rules.begin(), cycle.rules.end(), [&](size_t rule) { return rule < pack_size_; });
  if (!ours) return;  // a cycle of the tree's rules alone
  found_ = true;
  finding_ = std::move(cycle);
}

std::string TerminationFinding::Text() const {
  if (terms.empty()) {
    std::string text = "more terms than the bound; rules";
    for (const size_t rule : rules) absl::StrAppend(&text, " ", rule);
    return text;
  }
  std::string text = terms[0];
  for (size_t i = 0; i < rules.size(); ++i) absl::StrAppend(&text, " -> (rule ", rules[i], ") ", terms[i + 1]);
  return text;
}

}  // namespace rewrought::rules
