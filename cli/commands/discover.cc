// rewrought discover: searches for cheaper programs for the database's fragments, proves them, and measures their
// savings.
#include "pipeline/discovery/discover.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/run_json.h"
#include "cli/shard_option.h"
#include "cli/verify_options.h"
#include "enumerator/bank_search.h"
#include "machine/machine.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/generalize/generalize_rules.h"
#include "pipeline/sites/measure.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string machines;
  std::vector<double> seconds = {0};
  uint64_t memory = 0;
  int64_t max_fragments = -1;
  int threads = 0;
  std::string shard_text;
  Shard shard;
  bool deterministic = false, no_generalize = false, no_measure = false, json = false;
};

void PrintReport(const std::string& machine, const pipeline::DiscoverReport& report, bool json) {
  Json object = ToJson(report.run_statistics);
  object["machine"] = machine;
  object["run"] = report.run;
  object["finished"] = report.finished;
  object["ended_by"] = report.ended_by;
  object["queries"] = report.queries;
  object["cached"] = report.cached;
  object["unconfirmed"] = report.confirm.asked;
  object["confirmed_late"] = report.confirm.confirmed;
  if (json) {
    PrintJson(object);
    std::cout << std::flush;  // the measurement that follows takes a while
    return;
  }
  std::cout << machine << "\n";
  for (const char* field : {"fragments", "enumerated", "distinct", "candidates", "refuted", "unknown", "proved",
                            "general", "minimal", "seconds", "peak_bytes"}) {
    std::cout << absl::StrFormat("  %-12s %s\n", field, object[field].dump());
  }
  if (report.confirm.asked > 0) {
    std::cout << absl::StrFormat("  confirmed    %d of %d strict rules that no second solver had confirmed\n",
                                 report.confirm.confirmed, report.confirm.asked);
  }
  std::cout << "  ended by     " << (report.finished ? std::string("all fragments searched") : report.ended_by) << "\n"
            << std::flush;
}

// Generalizes the rules of the machine. Prints an error and returns false if this fails.
bool GeneralizeFound(const machine::Machine& machine, store::Store* store, const verifier::Solvers& solvers,
                     Progress* progress, Context* context) {
  pipeline::GeneralizeRulesOptions generalize;
  generalize.progress = [&](size_t done, size_t all) {
    progress->Show(absl::StrFormat("generalizing: %d of %d rules", done, all));
  };
  const pipeline::RuleVerifier verifier(solvers, {.stop = context->stop.get_token()});
  const absl::StatusOr<pipeline::GeneralizeRulesReport> report =
      pipeline::GeneralizeRules(store, machine, verifier, generalize);
  if (absl::IsCancelled(report.status())) return true;
  if (!report.ok()) return Fail(context, report.status().message()), false;
  progress->Say(absl::StrFormat("%d general rules added", report->added.size()));
  return true;
}

// Runs the search and the measurement for one machine. Returns false if the command must end. Sets `spent` to the
// number of seconds that the search took, excluding the measurement.
bool DiscoverOn(const machine::Machine& machine, const Options& options, double seconds, store::Store* store,
                const verifier::Solvers& solvers, Context* context, double* spent) {
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<std::unique_ptr<enumerator::BankSearch>> search = enumerator::BankSearch::Create(machine, {});
  if (!search.ok()) return Fail(context, search.status().message()), false;
  pipeline::DiscoverOptions discover;
  discover.seconds = seconds;
  discover.memory_bytes = options.memory;
  discover.deterministic = options.deterministic;
  discover.threads = options.threads;
  discover.max_fragments = options.max_fragments;
  discover.shard = options.shard.shard;
  discover.shards = options.shard.shards;
  discover.independent = options.deterministic && !options.shard_text.empty();
  discover.stop = context->stop.get_token();
  Progress progress(absl::StrCat("discover ", machine.id()));
  const StarvationWatch watch(&progress, discover.workers);
  std::string time_left = "remaining time unknown";
  discover.time_left = [&](const std::string& left) { time_left = left; };
  discover.progress = [&](const v1::RunStatistics& run_statistics) {
    progress.Show(absl::StrFormat("%d fragments, %d enumerated, %d candidates, %d refuted, %d unknown, %d proved; %s",
                                  run_statistics.fragments(), run_statistics.enumerated(), run_statistics.candidates(),
                                  run_statistics.refuted(), run_statistics.unknown(), run_statistics.proved(),
                                  time_left));
  };
  const absl::StatusOr<pipeline::DiscoverReport> report =
      pipeline::Discover(store, machine, search->get(), solvers, discover);
  if (!report.ok()) return Fail(context, report.status().message()), false;
  *spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  PrintReport(machine.id(), *report, options.json);
  if (options.no_measure || context->stop.stop_requested()) return !context->stop.stop_requested();
  const bool generalize = !options.no_generalize && !options.deterministic && options.shard_text.empty();
  if (generalize && !GeneralizeFound(machine, store, solvers, &progress, context)) return false;
  pipeline::MeasureOptions measure;
  measure.stop = context->stop.get_token();
  measure.progress = [&](uint64_t fragments) {
    progress.Show(absl::StrFormat("measuring savings: %d fragments", fragments));
  };
  if (absl::StatusOr<pipeline::MeasureReport> measured = pipeline::MeasureRules(store, machine, measure);
      !measured.ok() && !context->stop.stop_requested()) {
    return Fail(context, measured.status().message()), false;
  }
  return !context->stop.stop_requested();
}

void Run(Options options, Context* context) {
  const absl::StatusOr<Shard> shard = ReadShard(options.shard_text);
  if (!shard.ok()) return Fail(context, shard.status().message());
  options.shard = *shard;
  std::vector<const machine::Machine*> machines;
  for (const absl::string_view id : absl::StrSplit(options.machines, ',')) {
    absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(id);
    if (!machine.ok()) return Fail(context, machine.status().message());
    machines.push_back(*machine);
  }
  if (std::any_of(options.seconds.begin(), options.seconds.end(), [](double seconds) { return !(seconds >= 0); })) {
    return Fail(context, "--seconds must not be negative");
  }
  if (options.seconds.size() > 1 && options.seconds.size() != machines.size()) {
    return Fail(context, absl::StrCat("--seconds has ", options.seconds.size(), " budgets for ", machines.size(),
                                      " machines; pass one for all together, or one per machine"));
  }
  absl::StatusOr<std::unique_ptr<store::Store>> store =
      OpenDatabase(*context, store::OpenMode::kCreate, /*durable=*/false);
  if (!store.ok()) return Fail(context, store.status().message());
  const absl::StatusOr<verifier::Solvers> opened = verifier::OpenSolvers({});
  if (!opened.ok()) return Fail(context, opened.status().message());
  const verifier::Solvers solvers = opened->Cached();
  double left = options.seconds[0];  // the remaining seconds, if one budget covers all machines
  for (size_t i = 0; i < machines.size(); ++i) {
    const double share = std::max(0.001, left / static_cast<double>(machines.size() - i));
    const double seconds = options.seconds.size() > 1 ? options.seconds[i] : options.seconds[0] > 0 ? share : 0;
    double spent = 0;
    if (!DiscoverOn(*machines[i], options, seconds, store->get(), solvers, context, &spent)) return;
    left -= spent;  // the remaining machines share the time that this one did not use
  }
}

}  // namespace

void AddDiscoverCommand(CLI::App* command, Context* context) {
  static Options options;
  AddDatabaseOption(command, context);
  AddMachineOption(command, &options.machines, "GPUs to search for, separated by commas")->required();
  command
      ->add_option("--seconds", options.seconds,
                   "time limit for all machines together, or one per machine, separated by commas; 0: no limit")
      ->delimiter(',');
  command->add_option("--memory", options.memory, "memory limit of this process in bytes; 0: no limit");
  command->add_option("--max-fragments", options.max_fragments, "maximum number of fragments to search; -1: all");
  AddShardOption(command, &options.shard_text,
                 "search only part K of N of the fragments, so that several processes share the work; with "
                 "--deterministic, merging all N parts gives the same result as 1/1");
  command->add_flag("--no-measure", options.no_measure,
                    "do not measure the rules' savings; `rewrought merge` measures them for all parts together");
  command->add_flag("--no-generalize", options.no_generalize,
                    "do not generalize the rules after the search; --deterministic and --shard imply this, because "
                    "generalization has a time limit for each rule (`rewrought generalize --machine`)");
  command->add_option("--threads", options.threads, "number of search threads; 0: one per core")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--deterministic", options.deterministic,
                    "search in rounds: two runs that get equally far find the same rules with any number of threads");
  AddJsonOption(command, &options.json, "the run's statistics, one JSON object per machine,");
  command->footer(
      "Searches the fragments that `rewrought harvest` stored in the database. Ctrl-C keeps the results, and\n"
      "running the same command again resumes the search. If another process is already searching the fragments\n"
      "for the machine, this command names that process and exits with 2.\n"
      "Examples:\n"
      "  rewrought discover --db my.db --machine intel_gen9,agx_g13 --seconds 300\n"
      "  rewrought discover --db my.db --machine intel_gen9 --shard 1/2 & \\\n"
      "  rewrought discover --db my.db --machine intel_gen9 --shard 2/2");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
