#include "pipeline/nightly/nightly.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "emitter/pack_files.h"
#include "enumerator/bank_search.h"
#include "ir/digest.h"
#include "machine/semantics.h"
#include "pipeline/discovery/discover.h"
#include "pipeline/nightly/changed_semantics.h"
#include "pipeline/nightly/last_night.h"
#include "pipeline/nightly/nightly_config.h"
#include "pipeline/pack_build.h"
#include "pipeline/report/report.h"
#include "pipeline/run_budget.h"
#include "pipeline/run_record.h"
#include "pipeline/sites/measure.h"
#include "pipeline/watch/done_before.h"
#include "pipeline/watch/time_left.h"
#include "proto/read_file.h"
#include "store/content/content_digest.h"
#include "store/database_lock.h"
#include "store/run_store.h"
#include "verifier/cache/caching_solver.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::pipeline {
namespace {

// Returns a digest of the names and contents of all files below the folder. A missing folder counts as an empty folder.
// If a file cannot be read, the digest is unique.
std::string DigestOfFolder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    const absl::StatusOr<std::string> bytes =
        proto::ReadFileIn(folder, at->path().lexically_relative(folder).string(), proto::kPackFileLimits);
    files[at->path().string()] =
        bytes.ok() ? ir::Digest::Of(*bytes).hex() : absl::StrCat("unreadable at ", absl::ToUnixNanos(absl::Now()));
  }
  std::string text;
  for (const auto& [name, digest] : files) absl::StrAppend(&text, name, "\n", digest, "\n");
  return ir::Digest::Of(text).hex();
}

class Night {
 public:
  Night(store::Store* store, const v1::NightlyConfig& config, const NightlyOptions& options)
      : store_(store), config_(config), options_(options), start_(RunBudget::Clock::now()) {}

  absl::StatusOr<NightlyReport> Run();

 private:
  absl::StatusOr<std::unique_ptr<store::DatabaseLock>> LockNight(const std::string& config) const;
  absl::Status OpenSolvers();
  absl::Status HarvestCorpus();
  absl::Status WorkOn(const machine::Machine& machine, NightlyMachineReport* report);
  absl::Status VerifyChanged(const machine::Machine& machine, NightlyMachineReport* report);
  absl::Status DiscoverOn(const machine::Machine& machine, NightlyMachineReport* report);
  absl::Status Compare(const machine::Machine& machine, NightlyMachineReport* report);
  absl::Status Export(const machine::Machine& machine, NightlyMachineReport* report);
  PackBuildOptions PackOptions() const;
  // Returns all inputs that determine the packs of a machine.
  absl::StatusOr<WorkLog::Inputs> ExportInputs(const machine::Machine& machine) const;
  absl::Status Note(const std::string& stage);
  absl::Status WriteReport();

  double SecondsRange() const {
    if (config_.budget().seconds() <= 0) return 0;
    return std::max(
        0.001, config_.budget().seconds() - std::chrono::duration<double>(RunBudget::Clock::now() - start_).count());
  }

  store::Store* const store_;
  const v1::NightlyConfig& config_;
  const NightlyOptions& options_;
  const RunBudget::Clock::time_point start_;
  verifier::Solvers solvers_;
  store::RunRecord run_;
  std::vector<v1::PackWaiver> waivers_;
  LastNight before_, after_;
  NightlyReport report_;
};

absl::Status Night::Note(const std::string& stage) {
  run_.message = stage;
  run_.updated = absl::Now();
  if (options_.time_left != nullptr) options_.time_left(TimeLeftText(std::nullopt, std::nullopt));
  if (options_.progress != nullptr) options_.progress(stage, v1::RunStatistics());
  return store::RunStore(store_).UpdateRun(run_);
}

absl::Status Night::OpenSolvers() {
  absl::StatusOr<verifier::Solvers> opened =
      options_.solvers.has_value() ? *options_.solvers
                                   : verifier::OpenSolvers({.workers = static_cast<int>(config_.budget().workers())});
  if (!opened.ok()) return opened.status();
  solvers_ = opened->Cached();
  return absl::OkStatus();
}

absl::Status Night::HarvestCorpus() {
  std::vector<corpus::HarvestInput> inputs;
  for (const v1::CorpusPath& path : config_.corpus()) inputs.push_back({path.path(), path.source(), path.held_out()});
  HarvestOptions options;
  if (config_.max_ops() > 0) options.fragments.max_ops = static_cast<int>(config_.max_ops());
  if (config_.max_variables() > 0) options.fragments.max_variables = static_cast<int>(config_.max_variables());
  options.stop = options_.stop;
  options.baseline = options_.baseline;
  TimeEstimate left;
  options.progress = [&](const HarvestReport& report) {
    const std::string time = left.Now(static_cast<double>(report.bytes_done), static_cast<double>(report.bytes));
    if (options_.time_left != nullptr) options_.time_left(time);
    if (options_.progress != nullptr) {
      options_.progress(absl::StrCat("harvest, ", report.shaders, " shaders, ", report.added, " new"),
                        v1::RunStatistics());
    }
  };
  absl::StatusOr<HarvestReport> harvested = Harvest(store_, inputs, options);
  if (!harvested.ok()) return harvested.status();
  report_.harvest = *std::move(harvested);
  return absl::OkStatus();
}

absl::Status Night::VerifyChanged(const machine::Machine& machine, NightlyMachineReport* report) {
  absl::StatusOr<DroppedRules> out =
      VerifyChangedRules(store_, machine, solvers_, ModesOf(config_), run_.id, options_.stop);
  if (!out.ok()) return out.status();
  report->lost = std::move(out->lost);
  report->refuted = std::move(out->refuted);
  return absl::OkStatus();
}

absl::Status Night::DiscoverOn(const machine::Machine& machine, NightlyMachineReport* report) {
  std::unique_ptr<enumerator::CandidateSearch> search;
  if (options_.make_search != nullptr) {
    absl::StatusOr<std::unique_ptr<enumerator::CandidateSearch>> made = options_.make_search(machine);
    if (!made.ok()) return made.status();
    search = *std::move(made);
  } else {
    absl::StatusOr<std::unique_ptr<enumerator::BankSearch>> made = enumerator::BankSearch::Create(machine, {});
    if (!made.ok()) return made.status();
    search = *std::move(made);
  }
  DiscoverOptions options;
  // Divide the remaining time evenly among the remaining machines.
  options.seconds =
      SecondsRange() / static_cast<double>(config_.machines_size() - static_cast<int>(report_.machines.size()));
  options.memory_bytes = config_.budget().memory_bytes();
  options.deterministic = config_.deterministic();
  options.shard = static_cast<int>(config_.shard());
  options.shards = std::max(1, static_cast<int>(config_.shards()));
  options.modes = ModesOf(config_);
  if (config_.budget().timeout_ms() > 0) {
    options.prover.LimitQueries(config_.budget().timeout_ms());
  }
  options.run = run_.id;
  options.counted_before =
      RunStatisticsOfJson(run_.run_statistics);  // stored with each fragment, so that a killed run loses no counts
  options.stop = options_.stop;
  options.time_left = options_.time_left;
  if (options_.progress != nullptr) {
    options.progress = [&](const v1::RunStatistics& run_statistics) {
      options_.progress(machine.id(), run_statistics);
    };
  }
  absl::StatusOr<DiscoverReport> discovered = Discover(store_, machine, search.get(), solvers_, options);
  if (!discovered.ok()) return discovered.status();
  report->run_statistics = discovered->run_statistics;
  run_.run_statistics = RunStatisticsJson(Sum(*options.counted_before, discovered->run_statistics));
  report->ended_by = discovered->ended_by;
  if (discovered->unchanged) report->unchanged.push_back("discover");
  return absl::OkStatus();
}

absl::Status Night::Compare(const machine::Machine& machine, NightlyMachineReport* report) {
  absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store_, machine.id());
  if (!ranked.ok()) return ranked.status();
  report->rules = ranked->size();
  for (const RankedRule& row : *ranked) {
    const std::string id = row.rule.id.hex();
    const double cycles = row.discovery.tuned_cycles + row.held_out.tuned_cycles;
    after_.worth[id] = cycles;
    if (row.rule.created_run == run_.id) report->added.push_back(id);
    const auto known = before_.worth.find(id);
    if (known != before_.worth.end() && known->second != cycles) report->changed.push_back({id, known->second, cycles});
  }
  std::sort(report->added.begin(), report->added.end());
  std::sort(report->changed.begin(), report->changed.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return absl::OkStatus();
}

absl::StatusOr<WorkLog::Inputs> Night::ExportInputs(const machine::Machine& machine) const {
  WorkLog::Inputs inputs;
  inputs.Add(machine::SemanticsOf(machine).hex());
  const absl::StatusOr<ir::Digest> digests[] = {store::CorpusDigest(store_), store::RulesDigest(store_, machine.id()),
                                                store::SavingsDigest(store_, machine.id()),
                                                store::VerdictsDigest(store_, machine.id())};
  for (const absl::StatusOr<ir::Digest>& digest : digests) {
    if (!digest.ok()) return digest.status();
    inputs.Add(digest->hex());
  }
  for (const std::string& solver : solvers_.versions()) inputs.Add(solver);
  inputs.Add(absl::StrJoin(config_.export_formats(), " "));
  for (const v1::PackWaiver& waiver : waivers_) inputs.Add(waiver.SerializeAsString());
  inputs.Add(options_.tree == nullptr ? "" : options_.tree->digest().hex());
  return inputs;
}

absl::Status Night::Export(const machine::Machine& machine, NightlyMachineReport* report) {
  if (config_.export_dir().empty()) return absl::OkStatus();
  const std::string folder = absl::StrCat(config_.export_dir(), "/", machine.id());
  const auto left = [&](const PackCounts& counts) -> WorkLog::Inputs {
    return WorkLog::Inputs().Add(DigestOfFolder(folder)).Add(absl::StrCat(counts.exported, " ", counts.blocked));
  };
  const absl::StatusOr<WorkLog::Inputs> inputs = ExportInputs(machine);
  if (!inputs.ok()) return inputs.status();
  WorkLog done(store_);
  const std::string work = absl::StrCat("export ", machine.id());
  PackCounts counts = before_.packs[machine.id()];
  const absl::StatusOr<bool> unchanged = done.Has(work, *inputs, left(counts));
  if (!unchanged.ok()) return unchanged.status();
  if (*unchanged) {
    report->unchanged.push_back("export");
  }
  // An export that verifies rules changes its own inputs. Therefore, export again, and record the export whose inputs
  // did not change.
  absl::StatusOr<WorkLog::Inputs> before = *inputs;
  for (int round = 0; !*unchanged && round < 2; ++round) {
    const absl::StatusOr<ExportReport> exported = ExportPack(store_, machine, config_.export_dir(), PackOptions());
    if (!exported.ok()) return exported.status();
    counts = {exported->exported, exported->blocked.size()};
    absl::StatusOr<WorkLog::Inputs> now = ExportInputs(machine);
    if (!now.ok()) return now.status();
    const bool stands = now->text() == before->text();
    before = std::move(now);
    if (!stands) continue;
    if (absl::Status noted = done.Note(work, *before, left(counts)); !noted.ok()) return noted;
    break;
  }
  report->exported = counts.exported;
  report->blocked = counts.blocked;
  after_.packs[machine.id()] = counts;
  return absl::OkStatus();
}

PackBuildOptions Night::PackOptions() const {
  PackBuildOptions options;
  options.formats.assign(config_.export_formats().begin(), config_.export_formats().end());
  options.solvers = solvers_;
  options.stop = options_.stop;
  options.waivers = waivers_;
  options.tree = options_.tree;
  return options;
}

absl::Status Night::WorkOn(const machine::Machine& machine, NightlyMachineReport* report) {
  report->machine = machine.id();
  const std::pair<const char*, absl::Status (Night::*)(const machine::Machine&, NightlyMachineReport*)> stages[] = {
      {"reverify", &Night::VerifyChanged}, {"discover", &Night::DiscoverOn}};
  for (const auto& [name, stage] : stages) {
    absl::Status status = Note(absl::StrCat(name, " ", machine.id()));
    if (status.ok()) status = (this->*stage)(machine, report);
    if (!status.ok()) return status;
    if (options_.stop.stop_requested()) return absl::CancelledError("stopped");
  }
  absl::Status status = Note(absl::StrCat("measure ", machine.id()));
  if (!status.ok()) return status;
  MeasureOptions measure;
  measure.stop = options_.stop;
  const absl::StatusOr<MeasureReport> measured = MeasureRules(store_, machine, measure);
  if (!measured.ok()) return measured.status();
  if (measured->unchanged) report->unchanged.push_back("measure");
  status = Compare(machine, report);
  if (status.ok()) status = Note(absl::StrCat("export ", machine.id()));
  return status.ok() ? Export(machine, report) : status;
}

// Writes one HTML report on all machines, if the configuration requests it.
absl::Status Night::WriteReport() {
  if (config_.report_file().empty()) return absl::OkStatus();
  absl::Status status = Note("report");
  std::vector<Report> reports;
  for (const std::string& machine : config_.machines()) {
    if (!status.ok()) return status;
    absl::StatusOr<Report> report = MakeReport(store_, machine, {});
    if (!report.ok()) return report.status();
    reports.push_back(*std::move(report));
  }
  return emitter::WriteFile(config_.report_file(), ReportHtml(reports));
}

absl::StatusOr<std::unique_ptr<store::DatabaseLock>> Night::LockNight(const std::string& config) const {
  absl::StatusOr<std::unique_ptr<store::DatabaseLock>> taken =
      store::DatabaseLock::Take(store_->path(), absl::StrCat("nightly ", config), {});
  if (!absl::IsFailedPrecondition(taken.status())) return taken;
  return absl::FailedPreconditionError(
      absl::StrCat(store_->path(), ": this nightly run is already being executed by ", taken.status().message(),
                   "; wait for it, or stop it: its results are kept, and this command resumes from there"));
}

absl::StatusOr<NightlyReport> Night::Run() {
  std::vector<const machine::Machine*> machines;
  for (const std::string& id : config_.machines()) {
    absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(id);
    if (!machine.ok()) return machine.status();
    machines.push_back(*machine);
  }
  if (!config_.waiver_file().empty()) {
    absl::StatusOr<std::vector<v1::PackWaiver>> waivers = ReadWaivers(config_.waiver_file());
    if (!waivers.ok()) return waivers.status();
    waivers_ = *std::move(waivers);
  }
  absl::Status status = OpenSolvers();
  if (!status.ok()) return status;
  std::string config;
  google::protobuf::TextFormat::PrintToString(config_, &config);
  const absl::StatusOr<std::unique_ptr<store::DatabaseLock>> lock = LockNight(config);
  if (!lock.ok()) return lock.status();
  absl::StatusOr<OpenedRun> run = OpenRun(store_, "nightly", config);
  if (!run.ok()) return run.status();
  run_ = std::move(run->run);
  report_.run = run_.id;
  report_.resumed = run->resumed;
  absl::StatusOr<LastNight> before = ReadLastNight(store_, run_.id);
  if (!before.ok()) return before.status();
  before_ = *std::move(before);
  status = Note("harvest");
  if (status.ok()) status = HarvestCorpus();
  for (size_t i = 0; i < machines.size() && status.ok(); ++i) {
    if (options_.stop.stop_requested()) status = absl::CancelledError("stopped");
    NightlyMachineReport report;
    if (status.ok()) status = WorkOn(*machines[i], &report);
    if (!status.ok() && !absl::IsCancelled(status)) continue;
    report_.machines.push_back(std::move(report));
  }
  if (status.ok()) status = WriteReport();
  report_.interrupted = absl::IsCancelled(status) || options_.stop.stop_requested();
  // The cycles that all rules save are known only when the run is complete.
  run_.state = report_.interrupted ? v1::RUN_STATE_PAUSED : status.ok() ? v1::RUN_STATE_DONE : v1::RUN_STATE_FAILED;
  run_.message = std::string(status.message());
  if (!report_.interrupted) run_.cursor = TextOf(after_);
  run_.updated = absl::Now();
  run_.ended = run_.updated;
  const absl::Status ended = store::RunStore(store_).UpdateRun(run_);
  if (!status.ok() && !report_.interrupted) return status;
  if (!ended.ok()) return ended;
  return report_;
}

}  // namespace

int NightlyReport::exit_code() const {
  if (interrupted) return 130;
  for (const NightlyMachineReport& machine : machines) {
    if (!machine.lost.empty() || !machine.refuted.empty()) return 1;
  }
  return 0;
}

absl::StatusOr<NightlyReport> RunNightly(store::Store* store, const v1::NightlyConfig& config,
                                         const NightlyOptions& options) {
  return Night(store, config, options).Run();
}

}  // namespace rewrought::pipeline
