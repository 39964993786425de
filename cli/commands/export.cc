// rewrought export: writes packs from the database.
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/rig/matcher_check.h"
#include "cli/tree_rules.h"
#include "cli/verified_note.h"
#include "emitter/files/scratch_folder.h"
#include "emitter/formats.h"
#include "emitter/nir/nir_target.h"
#include "ir/text/display.h"
#include "machine/base/coverage.h"
#include "machine/machine.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/pack_build.h"
#include "rules/tree_rules.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct ExportOptions {
  std::string waivers, machine, format = emitter::DefaultFormatNames(","), directory, target, against, tree, driver;
  emitter::TableLimits limits;
  pipeline::SupportLimits support;
  MatcherCheckOptions matcher;
  uint32_t work_ms = 0;
  bool measured = false, cancelling = false, all_stages = false, json = false;
};

Json PassJson(const pipeline::ExportReport& report) {
  return {{"tuples", report.tables.tuples},
          {"text_bytes", report.text_bytes},
          {"states", report.tables.states},
          {"c_bytes", report.tables.bytes},
          {"generation_seconds", report.tables.seconds}};
}

// Applies the NIR rules of both packs with the matcher of the tree, before anything is written to the output folder.
// Adds a waiver to `build` for each rule that does not pass.
absl::Status WaiveWhatFailsInTree(const ExportOptions& options, const machine::Machine& machine, store::Store* store,
                                  pipeline::PackBuildOptions* build, Context* context) {
  const emitter::ScratchFolder folder(std::filesystem::temp_directory_path(), "rewrought_export_");
  if (!folder.made()) return absl::InternalError("cannot create a temporary folder; set TMPDIR");
  pipeline::PackBuildOptions trial = *build;
  trial.formats = {"nir"};
  trial.tree_path.clear();
  const absl::StatusOr<pipeline::ExportReport> report = pipeline::ExportPack(store, machine, folder.path(), trial);
  if (!report.ok()) return report.status();
  MatcherCheckOptions matcher = options.matcher;
  matcher.tree = options.tree;
  for (const char* pack : {"", "/inexact"}) {
    const std::string written = absl::StrCat(folder.path(), "/", machine.id(), pack);
    if (!std::filesystem::exists(written + "/nir.py")) continue;
    const absl::StatusOr<MatcherCheck> check = CheckWithMatcher(written, matcher, context);
    if (!check.ok()) return check.status();
    std::cerr << "rewrought export: " << MatcherSummary(*check, matcher.tree) << "\n";
    for (const MatcherFailure& failure : check->failures) {
      v1::PackWaiver waiver;
      waiver.set_subject(failure.id);
      waiver.set_reason(failure.what);
      build->waivers.push_back(std::move(waiver));
    }
  }
  return absl::OkStatus();
}

// Returns the target that --target names. Without --target, returns the target of --tree, or else the default target.
absl::StatusOr<const emitter::NirTarget*> TargetOf(const ExportOptions& options) {
  if (!options.target.empty()) return emitter::FindNirTarget(options.target);
  if (!options.tree.empty()) return emitter::TargetOfTree(options.tree);
  return &emitter::DefaultNirTarget();
}

void Export(const ExportOptions& options, Context* context) {
  absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options.machine);
  if (!machine.ok()) return Fail(context, machine.status().message());
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kReadWrite);
  // If the database is not writable, new verification results are not stored.
  if (!store.ok()) store = OpenDatabase(*context, store::OpenMode::kReadOnly);
  if (!store.ok()) return Fail(context, store.status().message());
  pipeline::PackBuildOptions build;
  if (!options.waivers.empty()) {
    absl::StatusOr<std::vector<v1::PackWaiver>> waivers = pipeline::ReadWaivers(options.waivers);
    if (!waivers.ok()) return Fail(context, waivers.status().message());
    build.waivers = *std::move(waivers);
  }
  build.formats = absl::StrSplit(options.format, ',');
  const absl::StatusOr<const emitter::NirTarget*> target = TargetOf(options);
  if (!target.ok()) return Fail(context, target.status().message());
  build.target = *target;
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return Fail(context, solvers.status().message());
  build.solvers = *solvers;
  build.work_ms = options.work_ms;
  build.stop = context->stop.get_token();
  Progress progress("verify");
  build.progress = ShowVerified(&progress);
  build.limits = options.limits;
  build.tree_path = options.tree;
  build.measured = options.measured || !options.driver.empty();
  build.driver = options.driver;
  build.cancelling = options.cancelling;
  build.support = options.support;
  build.all_stages = options.all_stages;
  std::vector<rules::TreeRules> trees;
  if (!options.against.empty()) {
    absl::StatusOr<std::vector<rules::TreeRules>> read = ReadTree("--against", options.against);
    if (!read.ok()) return Fail(context, read.status().message());
    trees = *std::move(read);
    build.tree = &trees.front();
  }
  std::cerr << absl::StrFormat("rewrought export: writing a pack for %s (dialect %s)\n", (*target)->name(),
                               ir::NameOf((*target)->dialect()));
  absl::Status status;
  if (!options.tree.empty() && options.matcher.shaders > 0)
    status = WaiveWhatFailsInTree(options, **machine, store->get(), &build, context);
  absl::StatusOr<pipeline::ExportReport> report =
      status.ok() ? pipeline::ExportPack(store->get(), **machine, options.directory, build) : status;
  if (absl::IsCancelled(report.status())) {
    context->exit_code = kInterrupted;
    return;
  }
  if (!report.ok()) return Fail(context, report.status().message());
  Json blocked = Json::array();
  for (const emitter::BlockedRule& rule : report->blocked)
    blocked.push_back({{"rule", ir::DisplayRuleText(rule.rule)}, {"reason", rule.reason}});
  Json uncovered = Json::array();
  for (const machine::OpAtSize& op : machine::CoverageOf(**machine, machine::AllMachines()).missing)
    uncovered.push_back(machine::NameOf(op));
  if (options.json) {
    PrintJson(Json{{"machine", options.machine},
                   {"uncovered", uncovered},
                   {"rules", report->exported},
                   {"inexact", report->inexact},
                   {"verified", report->verified},
                   {"pass", PassJson(*report)},
                   {"files", report->files},
                   {"blocked", blocked}});
    return;
  }
  std::cout << absl::StrFormat("%s: %d rules exported, %d of them inexact (~), %d blocked\n", options.machine,
                               report->exported, report->inexact, report->blocked.size());
  if (report->verified > 0) {
    std::cout << absl::StrFormat("  %d rules were verified by this installation for the first time%s\n",
                                 report->verified, SecretNote());
  }
  std::cout << absl::StrFormat(
      "  as one pass: %d tuples, %d bytes of rules; about %d automaton states, %d bytes of C, %.2f s to generate\n",
      report->tables.tuples, report->text_bytes, report->tables.states, report->tables.bytes, report->tables.seconds);
  for (const std::string& file : report->files) std::cout << "  " << file << "\n";
  if (!uncovered.empty()) {
    std::cout << absl::StrFormat(
        "  no rule of the machine selects %d of the ops that the driver passes on; see uncovered_ops in "
        "manifest.json\n",
        uncovered.size());
  }
  for (const emitter::BlockedRule& rule : report->blocked)
    std::cout << "  blocked: " << rule.reason << ": " << ir::DisplayRuleText(rule.rule) << "\n";
}

}  // namespace

void AddExportCommand(CLI::App* command, Context* context) {
  static ExportOptions options;
  AddDatabaseOption(command, context);
  AddMachineOption(command, &options.machine, "GPU whose rules to export")->required();
  command->add_option("--format", options.format, "formats to write, separated by commas; listed below")
      ->capture_default_str();
  command
      ->add_option(
          "-o", options.directory,
          "output folder: strict rules go to FOLDER/<machine>/, inexact rules (~) to FOLDER/<machine>/inexact/")
      ->required();
  command->add_option(
      "--target", options.target,
      "Mesa version for the nir format, which determines its predicates, flags, and what they mean: one of " +
          emitter::NirTargetNames() + "; default: the version of --tree, or else " +
          emitter::DefaultNirTarget().name());
  command->add_option("--waivers", options.waivers,
                      "file that lists rules to omit, as waivers { subject: \"RULE ID\" reason: \"why\" }");
  command->add_option(
      "--work", options.work_ms,
      "work limit of each query that verifies or confirms a rule again, in milliseconds of an idle core; 0: "
      "20000");
  command->add_option(
      "--against", options.against,
      "src/compiler/nir of a Mesa tree: a rule that loops with the tree's main pass goes to the late list, "
      "and a rule that loops with its late pass is blocked");
  command->add_option(
      "--tree", options.tree,
      "root of a Mesa tree: write FOLDER/<machine>.patch for `git am`, which adds the pass and the driver's "
      "calls to it, and omit rules that change a result when the tree's own matcher applies them");
  AddMatcherCheckOptions(command, &options.matcher);
  command->add_flag("--measured", options.measured,
                    "export only rules from which a driver gains in `rewrought trial`, at the places where it gains");
  AddSupportOptions(command, "rules", &options.support);
  command->add_flag("--cancelling", options.cancelling,
                    "also use inexact rules that are not proved to be as accurate as the code they replace");
  command->add_flag(
      "--all-stages", options.all_stages,
      "also apply inexact rules that depend on a value's other uses to vertex and geometry shaders, where "
      "two shaders that compute the same position may then produce different bits");
  command->add_option(
      "--driver", options.driver,
      "like --measured, but only for the trial on this driver; --tree then writes FOLDER/DRIVER.patch, in "
      "which this driver calls the pass even if the rules are another machine's");
  command
      ->add_option("--max-table-bytes", options.limits.bytes,
                   "bytes of C that Mesa may generate for the pass; the rules that save least are omitted")
      ->capture_default_str();
  command
      ->add_option("--max-generation-seconds", options.limits.seconds,
                   "seconds that Mesa's generator may take; the rules that save least are omitted")
      ->capture_default_str();
  AddJsonOption(command, &options.json, "one JSON object");
  command->footer(
      "Rules that this installation did not find or verify itself are first verified by both solvers.\n"
      "Strict: equal bit for bit. Inexact (~): equal over the reals, for values that are not marked exact.\n"
      "Formats:\n" +
      emitter::FormatHelp() +
      "Examples:\n  rewrought export --db my.db --machine agx_g13 --format nir -o packs\n"
      "  rewrought export --db my.db --machine agx_g13 --against mesa/src/compiler/nir -o packs\n"
      "  rewrought export --db my.db --machine ir3_a6xx --driver ir3-a630 -o packs\n"
      "  rewrought export --db my.db --machine ir3_a6xx --driver valhall-g57 --tree mesa -o mali\n"
      "  rewrought export --db my.db --machine ir3_a6xx --tree mesa -o packs && git -C mesa am "
      "../packs/ir3_a6xx.patch");
  command->callback([context] { Export(options, context); });
}

}  // namespace rewrought::cli
