// rewrought trial: tries a machine's rules in real compilers and stores the rules' gains.
#include "pipeline/trial/trial.h"

#include <filesystem>
#include <iostream>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/progress.h"
#include "cli/rig/rig.h"
#include "corpus/glsl/subprocess.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack_files.h"
#include "machine/machine.h"
#include "pipeline/pack_build.h"
#include "proto/json_text.h"
#include "proto/read_file.h"
#include "verifier/budget.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::vector<std::string> drivers, shaders, held_out, build_drivers;
  std::string machine, rig, build, out;
  emitter::TableLimits limits{.bytes = 40'000'000, .seconds = 90};
  pipeline::SupportLimits support;
  double max_hurt = 1, min_gain = 0.002, watchdog = 20;
  unsigned jobs = 0;
  bool cancelling = false, all_stages = false, no_model = false;
};

// Returns the machine that --machine names, or else the machines of all drivers.
absl::StatusOr<std::set<std::string>> MachinesOf(const Options& options) {
  if (!options.machine.empty()) return std::set<std::string>{options.machine};
  const std::string program = absl::StrCat(RigFolder(options.rig), "/trial");
  const absl::StatusOr<corpus::ProcessResult> said = corpus::RunProcess({program, "--machines"}, {});
  if (!said.ok())
    return absl::NotFoundError(absl::StrCat(said.status().message(), "; name the rig's folder with --rig"));
  const nlohmann::json rows = proto::ParseJson(said->output);
  if (said->exit_code != 0 || !rows.is_object())
    return absl::InternalError(absl::StrCat(program, " does not list the rig's drivers: ", said->output));
  std::set<std::string> machines;
  for (const std::string& driver : options.drivers) {
    const auto row = rows.find(driver);
    if (row == rows.end() || !row->is_string()) {
      return absl::NotFoundError(absl::StrCat("no driver ", driver, "; the rig's drivers are listed in ",
                                              RigFolder(options.rig), "/drivers.toml"));
    }
    if (row->get<std::string>().empty()) {
      return absl::NotFoundError(
          absl::StrCat(driver, " has no machine of its own; choose a machine's rules with --machine"));
    }
    machines.insert(row->get<std::string>());
  }
  return machines;
}

// Returns the folder of the rig's Mesa tree, or "" if the rig has not fetched one completely. `tools/driver_rig/build`
// keeps one tree in the folder of the build.
std::string TreeOfRig(const Options& options) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(options.build, error)) {
    const bool is_tree = absl::StartsWith(entry.path().filename().string(), "mesa-");
    if (is_tree && std::filesystem::exists(entry.path() / "VERSION")) return entry.path();
  }
  return "";
}

// Returns the target of the rig's tree. If there is no tree, the rig fetches that of the default target.
absl::StatusOr<const emitter::NirTarget*> TargetOf(const Options& options) {
  const std::string tree = TreeOfRig(options);
  if (tree.empty()) return &emitter::DefaultNirTarget();
  return emitter::TargetOfTree(tree);
}

// Writes the packs of these machines and returns their folders. If a pack exceeds the table limits of the trial, the
// rules that save the least are omitted.
absl::StatusOr<std::vector<std::string>> WritePacks(const Options& options, const std::set<std::string>& machines,
                                                    const emitter::NirTarget& target, store::Store* store,
                                                    Context* context) {
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return solvers.status();
  Progress progress("trial");
  std::vector<std::string> folders;
  for (const std::string& id : machines) {
    const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(id);
    if (!machine.ok()) return machine.status();
    pipeline::PackBuildOptions build;
    build.formats = {"nir"};
    // Only `rewrought export` queries the second solver about unconfirmed rules and tries all inputs of a rule.
    build.solvers = solvers->FirstAlone();
    build.work_ms = verifier::kConfirmAgainWork - 1;
    build.target = &target;
    build.limits = options.limits;
    build.cancelling = options.cancelling;
    build.support = options.support;
    build.all_stages = options.all_stages;
    build.stop = context->stop.get_token();
    build.progress = [&](size_t done, size_t all) {
      progress.Show(absl::StrCat(id, ": ", done, " of ", all, " rules verified again"));
    };
    const std::string folder = absl::StrCat(options.out, "/packs");
    const absl::StatusOr<pipeline::ExportReport> report = pipeline::ExportPack(store, **machine, folder, build);
    if (!report.ok()) return report.status();
    std::cerr << "rewrought trial: " << id << ": " << report->exported << " rules to try, " << report->blocked.size()
              << " blocked (`rewrought export` prints the reasons)\n";
    folders.push_back(absl::StrCat(folder, "/", id));
  }
  return folders;
}

// Writes the patch that adds calls to the trial's pass to the drivers in the rig's Mesa source. Returns the path of the
// patch.
absl::StatusOr<std::string> WritePatch(const Options& options, const emitter::NirTarget& target, Context* context) {
  const absl::StatusOr<int> code = RunRig({absl::StrCat(RigFolder(options.rig), "/build"), "--out", options.build,
                                           "--source-only", pipeline::TrialEdits(target)},
                                          false, context);
  if (!code.ok()) return code.status();
  if (*code != 0) return absl::InternalError("the rig has no Mesa source to patch; see above");
  const std::string tree = TreeOfRig(options);
  const std::string applied = absl::StrCat(tree, "/rig_patch");
  if (std::filesystem::exists(applied)) return applied;
  absl::StatusOr<std::string> patch = pipeline::TrialPatch(tree, target);
  if (!patch.ok()) return patch.status();
  if (absl::Status status = emitter::WriteFiles(options.out, {{"trial.patch", *patch}}); !status.ok()) return status;
  return absl::StrCat(options.out, "/trial.patch");
}

std::vector<std::string> TrialArguments(const Options& options, const std::string& driver,
                                        const std::vector<std::string>& packs, const std::string& patch) {
  std::vector<std::string> arguments = {absl::StrCat(RigFolder(options.rig), "/trial")};
  const auto add = [&](const char* name, const std::vector<std::string>& values) {
    if (values.empty()) return;
    arguments.push_back(name);
    arguments.insert(arguments.end(), values.begin(), values.end());
  };
  add("--driver", {driver});
  add("--out", {options.out});
  add("--build", {options.build});
  // All drivers use the same build.
  add("--build-drivers", {absl::StrJoin(options.build_drivers.empty() ? options.drivers : options.build_drivers, ",")});
  add("--patch", {patch});
  add("--pack", packs);
  add("--shaders", options.shaders);
  add("--held-out", options.held_out);
  add("--max-hurt", {absl::StrCat(options.max_hurt)});
  add("--min-gain", {absl::StrCat(options.min_gain)});
  add("--watchdog", {absl::StrCat(options.watchdog)});
  if (!options.no_model) add("--model", {OwnPath()});
  if (options.jobs > 0) add("--jobs", {absl::StrCat(options.jobs)});
  return arguments;
}

absl::Status Try(Options options, Context* context) {
  options.build = std::filesystem::absolute(options.build);
  options.out = std::filesystem::absolute(options.out);
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kReadWrite);
  if (!store.ok()) return store.status();
  const absl::StatusOr<std::set<std::string>> machines = MachinesOf(options);
  if (!machines.ok()) return machines.status();
  const absl::StatusOr<const emitter::NirTarget*> target = TargetOf(options);
  if (!target.ok()) return target.status();
  const absl::StatusOr<std::vector<std::string>> packs =
      WritePacks(options, *machines, **target, store->get(), context);
  if (!packs.ok()) return packs.status();
  const absl::StatusOr<std::string> patch = WritePatch(options, **target, context);
  if (!patch.ok()) return patch.status();
  // Store the results of each driver's trial before the next trial begins. A failed trial does not affect the others.
  std::vector<std::string> failed;
  for (const std::string& driver : options.drivers) {
    const absl::StatusOr<int> code = RunRig(TrialArguments(options, driver, *packs, *patch), false, context);
    if (!code.ok()) return code.status();
    if (context->stop.stop_requested()) return absl::CancelledError("stopped");
    if (*code != 0) {
      failed.push_back(driver);
      continue;
    }
    const std::string file = absl::StrCat(options.out, "/", driver, ".trial.json");
    const absl::StatusOr<std::string> text = proto::ReadFile(file, proto::kJsonLimits);
    if (!text.ok()) return text.status();
    const absl::StatusOr<uint64_t> kept = pipeline::KeepTrials(store->get(), *text, file);
    if (!kept.ok()) return kept.status();
    std::cout << driver << ": " << *kept
              << " rule trials stored; see `rewrought rank --by measured` and `rewrought export --measured`\n"
              << std::flush;
  }
  if (failed.empty()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the trial failed on ", absl::StrJoin(failed, ", "), "; see above"));
}

void Run(const Options& options, Context* context) {
  const absl::Status status = Try(options, context);
  if (status.ok()) return;
  if (absl::IsCancelled(status) || context->stop.stop_requested()) {
    std::cerr << "rewrought trial: stopped; run it again with the same --out to resume\n";
    context->exit_code = kInterrupted;
    return;
  }
  Fail(context, status.message());
}

}  // namespace

void AddTrialCommand(CLI::App* command, Context* context) {
  static Options options;
  AddDatabaseOption(command, context);
  command->add_option("--driver", options.drivers, "drivers of the rig, each tried with the rules of its machine")
      ->required();
  command
      ->add_option(
          "--shaders", options.shaders,
          "shaders on which rules are chosen: GLSL by stage, .shader_test (OpenGL), SPIR-V (Vulkan), or folders")
      ->required();
  command->add_option("--held-out", options.held_out, "shaders on which the choice is also reported");
  AddMachineOption(command, &options.machine,
                   "machine whose rules all drivers try, instead of each driver's own machine");
  command->add_option("--out", options.out, "folder for the results")->default_val("out/trial");
  command->add_option("--build", options.build, "folder of the rig's build (tools/driver_rig/build)")
      ->default_val("out/driver_rig");
  command->add_option("--build-drivers", options.build_drivers, "drivers in the build; default: those of --driver");
  AddRigOption(command, &options.rig);
  command
      ->add_option(
          "--max-hurt", options.max_hurt,
          "percentage of all shaders that the chosen rules may make slower by more than 1%; in a source with at "
          "least 50 shaders, the limit is twice this percentage, unless chance explains the excess")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command
      ->add_option("--min-gain", options.min_gain,
                   "percentage of the time, as the driver estimates it, that a rule must save alongside the others")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  AddSupportOptions(command, "rules", &options.support);
  command->add_flag("--cancelling", options.cancelling,
                    "also try inexact rules that are not proved to be as accurate as the code they replace");
  command->add_flag(
      "--all-stages", options.all_stages,
      "also apply inexact rules that depend on a value's other uses to vertex and geometry shaders, where "
      "two shaders that compute the same position may then produce different bits");
  command->add_flag("--no-model", options.no_model,
                    "do not predict each rule's effect on whole shaders with the machine model; `rewrought report` "
                    "compares the predictions with the measurements");
  command->add_option("--watchdog", options.watchdog, "seconds without output after which a program is considered hung")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--jobs", options.jobs, "number of concurrent runners per driver; 0: one per core");
  command
      ->add_option("--max-table-bytes", options.limits.bytes, "bytes of C that Mesa may generate for all rules to try")
      ->capture_default_str();
  command->footer(
      "Builds Mesa's compilers once with all rules, each of which can be switched on at run time; no GPU is\n"
      "needed. The trial measures which shaders a rule affects, its effect alone and alongside the others, and the\n"
      "place where the driver gains most from it. It then chooses the set of rules that saves most time, by an\n"
      "estimate that is computed from the driver's own numbers, without more spills or fewer waves in total. Each\n"
      "driver's result is stored as soon as its trial ends. Ctrl-C keeps the measurements, and running the command\n"
      "again with the same --out resumes.\n"
      "The first build takes about an hour on two cores; a build with other rules takes well under a minute.\n"
      "Examples:\n"
      "  rewrought trial --db my.db --driver ir3-a630 valhall-g57 --shaders corpus/ --held-out other/\n"
      "  rewrought trial --db my.db --driver radv-navi31 --shaders graphics/ --held-out compute/\n"
      "  rewrought rank --db my.db --machine ir3_a6xx --by measured\n"
      "  rewrought export --db my.db --machine ir3_a6xx --measured -o packs");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
