// rewrought families: groups the rules of a database into families of general rules.
#include "pipeline/families/families.h"

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/rule_json.h"
#include "cli/server_option.h"
#include "cli/tree_rules.h"
#include "cli/verify_options.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack_files.h"
#include "ir/dialect/reading.h"
#include "ir/text/display.h"
#include "machine/machine.h"
#include "pipeline/families/proposals.h"
#include "pipeline/generalize/family_text.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::vector<std::string> with;
  std::string machines, target = emitter::AllNirTargets().back().name(), tree, proposals;
  double seconds = 10;
  pipeline::SupportLimits support;
  size_t most = 0;
  bool cancelling = false, json = false;
};

Json ToJson(const pipeline::RuleFamily& family, ir::Dialect dialect) {
  Json members = Json::array(), instances = Json::array();
  for (const ir::Rule& member : family.members) members.push_back(RuleJson(dialect, member));
  for (const pipeline::DiscoveredRule& instance : family.instances) {
    instances.push_back({{"rule", instance.text},
                         {"machines", instance.machines},
                         {"shaders", instance.support.shaders.size()},
                         {"sources", instance.support.sources},
                         {"sites", instance.support.sites}});
  }
  return {{"members", members},
          {"own_sizes", family.own_sizes},
          {"list", pipeline::ListOf(family)},
          {"shaders", family.support.shaders.size()},
          {"sources", family.support.sources},
          {"sites", family.support.sites},
          {"instances", instances}};
}

void Print(const pipeline::FamilyReport& report, ir::Dialect dialect) {
  for (const pipeline::RuleFamily& family : report.families) {
    std::vector<std::string> rules;
    for (const ir::Rule& member : family.members) rules.push_back(ir::DisplayRule(member, ir::SizeOptionsIn(dialect)));
    std::cout << pipeline::FamilyText(rules) << "  applies at " << family.support.sites << " places in "
              << pipeline::CountText(family.support.shaders.size(), "shader") << " of "
              << pipeline::CountText(family.support.sources.size(), "source") << " ("
              << absl::StrJoin(family.support.sources, ", ") << "); covers "
              << pipeline::CountText(family.instances.size(), "discovered rule") << ":\n";
    for (const pipeline::DiscoveredRule& instance : family.instances) {
      std::cout << "    " << instance.text << "  " << pipeline::CountText(instance.support.shaders.size(), "shader")
                << ", " << absl::StrJoin(instance.machines, ", ") << "\n";
    }
  }
  for (const pipeline::LeftOut& one : report.left_out)
    std::cout << "left out: " << one.rule.text << ": " << one.reason << "\n";
  std::cout << std::flush;
}

void Run(const Options& options, Context* context) {
  pipeline::FamilyOptions families;
  const absl::StatusOr<const emitter::NirTarget*> target =
      options.tree.empty() ? emitter::FindNirTarget(options.target) : emitter::TargetOfTree(options.tree);
  if (!target.ok()) return Fail(context, target.status().message());
  families.target = *target;
  const ir::Dialect dialect = (*target)->dialect();
  std::vector<rules::TreeRules> trees;
  if (!options.tree.empty()) {
    absl::StatusOr<std::vector<rules::TreeRules>> read = ReadTree("--tree", options.tree + "/src/compiler/nir");
    if (!read.ok()) return Fail(context, read.status().message());
    trees = *std::move(read);
    families.tree = &trees.front();
  }
  families.machines = absl::StrSplit(options.machines, ',', absl::SkipEmpty());
  for (const std::string& machine : families.machines) {
    if (const auto found = machine::FindMachine(machine); !found.ok()) return Fail(context, found.status().message());
  }
  std::vector<std::unique_ptr<store::Store>> opened;
  std::vector<store::Store*> stores;
  std::vector<std::string> paths = {context->db};
  paths.insert(paths.end(), options.with.begin(), options.with.end());
  for (const std::string& path : paths) {
    Context of_path;
    of_path.db = path;
    absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(of_path, store::OpenMode::kReadOnly);
    if (!store.ok()) return Fail(context, store.status().message());
    stores.push_back(store->get());
    opened.push_back(*std::move(store));
  }
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return Fail(context, solvers.status().message());
  const verifier::Prover prover(*solvers, ProverOptionsOf(0, context->stop.get_token()));
  families.limit = std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 1000));
  families.support = options.support;
  families.cancelling = options.cancelling;
  families.threads = solvers->parallel();
  families.stop = context->stop.get_token();
  Progress progress("rewrought families");
  families.progress = [&](size_t done, size_t all) { progress.Show(absl::StrCat(done, " of ", all, " rules")); };
  absl::StatusOr<pipeline::FamilyReport> report = pipeline::FindFamilies(stores, prover, families);
  if (!report.ok()) return FailCall(context, report.status());
  if (options.most > 0 && report->families.size() > options.most) report->families.resize(options.most);
  if (options.json) {
    for (const pipeline::RuleFamily& family : report->families) PrintJson(ToJson(family, dialect));
    for (const pipeline::LeftOut& one : report->left_out)
      PrintJson({{"left_out", one.rule.text}, {"reason", one.reason}});
  } else {
    Print(*report, dialect);
  }
  if (!options.proposals.empty()) {
    const absl::Status written =
        emitter::WriteFile(options.proposals, pipeline::ProposalsToml(report->families, dialect));
    if (!written.ok()) return Fail(context, written.message());
  }
  size_t covered = 0;
  for (const pipeline::RuleFamily& family : report->families) covered += family.instances.size();
  progress.Say(absl::StrCat(report->families.size(), " families cover ", covered, " of ",
                            covered + report->left_out.size(), " discovered rules",
                            report->stopped ? "; stopped before all rules were considered" : ""));
  if (report->stopped) context->exit_code = kInterrupted;
}

}  // namespace

void AddFamiliesCommand(CLI::App* command, Context* context) {
  static Options options;
  AddDatabaseOption(command, context);
  command->add_option("--with", options.with, "further databases, for example of other drivers");
  command->add_option("--machine", options.machines, "machines whose rules to use, separated by commas (default: all)");
  CLI::Option* const target =
      command
          ->add_option(
              "--target", options.target,
              "Mesa version, which determines the meaning of rules and the available ops and predicates: one of " +
                  emitter::NirTargetNames())
          ->capture_default_str();
  command
      ->add_option(
          "--tree", options.tree,
          "root of a Mesa tree: use its version, and leave out rules that its own rules make unnecessary or undo")
      ->excludes(target);
  AddSupportOptions(command, "families", &options.support);
  command->add_option("--max", options.most, "keep only this many families, the most frequent ones; 0: all")
      ->capture_default_str();
  command->add_flag("--cancelling", options.cancelling,
                    "also use inexact rules that are not shown to be as accurate as the code they replace");
  command->add_option("--seconds", options.seconds, "time limit for the generalization of each rule")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  command->add_option("--proposals", options.proposals, "file to write for `rewrought propose --add`");
  AddJsonOption(command, &options.json, "one JSON object per family, and per rule that is left out,");
  command->footer(
      "Generalizes discovered rules, the most frequent first (see `rewrought generalize`), and states why it leaves "
      "out\n"
      "a rule. Every rule of a family is proved: bit for bit or, if it is marked ~, over the reals. Only discovery\n"
      "shaders count. Ctrl-C prints the families found so far.\n"
      "Examples:\n"
      "  rewrought families --db my.db --machine ir3_a6xx\n"
      "  rewrought families --db ir3.db --with radeonsi.db iris.db --tree mesa --max 40 --proposals families.toml\n"
      "  rewrought propose --add families.toml --tree mesa -o patches");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
