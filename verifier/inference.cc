#include "verifier/inference.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/text/sizes.h"
#include "verifier/mesa_reading.h"
#include "verifier/vectors.h"

namespace rewrought::verifier {
namespace {

constexpr size_t kMaxAlternatives = 8;
constexpr std::chrono::seconds kBudget(20);  // of one rule; what was found by then is given
constexpr int kMaxAssumptions = 3;

// One thing that may be assumed: a flag of an op node, or a predicate of a variable.
struct Assumption {
  std::string name;
  ir::NodeIndex node = 0;
  uint8_t flag = 0;  // 0: a predicate
  std::string predicate;
};

// Predicates tried, weaker ones before those that imply them.
struct PredicateCandidate {
  const char* name;
  std::vector<std::string> implies;  // directly or not
};

const std::vector<PredicateCandidate> kPredicates = {
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

// Whether assuming `strong` gives `weak` too.
bool Implies(const Assumption& strong, const Assumption& weak) {
  if (&strong == &weak) return true;
  if (strong.flag != 0 || weak.flag != 0 ||
      strong.name.substr(0, strong.name.find(':')) != weak.name.substr(0, weak.name.find(':'))) {
    return false;
  }
  for (const PredicateCandidate& candidate : kPredicates) {
    if (strong.predicate != candidate.name) continue;
    return std::find(candidate.implies.begin(), candidate.implies.end(), weak.predicate) != candidate.implies.end();
  }
  return false;
}

void Visit(const ir::Term& term, ir::NodeIndex index, std::set<ir::NodeIndex>* seen,
           std::vector<ir::NodeIndex>* order) {
  if (term.at(index).kind != ir::NodeKind::kOp || !seen->insert(index).second) return;
  order->push_back(index);
  for (const ir::Source& source : term.at(index).sources) Visit(term, source.node, seen, order);
}

bool UsesFloats(const ir::Node& node) {
  if (node.op->result.base == ir::BaseType::kFloat) return true;
  for (const ir::OperandType& source : node.op->sources) {
    if (source.base == ir::BaseType::kFloat) return true;
  }
  return false;
}

std::vector<Assumption> Candidates(const ir::Term& search) {
  std::vector<Assumption> candidates;
  const std::vector<ir::NodeIndex> order = PrefixOrder(search);
  for (size_t i = 0; i < order.size(); ++i) {
    if (!UsesFloats(search.at(order[i]))) continue;
    const std::pair<const char*, uint8_t> flags[] = {
        {"nsz", ir::kNoSignedZero}, {"nnan", ir::kNoNan}, {"ninf", ir::kNoInf}};
    for (const auto& [name, flag] : flags) {
      if (search.at(order[i]).flags & flag) continue;
      if (flag == ir::kNoSignedZero && search.at(order[i]).op->result.base != ir::BaseType::kFloat) continue;
      candidates.push_back({absl::StrCat("n", i, ":", name), order[i], flag, ""});
    }
  }
  // Mesa's tuples take one predicate per variable.
  std::set<std::string> variables;
  for (ir::NodeIndex i : order) {
    for (size_t k = 0; k < search.at(i).sources.size(); ++k) {
      const ir::NodeIndex source = search.at(i).sources[k].node;
      const ir::Node& node = search.at(source);
      if (node.kind != ir::NodeKind::kVariable || search.at(i).op->sources[k].base != ir::BaseType::kFloat) continue;
      if (!node.predicates.empty() || !variables.insert(node.name).second) continue;
      for (const PredicateCandidate& candidate : kPredicates) {
        candidates.push_back({absl::StrCat(node.name, ":", candidate.name), source, 0, candidate.name});
      }
    }
  }
  return candidates;
}

// False if two predicates would stand on one variable.
bool Apply(const std::vector<const Assumption*>& chosen, ir::Rule* rule) {
  for (const Assumption* assumption : chosen) {
    if (assumption->flag != 0) {
      rule->search.nodes[assumption->node].flags |= assumption->flag;
      continue;
    }
    const std::string name = rule->search.nodes[assumption->node].name;
    for (ir::Node& node : rule->search.nodes) {
      if (node.kind != ir::NodeKind::kVariable || node.name != name) continue;
      if (!node.predicates.empty()) return false;
      node.predicates.push_back(assumption->predicate);
    }
  }
  return true;
}

// Whether vectors refute `rule` in the case that `refuted` was.
bool VectorsRefute(const ir::Rule& rule, const CheckedCase& refuted, const RuleCheckOptions& options) {
  const ir::SizeOptions size_options{.literals_exact = options.literals_exact};
  absl::StatusOr<std::vector<ir::SizeAssignment>> assignments = ir::EnumerateSizes(rule, size_options);
  if (!assignments.ok()) return true;
  for (const ir::SizeAssignment& assignment : *assignments) {
    std::vector<std::pair<std::string, int>> sizes = assignment.names;
    std::sort(sizes.begin(), sizes.end());
    if (sizes != refuted.sizes) continue;
    absl::StatusOr<ir::Rule> concrete = ir::Instantiate(rule, assignment, size_options);
    if (!concrete.ok()) return true;
    RuleCase rule_case{std::move(concrete->search), std::move(concrete->replace), refuted.mode};
    BuildReplacement(rule_case.search, options, &rule_case.replace);
    ReadAsMesa(&rule_case);
    rule_case.index_in_range = options.index_in_range;
    absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
    if (!prepared.ok()) return true;
    VectorOptions vectors;
    vectors.lanes = 4096;
    vectors.lanes_when_approximate = 128;
    vectors.max_checks = 128;
    absl::StatusOr<VectorOutcome> outcome = TryVectors(prepared->get(), vectors);
    return !outcome.ok() || outcome->witness.has_value() || !outcome->admitted;
  }
  return true;
}

class Search {
 public:
  Search(const Prover& prover, const ir::Rule& rule, const RuleVerdict& refuted, const RuleCheckOptions& options)
      : prover_(prover), rule_(rule), options_(options), candidates_(Candidates(rule.search)) {
    options_.infer = false;
    options_.stop_at_refuted = true;
    for (const CheckedCase& checked : refuted.cases) {
      if (checked.result.verdict == Verdict::kRefuted) refuted_.push_back(&checked);
    }
  }

  std::vector<Assumptions> Run() {
    for (int size = 1; size <= kMaxAssumptions && found_.size() < kMaxAlternatives; ++size) {
      if (size == kMaxAssumptions && !found_.empty()) break;
      Extend({}, 0, size);
    }
    return names_;
  }

 private:
  void Extend(std::vector<const Assumption*> chosen, size_t next, int size) {
    if (found_.size() >= kMaxAlternatives || prover_.options().cancel.stop_requested()) return;
    if (std::chrono::steady_clock::now() - start_ > kBudget) return;
    if (static_cast<int>(chosen.size()) == size) {
      Try(chosen);
      return;
    }
    for (size_t i = next; i < candidates_.size(); ++i) {
      chosen.push_back(&candidates_[i]);
      Extend(chosen, i + 1, size);
      chosen.pop_back();
    }
  }

  void Try(const std::vector<const Assumption*>& chosen) {
    for (const auto& smaller : found_) {
      const auto given = [&](const Assumption* weak) {
        return std::any_of(chosen.begin(), chosen.end(),
                           [&](const Assumption* strong) { return Implies(*strong, *weak); });
      };
      if (std::all_of(smaller.begin(), smaller.end(), given)) return;
    }
    ir::Rule rule = rule_;
    if (!Apply(chosen, &rule)) return;
    // The case that failed first is the one most likely to fail again.
    for (const CheckedCase* checked : refuted_) {
      if (VectorsRefute(rule, *checked, options_)) return;
    }
    const absl::StatusOr<RuleVerdict> verdict = CheckRule(prover_, rule, options_);
    if (!verdict.ok() || verdict->verdict != Verdict::kProved) return;
    found_.push_back(chosen);
    Assumptions names;
    for (const Assumption* assumption : chosen) names.push_back(assumption->name);
    names_.push_back(std::move(names));
  }

  const Prover& prover_;
  const ir::Rule& rule_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  RuleCheckOptions options_;
  const std::vector<Assumption> candidates_;
  std::vector<const CheckedCase*> refuted_;
  std::vector<std::vector<const Assumption*>> found_;  // each ascending
  std::vector<Assumptions> names_;
};

}  // namespace

std::vector<ir::NodeIndex> PrefixOrder(const ir::Term& term) {
  std::set<ir::NodeIndex> seen;
  std::vector<ir::NodeIndex> order;
  Visit(term, term.root, &seen, &order);
  return order;
}

std::vector<Assumptions> InferWeakest(const Prover& prover, const ir::Rule& rule, const RuleVerdict& refuted,
                                      const RuleCheckOptions& options) {
  return Search(prover, rule, refuted, options).Run();
}

}  // namespace rewrought::verifier
