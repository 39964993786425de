// rewrought nightly: harvest, discover, export and compare with the last night, from one configuration file.
#include "server/pipeline/nightly.h"

#include <iostream>

#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/progress.h"
#include "cli/tree_rules.h"

namespace rewrought::cli {
namespace {

void Run(const std::string& file, const std::string& baseline_path, Context* context) {
  std::string text;
  if (absl::Status status = ReadAll(file, &text); !status.ok()) return Fail(context, status.message());
  absl::StatusOr<v1::NightlyConfig> config = pipeline::ParseNightlyConfig(text, file);
  if (!config.ok()) return Fail(context, config.status().message());
  if (!config->db().empty()) context->db = config->db();
  const absl::StatusOr<std::optional<corpus::Baseline>> baseline = ReadBaseline("nightly", baseline_path);
  if (!baseline.ok()) return Fail(context, baseline.status().message());
  std::vector<rules::TreeRules> trees;
  if (baseline->has_value()) {
    absl::StatusOr<std::vector<rules::TreeRules>> read = ReadTree("--baseline", baseline_path);
    if (!read.ok()) return Fail(context, read.status().message());
    trees = *std::move(read);
  }
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kCreate);
  if (!store.ok()) return Fail(context, store.status().message());
  Progress progress("nightly");
  pipeline::NightlyOptions options;
  options.stop = context->stop.get_token();
  if (baseline->has_value()) {
    options.baseline = &**baseline;
    options.tree = &trees.front();
  }
  options.progress = [&](const std::string& stage, const v1::RunStatistics& run_statistics) {
    progress.Show(absl::StrFormat("%s: %d fragments, %d candidates, %d proved", stage, run_statistics.fragments(),
                                  run_statistics.candidates(), run_statistics.proved()));
  };
  const absl::StatusOr<pipeline::NightlyReport> report = pipeline::RunNightly(store->get(), *config, options);
  if (!report.ok()) return Fail(context, report.status().message());
  std::cout << pipeline::NightlyJson(*report) << "\n";
  context->exit_code = report->exit_code();
}

}  // namespace

void AddNightlyCommand(CLI::App* command, Context* context) {
  static std::string file, baseline;
  command->add_option("CONFIG", file, "what to do, as a text proto NightlyConfig (proto/rewrought/v1/run.proto)")
      ->required();
  command->add_option("--baseline", baseline,
                      "a Mesa tree's src/compiler/nir: harvest shaders as its rules leave them, and export as with "
                      "`rewrought export --against`");
  AddDatabaseOption(command, context);
  command->footer(
      "Exit codes: 0 all went well, 1 a rule was lost or newly refuted, 2 bad configuration, 130 interrupted; started\n"
      "again it goes on.\n"
      "Example:\n"
      "  rewrought nightly night.textproto\n"
      "A configuration:\n"
      "  corpus { path: \"shaders\" source: \"mygame\" }\n"
      "  corpus { path: \"other\" source: \"other\" held_out: true }\n"
      "  machines: \"agx_g13\"\n"
      "  budget { seconds: 3600 }\n"
      "  export_formats: \"nir\"\n"
      "  export_dir: \"packs\"\n"
      "  db: \"nightly.db\"");
  command->callback([context] { Run(file, baseline, context); });
}

}  // namespace rewrought::cli
