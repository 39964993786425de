#include "pipeline/sites/rediscovery.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "corpus/fragment_form.h"
#include "ir/fold.h"
#include "ir/match/rewriter.h"
#include "ir/site_flags.h"
#include "ir/term.h"
#include "ir/term_order.h"
#include "ir/text/display.h"
#include "machine/base/base_selection.h"
#include "machine/candidate.h"
#include "machine/semantics.h"
#include "pipeline/discovery/fragment_work.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_record.h"
#include "pipeline/sites/site_profile.h"
#include "rules/known_rules.h"
#include "rules/site_rule.h"
#include "store/corpus_store.h"
#include "store/records.h"
#include "store/search_store.h"
#include "verifier/inexact/inexact.h"

namespace rewrought::pipeline {
namespace {

// A fragment with the data of its sites and the costs that the discovered rules achieve.
struct ExaminedFragment {
  const store::FragmentSummary& summary;
  ir::Term term;  // with the node flags of its sites
  rules::SiteProfile profile;
  machine::Cost before;
  std::vector<rules::SiteBudget> budgets;
  std::vector<uint32_t> uses;                // the number of uses of each node
  std::optional<machine::Cost> strict, any;  // the cost with strict rules and with all rules; computed on demand
};

class Run {
 public:
  Run(store::Store* store, const machine::Machine& machine, absl::Span<const ir::CompiledRule> tree,
      const RediscoveryOptions& options)
      : store_(store),
        machine_(machine),
        options_(options),
        tree_(tree),
        strict_(machine),
        any_(machine),
        key_{{}, machine.id(), machine::SemanticsOf(machine), options.search},
        result_(tree.size()) {
    for (size_t i = 0; i < tree.size(); ++i) {
      for (const ir::OpRow* const op : tree[i].root_ops()) by_root_[op].push_back(i);
    }
  }

  absl::StatusOr<std::vector<Rediscovery>> All();

 private:
  absl::Status LoadRules();
  absl::Status LookAt(const store::FragmentSummary& summary);
  absl::Status Ask(size_t rule, ExaminedFragment* looked);
  std::optional<ir::Term> AfterTree(size_t rule, const ExaminedFragment& looked) const;
  const machine::Cost& Found(bool inexact, ExaminedFragment* looked) const;
  bool GivenByOne(const ExaminedFragment& looked) const;
  absl::StatusOr<MissedBecause> WhyMissed(const store::FragmentSummary& summary) const;

  store::Store* const store_;
  const machine::Machine& machine_;
  const RediscoveryOptions& options_;
  const absl::Span<const ir::CompiledRule> tree_;
  absl::flat_hash_map<const ir::OpRow*, std::vector<size_t>> by_root_;
  rules::KnownRules strict_, any_;
  std::map<std::string, std::vector<rules::SiteRule>> by_ops_;
  std::set<ir::Digest> with_rules_;  // the fragments for which a rule was found
  store::AttemptKey key_;
  std::vector<Rediscovery> result_;
  uint64_t fragments_ = 0;
};

absl::Status Run::LoadRules() {
  const absl::StatusOr<std::vector<store::RuleRecord>> records = RulesOf(store_, machine_.id());
  if (!records.ok()) return records.status();
  for (const store::RuleRecord& record : *records) {
    if (IsOut(record.state)) continue;
    absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(record);
    if (!candidate.ok()) continue;  // this version cannot parse the rule
    if (record.rule_class == v1::RULE_CLASS_STRICT) strict_.Add(*candidate);
    any_.Add(*candidate);
    if (record.fragment.has_value()) with_rules_.insert(*record.fragment);
    const std::string ops = rules::OpMultiset(candidate->search);
    if (absl::StatusOr<rules::SiteRule> rule = rules::SiteRule::Create(*std::move(candidate)); rule.ok())
      by_ops_[ops].push_back(*std::move(rule));
  }
  return absl::OkStatus();
}

// Applies the tree's rule to the whole fragment. Returns nullopt if the rule does not match it.
std::optional<ir::Term> Run::AfterTree(size_t rule, const ExaminedFragment& looked) const {
  ir::MatchOptions options;
  options.facts = rules::FactsOfSite(looked.term, looked.profile.facts);
  options.uses = &looked.uses;
  const size_t all = ir::OpsInPrefixOrder(looked.term).size();
  for (const ir::Match& match : ir::MatchesAt(tree_[rule], looked.term, looked.term.root, options)) {
    if (std::set<ir::NodeIndex>(match.ops.begin(), match.ops.end()).size() != all) continue;
    ir::Term after = looked.term;
    const std::optional<ir::Source> value = ir::ApplyReplacement(tree_[rule], match, &after);
    if (!value.has_value()) continue;
    after.root = value->node;
    ir::Rewriter(absl::Span<const ir::CompiledRule>(), {}).Run(&after);  // drops nodes that the root does not use
    return ir::FoldConstants(std::move(after));
  }
  return std::nullopt;
}

const machine::Cost& Run::Found(bool inexact, ExaminedFragment* looked) const {
  const auto lower = [&](const rules::KnownRules& rules, const machine::Cost& than) {
    const absl::StatusOr<machine::Cost> cost = rules.CostOf(looked->term, looked->profile.facts);
    return cost.ok() && machine::WorthARule(*cost, than) ? *cost : than;
  };
  if (!looked->strict.has_value()) looked->strict = lower(strict_, looked->before);
  if (!inexact) return *looked->strict;
  if (!looked->any.has_value()) looked->any = lower(any_, *looked->strict);
  return *looked->any;
}

bool Run::GivenByOne(const ExaminedFragment& looked) const {
  const auto rules = by_ops_.find(rules::OpMultiset(looked.term));
  return rules != by_ops_.end() && std::any_of(rules->second.begin(), rules->second.end(),
                                               [&](const rules::SiteRule& rule) { return rule.Fits(looked.term); });
}

absl::StatusOr<MissedBecause> Run::WhyMissed(const store::FragmentSummary& summary) const {
  store::AttemptKey key = key_;
  key.fragment = summary.digest;
  const auto attempt = store::SearchStore(store_).FindAttempt(key);
  if (!attempt.ok()) return attempt.status();
  if (!attempt->has_value()) return MissedBecause::kNotLookedAt;
  if (with_rules_.count(summary.digest) > 0) return MissedBecause::kFoundLess;
  switch ((*attempt)->outcome) {
    case store::AttemptOutcome::kCutShort:
      return MissedBecause::kCutShort;
    case store::AttemptOutcome::kNothing:
      return MissedBecause::kNotFound;
    case store::AttemptOutcome::kCandidates:
      break;
  }
  return MissedBecause::kNotProved;
}

absl::Status Run::Ask(size_t rule, ExaminedFragment* looked) {
  const std::optional<ir::Term> after = AfterTree(rule, *looked);
  if (!after.has_value()) return absl::OkStatus();
  Rediscovery& result = result_[rule];
  result.occurs += looked->summary.sites;
  const absl::StatusOr<machine::Cost> tree = machine::BaseCost(machine_, *after, machine::BaseKind::kTuned);
  if (!tree.ok() || !machine::WorthARule(*tree, looked->before) || !rules::AnyAdmits(looked->budgets, *tree))
    return absl::OkStatus();
  result.saves += looked->summary.sites;
  const machine::Cost& found = Found(verifier::IsMarkedInexact(tree_[rule].rule().search), looked);
  const bool given = !machine::WorthARule(*tree, found);
  if (given) result.given += looked->summary.sites;
  if (given && GivenByOne(*looked)) result.given_by_one += looked->summary.sites;
  RediscoverySite& most = given ? result.given_at : result.missed_at;
  if (looked->summary.sites <= most.sites) return absl::OkStatus();
  most = {ir::DisplayTerm(looked->term), looked->summary.sites, looked->before, *tree, found, {}};
  if (given) return absl::OkStatus();
  const absl::StatusOr<MissedBecause> because = WhyMissed(looked->summary);
  if (!because.ok()) return because.status();
  most.because = *because;
  return absl::OkStatus();
}

absl::Status Run::LookAt(const store::FragmentSummary& summary) {
  if (options_.stop.stop_requested()) return absl::CancelledError("stopped while examining fragments");
  if (++fragments_ % 1000 == 0 && options_.progress != nullptr) options_.progress(fragments_);
  absl::StatusOr<ir::Term> term = corpus::TermOfStored(summary.fragment.text);
  if (!term.ok() || ir::OpsInPrefixOrder(*term).size() > options_.max_ops || HasConstantPart(*term))
    return absl::OkStatus();
  const auto rules = by_root_.find(term->at(term->root).op);
  if (rules == by_root_.end()) return absl::OkStatus();
  const absl::StatusOr<machine::Cost> before = machine::BaseCost(machine_, *term, machine::BaseKind::kTuned);
  if (!before.ok()) return absl::OkStatus();  // base selection does not cover the fragment
  absl::StatusOr<rules::SiteProfile> profile = ProfileOf(store_, summary.digest);
  if (!profile.ok()) return profile.status();
  ir::ApplyNodeFlags(profile->node_flags, &*term);
  std::vector<uint32_t> uses(term->nodes.size(), 0);
  for (const ir::Node& node : term->nodes) {
    for (const ir::Source& source : node.sources) ++uses[source.node];
  }
  std::vector<rules::SiteBudget> budgets = rules::BudgetsAt(machine_, *term, profile->multi_use);
  ExaminedFragment looked{
      summary, *std::move(term), *std::move(profile), *before, std::move(budgets), std::move(uses), {}, {}};
  for (const size_t rule : rules->second) {
    if (absl::Status asked = Ask(rule, &looked); !asked.ok()) return asked;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Rediscovery>> Run::All() {
  if (absl::Status loaded = LoadRules(); !loaded.ok()) return loaded;
  store::CorpusStore::FragmentQuery query;
  query.split = store::Split::kDiscovery;
  const absl::Status looked = store::CorpusStore(store_).ForEachFragment(
      query, [&](const store::FragmentSummary& summary) { return LookAt(summary); });
  if (!looked.ok()) return looked;
  return std::move(result_);
}

}  // namespace

std::string NameOf(MissedBecause reason) {
  switch (reason) {
    case MissedBecause::kNotLookedAt:
      return "not looked at";
    case MissedBecause::kCutShort:
      return "cut short";
    case MissedBecause::kNotFound:
      return "not found";
    case MissedBecause::kNotProved:
      return "not proved";
    case MissedBecause::kFoundLess:
      return "found less";
  }
  return "";
}

absl::StatusOr<std::vector<Rediscovery>> Rediscover(store::Store* store, const machine::Machine& machine,
                                                    absl::Span<const ir::CompiledRule> tree,
                                                    const RediscoveryOptions& options) {
  return Run(store, machine, tree, options).All();
}

}  // namespace rewrought::pipeline
