#include "verifier/worker/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/parse_limits.h"
#include "verifier/worker/locate_worker.h"
#include "verifier/worker/script.h"

namespace rewrought::verifier {
namespace {

constexpr int kMaxWorkers = 1024;

// Returns why the query is invalid (its text is too long, or a wanted name is invalid), or an empty string.
std::string ValidateQuery(const SolverQuery& query) {
  if (const absl::Status bounded = proto::CheckLength(query.text, proto::kSmtLimits); !bounded.ok()) {
    return absl::StrCat("parse: ", bounded.message());
  }
  size_t total = 0;
  std::set<std::string> seen;
  for (const std::string& name : query.wanted) {
    if (!IsQuotableName(name) || !seen.insert(name).second) return "parse: invalid or repeated wanted name";
    total += name.size() + 8;
  }
  if (total > proto::kSmtLimits.bytes / 2) return "parse: too many wanted names";
  return "";
}

SolverAnswer Unknown(std::string reason) {
  SolverAnswer answer;
  answer.reason = std::move(reason);
  return answer;
}

}  // namespace

// A waiting or running query, stored on the stack of Solve's caller.
struct WorkerPool::Job {
  const SolverQuery* query = nullptr;
  std::stop_token cancel_all;
  bool started = false;
  bool done = false;
  SolverAnswer answer;
};

absl::StatusOr<std::unique_ptr<WorkerPool>> WorkerPool::Create(const WorkerPoolOptions& options) {
  if (options.workers < 0 || options.workers > kMaxWorkers) {
    return absl::InvalidArgumentError(absl::StrCat("workers must be 0 to ", kMaxWorkers, ", not ", options.workers));
  }
  absl::StatusOr<std::string> path = LocateWorker(options.worker_path);
  if (!path.ok()) return path.status();
  const int cores = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxWorkers);
  const WorkerCommand command = {*path, options.worker_arguments, options.memory_bytes, options.niceness};
  return std::unique_ptr<WorkerPool>(new WorkerPool(command, options.workers == 0 ? cores : options.workers));
}

WorkerPool::WorkerPool(const WorkerCommand& command, int workers) {
  for (int i = 0; i < workers; ++i) slots_.emplace_back([this, command] { RunSlot(command); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  CancelAll();
  {
    std::unique_lock<std::mutex> lock(mutex_);
    job_ended_.wait(lock, [this] { return callers_ == 0; });
    job_added_.notify_all();
  }
  for (std::thread& slot : slots_) slot.join();
}

SolverAnswer WorkerPool::Solve(const SolverQuery& query) {
  Job job;
  job.query = &query;
  const std::string objection = ValidateQuery(query);
  std::unique_lock<std::mutex> lock(mutex_);
  ++callers_;
  if (!objection.empty() || closing_ || query.cancel.stop_requested()) {
    job.answer = Unknown(objection.empty() ? "cancelled" : objection);
  } else {
    job.cancel_all = cancel_all_.get_token();
    queue_.push_back(&job);
    job_added_.notify_one();
    // If the job has started, its slot ends it, because the slot watches the same token.
    if (!job_ended_.wait(lock, query.cancel, [&job] { return job.done; })) {
      if (job.started) {
        job_ended_.wait(lock, [&job] { return job.done; });
      } else {
        queue_.erase(std::find(queue_.begin(), queue_.end(), &job));
        job.answer = Unknown("cancelled");
      }
    }
  }
  Count(job.answer);
  --callers_;
  job_ended_.notify_all();
  return std::move(job.answer);
}

std::string WorkerPool::name_and_version() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!name_and_version_.empty()) return name_and_version_;
  }
  SolverQuery query;
  query.tactic = Tactic::kUninterpreted;
  query.timeout_ms = 10'000;
  const SolverAnswer answer = Solve(query);
  if (answer.solver.empty()) return absl::StrCat("unknown (", answer.reason, ")");
  const std::lock_guard<std::mutex> lock(mutex_);
  name_and_version_ = answer.solver;
  return name_and_version_;
}

void WorkerPool::CancelAll() {
  std::stop_source cancelled;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    cancelled = std::exchange(cancel_all_, std::stop_source());
    for (Job* job : queue_) {
      job->answer = Unknown("cancelled");
      job->done = true;
    }
    queue_.clear();
    job_ended_.notify_all();
  }
  cancelled.request_stop();
}

WorkerPoolStats WorkerPool::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stats_;
}

void WorkerPool::RunSlot(WorkerCommand command) {
  WorkerConnection connection(std::move(command));
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    job_added_.wait(lock, [this] { return !queue_.empty() || (closing_ && callers_ == 0); });
    if (queue_.empty()) return;
    Job* job = queue_.front();
    queue_.pop_front();
    job->started = true;
    lock.unlock();
    ConnectionEvents events;
    const auto start = std::chrono::steady_clock::now();
    SolverAnswer answer = connection.Ask(*job->query, job->cancel_all, events);
    const std::chrono::duration<double, std::milli> busy = std::chrono::steady_clock::now() - start;
    lock.lock();
    stats_.spawned += events.spawned;
    stats_.died += events.died;
    stats_.killed += events.killed;
    stats_.bad_replies += events.bad_reply;
    stats_.retired += events.retired;
    stats_.busy_milliseconds += busy.count();
    job->answer = std::move(answer);
    job->done = true;
    job_ended_.notify_all();
  }
}

void WorkerPool::Count(const SolverAnswer& answer) {
  ++stats_.queries;
  switch (answer.answer) {
    case Answer::kUnsat:
      ++stats_.unsat;
      break;
    case Answer::kSat:
      ++stats_.sat;
      break;
    case Answer::kUnknown:
      ++stats_.unknown;
      if (answer.reason == "cancelled") ++stats_.cancelled;
      break;
  }
}

}  // namespace rewrought::verifier
