#include "server/jobs/run_queue.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "ir/digest.h"
#include "pipeline/run_record.h"
#include "server/messages/run_proto.h"
#include "server/messages/status.h"
#include "store/run_store.h"

namespace rewrought::rpc {
namespace {

constexpr absl::string_view kPrefix = "serve-";  // prefix of the ids of runs that servers create
constexpr std::chrono::milliseconds kProgressInterval(250);

// Returns an id for a run. The id is unique even across databases that may be merged later. A nonempty request id alone
// determines the id.
std::string NewId(absl::string_view request_id) {
  if (!request_id.empty()) return absl::StrCat(kPrefix, ir::Digest::Of(request_id).hex().substr(0, 32));
  return absl::StrCat(kPrefix, pipeline::NewRunId());
}

std::string ConfigText(const v1::NightlyConfig& config) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(config, &text);
  return text;
}

}  // namespace

RunQueue::RunQueue(store::Store* store, RunEngine* engine, int max_queued)
    : store_(store),
      engine_(engine),
      max_queued_(static_cast<size_t>(std::max(0, max_queued))),
      thread_([this](std::stop_token stop) { Work(stop); }) {}

RunQueue::~RunQueue() { Stop(); }

absl::Status RunQueue::Resume() {
  const absl::StatusOr<std::vector<store::RunRecord>> runs = store::RunStore(store_).Unfinished();
  if (!runs.ok()) return runs.status();
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const store::RunRecord& run : *runs) {
    if (absl::StartsWith(run.id, kPrefix)) waiting_.push_back(run.id);
  }
  changed_.notify_all();
  return absl::OkStatus();
}

absl::StatusOr<store::RunRecord> RunQueue::Start(const v1::NightlyConfig& config, absl::string_view request_id) {
  const std::lock_guard<std::mutex> one_start(start_mutex_);
  store::RunRecord run;
  run.id = NewId(request_id);
  run.kind = "discover";
  run.config = ConfigText(config);
  run.started = run.updated = absl::Now();
  if (!request_id.empty()) {
    absl::StatusOr<store::RunRecord> earlier = store::RunStore(store_).GetRun(run.id);
    if (earlier.ok() && earlier->config != run.config) {
      return FieldError("request_id", "was used for a run with a different configuration; choose a new one");
    }
    if (!absl::IsNotFound(earlier.status())) return earlier;
  }
  if (absl::Status status = CheckCapacity(); !status.ok()) return status;
  if (absl::Status status = store::RunStore(store_).CreateRun(run); !status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.push_back(run.id);
  ++changes_;
  changed_.notify_all();
  return run;
}

RunQueue::Load RunQueue::load() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {waiting_.size(), running_.empty() ? size_t{0} : size_t{1}};
}

absl::Status RunQueue::CheckCapacity() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (waiting_.size() + (running_.empty() ? 0 : 1) <= max_queued_) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(waiting_.size(), " runs are already waiting; try again when some have ended"));
}

absl::StatusOr<store::RunRecord> RunQueue::ResumeRun(absl::string_view id) {
  const std::lock_guard<std::mutex> one_start(start_mutex_);  // ensures that two calls cannot queue the same run twice
  const absl::StatusOr<store::RunRecord> run = store::RunStore(store_).GetRun(id);
  if (!run.ok()) return run;
  if (!absl::StartsWith(run->id, kPrefix)) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", run->id, " belongs to another process; run its command again"));
  }
  if (run->state != v1::RUN_STATE_CANCELLED && run->state != v1::RUN_STATE_FAILED &&
      run->state != v1::RUN_STATE_PAUSED) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", run->id,
        run->state == v1::RUN_STATE_DONE ? " is done; start a new one" : " has not ended; watch it instead"));
  }
  if (absl::Status status = CheckCapacity(); !status.ok()) return status;
  absl::Status status = Modify(run->id, [](store::RunRecord* record) {
    record->state = v1::RUN_STATE_QUEUED;
    record->message.clear();
    record->ended.reset();
  });
  if (!status.ok()) return status;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(run->id);
    ++changes_;
    changed_.notify_all();
  }
  return store::RunStore(store_).GetRun(id);
}

absl::StatusOr<store::RunRecord> RunQueue::Cancel(absl::string_view id) {
  absl::StatusOr<store::RunRecord> run = store::RunStore(store_).GetRun(id);
  if (!run.ok() || HasEnded(run->state)) return run;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (running_ == run->id) {
      cancelled_by_user_ = true;
      cancel_.request_stop();
      return run;
    }
    const auto place = std::find(waiting_.begin(), waiting_.end(), run->id);
    if (place == waiting_.end()) {
      return absl::FailedPreconditionError(
          absl::StrCat("run ", run->id, " is executed by another process; stop that process"));
    }
    waiting_.erase(place);
  }
  absl::Status status = Modify(run->id, [](store::RunRecord* record) {
    record->state = v1::RUN_STATE_CANCELLED;
    record->message = "cancelled before it began";
    record->ended = absl::Now();
  });
  if (!status.ok()) return status;
  return store::RunStore(store_).GetRun(id);
}

uint64_t RunQueue::changes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return changes_;
}

void RunQueue::WaitForChange(uint64_t seen, std::stop_token stop, absl::Duration limit) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, stop, absl::ToChronoMilliseconds(limit), [&] { return changes_ != seen; });
}

void RunQueue::Stop() {
  thread_.request_stop();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    cancel_.request_stop();
  }
  if (thread_.joinable()) thread_.join();
}

void RunQueue::Work(std::stop_token stop) {
  for (;;) {
    std::string id;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
      if (stop.stop_requested()) return;
      id = running_ = waiting_.front();
      waiting_.pop_front();
      cancel_ = std::stop_source();
      cancelled_by_user_ = false;
    }
    Execute(id, stop);
    const std::lock_guard<std::mutex> lock(mutex_);
    running_.clear();
  }
}

void RunQueue::Execute(const std::string& id, std::stop_token shutdown) {
  std::stop_token stop;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (shutdown.stop_requested()) cancel_.request_stop();  // Stop() may have been called before this run became active
    stop = cancel_.get_token();
  }
  const absl::Status begun = Modify(id, [](store::RunRecord* record) {
    record->state = v1::RUN_STATE_RUNNING;
    record->message.clear();
  });
  const absl::StatusOr<store::RunRecord> record = store::RunStore(store_).GetRun(id);
  const absl::StatusOr<std::string> result = !begun.ok()   ? begun
                                             : record.ok() ? RunToEnd(*record, stop)
                                                           : record.status();
  bool cancelled = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    cancelled = cancelled_by_user_;
  }
  const bool interrupted = stop.stop_requested() && !cancelled;
  // If the store cannot be written now, the run remains unfinished, and the next server resumes it.
  Modify(id, [&](store::RunRecord* run) {
    if (interrupted && (result.ok() || absl::IsCancelled(result.status()))) {
      run->state = v1::RUN_STATE_QUEUED;
      run->message = "the server shut down; the next server resumes this run";
      return;
    }
    if (cancelled && (result.ok() || absl::IsCancelled(result.status()))) {
      run->state = v1::RUN_STATE_CANCELLED;
      run->message = "cancelled; its results are kept";
    } else if (!result.ok()) {
      run->state = v1::RUN_STATE_FAILED;
      run->message = std::string(result.status().message());
    } else {
      run->state = result->empty() ? v1::RUN_STATE_DONE : v1::RUN_STATE_PAUSED;
      run->message = result->empty() ? "" : absl::StrCat("ended by ", *result);
    }
    run->ended = absl::Now();
  }).IgnoreError();
}

absl::StatusOr<std::string> RunQueue::RunToEnd(const store::RunRecord& record, std::stop_token stop) {
  RunTask task;
  task.id = record.id;
  task.before = pipeline::RunStatisticsOfJson(record.run_statistics);
  task.stop = stop;
  if (!google::protobuf::TextFormat::ParseFromString(record.config, &task.config)) {
    return absl::FailedPreconditionError("the stored configuration is from another version; start a new run");
  }
  std::mutex progress_mutex;
  std::optional<std::chrono::steady_clock::time_point> next;
  v1::RunStatistics last;
  std::string last_doing;
  const auto store_progress = [&] {
    Modify(task.id, [&](store::RunRecord* run) {
      run->run_statistics = pipeline::RunStatisticsJson(last);
      run->message = last_doing;
    }).IgnoreError();  // the next update writes these values again
  };
  task.progress = [&](const v1::RunStatistics& run_statistics, absl::string_view doing) {
    const std::lock_guard<std::mutex> lock(progress_mutex);
    last = run_statistics;
    last_doing = std::string(doing);
    const auto now = std::chrono::steady_clock::now();
    if (next.has_value() && now < *next) return;
    next = now + kProgressInterval;
    store_progress();
  };
  absl::StatusOr<std::string> ended_by = engine_->Execute(task);
  const std::lock_guard<std::mutex> lock(progress_mutex);
  if (next.has_value()) store_progress();
  return ended_by;
}

absl::Status RunQueue::Modify(const std::string& id, const std::function<void(store::RunRecord*)>& change) {
  absl::StatusOr<std::unique_ptr<store::ScopedTransaction>> transaction = store::ScopedTransaction::Begin(store_);
  if (!transaction.ok()) return transaction.status();
  store::RunStore runs(store_);
  absl::StatusOr<store::RunRecord> record = runs.GetRun(id);
  if (!record.ok()) return record.status();
  change(&*record);
  record->updated = absl::Now();
  absl::Status status = runs.UpdateRun(*record);
  if (status.ok()) status = (*transaction)->Commit();
  const std::lock_guard<std::mutex> lock(mutex_);
  ++changes_;
  changed_.notify_all();
  return status;
}

}  // namespace rewrought::rpc
