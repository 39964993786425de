#include "server/jobs/pipeline_engines.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stop_token>

#include "absl/strings/str_cat.h"
#include "enumerator/bank_search.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "pipeline/discovery/discover.h"
#include "pipeline/improve.h"
#include "pipeline/run_record.h"
#include "server/messages/verdict_proto.h"

namespace rewrought::rpc {
namespace {

absl::StatusOr<pipeline::DiscoverOptions> OptionsOf(const RunTask& task, int threads) {
  pipeline::DiscoverOptions options;
  options.memory_bytes = task.config.budget().memory_bytes();
  options.threads = task.config.budget().workers() > 0
                        ? std::min<int>(static_cast<int>(std::min(task.config.budget().workers(), 1024u)),
                                        threads > 0 ? threads : 1024)
                        : threads;
  options.deterministic = task.config.deterministic();
  if (task.config.shards() > 0) {
    options.shard = static_cast<int>(task.config.shard());
    options.shards = static_cast<int>(task.config.shards());
  }
  if (task.config.modes_size() > 0) options.modes.clear();
  for (const int mode : task.config.modes()) {
    const absl::StatusOr<ir::DenormMode> read = ModeFromProto(mode, "config.modes");
    if (!read.ok()) return read.status();
    options.modes.push_back(*read);
  }
  if (const uint32_t limit = task.config.budget().timeout_ms(); limit > 0) {
    options.prover.LimitQueries(limit);
  }
  options.run = task.id;
  options.stop = task.stop;
  return options;
}

void AddInstructions(const machine::Machine& machine, v1::ImproveResponse* response) {
  const absl::StatusOr<machine::Program> program = machine::ParseProgram(machine, response->program());
  if (!program.ok()) return;
  for (const machine::Instruction& one : program->instructions) {
    response->add_instructions(machine::PrintInstruction(machine, one));
  }
}

}  // namespace

absl::Status PipelineImproveEngine::Improve(const ImproveTask& task,
                                            absl::FunctionRef<bool(const v1::ImproveResponse&)> found) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(task.machine);
  if (!machine.ok()) return machine.status();
  const auto search = enumerator::BankSearch::Create(**machine, {});
  if (!search.ok()) return search.status();
  std::stop_source stop;
  const std::stop_callback stop_with_task(task.stop, [&stop] { stop.request_stop(); });
  pipeline::ImproveOptions options;
  options.seconds = absl::ToDoubleSeconds(task.limit);
  options.stop = stop.get_token();
  return pipeline::Improve(task.expression, **machine, search->get(), solvers_, options,
                           [&](const pipeline::Improvement& improvement) {
                             if (stop.stop_requested()) return;
                             v1::ImproveResponse response = ToProto(improvement);
                             AddInstructions(**machine, &response);
                             if (!found(response)) stop.request_stop();
                           });
}

absl::StatusOr<std::string> PipelineRunEngine::Execute(const RunTask& task) {
  absl::StatusOr<pipeline::DiscoverOptions> options = OptionsOf(task, threads_);
  if (!options.ok()) return options.status();
  const double budget = task.config.budget().seconds();
  const auto start = std::chrono::steady_clock::now();
  v1::RunStatistics done = task.before;
  std::string ended_by;
  const verifier::Solvers solvers = solvers_.Cached();
  for (int i = 0; i < task.config.machines_size(); ++i) {
    if (task.stop.stop_requested()) return absl::CancelledError("stopped");
    const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(task.config.machines(i));
    if (!machine.ok()) return machine.status();
    if (budget > 0) {
      const double left = budget - std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (left <= 0) return "time";
      options->seconds = left / (task.config.machines_size() - i);
    }
    const std::string doing = absl::StrCat("searching for ", (*machine)->id());
    task.progress(done, doing);
    options->counted_before = done;
    options->progress = [&](const v1::RunStatistics& run_statistics) {
      task.progress(pipeline::Sum(done, run_statistics), doing);
    };
    const auto search = enumerator::BankSearch::Create(**machine, {});
    if (!search.ok()) return search.status();
    const absl::StatusOr<pipeline::DiscoverReport> report =
        pipeline::Discover(store_, **machine, search->get(), solvers, *options);
    if (!report.ok()) return report.status();
    done = pipeline::Sum(done, report->run_statistics);
    task.progress(done, doing);
    if (ended_by.empty()) ended_by = report->ended_by;
  }
  if (task.stop.stop_requested()) return absl::CancelledError("stopped");
  return ended_by;
}

}  // namespace rewrought::rpc
