// rewrought nightly: harvests, discovers, exports, and compares the results with the previous nightly run. Options add
// more steps.
#include "pipeline/nightly/nightly.h"

#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/night_steps.h"
#include "cli/progress.h"
#include "cli/run_json.h"
#include "cli/tree_rules.h"
#include "pipeline/nightly/nightly_config.h"

namespace rewrought::cli {
namespace {

// The rules of the Mesa tree that --baseline names, if any: `baseline` is applied to harvested shaders, and `rules` are
// checked for loops that they form with pack rules.
struct Tree {
  std::optional<corpus::Baseline> baseline;
  std::vector<rules::TreeRules> rules;
};

absl::StatusOr<Tree> ReadTreeOf(const std::string& path) {
  absl::StatusOr<std::optional<corpus::Baseline>> baseline = ReadBaseline("nightly", path);
  if (!baseline.ok()) return baseline.status();
  Tree tree{*std::move(baseline), {}};
  if (!tree.baseline.has_value()) return tree;
  absl::StatusOr<std::vector<rules::TreeRules>> read = ReadTree("--baseline", path);
  if (!read.ok()) return read.status();
  for (rules::TreeRules& rules : *read) tree.rules.push_back(std::move(rules));
  return tree;
}

// Runs the search. Returns its JSON object and sets the exit code in the context.
absl::StatusOr<Json> Search(const v1::NightlyConfig& config, const Tree& tree, Context* context) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kCreate);
  if (!store.ok()) return store.status();
  Progress progress("nightly");
  const StarvationWatch watch(&progress, pipeline::WorkerBoard::OfProcess());
  pipeline::NightlyOptions options;
  options.stop = context->stop.get_token();
  if (tree.baseline.has_value()) {
    options.baseline = &*tree.baseline;
    options.tree = &tree.rules.front();
  }
  std::string left;
  options.time_left = [&](const std::string& text) { left = text; };
  options.progress = [&](const std::string& stage, const v1::RunStatistics& run_statistics) {
    progress.Show(absl::StrFormat("%s: %d fragments, %d candidates, %d proved; %s", stage, run_statistics.fragments(),
                                  run_statistics.candidates(), run_statistics.proved(), left));
  };
  const absl::StatusOr<pipeline::NightlyReport> report = pipeline::RunNightly(store->get(), config, options);
  if (!report.ok()) return report.status();
  context->exit_code = report->exit_code();
  return ToJson(*report);
}

void RunSteps(const v1::NightlyConfig& config, const Tree& tree, const NightOptions& night, bool mail,
              Context* context) {
  absl::StatusOr<std::unique_ptr<NightSteps>> steps = NightSteps::Take(night, OwnPath(), context);
  if (!steps.ok()) return Fail(context, steps.status().message());
  // Search closes the database before the remaining steps, which run in other processes, open it.
  if ((*steps)->Check() && (*steps)->Search([&] { return Search(config, tree, context); })) {
    (*steps)->Trial();
    (*steps)->Audit();
    (*steps)->Compact();
    (*steps)->Backup();
  }
  const absl::StatusOr<int> code = (*steps)->Report();
  if (!code.ok()) return Fail(context, code.status().message());
  std::cout << (mail ? (*steps)->mail() : (*steps)->json() + "\n");
  context->exit_code = *code;
}

struct Options {
  std::string file, baseline;
  NightOptions night;
  bool mail = false;
};

void Run(const Options& options, Context* context) {
  if (absl::Status status = CheckNightOptions(options.night); !status.ok()) return Fail(context, status.message());
  const absl::StatusOr<std::string> text = ReadInput(options.file, proto::kTextProtoLimits);
  if (!text.ok()) return Fail(context, text.status().message());
  const absl::StatusOr<v1::NightlyConfig> config = pipeline::ParseNightlyConfig(*text, options.file);
  if (!config.ok()) return Fail(context, config.status().message());
  if (!config->db().empty()) context->db = config->db();
  const absl::StatusOr<Tree> tree = ReadTreeOf(options.baseline);
  if (!tree.ok()) return Fail(context, tree.status().message());
  if (!options.night.out.empty()) return RunSteps(*config, *tree, options.night, options.mail, context);
  const absl::StatusOr<Json> night = Search(*config, *tree, context);
  if (!night.ok()) return Fail(context, night.status().message());
  PrintJson(*night);
}

void AddSteps(CLI::App* command, NightOptions* night, bool* mail) {
  command->add_option(
      "--out", night->out,
      "output folder: receives mail.txt, night.json, each step's files, and the reports of the last 30 nights");
  command->add_flag("--mail", *mail, "with --out: print the mail, as cron sends it, instead of the JSON object");
  command->add_option("--backup", night->backup, "after the search, copy the database to this file");
  command
      ->add_option("--keep-runs", night->keep_runs,
                   "after the search, delete runs older than this many days; 0: keep all")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--tree", night->tree,
                      "after the search, audit this Mesa tree's src/compiler/nir, and compare with the last audit");
  command->add_option("--waivers", night->waivers, "waivers file for the audit");
  command->add_option("--audit-option", night->audit_words,
                      "an argument for `rewrought audit`: --audit-option=--infer");
  command->add_option("--trial-driver", night->drivers, "after the search, try rules on these drivers of the rig");
  command->add_option("--trial-shaders", night->shaders, "shaders on which the trial chooses rules");
  command->add_option("--trial-held-out", night->held_out, "shaders on which the trial also measures the chosen rules");
  command->add_option("--trial-build", night->build, "folder of the rig's build");
  command->add_option("--trial-build-drivers", night->build_drivers, "drivers in the build");
  command->add_option("--rig", night->rig, "folder of the rig's programs");
  command->add_option("--trial-option", night->trial_words,
                      "an argument for `rewrought trial`: --trial-option=--jobs=1");
}

}  // namespace

void AddNightlyCommand(CLI::App* command, Context* context) {
  static Options options;
  command
      ->add_option("CONFIG", options.file, "configuration, a text proto NightlyConfig (proto/rewrought/v1/run.proto)")
      ->required();
  command->add_option(
      "--baseline", options.baseline,
      "src/compiler/nir of a Mesa tree: apply its rules to harvested shaders, and export as with `rewrought "
      "export --against`");
  AddSteps(command, &options.night, &options.mail);
  AddDatabaseOption(command, context);
  command->footer(
      "Exit codes: 0 success, 1 a rule was lost, or a rule of the database or the tree was newly refuted, 2 bad\n"
      "configuration, 3 a step failed or a result is unknown, 130 interrupted. Running the same command again\n"
      "resumes an interrupted night. Work whose inputs have not changed since the last night is not repeated.\n"
      "Example:\n"
      "  rewrought nightly night.textproto\n"
      "  rewrought nightly night.textproto --out night --backup night.backup --keep-runs 90 \\\n"
      "    --tree mesa/src/compiler/nir --trial-driver ir3-a630 --trial-shaders shaders/ --mail\n"
      "A configuration:\n"
      "  corpus { path: \"shaders\" source: \"mygame\" }\n"
      "  corpus { path: \"other\" source: \"other\" held_out: true }\n"
      "  machines: \"agx_g13\"\n"
      "  budget { seconds: 3600 }\n"
      "  export_formats: \"nir\"\n"
      "  export_dir: \"packs\"\n"
      "  db: \"nightly.db\"");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
