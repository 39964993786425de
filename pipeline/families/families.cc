#include "pipeline/families/families.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "emitter/entry_cost.h"
#include "emitter/nir/nir_rule.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/dialect/reading.h"
#include "ir/match/relation.h"
#include "ir/text/display.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "machine/candidate.h"
#include "machine/machine.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/generalize/coverage.h"
#include "pipeline/generalize/generalize.h"
#include "pipeline/generalize/judge.h"
#include "pipeline/generalize/rule_edit.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_choice.h"
#include "pipeline/rule_record.h"
#include "pipeline/sites/measure.h"
#include "rules/site_rule.h"
#include "store/corpus_store.h"
#include "store/rule_store.h"

namespace rewrought::pipeline {
namespace {

// The number of rules that are generalized at a time. It does not depend on the number of threads, so neither does the
// result.
constexpr size_t kBatch = 8;

// Returns the rule with the mark `is_used_once` on the inner values that must have no other user.
ir::Rule WithUsedOnce(const machine::Candidate& candidate) {
  ir::Rule rule = machine::NirTuple(candidate);
  for (const ir::NodeIndex node : rules::MustHaveNoOtherUser(candidate)) {
    std::vector<std::string>& predicates = rule.search.nodes[node].predicates;
    if (std::find(predicates.begin(), predicates.end(), "is_used_once") == predicates.end())
      predicates.emplace_back("is_used_once");
  }
  return rule;
}

// Returns a predicate of the rule that the tree does not define, or "".
std::string MissingPredicate(const ir::Rule& rule, const emitter::NirTarget& target) {
  for (const ir::Node& node : rule.search.nodes) {
    for (const std::string& predicate : node.predicates) {
      const ir::PredicateInfo* const info = ir::FindPredicate(predicate);
      if (info == nullptr) continue;
      if (!target.HasPredicate(predicate) || (!info->brought_by.empty() && !target.Defines(predicate)))
        return predicate;
    }
  }
  return "";
}

bool IsLate(const ir::Rule& rule, const emitter::NirTarget& target) {
  return emitter::MatchesLate(rule, target) || emitter::MakesLate(rule, target);
}

// Returns the condition under which drivers accept the rule's new ops (emitter::ConditionOfNewOps). Drivers fold ops of
// constants.
absl::StatusOr<std::string> ConditionOf(ir::Rule at_sizes, const emitter::NirTarget& target) {
  at_sizes.replace = emitter::ReplaceWithFoldedConstants(at_sizes);
  return emitter::ConditionOfNewOps(at_sizes, target, "", IsLate(at_sizes, target));
}

// Returns the rules with open sizes if the new ops of each require the rule's condition at every size, and otherwise at
// the sizes where they do. Reduces `own_sizes`, the number of leading rules of one kind, in the same way.
std::vector<ir::Rule> WithOneCondition(std::vector<ir::Rule> rules, const emitter::NirTarget& target,
                                       size_t* own_sizes) {
  const ir::SizeOptions options = ir::SizeOptionsIn(target.dialect());
  std::vector<ir::Rule> result;
  size_t own = 0;
  for (size_t i = 0; i < rules.size(); ++i) {
    std::vector<ir::Rule> sized = AtAllSizes(rules[i], options);
    const size_t all = sized.size();
    std::erase_if(sized, [&](const ir::Rule& at_sizes) {
      const absl::StatusOr<std::string> condition = ConditionOf(at_sizes, target);
      return !condition.ok() || *condition != rules[i].condition;
    });
    if (sized.size() == all) sized = {std::move(rules[i])};
    for (ir::Rule& one : sized) {
      absl::StatusOr<ir::Rule> written = Normalized(one, target.dialect());
      if (!written.ok()) continue;
      written->condition = one.condition;
      own += i < *own_sizes ? 1 : 0;
      result.push_back(*std::move(written));
    }
  }
  *own_sizes = own;
  return result;
}

// Returns the rule at its usual sizes as a candidate of the machine.
std::optional<machine::Candidate> CandidateOf(const ir::Rule& rule, const std::string& machine,
                                              const ir::SizeOptions& options) {
  const absl::StatusOr<const machine::Machine*> found = machine::FindMachine(machine);
  absl::StatusOr<ir::Rule> sized = AtUsualSizes(rule, options);
  if (!found.ok() || !sized.ok()) return std::nullopt;
  return machine::Candidate{*found, std::move(sized->search), std::nullopt, std::move(sized->replace)};
}

class Collector {
 public:
  Collector(const FamilyOptions& options, std::vector<LeftOut>* left_out) : options_(options), left_out_(left_out) {}

  // Adds the rules of a database.
  absl::Status Read(store::Store* store) {
    store_ = store;
    sources_.clear();
    const absl::Status walked = store::CorpusStore(store_).ForEachShader(
        store::Split::kDiscovery, std::nullopt, -1, [&](const store::ShaderRecord& shader) -> absl::Status {
          sources_[shader.digest] = std::nullopt;
          return absl::OkStatus();
        });
    if (!walked.ok()) return walked;
    for (const std::string& machine : options_.machines.empty() ? std::vector<std::string>{""} : options_.machines) {
      absl::StatusOr<std::vector<store::RuleRecord>> records = RulesOf(store_, machine);
      if (!records.ok()) return records.status();
      std::erase_if(*records, [](const store::RuleRecord& record) {
        return IsOut(record.state) || record.state == v1::RULE_STATE_DERIVED || record.state == v1::RULE_STATE_WAIVED ||
               !record.program.empty();
      });
      const absl::StatusOr<std::vector<RankedRule>> ranked = RankRecords(store_, *std::move(records));
      if (!ranked.ok()) return ranked.status();
      for (const RankedRule& row : *ranked) {
        if (!SavesOnCorpus(row).ok() || row.discovery.hits == 0) continue;
        if (absl::Status added = Add(row.rule); !added.ok()) return added;
      }
    }
    return absl::OkStatus();
  }

  // Returns the rules in descending order of their support.
  std::vector<DiscoveredRule> Run() {
    std::vector<DiscoveredRule> rules;
    for (auto& [text, rule] : rules_) {
      std::sort(rule.machines.begin(), rule.machines.end());
      std::string reason = ReasonAgainst(rule);
      if (reason.empty()) {
        rules.push_back(std::move(rule));
      } else {
        left_out_->push_back({std::move(rule), std::move(reason)});
      }
    }
    std::stable_sort(rules.begin(), rules.end(), [](const DiscoveredRule& x, const DiscoveredRule& y) {
      return x.support.shaders.size() > y.support.shaders.size();
    });
    return rules;
  }

 private:
  absl::Status Add(const store::RuleRecord& record) {
    const absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(record);
    if (!candidate.ok() || ir::HasRelation(candidate->search)) return absl::OkStatus();
    const std::string text = ir::DisplayRule(WithUsedOnce(*candidate));
    absl::StatusOr<ir::Rule> rule = ir::ParseRule(text, 1, nullptr, ir::ResolverOf(options_.target->dialect()));
    if (!rule.ok()) return absl::OkStatus();  // the dialect lacks an op of the rule
    DiscoveredRule& discovered = rules_[text];
    discovered.rule = *std::move(rule);
    discovered.text = text;
    discovered.machines.push_back(record.machine);
    const absl::StatusOr<Support> support = SupportOf(record.id);
    if (!support.ok()) return support.status();
    discovered.support.Add(*support);
    return absl::OkStatus();
  }

  // Returns why the tree cannot use the rule, or "". Sets the rule's condition.
  std::string ReasonAgainst(DiscoveredRule& rule) const {
    if (const std::string missing = MissingPredicate(rule.rule, *options_.target); !missing.empty())
      return absl::StrCat("the tree has no predicate ", missing);
    const std::optional<machine::Candidate> candidate =
        CandidateOf(rule.rule, rule.machines[0], ir::SizeOptionsIn(options_.target->dialect()));
    if (!candidate.has_value()) return "its sizes are inconsistent";
    absl::StatusOr<std::string> condition = ConditionOf(machine::NirTuple(*candidate), *options_.target);
    if (!condition.ok()) return std::string(condition.status().message());
    rule.rule.condition = *std::move(condition);
    if (options_.tree != nullptr && options_.tree->Subsume(*candidate)) return "the tree's rules achieve the same";
    return "";
  }

  absl::StatusOr<Support> SupportOf(const ir::Digest& rule) {
    Support support;
    const absl::Status visited =
        store::RuleStore(store_).ForEachHit(rule, 0, -1, [&](const store::HitRecord& hit) -> absl::Status {
          if (!sources_.contains(hit.shader)) return absl::OkStatus();
          const absl::StatusOr<const std::set<std::string>*> sources = SourcesOf(hit.shader);
          if (!sources.ok()) return sources.status();
          support.shaders.insert(hit.shader);
          support.sources.insert((*sources)->begin(), (*sources)->end());
          support.sites += hit.hits;
          return absl::OkStatus();
        });
    if (!visited.ok()) return visited;
    return support;
  }

  absl::StatusOr<const std::set<std::string>*> SourcesOf(const ir::Digest& shader) {
    std::optional<std::set<std::string>>& sources = sources_[shader];
    if (sources.has_value()) return &*sources;
    const absl::StatusOr<std::vector<store::Occurrence>> occurrences = store::CorpusStore(store_).Occurrences(shader);
    if (!occurrences.ok()) return occurrences.status();
    sources.emplace();
    for (const store::Occurrence& occurrence : *occurrences) sources->insert(occurrence.source);
    return &*sources;
  }

  store::Store* store_ = nullptr;
  const FamilyOptions& options_;
  std::vector<LeftOut>* const left_out_;
  std::map<std::string, DiscoveredRule> rules_;                         // by text
  std::map<ir::Digest, std::optional<std::set<std::string>>> sources_;  // of each discovery shader, read on demand
};

class Grouping {
 public:
  Grouping(const verifier::Prover& prover, const FamilyOptions& options, std::vector<LeftOut> left_out)
      : prover_(prover), options_(options) {
    report_.left_out = std::move(left_out);
  }

  FamilyReport Run(std::vector<DiscoveredRule> rules) {
    const size_t all = rules.size();
    std::reverse(rules.begin(), rules.end());  // the next rule is at the end
    while (!rules.empty() && !options_.stop.stop_requested()) {
      if (options_.progress != nullptr) options_.progress(all - rules.size(), all);
      std::vector<DiscoveredRule> batch;
      while (!rules.empty() && batch.size() < kBatch) {
        DiscoveredRule rule = std::move(rules.back());
        rules.pop_back();
        if (!Join(&rule)) batch.push_back(std::move(rule));
      }
      Found(std::move(batch));
    }
    report_.stopped = report_.stopped || !rules.empty();
    RemoveRepeatedMembers();
    if (options_.tree != nullptr) CompareWithTree();
    Finish();
    return std::move(report_);
  }

 private:
  ir::SizeOptions sizes() const { return ir::SizeOptionsIn(options_.target->dialect()); }

  // Adds the rule to the first family that covers it. Returns false if there is none.
  bool Join(DiscoveredRule* rule) {
    const std::vector<ir::Rule> sized = AtAllSizes(rule->rule, sizes());
    for (size_t i = 0; i < report_.families.size(); ++i) {
      if (!covering_[i].CoverSizes(sized)) continue;
      RuleFamily& family = report_.families[i];
      family.support.Add(rule->support);
      family.instances.push_back(std::move(*rule));
      return true;
    }
    return false;
  }

  // Generalizes the rules, and founds a family for each one that no earlier rule of the batch covers.
  void Found(std::vector<DiscoveredRule> batch) {
    std::vector<absl::StatusOr<GeneralizedRule>> general(batch.size(), absl::CancelledError());
    const auto work = [&](size_t i) {
      if (options_.stop.stop_requested()) return;
      GeneralizeOptions generalize;
      generalize.check.dialect = options_.target->dialect();
      generalize.limit = options_.limit;
      generalize.stop = options_.stop;
      general[i] = Generalize(prover_, batch[i].rule, generalize);
    };
    RunEach(batch.size(), work, nullptr, options_.threads);
    if (options_.stop.stop_requested()) {
      report_.stopped = true;
      return;
    }
    for (size_t i = 0; i < batch.size(); ++i) {
      if (!general[i].ok()) {
        report_.left_out.push_back({std::move(batch[i]), std::string(general[i].status().message())});
        continue;
      }
      if (!KeepsAccuracy(general[i]->accuracy) && !options_.cancelling) {
        report_.left_out.push_back({std::move(batch[i]), "it is not shown to be as accurate as the code it replaces"});
        continue;
      }
      if (Join(&batch[i])) continue;
      RuleFamily family;
      family.own_sizes = general[i]->own_sizes;
      family.members = WithOneCondition(std::move(general[i]->members), *options_.target, &family.own_sizes);
      if (family.own_sizes == 0) {
        report_.left_out.push_back({std::move(batch[i]), "its new ops require another condition at each of its sizes"});
        continue;
      }
      family.late = IsLate(family.members[0], *options_.target);
      family.support = batch[i].support;
      family.instances.push_back(std::move(batch[i]));
      AddFamily(std::move(family));
    }
  }

  // Adds the family, and merges into it the families whose general rule it covers.
  void AddFamily(RuleFamily family) {
    CoveringRules covering(family.members, sizes());
    std::vector<RuleFamily> kept;
    std::vector<CoveringRules> kept_covering;
    for (size_t i = 0; i < report_.families.size(); ++i) {
      RuleFamily& other = report_.families[i];
      const bool covered =
          std::all_of(other.members.begin(), other.members.begin() + static_cast<ptrdiff_t>(other.own_sizes),
                      [&](const ir::Rule& member) { return covering.Cover(member); });
      if (covered) {
        family.support.Add(other.support);
        std::move(other.instances.begin(), other.instances.end(), std::back_inserter(family.instances));
        continue;
      }
      kept.push_back(std::move(other));
      kept_covering.push_back(std::move(covering_[i]));
    }
    kept.push_back(std::move(family));
    kept_covering.push_back(std::move(covering));
    report_.families = std::move(kept);
    covering_ = std::move(kept_covering);
  }

  // Removes the members other than the general rule that an earlier family covers.
  void RemoveRepeatedMembers() {
    for (size_t i = 0; i < report_.families.size(); ++i) {
      RuleFamily& family = report_.families[i];
      const auto others = family.members.begin() + static_cast<ptrdiff_t>(family.own_sizes);
      family.members.erase(std::remove_if(others, family.members.end(),
                                          [&](const ir::Rule& member) {
                                            return std::any_of(
                                                covering_.begin(), covering_.begin() + static_cast<ptrdiff_t>(i),
                                                [&](const CoveringRules& one) { return one.Cover(member); });
                                          }),
                           family.members.end());
    }
  }

  // Removes from the families the members that the tree does not need. Leaves out the families whose general rule it
  // does not need or undoes. A family that loops with the main pass, but not with the late pass, becomes late.
  void CompareWithTree() {
    std::vector<machine::Candidate> general;
    std::erase_if(report_.families, [&](RuleFamily& family) {
      const std::string& machine = family.instances[0].machines[0];
      std::vector<ir::Rule> needed;
      size_t own_sizes = 0;
      for (size_t i = 0; i < family.members.size(); ++i) {
        const std::optional<machine::Candidate> candidate = CandidateOf(family.members[i], machine, sizes());
        if (!candidate.has_value() || options_.tree->Subsume(*candidate)) continue;
        if (i < family.own_sizes && own_sizes++ == 0) general.push_back(*candidate);
        needed.push_back(std::move(family.members[i]));
      }
      family.members = std::move(needed);
      family.own_sizes = own_sizes;
      return own_sizes == 0 && LeaveOut(&family, "the tree's rules achieve the same as its general rule");
    });
    const std::vector<bool> main = options_.tree->FindLooping(general, 0),
                            late = options_.tree->FindLooping(general, 1);
    size_t next = 0;
    std::erase_if(report_.families, [&](RuleFamily& family) {
      const size_t i = next++;
      family.late = family.late || main[i];
      return family.late && late[i] && LeaveOut(&family, "the tree's own rules undo it");
    });
  }

  // Records the reason for all instances of the family. Returns true.
  bool LeaveOut(RuleFamily* family, const std::string& reason) {
    for (DiscoveredRule& rule : family->instances) report_.left_out.push_back({std::move(rule), reason});
    return true;
  }

  // Leaves out the families with too little support, and sorts the others.
  void Finish() {
    std::erase_if(report_.families, [&](RuleFamily& family) {
      const absl::Status often =
          AppliesOften(family.support.sources.size(), family.support.shaders.size(), options_.support);
      return !often.ok() && LeaveOut(&family, absl::StrCat("the family ", often.message()));
    });
    for (RuleFamily& family : report_.families) {
      std::stable_sort(family.instances.begin() + 1, family.instances.end(),
                       [](const DiscoveredRule& x, const DiscoveredRule& y) {
                         return x.support.shaders.size() > y.support.shaders.size();
                       });
    }
    std::stable_sort(report_.families.begin(), report_.families.end(), [](const RuleFamily& x, const RuleFamily& y) {
      return x.support.shaders.size() > y.support.shaders.size();
    });
  }

  const verifier::Prover& prover_;
  const FamilyOptions& options_;
  FamilyReport report_;
  std::vector<CoveringRules> covering_;  // by the members of each family
};

}  // namespace

void Support::Add(const Support& other) {
  shaders.insert(other.shaders.begin(), other.shaders.end());
  sources.insert(other.sources.begin(), other.sources.end());
  sites += other.sites;
}

absl::StatusOr<FamilyReport> FindFamilies(absl::Span<store::Store* const> stores, const verifier::Prover& prover,
                                          const FamilyOptions& options) {
  std::vector<LeftOut> left_out;
  Collector collector(options, &left_out);
  for (store::Store* const store : stores) {
    if (absl::Status read = collector.Read(store); !read.ok()) return read;
  }
  std::vector<DiscoveredRule> rules = collector.Run();
  return Grouping(prover, options, std::move(left_out)).Run(std::move(rules));
}

}  // namespace rewrought::pipeline
