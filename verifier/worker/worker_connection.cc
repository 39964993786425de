#include "verifier/worker/worker_connection.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "verifier/worker/protocol.h"
#include "verifier/worker/script.h"

namespace rewrought::verifier {
namespace {

// A worker that has closed its socket is exiting. If it takes longer than this to exit, it counts as broken.
constexpr std::chrono::milliseconds kDyingPatience(500);

SolverAnswer Unknown(std::string reason) {
  SolverAnswer answer;
  answer.reason = std::move(reason);
  return answer;
}

// Returns `end` and the meaning of the exit code, which comes from worker_main.cc, Z3 or the dynamic linker.
std::string Explain(const std::string& end) {
  if (end == "exit 101") return absl::StrCat(end, " (out of memory)");
  if (end == "exit 127")
    return absl::StrCat(end, " (libz3 missing: apt-get install libz3-4; or too little memory to load it)");
  if (end == "signal 24") return absl::StrCat(end, " (processor time used up)");
  return end;
}

// Returns whether data is available or the other side has closed the socket. An idle worker in either state cannot be
// trusted.
bool Disturbed(int socket) {
  char byte = 0;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EINTR);
}

// Returns whether a reply can belong to this query, that is, whether all values in it were requested.
bool Fits(const SolverQuery& query, const SolverAnswer& answer) {
  return std::all_of(answer.model.begin(), answer.model.end(), [&query](const auto& entry) {
    const bool asked = std::find(query.wanted.begin(), query.wanted.end(), entry.first) != query.wanted.end();
    return asked && LiteralToHex(absl::StrCat("#x", entry.second)) == entry.second;
  });
}

}  // namespace

SolverAnswer WorkerConnection::Ask(const SolverQuery& query, const std::stop_token& cancel_all,
                                   ConnectionEvents& events) {
  const Clock::time_point start = Clock::now();
  const QueryLimits allowed = LimitsOf(query, CountingOfZ3(query.tactic));
  const IoLimits limits = {start + std::chrono::milliseconds(allowed.wall_ms + 1000), query.cancel, cancel_all};
  const absl::Status running = EnsureRunning(events);
  SolverAnswer answer = running.ok() ? Exchange(query, allowed, limits, events)
                                     : Unknown(absl::StrCat("worker: ", std::string(running.message())));
  if (answer.solver.empty()) {
    answer.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  return answer;
}

absl::Status WorkerConnection::EnsureRunning(ConnectionEvents& events) {
  if (process_.running() && Disturbed(socket_.get())) {
    ++events.died;
    Drop();
  }
  if (process_.running()) return absl::OkStatus();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("no socket: ", strerror(errno)));
  }
  FileDescriptor ours(ends[0]);
  const FileDescriptor theirs(ends[1]);
  ProcessSpec spec;
  spec.path = command_.path;
  spec.arguments = command_.arguments;
  spec.standard_input = theirs.get();
  spec.standard_output = theirs.get();
  spec.memory_bytes = command_.memory_bytes;
  spec.niceness = command_.niceness;
  absl::StatusOr<ChildProcess> process = ChildProcess::Start(spec);
  if (!process.ok()) return process.status();
  process_ = *std::move(process);
  socket_ = std::move(ours);
  ++events.spawned;
  return absl::OkStatus();
}

SolverAnswer WorkerConnection::Exchange(const SolverQuery& query, const QueryLimits& allowed, const IoLimits& limits,
                                        ConnectionEvents& events) {
  // Normally, this process enforces the deadline. The CPU limit applies even if this process is stopped.
  process_.LimitCpu(2 * allowed.processor_ms + 1000);
  const uint64_t id = ++last_id_;
  IoResult result =
      SendAll(socket_.get(), EncodeRequest({id, query.tactic, allowed, query.text, query.wanted}), limits);
  if (result != IoResult::kDone) return Fail(result, events);
  std::string bytes;
  result = ReceiveExactly(socket_.get(), kLengthBytes, limits, bytes);
  if (result != IoResult::kDone) return Fail(result, events);
  const std::optional<uint32_t> length = DecodeLength(bytes);
  if (!length.has_value()) return BadReply(events);
  result = ReceiveExactly(socket_.get(), *length, limits, bytes);
  if (result != IoResult::kDone) return Fail(result, events);
  std::optional<WorkerReply> reply = DecodeReply(bytes);
  if (!reply.has_value() || reply->id != id || !Fits(query, reply->answer)) return BadReply(events);
  if (reply->retire) {
    ++events.retired;
    Drop();
  }
  return std::move(reply->answer);
}

SolverAnswer WorkerConnection::Fail(IoResult result, ConnectionEvents& events) {
  if (result == IoResult::kClosed) {
    ++events.died;
    const ProcessEnd end = process_.Finish(kDyingPatience);
    Drop();
    return Unknown(absl::StrCat("worker died: ", Explain(end.text)));
  }
  ++events.killed;
  Drop();
  if (result == IoResult::kCancelled) return Unknown("cancelled");
  return Unknown("time (worker killed)");
}

SolverAnswer WorkerConnection::BadReply(ConnectionEvents& events) {
  ++events.bad_reply;
  Drop();
  return Unknown("worker: bad reply");
}

void WorkerConnection::Drop() {
  process_.Kill();
  socket_.Close();
}

}  // namespace rewrought::verifier
