// rewrought rediscover: reports which rules of a Mesa tree were also discovered, and why the others were missed.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "audit/audit.h"
#include "audit/rule_reading.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/verify_options.h"
#include "enumerator/bank_search.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "pipeline/discovery/discover.h"
#include "pipeline/sites/rediscovery.h"
#include "proto/names.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

// A tree rule is `given` if the discovered rules save at least as much as the tree rule at this share of the sites
// where the tree rule saves anything.
constexpr double kGivenShare = 0.9;

struct Options {
  std::string tree, machine, verdicts;
  size_t max_ops = 4;
  bool json = false;
};

// The rules of the tree that discovery should have found.
struct Asked {
  audit::MesaRules rules;
  std::vector<ir::CompiledRule> compiled;
  size_t of = 0;  // the total number of rules in the tree
};

// Returns the distinct rules whose search side has at most `max_ops` ops and can be matched, except rules that lower an
// op for back ends that lack the op.
Asked Choose(audit::MesaRules tree, size_t max_ops) {
  Asked asked;
  asked.of = tree.rules.size();
  asked.rules.source_sizes = std::move(tree.source_sizes);
  std::set<std::string> seen;
  for (audit::MesaRule& rule : tree.rules) {
    if (!rule.reason.empty() || audit::ReadCondition(rule.condition).is_lowering) continue;
    if (!seen.insert(rule.Text()).second) continue;
    absl::StatusOr<ir::Rule> parsed = ir::ParseRule(audit::WithTodaysOps(rule.Text()));
    if (!parsed.ok() || ir::OpsInPrefixOrder(parsed->search).size() > max_ops) continue;
    absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(*std::move(parsed));
    if (!compiled.ok()) continue;
    asked.compiled.push_back(*std::move(compiled));
    asked.rules.rules.push_back(std::move(rule));
  }
  return asked;
}

enum class Outcome { kGiven, kPartly, kMissed };

Outcome OutcomeOf(const pipeline::Rediscovery& found) {
  if (static_cast<double>(found.given) >= kGivenShare * static_cast<double>(found.saves)) return Outcome::kGiven;
  return found.given > 0 ? Outcome::kPartly : Outcome::kMissed;
}

const char* NameOf(Outcome outcome) {
  return outcome == Outcome::kGiven ? "given" : outcome == Outcome::kPartly ? "partly" : "missed";
}

Json CostJson(const machine::Cost& cost) {
  return {{"instructions", cost.instructions}, {"cycles", cost.issue_cycles}};
}

Json SiteJson(const pipeline::RediscoverySite& site, bool missed) {
  if (site.sites == 0) return nullptr;
  Json object{{"fragment", site.fragment},
              {"sites", site.sites},
              {"before", CostJson(site.before)},
              {"tree", CostJson(site.tree)},
              {"found", CostJson(site.found)}};
  if (missed) object["because"] = pipeline::NameOf(site.because);
  return object;
}

Json ToJson(const audit::AuditedRule& rule, const pipeline::Rediscovery& found) {
  return {{"file", rule.source.file},
          {"line", rule.source.line},
          {"rule", rule.source.Text()},
          {"id", rule.source.Id()},
          {"verdict", NameOf(rule.verdict)},
          {"outcome", NameOf(OutcomeOf(found))},
          {"occurs", found.occurs},
          {"saves", found.saves},
          {"given", found.given},
          {"given_by_one", found.given_by_one},
          {"given_at", SiteJson(found.given_at, false)},
          {"missed_at", SiteJson(found.missed_at, true)}};
}

void PrintMissed(const audit::AuditedRule& rule, const pipeline::Rediscovery& found) {
  const pipeline::RediscoverySite& site = found.missed_at;
  const auto cost = [](const machine::Cost& of) {
    return absl::StrFormat("%d (%g)", of.instructions, of.issue_cycles);
  };
  std::cout << absl::StrFormat(
      "%s:%d: %s at %d of %d sites: %s\n  %s: %s; instructions (cycles) %s, tree %s, found %s\n", rule.source.file,
      rule.source.line, NameOf(OutcomeOf(found)), found.given, found.saves, rule.source.Text(),
      pipeline::NameOf(site.because), site.fragment, cost(site.before), cost(site.tree), cost(site.found));
}

struct Counts {
  size_t occur = 0, save = 0, right = 0, by_outcome[3] = {};
  int64_t sites = 0, given = 0, by_one = 0;
};

void PrintCounts(const std::string& machine, const Asked& asked, const Counts& counts, bool json) {
  const size_t given = counts.by_outcome[0], partly = counts.by_outcome[1], missed = counts.by_outcome[2];
  if (json) {
    return PrintJson({{"machine", machine},
                      {"tree_rules", asked.of},
                      {"asked", asked.compiled.size()},
                      {"occur", counts.occur},
                      {"save", counts.save},
                      {"right", counts.right},
                      {"given", given},
                      {"partly", partly},
                      {"missed", missed},
                      {"sites", counts.sites},
                      {"sites_given", counts.given},
                      {"sites_given_by_one", counts.by_one}});
  }
  const auto percent = [](auto part, auto whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  std::cout << absl::StrFormat(
      "%s: %d rules in the tree, %d examined, %d occur, %d save at their sites, %d of these are correct\n"
      "  given   %5d  %5.1f %%\n  partly  %5d  %5.1f %%\n  missed  %5d  %5.1f %%\n"
      "  sites   %5d, given %.1f %%, by one rule %.1f %%\n",
      machine, asked.of, asked.compiled.size(), counts.occur, counts.save, counts.right, given,
      percent(given, counts.right), partly, percent(partly, counts.right), missed, percent(missed, counts.right),
      counts.sites, percent(counts.given, counts.sites), percent(counts.by_one, counts.sites));
}

// Audits the rules of `asked` at the indices `places`. `kept` is the path of the file in which the audit stores its
// verdicts.
absl::StatusOr<audit::AuditReport> AuditRules(const Asked& asked, const std::vector<size_t>& places,
                                              const std::string& kept, const std::stop_token& stop) {
  audit::MesaRules rules;
  rules.source_sizes = asked.rules.source_sizes;
  rules.dialect = asked.rules.dialect;
  for (const size_t place : places) rules.rules.push_back(asked.rules.rules[place]);
  const absl::StatusOr<std::unique_ptr<audit::VerdictFile>> verdicts = audit::VerdictFile::Open(kept);
  if (!verdicts.ok()) return verdicts.status();
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return solvers.status();
  const verifier::Prover prover(*solvers, AuditProverOptions(0, stop));
  audit::AuditOptions options;
  options.limits = AuditLimits(0);
  options.threads = solvers->parallel();
  options.stop = stop;
  Progress progress("rewrought rediscover");
  options.progress = [&](const audit::AuditOptions::Progress& done) {
    progress.Show(absl::StrFormat("%d of %d rules verified", done.done, done.all));
  };
  absl::StatusOr<audit::AuditReport> report = audit::Audit(rules, prover, verdicts->get(), options);
  if (report.ok() && report->interrupted) return absl::CancelledError("stopped while verifying the tree's rules");
  return report;
}

absl::StatusOr<std::vector<pipeline::Rediscovery>> LookInStore(const Options& options, const machine::Machine& machine,
                                                               const Asked& asked, Context* context) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kReadOnly);
  if (!store.ok()) return store.status();
  const auto search = enumerator::BankSearch::Create(machine, {});
  if (!search.ok()) return search.status();
  pipeline::RediscoveryOptions rediscovery;
  rediscovery.max_ops = options.max_ops;
  rediscovery.search = pipeline::SearchDigest(**search, {});
  rediscovery.stop = context->stop.get_token();
  Progress progress("rewrought rediscover");
  rediscovery.progress = [&](uint64_t fragments) { progress.Show(absl::StrCat(fragments, " fragments")); };
  return pipeline::Rediscover(store->get(), machine, asked.compiled, rediscovery);
}

void Run(const Options& options, Context* context) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options.machine);
  if (!machine.ok()) return Fail(context, machine.status().message());
  absl::StatusOr<audit::MesaRules> tree = audit::ReadMesaRules({options.tree}, false);
  if (!tree.ok()) return Fail(context, tree.status().message());
  const Asked asked = Choose(*std::move(tree), options.max_ops);
  const absl::StatusOr<std::vector<pipeline::Rediscovery>> found = LookInStore(options, **machine, asked, context);
  if (!found.ok()) return Fail(context, found.status().message());
  Counts counts;
  std::vector<size_t> places;
  for (size_t i = 0; i < found->size(); ++i) {
    if ((*found)[i].occurs > 0) ++counts.occur;
    if ((*found)[i].saves > 0) places.push_back(i);
  }
  counts.save = places.size();
  const std::string kept = options.verdicts.empty() ? context->db + ".audit" : options.verdicts;
  const absl::StatusOr<audit::AuditReport> verdicts = AuditRules(asked, places, kept, context->stop.get_token());
  if (!verdicts.ok()) return Fail(context, verdicts.status().message());
  std::vector<size_t> right;  // indices into `places` of the proved and inexact rules, by missed sites, descending
  for (size_t k = 0; k < places.size(); ++k) {
    const v1::Verdict verdict = verdicts->rules[k].verdict;
    if (verdict == v1::VERDICT_PROVED || verdict == v1::VERDICT_INEXACT) right.push_back(k);
  }
  const auto missed_sites = [&](size_t k) { return (*found)[places[k]].saves - (*found)[places[k]].given; };
  std::stable_sort(right.begin(), right.end(), [&](size_t a, size_t b) { return missed_sites(a) > missed_sites(b); });
  counts.right = right.size();
  for (const size_t k : right) {
    const pipeline::Rediscovery& one = (*found)[places[k]];
    ++counts.by_outcome[static_cast<size_t>(OutcomeOf(one))];
    counts.sites += one.saves;
    counts.given += one.given;
    counts.by_one += one.given_by_one;
    if (options.json) {
      PrintJson(ToJson(verdicts->rules[k], one));
    } else if (OutcomeOf(one) != Outcome::kGiven) {
      PrintMissed(verdicts->rules[k], one);
    }
  }
  PrintCounts(options.machine, asked, counts, options.json);
}

}  // namespace

void AddRediscoverCommand(CLI::App* command, Context* context) {
  static Options options;
  command->add_option("TREE", options.tree, "src/compiler/nir of a Mesa tree; python3 runs its rule files")->required();
  AddDatabaseOption(command, context);
  AddMachineOption(command, &options.machine, "GPU whose rules to compare")->required();
  command->add_option("--max-ops", options.max_ops, "maximum number of ops in a rule's search side")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  command->add_option("--verdicts", options.verdicts,
                      "file that stores the verdicts (default: the --db path plus .audit)");
  AddJsonOption(command, &options.json, "one JSON object per rule, counts last,");
  command->footer(
      "Use a database whose shaders were harvested without --baseline, so that they still contain the code that\n"
      "the tree's rules rewrite. A tree rule counts where it matches a whole fragment and saves issue cycles or\n"
      "instructions on the machine. It is `given` if the discovered rules, alone or together, save as much at\n"
      "nine tenths of these sites. Tree rules that are not proved are omitted.\n"
      "Examples:\n"
      "  rewrought rediscover mesa/src/compiler/nir --db raw.db --machine ir3_a6xx");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
