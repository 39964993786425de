#include "ir/facts/assumptions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/term_order.h"

namespace rewrought::ir {
namespace {

constexpr size_t kMostAssumptions = 3;  // the maximum number of assumptions in a result of SmallestSets

constexpr std::pair<const char*, uint8_t> kFlagNames[] = {{"nsz", kNoSignedZero}, {"nnan", kNoNan}, {"ninf", kNoInf}};

// Predicates that may be assumed of floats. Each one precedes the predicates that imply it.
struct FloatPredicate {
  const char* name;
  std::vector<std::string> implies;  // directly or indirectly
};

const std::vector<FloatPredicate>& FloatPredicates() {
  static const auto& predicates = *new std::vector<FloatPredicate>{
      {"is_a_number", {}},
      {"is_not_zero", {}},
      {"is_not_negative", {}},
      {"is_not_positive", {}},
      {"is_finite", {"is_a_number"}},
      {"is_gt_zero", {"is_not_negative", "is_not_zero"}},
      {"is_lt_zero", {"is_not_positive", "is_not_zero"}},
      {"is_a_number_not_negative", {"is_a_number", "is_not_negative"}},
      {"is_a_number_not_positive", {"is_a_number", "is_not_positive"}},
      {"is_finite_not_zero", {"is_a_number", "is_finite", "is_not_zero"}},
  };
  return predicates;
}

bool Implies(const Term& search, const Assumption& strong, const Assumption& weak) {
  if (strong == weak) return true;
  if (strong.flag != 0 || weak.flag != 0 || search.at(strong.node).name != search.at(weak.node).name) return false;
  return ImpliesPredicate(strong.predicate, weak.predicate);
}

bool ImpliesAll(const Term& search, const AssumptionSet& strong, const AssumptionSet& weak) {
  return std::all_of(weak.begin(), weak.end(), [&](const Assumption& one) {
    return std::any_of(strong.begin(), strong.end(), [&](const Assumption& s) { return Implies(search, s, one); });
  });
}

// Visits all sets of `size` possible assumptions in lexicographic order until `visit` returns false.
bool ForEachSet(const AssumptionSet& possible, size_t size, size_t next, AssumptionSet* chosen,
                const std::function<bool(const AssumptionSet&)>& visit) {
  if (chosen->size() == size) return visit(*chosen);
  for (size_t i = next; i < possible.size(); ++i) {
    chosen->push_back(possible[i]);
    if (!ForEachSet(possible, size, i + 1, chosen, visit)) return false;
    chosen->pop_back();
  }
  return true;
}

}  // namespace

bool ImpliesPredicate(absl::string_view strong, absl::string_view weak) {
  if (strong == weak) return true;
  const auto& all = FloatPredicates();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const FloatPredicate& one) { return one.name == strong; });
  return found != all.end() && std::find(found->implies.begin(), found->implies.end(), weak) != found->implies.end();
}

std::vector<std::string> NamesOf(const Term& search, const AssumptionSet& assumptions) {
  const std::vector<NodeIndex> ops = OpsInPrefixOrder(search);
  std::vector<std::string> names;
  for (const Assumption& assumption : assumptions) {
    if (assumption.flag == 0) {
      names.push_back(absl::StrCat(search.at(assumption.node).name, ":", assumption.predicate));
      continue;
    }
    const auto place = std::find(ops.begin(), ops.end(), assumption.node) - ops.begin();
    for (const auto& [name, flag] : kFlagNames) {
      if (flag == assumption.flag) names.push_back(absl::StrCat("n", place, ":", name));
    }
  }
  return names;
}

AssumptionSet AssumptionsIn(const Term& search) {
  AssumptionSet found;
  for (const NodeIndex op : OpsInPrefixOrder(search)) {
    for (const auto& [name, flag] : kFlagNames) {
      if (search.at(op).flags & flag) found.push_back({op, flag, ""});
    }
  }
  std::set<std::pair<std::string, std::string>> known;
  for (NodeIndex i = 0; i < search.nodes.size(); ++i) {
    const Node& node = search.nodes[i];
    if (node.kind != NodeKind::kVariable) continue;
    for (const std::string& predicate : node.predicates) {
      if (PredicateAssumesSomething(predicate) && known.emplace(node.name, predicate).second) {
        found.push_back({i, 0, predicate});
      }
    }
  }
  return found;
}

AssumptionSet PossibleAssumptions(const Term& search) {
  AssumptionSet possible;
  const std::vector<NodeIndex> ops = OpsInPrefixOrder(search);
  for (const NodeIndex op : ops) {
    const Node& node = search.at(op);
    for (const auto& [name, flag] : kFlagNames) {
      if (node.op->result.base == BaseType::kFloat && (node.flags & flag) == 0) possible.push_back({op, flag, ""});
    }
  }
  std::set<std::string> variables;
  for (const NodeIndex op : ops) {
    for (size_t k = 0; k < search.at(op).sources.size(); ++k) {
      const NodeIndex source = search.at(op).sources[k].node;
      const Node& node = search.at(source);
      if (node.kind != NodeKind::kVariable || search.at(op).op->sources[k].base != BaseType::kFloat) continue;
      if (!node.predicates.empty() || !variables.insert(node.name).second) continue;
      for (const FloatPredicate& predicate : FloatPredicates()) possible.push_back({source, 0, predicate.name});
    }
  }
  return possible;
}

bool Assume(const AssumptionSet& assumptions, Term* search) {
  for (const Assumption& assumption : assumptions) {
    if (assumption.flag != 0) {
      search->nodes[assumption.node].flags |= assumption.flag;
      continue;
    }
    const std::string name = search->at(assumption.node).name;
    for (Node& node : search->nodes) {
      if (node.kind != NodeKind::kVariable || node.name != name) continue;
      if (!node.predicates.empty()) return false;
      node.predicates.push_back(assumption.predicate);
    }
  }
  return true;
}

bool Drop(const AssumptionSet& assumptions, Term* search) {
  bool any = false;
  for (const Assumption& assumption : assumptions) {
    if (assumption.flag != 0) {
      uint8_t& flags = search->nodes[assumption.node].flags;
      any = any || (flags & assumption.flag) != 0;
      flags &= static_cast<uint8_t>(~assumption.flag);
      continue;
    }
    const std::string name = search->at(assumption.node).name;
    for (Node& node : search->nodes) {
      if (node.kind != NodeKind::kVariable || node.name != name) continue;
      any = std::erase(node.predicates, assumption.predicate) > 0 || any;
    }
  }
  return any;
}

absl::StatusOr<Answer> FirstSufficientSet(const std::vector<AssumptionSet>& sets, const Holds& holds, Term* search) {
  for (const AssumptionSet& set : sets) {
    Term tried = *search;
    if (!Assume(set, &tried)) continue;
    absl::StatusOr<Answer> answer = holds(tried);
    if (!answer.ok() || *answer == Answer::kUnknown) return answer;
    if (*answer == Answer::kFails) continue;
    *search = std::move(tried);
    return answer;
  }
  return Answer::kFails;
}

absl::Status Weaken(const std::vector<Weakening>& steps, const Holds& holds, Term* search) {
  for (const Weakening& step : steps) {
    Term weaker = *search;
    if (!Drop(step.off, &weaker) || !Assume(step.on, &weaker)) continue;
    const absl::StatusOr<Answer> answer = holds(weaker);
    if (!answer.ok()) return answer.status();
    if (*answer == Answer::kHolds) {
      *search = std::move(weaker);
    } else if (absl::Status status = Weaken(step.otherwise, holds, search); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

std::vector<Weakening> WithoutFlags(const Term& search) {
  std::vector<Weakening> steps;
  for (const uint8_t flag : {kNoInf, kNoNan, kNoSignedZero}) {
    Weakening all;
    for (const NodeIndex op : OpsInPrefixOrder(search)) {
      if ((search.at(op).flags & flag) != 0) all.off.push_back({op, flag, ""});
    }
    for (size_t i = 0; i < all.off.size() && all.off.size() > 1; ++i) all.otherwise.push_back({{all.off[i]}, {}, {}});
    steps.push_back(std::move(all));
  }
  return steps;
}

absl::StatusOr<AssumptionSet> UnnecessaryAssumptions(const Term& search, const Holds& holds) {
  AssumptionSet needless;
  for (const Assumption& assumption : AssumptionsIn(search)) {
    Term without = search;
    Drop({assumption}, &without);
    const absl::StatusOr<Answer> answer = holds(without);
    if (!answer.ok()) return answer.status();
    if (*answer == Answer::kHolds) needless.push_back(assumption);
  }
  return needless;
}

absl::StatusOr<std::vector<AssumptionSet>> SmallestSets(const Term& search, size_t most_sets,
                                                        const std::function<bool()>& spent, const Holds& holds) {
  std::vector<AssumptionSet> found;
  absl::Status failure;
  const auto try_set = [&](const AssumptionSet& set) {
    if (spent()) return false;
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const AssumptionSet& smaller) { return ImpliesAll(search, set, smaller); });
    Term tried = search;
    if (known || !Assume(set, &tried)) return true;
    const absl::StatusOr<Answer> answer = holds(tried);
    failure = answer.status();
    if (answer.ok() && *answer == Answer::kHolds) found.push_back(set);
    return failure.ok() && found.size() < most_sets;
  };
  const AssumptionSet possible = PossibleAssumptions(search);
  for (size_t size = 1; size <= kMostAssumptions; ++size) {
    AssumptionSet chosen;
    if ((size == kMostAssumptions && !found.empty()) || !ForEachSet(possible, size, 0, &chosen, try_set)) break;
  }
  if (!failure.ok()) return failure;
  return found;
}

}  // namespace rewrought::ir
