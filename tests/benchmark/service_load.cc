// Puts load on a running `rewrought serve` over gRPC: reads at a fixed rate, consecutive checks on many threads, and
// open streams that watch a run. Prints percentiles for each kind of call, errors by code, and the growth of the
// server's memory. The exit status is 1 if a call failed for a reason other than rejection, or if a stream ended.
// usage: service_load ADDRESS [--seconds N] [--rate N] [--readers N] [--checkers N] [--streams N] [--pid N]
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/rewrought/v1/check_service.grpc.pb.h"
#include "proto/rewrought/v1/rule_service.grpc.pb.h"
#include "proto/rewrought/v1/run_service.grpc.pb.h"

namespace rewrought {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string address;
  int seconds = 60, rate = 1000, readers = 16, checkers = 20, streams = 0, pid = 0;
};

// Latencies in milliseconds and status codes of one kind of call.
class Tally {
 public:
  void Add(double ms, grpc::StatusCode code) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++codes_[code];
    if (code == grpc::StatusCode::OK) times_.push_back(ms);
  }

  // Prints one line. Returns the number of errors other than rejections.
  int64_t Print(const char* name, double seconds) {
    std::sort(times_.begin(), times_.end());
    const auto at = [&](double part) {
      return times_.empty() ? 0 : times_[std::min(times_.size() - 1, static_cast<size_t>(part * times_.size()))];
    };
    std::printf("%-8s %9.1f/s  p50 %8.2f ms  p95 %8.2f ms  p99 %8.2f ms  max %8.2f ms", name, times_.size() / seconds,
                at(0.5), at(0.95), at(0.99), times_.empty() ? 0 : times_.back());
    int64_t errors = 0;
    for (const auto& [code, count] : codes_) {
      if (code == grpc::StatusCode::OK) continue;
      std::printf("  code %d: %lld", code, static_cast<long long>(count));
      if (code != grpc::StatusCode::RESOURCE_EXHAUSTED) errors += count;
    }
    std::printf("\n");
    return errors;
  }

 private:
  std::mutex mutex_;
  std::vector<double> times_;
  std::map<grpc::StatusCode, int64_t> codes_;
};

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Returns a channel with its own connection; by default, all channels to one address share a connection.
std::shared_ptr<grpc::Channel> Connect(const std::string& address, int number) {
  grpc::ChannelArguments arguments;
  arguments.SetInt("rewrought.channel", number);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

void SetDeadline(grpc::ClientContext* context, int seconds) {
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(seconds));
}

std::vector<std::string> RuleIds(const std::string& address) {
  const auto stub = v1::RuleService::NewStub(Connect(address, -1));
  grpc::ClientContext context;
  SetDeadline(&context, 30);
  v1::ListRulesRequest request;
  request.set_page_size(200);
  v1::ListRulesResponse response;
  const grpc::Status status = stub->ListRules(&context, request, &response);
  std::vector<std::string> ids;
  if (!status.ok()) std::fprintf(stderr, "%s: %s\n", address.c_str(), status.error_message().c_str());
  for (const v1::RewriteRule& rule : response.rules()) ids.push_back(rule.id());
  return ids;
}

// Latency is measured from the time when the call was due, so a server that stalls is charged for all calls that it
// delays. Calls that the client could not send in time are not sent at all, which lowers the printed rate.
void ReadUntil(Clock::time_point end, const Options& options, int number, const std::vector<std::string>& ids,
               Tally* tally) {
  const auto stub = v1::RuleService::NewStub(Connect(options.address, number));
  const auto step = std::chrono::nanoseconds(1000000000LL * options.readers / options.rate);
  Clock::time_point due = Clock::now() + step * number / options.readers;
  for (size_t i = static_cast<size_t>(number); due < end && Clock::now() < end; ++i, due += step) {
    std::this_thread::sleep_until(due);
    grpc::ClientContext context;
    SetDeadline(&context, 30);
    grpc::Status status;
    if (i % 10 == 0) {
      v1::ListRulesRequest request;
      request.set_page_size(20);
      v1::ListRulesResponse response;
      status = stub->ListRules(&context, request, &response);
    } else if (i % 10 == 1) {
      v1::ListRuleHitsRequest request;
      request.set_id(ids[i % ids.size()]);
      request.set_page_size(20);
      v1::ListRuleHitsResponse response;
      status = stub->ListRuleHits(&context, request, &response);
    } else {
      v1::GetRuleRequest request;
      request.set_id(ids[i % ids.size()]);
      v1::GetRuleResponse response;
      status = stub->GetRule(&context, request, &response);
    }
    tally->Add(MillisecondsSince(due), status.error_code());
  }
}

// Returns the text of a rule. Of every four consecutive rules, the first needs a solver, the second is refuted by a few
// vectors, and the other two are proved by their canonical form.
std::string RuleNumber(int64_t number) {
  const int64_t k = number / 4 % 1000000 + 1;
  if (number % 4 == 0) return absl::StrCat("(('fmul', ('fneg', a), ", k, ".0), ('fneg', ('fmul', a, ", k, ".0)))");
  if (number % 4 == 1) return absl::StrCat("(('iadd', a, ", k, "), ('isub', a, ", k, "))");
  return absl::StrCat("(('iadd', a, ('imul', b, ", k, ")), ('iadd', ('imul', b, ", k, "), a))");
}

void CheckUntil(Clock::time_point end, const Options& options, int number, std::atomic<int64_t>* next, Tally* fresh,
                Tally* again) {
  const auto stub = v1::CheckService::NewStub(Connect(options.address, 1000 + number));
  while (Clock::now() < end) {
    const int64_t rule = next->fetch_add(1);
    // Every fourth check repeats rule 0.
    const bool known = rule % 4 == 3;
    v1::CheckRuleRequest request;
    request.set_rule(known ? RuleNumber(0) : RuleNumber(rule));
    request.add_widths(32);
    grpc::ClientContext context;
    SetDeadline(&context, 60);
    v1::CheckRuleResponse response;
    const Clock::time_point start = Clock::now();
    const grpc::Status status = stub->CheckRule(&context, request, &response);
    (known ? again : fresh)->Add(MillisecondsSince(start), status.error_code());
    if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

class Watch final : public grpc::ClientReadReactor<v1::WatchRunResponse> {
 public:
  Watch(v1::RunService::Stub* stub, const std::string& run) {
    request_.set_id(run);
    stub->async()->WatchRun(&context_, &request_, this);
    StartRead(&response_);
    StartCall();
  }
  // Ends the stream. Returns OK if it was open until now.
  grpc::Status End() {
    context_.TryCancel();
    std::unique_lock<std::mutex> lock(mutex_);
    ended_.wait(lock, [this] { return done_; });
    return status_.error_code() == grpc::StatusCode::CANCELLED && answered_ ? grpc::Status::OK : status_;
  }
  bool answered() const { return answered_; }

  void OnReadDone(bool ok) override {
    answered_ = answered_ || ok;
    if (ok) StartRead(&response_);
  }
  void OnDone(const grpc::Status& status) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    status_ = status.ok() ? grpc::Status(grpc::StatusCode::ABORTED, "the run has ended") : status;
    done_ = true;
    ended_.notify_all();
  }

 private:
  grpc::ClientContext context_;
  v1::WatchRunRequest request_;
  v1::WatchRunResponse response_;
  std::atomic<bool> answered_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  grpc::Status status_;
};

// Opens streams, a hundred per connection, and waits for the first response of each stream.
class Watches {
 public:
  Watches(const Options& options, const std::string& run) {
    for (int i = 0; i < options.streams; ++i) {
      if (i % 100 == 0) stubs_.push_back(v1::RunService::NewStub(Connect(options.address, 5000 + i / 100)));
      watches_.push_back(std::make_unique<Watch>(stubs_.back().get(), run));
    }
    for (int i = 0; i < 600 && Answered() < watches_.size(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  int64_t End() {
    std::map<std::string, int64_t> errors;
    int64_t count = 0;
    for (const auto& watch : watches_) {
      const grpc::Status status = watch->End();
      if (status.ok()) continue;
      ++count;
      ++errors[status.error_message()];
    }
    std::printf("streams  %9zu open to the end\n", watches_.size() - static_cast<size_t>(count));
    for (const auto& [message, times] : errors)
      std::printf("  %lld: %s\n", static_cast<long long>(times), message.c_str());
    return count;
  }

 private:
  size_t Answered() const {
    return static_cast<size_t>(
        std::count_if(watches_.begin(), watches_.end(), [](const auto& one) { return one->answered(); }));
  }
  std::vector<std::unique_ptr<v1::RunService::Stub>> stubs_;
  std::vector<std::unique_ptr<Watch>> watches_;
};

// Returns the id of the newest unfinished run, or "" if there is none.
std::string UnfinishedRun(const std::string& address) {
  const auto stub = v1::RunService::NewStub(Connect(address, -1));
  grpc::ClientContext context;
  SetDeadline(&context, 30);
  v1::ListRunsResponse response;
  stub->ListRuns(&context, {}, &response);
  for (const v1::Run& run : response.runs()) {
    if (run.state() == v1::RUN_STATE_QUEUED || run.state() == v1::RUN_STATE_RUNNING) return run.id();
  }
  return "";
}

// Returns the resident memory in KiB, or 0 if unknown.
int64_t ResidentOf(int pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/statm"));
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int Load(const Options& options) {
  const std::vector<std::string> ids = RuleIds(options.address);
  if (ids.empty()) {
    std::fprintf(stderr, "service_load: the server has no rules to read\n");
    return 2;
  }
  const std::string run = options.streams > 0 ? UnfinishedRun(options.address) : "";
  if (options.streams > 0 && run.empty()) {
    std::fprintf(stderr, "service_load: --streams needs an unfinished run, such as a killed `discover`\n");
    return 2;
  }
  Watches watches(options, run);
  Tally reads, fresh, again;
  std::atomic<int64_t> next{0};
  const Clock::time_point start = Clock::now(), end = start + std::chrono::seconds(options.seconds);
  std::vector<std::thread> threads;
  for (int i = 0; i < options.readers; ++i) {
    threads.emplace_back([&, i] { ReadUntil(end, options, i, ids, &reads); });
  }
  for (int i = 0; i < options.checkers; ++i) {
    threads.emplace_back([&, i] { CheckUntil(end, options, i, &next, &fresh, &again); });
  }
  for (int i = 0; i <= 5 && options.pid > 0; ++i) {
    std::this_thread::sleep_until(start + std::chrono::milliseconds(200LL * options.seconds * i));
    std::printf("memory after %4d s: %lld KiB\n", options.seconds * i / 5,
                static_cast<long long>(ResidentOf(options.pid)));
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = MillisecondsSince(start) / 1000;
  int64_t errors = reads.Print("reads", seconds);
  errors += fresh.Print("checks", seconds);
  errors += again.Print("known", seconds);
  if (options.streams > 0) errors += watches.End();
  return errors > 0 ? 1 : 0;
}

int Main(int argc, char** argv) {
  Options options;
  if (argc > 1) options.address = argv[1];
  const std::map<std::string, int*> numbers = {{"--seconds", &options.seconds}, {"--rate", &options.rate},
                                               {"--readers", &options.readers}, {"--checkers", &options.checkers},
                                               {"--streams", &options.streams}, {"--pid", &options.pid}};
  for (int i = 2; i + 1 < argc; i += 2) {
    const auto found = numbers.find(argv[i]);
    if (found == numbers.end() || !absl::SimpleAtoi(argv[i + 1], found->second)) options.address.clear();
  }
  if (options.address.empty() || argc % 2 != 0 || options.rate < 1 || options.readers < 1) {
    std::fprintf(stderr,
                 "usage: service_load ADDRESS [--seconds N] [--rate N] [--readers N] [--checkers N] [--streams N] "
                 "[--pid N]\n");
    return 2;
  }
  return Load(options);
}

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) { return rewrought::Main(argc, argv); }
