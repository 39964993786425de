#include "pipeline/discovery/discover.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/types/span.h"
#include "machine/semantics.h"
#include "pipeline/discovery/candidate_verifier.h"
#include "pipeline/discovery/discovery_record.h"
#include "pipeline/discovery/found_rules.h"
#include "pipeline/discovery/fragment_work.h"
#include "pipeline/discovery/longer_programs.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/rule_record.h"
#include "pipeline/run_budget.h"
#include "pipeline/sites/site_profile.h"
#include "pipeline/watch/done_before.h"
#include "pipeline/watch/stage_left.h"
#include "store/content/content_digest.h"
#include "store/corpus_store.h"
#include "store/database_lock.h"
#include "store/search_store.h"
#include "store/shards/fragment_shard.h"

namespace rewrought::pipeline {
namespace {

verifier::ProverOptions ProverOptionsOf(const DiscoverOptions& options, std::stop_token cancel) {
  verifier::ProverOptions prover = options.prover;
  for (int i = 0; i < 3; ++i) {
    uint32_t& uninterpreted = prover.budgets.uninterpreted[i];
    uint32_t& native = prover.budgets.native[i];
    uninterpreted = std::min(uninterpreted, verifier::kSearchBudgets.uninterpreted[i]);
    native = std::min(native, verifier::kSearchBudgets.native[i]);
  }
  prover.budgets.whole_case = verifier::kSearchBudgets.whole_case;
  prover.cancel = std::move(cancel);
  return prover;
}

// Returns options with smaller budgets, for the bit-for-bit verification of forms equal over the reals. A form that the
// solvers leave undecided is treated as inexact. A deterministic run keeps the full budgets, because a stored verdict
// must not depend on which prover reached it.
verifier::ProverOptions QuickProverOptions(const DiscoverOptions& options, std::stop_token cancel) {
  verifier::ProverOptions prover = ProverOptionsOf(options, std::move(cancel));
  if (!options.deterministic) prover.budgets.whole_case = verifier::kQuickCaseWork;
  return prover;
}

// Returns the options for evaluating candidates on test vectors only, which rejects most wrong candidates without a
// solver.
verifier::ProverOptions ScreenOptions(const DiscoverOptions& options) {
  verifier::ProverOptions prover = options.prover;
  prover.vectors.lanes = std::min<size_t>(prover.vectors.lanes, 1024);
  prover.last_resort_bits = prover.exhaustive_bits;
  return prover;
}

// Returns the options with which both solvers must prove a candidate again before it becomes a rule.
RuleVerifierOptions KeepOptions(const DiscoverOptions& options, std::stop_token stop) {
  return {verifier::kStoreWork, options.mutants, std::move(stop)};
}

// The share of the time limit spent searching banks. Afterwards, the most promising fragments are tried with longer
// programs.
constexpr double kBankShare = 0.85;
constexpr size_t kMostLonger = 6000;
// The share of the remaining time spent finding fragments worth trying with longer programs.
constexpr double kLongerGoalsShare = 0.3;
// The number of fragments per round in deterministic mode. Fragments of one round do not see each other's results.
constexpr size_t kRound = 64;
// The time for confirming rules with a second solver, as a share of the run's time limit. It is added to that limit.
constexpr double kConfirmTimeShare = 0.1;

// Returns text that identifies a run's configuration. An interrupted run is resumed only with the same configuration.
std::string ConfigOf(const machine::Machine& machine, const ir::Digest& search, const DiscoverOptions& options) {
  std::string config = absl::StrCat(machine.id(), " ", search.hex());
  if (options.shards > 1) absl::StrAppend(&config, " ", options.shard, "/", options.shards);
  return config;
}

using Clock = RunBudget::Clock;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class DiscoveryRun {
 public:
  DiscoveryRun(store::Store* store, const machine::Machine& machine, enumerator::CandidateSearch* search,
               const verifier::Solvers& solvers, const DiscoverOptions& options)
      : store_(store),
        machine_(machine),
        options_(options),
        solvers_(solvers),
        budget_({options.seconds, options.memory_bytes, options.deterministic}, options.stop),
        prover_(solvers.FirstAlone(), ProverOptionsOf(options, budget_.token())),
        screen_({}, ScreenOptions(options)),
        quick_prover_(solvers.FirstAlone(), QuickProverOptions(options, budget_.token())),
        verifier_(store, &prover_, budget_.token()),
        quick_verifier_(store, &quick_prover_, budget_.token()),
        rule_verifier_(solvers, KeepOptions(options, budget_.token())),
        verified_(store),
        found_(machine),
        search_(search),
        prices_(machine),
        context_{machine,  search,          &verifier_, &quick_verifier_,     &found_,      &rule_verifier_, &verified_,
                 &screen_, solvers.first(), &prices_,   options.max_verified, options.modes},
        key_{{}, machine.id(), machine::SemanticsOf(machine), SearchDigest(*search, options)},
        longer_key_{{}, machine.id(), key_.semantics, ir::Digest::Of(absl::StrCat(key_.search.hex(), " longer"))},
        slots_(store::SlotsOfShard(options.shard, std::max(1, options.shards))),
        banks_until_(options.seconds > 0 && !options.deterministic ? RunBudget::After(options.seconds * kBankShare)
                                                                   : Clock::time_point::max()),
        longer_(store, context_, options.independent),
        done_(store),
        record_(store, {options.run, ConfigOf(machine, key_.search, options), options.counted_before}) {}

  absl::StatusOr<DiscoverReport> Run();

 private:
  // Locks the fragments of this shard until the result is destroyed.
  absl::StatusOr<std::unique_ptr<store::DatabaseLock>> LockFragments() const;
  // Returns the fragments of this shard that have no attempt under `key`.
  absl::StatusOr<std::vector<store::FragmentSummary>> Untried(const store::AttemptKey& key);
  absl::Status WorkOn(const store::FragmentSummary& fragment);
  absl::Status Keep(const store::AttemptKey& key, const store::FragmentSummary& fragment, const FragmentResult& result,
                    double milliseconds);
  void WorkThrough(const std::vector<store::FragmentSummary>& fragments, WorkerBoard::Worker* worker);
  void WorkInRounds(const std::vector<store::FragmentSummary>& fragments);
  absl::Status WorkOnRound(absl::Span<const store::FragmentSummary> round);
  // Returns whether work on the next of `fragments` fragments may begin.
  bool ShouldContinue(size_t fragments);
  // Verifies unconfirmed strict rules again. Sets `all` to false if this was cut short.
  absl::Status ConfirmAgain(DiscoverReport* report, bool* all);
  absl::Status SearchForAll(DiscoverReport* report);
  absl::Status SearchAll();
  absl::Status SearchLonger();
  absl::Status Mark(DiscoverReport* report, bool with_confirmed);
  // Returns the data that determine whether work remains. Attempts are represented by their number, because they are
  // never deleted.
  absl::StatusOr<WorkLog::Inputs> SearchInputs();
  std::string WorkName() const;  // the name of this work in the WorkLog
  void WorkThroughLonger(WorkerBoard::Worker* worker);
  // Runs `work` on each thread. A thread that finishes before the others is reported as idle.
  void InParallel(const std::function<void(WorkerBoard::Worker*)>& work) const;
  void Fail(const absl::Status& status);

  store::Store* const store_;
  const machine::Machine& machine_;
  const DiscoverOptions& options_;
  const verifier::Solvers solvers_;
  RunBudget budget_;
  const verifier::Prover prover_, screen_, quick_prover_;
  CandidateVerifier verifier_, quick_verifier_;
  const RuleVerifier rule_verifier_;
  VerifiedRules verified_;
  FoundRules found_;
  enumerator::CandidateSearch* const search_;
  enumerator::OpPrices prices_;
  const FragmentContext context_;
  const store::AttemptKey key_, longer_key_;
  const store::DatabaseLock::Slots slots_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point banks_until_;
  LongerPrograms longer_;
  WorkLog done_;
  ir::Digest corpus_;     // the digest of the corpus when the search began
  size_t fragments_ = 0;  // the number of untried fragments when the search began

  std::mutex mutex_;  // guards all members below, and the transactions that store results
  size_t next_ = 0;
  size_t next_longer_ = 0;
  absl::Status failure_;
  DiscoveryRecord record_;
  StageEstimate banks_left_{"fragments", ", then longer programs, remaining time unknown"};
  StageEstimate longer_left_{"longer programs", ""};
};

absl::StatusOr<std::vector<store::FragmentSummary>> DiscoveryRun::Untried(const store::AttemptKey& key) {
  store::CorpusStore::FragmentQuery query;
  query.min_shaders = options_.min_shaders;
  query.untried = key;
  std::vector<store::FragmentSummary> fragments;
  const absl::Status listed =
      store::CorpusStore(store_).ForEachFragment(query, [&](const store::FragmentSummary& fragment) -> absl::Status {
        if (store::Contains(slots_, fragment.digest)) fragments.push_back(fragment);
        return absl::OkStatus();
      });
  if (!listed.ok()) return listed;
  return fragments;
}

// Returns a fragment's expected yield, which grows with the number of its shaders and sources and falls with its number
// of ops. The formula was fitted to the results for 71,000 fragments of one run (docs/decisions/search.md). A part of a
// fragment occurs at least as often as the whole, so the part comes first.
double PromiseOf(const store::FragmentSummary& fragment) {
  constexpr double kPerSource = 2, kPerOp = 1.5;
  return std::log2(static_cast<double>(std::max<int64_t>(1, fragment.shaders))) +
         kPerSource * static_cast<double>(fragment.sources - 1) - kPerOp * static_cast<double>(fragment.fragment.nodes);
}

void SortByPromise(std::vector<store::FragmentSummary>* fragments) {
  std::stable_sort(fragments->begin(), fragments->end(),
                   [](const auto& a, const auto& b) { return PromiseOf(a) > PromiseOf(b); });
}

absl::Status DiscoveryRun::Keep(const store::AttemptKey& key, const store::FragmentSummary& fragment,
                                const FragmentResult& result, double milliseconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool by_banks = key.search == key_.search;
  v1::RunStatistics& statistics = record_.statistics();
  if (by_banks) statistics.set_fragments(statistics.fragments() + 1);
  const absl::Status kept = record_.Keep(key, fragment, result, milliseconds);
  if (!kept.ok()) return kept;
  if (options_.time_left != nullptr) {
    StageEstimate& stage = by_banks ? banks_left_ : longer_left_;
    options_.time_left(stage.Done(MillisecondsSince(start_) / 1000, options_.seconds, options_.deterministic));
  }
  if (options_.progress != nullptr) options_.progress(statistics);
  return absl::OkStatus();
}

absl::Status DiscoveryRun::WorkOn(const store::FragmentSummary& fragment) {
  const Clock::time_point start = Clock::now();
  absl::StatusOr<rules::SiteProfile> profile = ProfileOf(store_, fragment.digest);
  if (!profile.ok()) return profile.status();
  absl::StatusOr<FragmentResult> result = WorkOnFragment(context_, fragment, *profile, budget_.token());
  if (!result.ok()) return absl::IsCancelled(result.status()) ? absl::OkStatus() : result.status();
  return Keep(key_, fragment, *result, MillisecondsSince(start));
}

void DiscoveryRun::Fail(const absl::Status& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.ok()) failure_ = status;
}

bool DiscoveryRun::ShouldContinue(size_t fragments) {
  if (!failure_.ok() || budget_.spent() || next_ >= fragments || Clock::now() > banks_until_) return false;
  return options_.max_fragments < 0 || static_cast<int64_t>(next_) < options_.max_fragments;
}

// Searches the fragments of one round in parallel and stores the results in the order of the fragments.
absl::Status DiscoveryRun::WorkOnRound(absl::Span<const store::FragmentSummary> round) {
  struct Work {
    absl::StatusOr<FragmentResult> result = absl::CancelledError("not begun");
    double milliseconds = 0;
  };
  std::vector<Work> works(round.size());
  std::atomic<size_t> next = 0;
  InParallel([&](WorkerBoard::Worker* worker) {
    for (size_t place = next++; place < round.size(); place = next++) {
      worker->Begin(round[place].fragment.text);
      const Clock::time_point start = Clock::now();
      FoundRules found = found_;
      FragmentContext context = context_;
      context.found = &found;
      const absl::StatusOr<rules::SiteProfile> profile = ProfileOf(store_, round[place].digest);
      works[place].result =
          profile.ok() ? WorkOnFragment(context, round[place], *profile, budget_.token()) : profile.status();
      works[place].milliseconds = MillisecondsSince(start);
      worker->Result();
    }
  });
  for (size_t place = 0; place < round.size(); ++place) {
    const absl::StatusOr<FragmentResult>& result = works[place].result;
    if (!result.ok()) return result.status();
    const absl::Status kept = Keep(key_, round[place], *result, works[place].milliseconds);
    if (!kept.ok()) return kept;
    for (const store::RuleRecord& rule : result->rules) {
      if (options_.independent) break;
      const absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(rule);
      if (!candidate.ok()) return candidate.status();
      found_.Add(*candidate, rule);
    }
  }
  return absl::OkStatus();
}

void DiscoveryRun::WorkInRounds(const std::vector<store::FragmentSummary>& fragments) {
  while (ShouldContinue(fragments.size())) {
    size_t end = std::min(fragments.size(), next_ + kRound);
    if (options_.max_fragments >= 0) end = std::min(end, static_cast<size_t>(options_.max_fragments));
    const absl::Status status = WorkOnRound(absl::MakeConstSpan(fragments).subspan(next_, end - next_));
    if (absl::IsCancelled(status)) return;
    if (!status.ok()) return Fail(status);
    next_ = end;
  }
}

void DiscoveryRun::WorkThrough(const std::vector<store::FragmentSummary>& fragments, WorkerBoard::Worker* worker) {
  for (;;) {
    size_t place = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!ShouldContinue(fragments.size())) return;
      place = next_++;
    }
    worker->Begin(fragments[place].fragment.text);
    const absl::Status status = WorkOn(fragments[place]);
    worker->Result();
    if (!status.ok()) Fail(status);
  }
}

void DiscoveryRun::WorkThroughLonger(WorkerBoard::Worker* worker) {
  for (;;) {
    size_t place = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!failure_.ok() || budget_.spent() || next_longer_ >= longer_.groups()) return;
      place = next_longer_++;
    }
    worker->Begin(longer_.TextOf(place));
    const absl::Status status =
        longer_.WorkOn(place, budget_.token(),
                       [&](const store::FragmentSummary& fragment, const FragmentResult& result, double milliseconds) {
                         return Keep(longer_key_, fragment, result, milliseconds);
                       });
    worker->Result();
    if (!status.ok()) Fail(status);
  }
}

void DiscoveryRun::InParallel(const std::function<void(WorkerBoard::Worker*)>& work) const {
  int threads = options_.threads;
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::unique_ptr<WorkerBoard::Worker>> workers;
  for (int i = 0; i < threads; ++i) {
    workers.push_back(
        std::make_unique<WorkerBoard::Worker>(options_.workers, absl::StrCat("search ", i + 1, " of ", machine_.id())));
  }
  const auto work_as = [&](int i) {
    work(workers[static_cast<size_t>(i)].get());
    workers[static_cast<size_t>(i)]->Idle();
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work_as, i);
  work_as(0);
  for (std::thread& other : others) other.join();
}

absl::StatusOr<std::unique_ptr<store::DatabaseLock>> DiscoveryRun::LockFragments() const {
  absl::StatusOr<std::unique_ptr<store::DatabaseLock>> taken = store::DatabaseLock::Take(
      store_->path(), absl::StrCat("discover ", machine_.id(), " ", key_.semantics.hex(), " ", key_.search.hex()),
      slots_);
  if (!absl::IsFailedPrecondition(taken.status())) return taken;
  return absl::FailedPreconditionError(absl::StrCat(
      store_->path(), ": fragments are already being searched for ", machine_.id(), " by ", taken.status().message(),
      "; wait for it, or stop it: its results are kept, and this command resumes from there. To share "
      "the work, give each process its own part, such as --shard 1/2 and --shard 2/2"));
}

// Runs last, when no other work uses the solvers, and with larger budgets than the search.
absl::Status DiscoveryRun::ConfirmAgain(DiscoverReport* report, bool* all) {
  *all = false;
  if (options_.stop.stop_requested()) return absl::OkStatus();
  *all = true;
  if (!options_.confirm_again) return absl::OkStatus();
  RunBudget budget({options_.deterministic ? 0 : options_.seconds * kConfirmTimeShare, 0, false}, options_.stop);
  const RuleVerifier verifier(solvers_, {verifier::kConfirmAgainWork, options_.mutants, budget.token()});
  const auto progress = [&](size_t done, size_t all) {
    if (options_.time_left != nullptr)
      options_.time_left(absl::StrCat("re-verifying rules with only one proof: ", done, " of ", all));
    if (options_.progress != nullptr) options_.progress(record_.statistics());
  };
  const absl::Status asked = verified_.ConfirmAgain(machine_, verifier, progress, &report->confirm);
  *all = !absl::IsCancelled(asked);
  return *all ? asked : absl::OkStatus();
}

std::string DiscoveryRun::WorkName() const {
  return absl::StrCat("discover ", machine_.id(), " ", key_.semantics.hex(), " ", key_.search.hex(), " ",
                      options_.shard, "/", options_.shards, " min_shaders=", options_.min_shaders,
                      " confirm=", options_.confirm_again, " mutants=", options_.mutants);
}

absl::StatusOr<WorkLog::Inputs> DiscoveryRun::SearchInputs() {
  const absl::StatusOr<ir::Digest> corpus = store::CorpusDigest(store_);
  if (!corpus.ok()) return corpus.status();
  const absl::StatusOr<ir::Digest> rules = store::RulesDigest(store_, machine_.id());
  if (!rules.ok()) return rules.status();
  const absl::StatusOr<int64_t> attempts = store::AttemptCount(store_);
  if (!attempts.ok()) return attempts.status();
  WorkLog::Inputs inputs;
  inputs.Add(corpus->hex()).Add(rules->hex()).Add(absl::StrCat(*attempts));
  for (const std::string& solver : solvers_.versions()) inputs.Add(solver);
  return inputs;
}

absl::Status DiscoveryRun::SearchAll() {
  absl::StatusOr<std::vector<store::FragmentSummary>> fragments = Untried(key_);
  if (!fragments.ok()) return fragments.status();
  SortByPromise(&*fragments);
  fragments_ = fragments->size();
  banks_left_.SetAll(fragments_);
  const auto look_up = [&] {
    if (options_.deterministic) return WorkInRounds(*fragments);
    InParallel([&](WorkerBoard::Worker* worker) { WorkThrough(*fragments, worker); });
  };
  look_up();
  if (failure_.ok() && !budget_.spent() && (next_ >= fragments_ || Clock::now() > banks_until_)) {
    const absl::Status searched = SearchLonger();
    if (!searched.ok()) return searched;
    banks_until_ = Clock::time_point::max();
    look_up();  // search more banks in the remaining time
  }
  return failure_;
}

absl::Status DiscoveryRun::SearchLonger() {
  absl::StatusOr<std::vector<store::FragmentSummary>> fragments = Untried(longer_key_);
  if (!fragments.ok()) return fragments.status();
  if (next_ < fragments_ && fragments->size() > kMostLonger) fragments->resize(kMostLonger);
  SortByPromise(&*fragments);
  const Clock::time_point until =
      options_.deterministic ? Clock::time_point::max() : budget_.UntilPart(kLongerGoalsShare);
  const absl::Status goals = longer_.FindGoals(*fragments, &budget_, until);
  if (!goals.ok()) return goals;
  longer_left_.SetAll(longer_.goals());
  if (options_.deterministic) {
    WorkerBoard::Worker worker(options_.workers, absl::StrCat("search of ", machine_.id()));
    WorkThroughLonger(&worker);
  } else {
    InParallel([&](WorkerBoard::Worker* worker) { WorkThroughLonger(worker); });
  }
  return absl::OkStatus();
}

// Marks derived rules and, if no work remains, records in the WorkLog that the work is done.
absl::Status DiscoveryRun::Mark(DiscoverReport* report, bool with_confirmed) {
  absl::StatusOr<WorkLog::Inputs> before = SearchInputs();
  if (!before.ok()) return before.status();
  // Repeat until marking changes nothing, because the recorded inputs must equal the next run's inputs.
  for (int round = 0; round < 3; ++round) {
    const absl::StatusOr<MinimiseReport> minimal = MarkDerivedRules(store_, machine_);
    if (!minimal.ok()) return minimal.status();
    record_.statistics().set_minimal(minimal->minimal);
    absl::StatusOr<WorkLog::Inputs> now = SearchInputs();
    if (!now.ok()) return now.status();
    const bool stands = now->text() == before->text();
    before = std::move(now);
    if (!stands) continue;
    const absl::StatusOr<ir::Digest> corpus = store::CorpusDigest(store_);
    if (!corpus.ok()) return corpus.status();
    // If shaders were harvested during the search, their fragments were not searched.
    const bool all = report->finished && with_confirmed && *corpus == corpus_;
    return all ? done_.Note(WorkName(), *before, {}) : absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::StatusOr<DiscoverReport> DiscoveryRun::Run() {
  const absl::StatusOr<std::unique_ptr<store::DatabaseLock>> lock = LockFragments();
  if (!lock.ok()) return lock.status();
  const absl::Status opened = record_.Open();
  if (!opened.ok()) return opened;
  const absl::StatusOr<WorkLog::Inputs> there_is = SearchInputs();
  if (!there_is.ok()) return there_is.status();
  const absl::StatusOr<bool> is_done = done_.Has(WorkName(), *there_is, {});
  if (!is_done.ok()) return is_done.status();
  DiscoverReport report;
  report.unchanged = *is_done;
  if (report.unchanged) {
    report.finished = true;
    const absl::StatusOr<MinimiseReport> minimal = CountDerivedRules(store_, machine_);
    if (!minimal.ok()) return minimal.status();
    record_.statistics().set_minimal(minimal->minimal);
  } else if (absl::Status searched = SearchForAll(&report); !searched.ok()) {
    return searched;
  }
  // If a budget ended the run, its state is not "done", so that the next call resumes it.
  const absl::Status updated = record_.Update(report.finished ? v1::RUN_STATE_DONE : v1::RUN_STATE_PAUSED,
                                              report.finished ? "" : absl::StrCat("ended by ", report.ended_by));
  if (!updated.ok()) return updated;
  report.run_statistics = record_.statistics();
  report.run = record_.id();
  report.queries = verifier_.asked() + quick_verifier_.asked();
  report.cached = verifier_.cached() + quick_verifier_.cached();
  return report;
}

absl::Status DiscoveryRun::SearchForAll(DiscoverReport* report) {
  absl::StatusOr<ir::Digest> corpus = store::CorpusDigest(store_);
  if (!corpus.ok()) return corpus.status();
  corpus_ = *corpus;
  // If an independent run is resumed, load only the rules known when it started, because the remaining fragments must
  // be searched without the results of this run.
  absl::Status status = found_.Load(store_, machine_, key_.semantics,
                                    options_.independent ? std::optional(record_.started()) : std::nullopt);
  if (status.ok()) status = SearchAll();
  if (!status.ok()) return status;
  bool all_confirmed = false;
  status = ConfirmAgain(report, &all_confirmed);
  if (!status.ok()) return status;
  report->ended_by = budget_.why();
  if (report->ended_by.empty() && next_ < fragments_) report->ended_by = "fragments";
  report->finished = report->ended_by.empty();
  return Mark(report, all_confirmed);
}

}  // namespace

ir::Digest SearchDigest(const enumerator::CandidateSearch& search, const DiscoverOptions& options) {
  std::string modes;
  for (const ir::DenormMode mode : options.modes) absl::StrAppend(&modes, " ", ir::NameOf(mode));
  return ir::Digest::Of(absl::StrCat("discover-5 ", search.Configuration(), " verified=", options.max_verified,
                                     " modes", modes, " deterministic=", options.deterministic,
                                     options.independent ? " independent" : ""));
}

absl::StatusOr<DiscoverReport> Discover(store::Store* store, const machine::Machine& machine,
                                        enumerator::CandidateSearch* search, const verifier::Solvers& solvers,
                                        const DiscoverOptions& options) {
  return DiscoveryRun(store, machine, search, solvers, options).Run();
}

}  // namespace rewrought::pipeline
