// rewrought trial: a machine's rules on real compilers, and what they gain there into the database.
#include "pipeline/trial/trial.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/progress.h"
#include "corpus/glsl/subprocess.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack_files.h"
#include "machine/machine.h"
#include "pipeline/pack_build.h"
#include "proto/json_text.h"
#include "verifier/budget.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::vector<std::string> drivers, shaders, held_out, build_drivers;
  std::string machine, rig, build, out;
  emitter::TableLimits limits{.bytes = 40'000'000, .seconds = 90};
  double max_hurt = 1, min_gain = 0.002, watchdog = 20;
  unsigned jobs = 0;
  bool cancelling = false, all_stages = false, no_model = false;
};

// The rig's folder of programs: --rig, or where a checkout has it.
std::string RigFolder(const Options& options) {
  if (!options.rig.empty()) return options.rig;
  if (const char* set = std::getenv("REWROUGHT_RIG"); set != nullptr) return set;
  return "tools/driver_rig";
}

// Runs a program of the rig with our standard output and error until it ends; Ctrl-C ends it as well. Its exit code, or
// -1 if a signal ended it. NotFound: there is no such program. Internal: it cannot be started.
absl::StatusOr<int> RunRig(const std::vector<std::string>& arguments, Context* context) {
  std::vector<char*> list;
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return absl::InternalError(absl::StrCat("cannot start ", arguments[0], ": ", std::strerror(errno)));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // it ends with us, however we do
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execvp(list[0], list.data());
    _exit(127);
  }
  const std::stop_callback stopped(context->stop.get_token(), [child] { kill(child, SIGTERM); });
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return absl::NotFoundError(absl::StrCat("cannot start ", arguments[0], ": name the rig's folder with --rig"));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The machines of the drivers, each once.
absl::StatusOr<std::set<std::string>> MachinesOf(const Options& options) {
  if (!options.machine.empty()) return std::set<std::string>{options.machine};
  const std::string program = absl::StrCat(RigFolder(options), "/trial");
  const absl::StatusOr<corpus::ProcessResult> said = corpus::RunProcess({program, "--machines"}, {});
  if (!said.ok())
    return absl::NotFoundError(absl::StrCat(said.status().message(), ": name the rig's folder with --rig"));
  const nlohmann::json rows = proto::ParseJson(said->output);
  if (said->exit_code != 0 || !rows.is_object())
    return absl::InternalError(absl::StrCat(program, " does not say which drivers the rig has: ", said->output));
  std::set<std::string> machines;
  for (const std::string& driver : options.drivers) {
    const auto row = rows.find(driver);
    if (row == rows.end() || !row->is_string()) {
      return absl::NotFoundError(
          absl::StrCat("no driver ", driver, "; the rig's are in ", RigFolder(options), "/drivers.toml"));
    }
    if (row->get<std::string>().empty()) {
      return absl::NotFoundError(
          absl::StrCat(driver, " has no machine of its own: say with --machine whose rules to try"));
    }
    machines.insert(row->get<std::string>());
  }
  return machines;
}

// The packs of these machines, without the limits of an export: what is too large is left out by what it gives.
absl::StatusOr<std::vector<std::string>> WritePacks(const Options& options, const std::set<std::string>& machines,
                                                    store::Store* store, Context* context) {
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return solvers.status();
  Progress progress("trial");
  std::vector<std::string> folders;
  for (const std::string& id : machines) {
    const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(id);
    if (!machine.ok()) return machine.status();
    pipeline::PackBuildOptions build;
    build.formats = {"nir"};
    // What no second one confirmed yet is for exports to ask, and so is evaluating all inputs of a rule.
    build.solvers = solvers->FirstAlone();
    build.work_ms = verifier::kConfirmAgainWork - 1;
    build.limits = options.limits;
    build.cancelling = options.cancelling;
    build.all_stages = options.all_stages;
    build.stop = context->stop.get_token();
    build.progress = [&](size_t done, size_t all) {
      progress.Show(absl::StrCat(id, ": ", done, " of ", all, " rules verified again"));
    };
    const std::string folder = absl::StrCat(options.out, "/packs");
    const absl::StatusOr<pipeline::ExportReport> report = pipeline::ExportPack(store, **machine, folder, build);
    if (!report.ok()) return report.status();
    std::cerr << "rewrought trial: " << id << ": " << report->exported << " rules to try, " << report->blocked.size()
              << " blocked (rewrought export says why)\n";
    folders.push_back(absl::StrCat(folder, "/", id));
  }
  return folders;
}

// Writes the patch of the drivers' calls, for the source that the rig has, and gives its path.
absl::StatusOr<std::string> WritePatch(const Options& options, Context* context) {
  const emitter::NirTarget& target = emitter::NewestNirTarget();
  const absl::StatusOr<int> code = RunRig({absl::StrCat(RigFolder(options), "/build"), "--out", options.build,
                                           "--source-only", pipeline::TrialEdits(target)},
                                          context);
  if (!code.ok()) return code.status();
  if (*code != 0) return absl::InternalError("the rig has no source of Mesa to patch; see above");
  const std::string tree = absl::StrCat(options.build, "/mesa-", target.debian_suite());
  const std::string applied = absl::StrCat(tree, "/rig_patch");
  if (std::filesystem::exists(applied)) return applied;
  absl::StatusOr<std::string> patch = pipeline::TrialPatch(tree, target);
  if (!patch.ok()) return patch.status();
  if (absl::Status status = emitter::WriteFiles(options.out, {{"trial.patch", *patch}}); !status.ok()) return status;
  return absl::StrCat(options.out, "/trial.patch");
}

// The arguments of the rig's trial on one driver.
std::vector<std::string> TrialArguments(const Options& options, const std::string& driver,
                                        const std::vector<std::string>& packs, const std::string& patch) {
  std::vector<std::string> arguments = {absl::StrCat(RigFolder(options), "/trial")};
  const auto add = [&](const char* name, const std::vector<std::string>& values) {
    if (values.empty()) return;
    arguments.push_back(name);
    arguments.insert(arguments.end(), values.begin(), values.end());
  };
  add("--driver", {driver});
  add("--out", {options.out});
  add("--build", {options.build});
  // One build for all drivers.
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
  const absl::StatusOr<std::vector<std::string>> packs = WritePacks(options, *machines, store->get(), context);
  if (!packs.ok()) return packs.status();
  const absl::StatusOr<std::string> patch = WritePatch(options, context);
  if (!patch.ok()) return patch.status();
  // A driver's trial is kept before the next one begins, and one that fails takes nothing from the others.
  std::vector<std::string> failed;
  for (const std::string& driver : options.drivers) {
    const absl::StatusOr<int> code = RunRig(TrialArguments(options, driver, *packs, *patch), context);
    if (!code.ok()) return code.status();
    if (context->stop.stop_requested()) return absl::CancelledError("stopped");
    if (*code != 0) {
      failed.push_back(driver);
      continue;
    }
    const std::string file = absl::StrCat(options.out, "/", driver, ".trial.json");
    const absl::StatusOr<std::string> text = emitter::ReadFile(file);
    if (!text.ok()) return text.status();
    const absl::StatusOr<uint64_t> kept = pipeline::KeepTrials(store->get(), *text, file);
    if (!kept.ok()) return kept.status();
    std::cout << driver << ": " << *kept
              << " trials of rules kept; see rewrought rank --by measured, rewrought export --measured\n"
              << std::flush;
  }
  if (failed.empty()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the trial did not end on ", absl::StrJoin(failed, ", "), "; see above"));
}

void Run(const Options& options, Context* context) {
  const absl::Status status = Try(options, context);
  if (status.ok()) return;
  if (absl::IsCancelled(status) || context->stop.stop_requested()) {
    std::cerr << "rewrought trial: stopped; started again with the same --out it goes on\n";
    context->exit_code = kInterrupted;
    return;
  }
  Fail(context, status.message());
}

}  // namespace

void AddTrialCommand(CLI::App* command, Context* context) {
  static Options options;
  AddDatabaseOption(command, context);
  command->add_option("--driver", options.drivers, "drivers of the rig, each with the rules of its machine")
      ->required();
  command
      ->add_option(
          "--shaders", options.shaders,
          "on which rules are chosen: GLSL files by stage, .shader_test (OpenGL), SPIR-V (Vulkan), and folders")
      ->required();
  command->add_option("--held-out", options.held_out, "on which the choice is reported as well");
  AddMachineOption(command, &options.machine, "whose rules all drivers try, in place of each its own");
  command->add_option("--out", options.out, "folder of results")->default_val("out/trial");
  command->add_option("--build", options.build, "folder of the rig's build (tools/driver_rig/build)")
      ->default_val("out/driver_rig");
  command->add_option("--build-drivers", options.build_drivers,
                      "drivers that the build has; default: those of --driver");
  command->add_option("--rig", options.rig,
                      "folder of the rig's programs; default: $REWROUGHT_RIG, or tools/driver_rig");
  command
      ->add_option("--max-hurt", options.max_hurt,
                   "percent of all shaders that a choice may make longer; of each source that has 50, no more than "
                   "chance gives at twice that")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command
      ->add_option("--min-gain", options.min_gain,
                   "percent that a rule must save beside the others, in instructions and half of cycles")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command->add_flag("--cancelling", options.cancelling,
                    "also inexact rules that are not shown to keep the digits of what they replace");
  command->add_flag("--all-stages", options.all_stages,
                    "inexact rules that look at other users of a value also for vertex and geometry shaders, where two "
                    "shaders that compute one position may then differ in bits");
  command->add_flag(
      "--no-model", options.no_model,
      "do not ask the machine's model what each rule gives in whole shaders, for `rewrought report` to compare");
  command->add_option("--watchdog", options.watchdog, "seconds without output after which a program hangs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--jobs", options.jobs, "runners of a driver at once; 0: as many as there are cores");
  command->add_option("--max-table-bytes", options.limits.bytes, "C that Mesa may generate for all rules to be tried")
      ->capture_default_str();
  command->footer(
      "Builds Mesa's compilers once with all rules, each switched at run time; no GPU is needed. Finds which shaders "
      "a\n"
      "rule touches, what it gives alone and beside the others, and the place where the driver does best with it; "
      "then\n"
      "the set that gives most. What a driver gains is kept when it is done. Ctrl-C keeps what was measured; started\n"
      "again with the same --out it goes on.\n"
      "The first build takes an hour or so on two cores, one of other rules well below a minute.\n"
      "Examples:\n"
      "  rewrought trial --db my.db --driver ir3-a630 valhall-g57 --shaders corpus/ --held-out other/\n"
      "  rewrought trial --db my.db --driver radv-navi31 --shaders graphics/ --held-out compute/\n"
      "  rewrought rank --db my.db --machine ir3_a6xx --by measured\n"
      "  rewrought export --db my.db --machine ir3_a6xx --measured -o packs");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
