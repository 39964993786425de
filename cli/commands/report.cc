// rewrought report: describes a machine's last run, its ranked rules, and the corpus, as text or HTML.
#include "pipeline/report/report.h"

#include <iostream>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "emitter/pack_files.h"
#include "machine/machine.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string machine, html;
  size_t top = 200;
};

void Run(const Options& options, Context* context) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options.machine);
  if (!machine.ok()) return Fail(context, machine.status().message());
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kReadOnly);
  if (!store.ok()) return Fail(context, store.status().message());
  pipeline::ReportOptions gather;
  gather.max_families = options.top;
  const absl::StatusOr<pipeline::Report> report = pipeline::MakeReport(store->get(), (*machine)->id(), gather);
  if (!report.ok()) return Fail(context, report.status().message());
  if (options.html.empty()) {
    std::cout << pipeline::ReportText(*report);
    return;
  }
  const absl::Status written = emitter::WriteFile(options.html, pipeline::ReportHtml(*report));
  if (!written.ok()) return Fail(context, written.message());
  const std::string missing = pipeline::MissingParts(*report);
  std::cout << options.html << ": " << report->families.size() << " of " << report->all_families
            << " families of rules\n";
  if (!missing.empty()) std::cout << missing << "\n";
}

}  // namespace

void AddReportCommand(CLI::App* command, Context* context) {
  static Options options;
  AddDatabaseOption(command, context);
  AddMachineOption(command, &options.machine, "GPU whose rules to report")->required();
  command->add_option("--html", options.html, "write one self-contained HTML file instead of text");
  command->add_option("--top", options.top, "maximum number of families of rules to describe")->default_val(200);
  command->footer(
      "Contains the last run's statistics, the families of rules ranked by savings, and the shaders on which\n"
      "the rules were measured.\n"
      "Examples:\n"
      "  rewrought report --db my.db --machine agx_g13 --top 10\n"
      "  rewrought report --db my.db --machine agx_g13 --html report.html");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
