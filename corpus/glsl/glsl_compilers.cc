#include "corpus/glsl/glsl_compilers.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "proto/own_files.h"

namespace rewrought::corpus {
namespace {

constexpr char kName[] = "rewrought_glsl_worker";
// The time that a worker may need in addition to the limit for a compilation, because it builds its tables or the
// machine is busy.
constexpr auto kGrace = std::chrono::seconds(20);

// Starts the binary with one end of a new socket as its standard input and output. Returns the other end of the socket,
// or -1 on failure.
int Start(const std::string& path, pid_t* process) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // The worker has its own process group, so that Ctrl-C stops only the main program, which lets running compilations
  // finish.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  char* const arguments[] = {const_cast<char*>(kName), nullptr};
  const int failed = posix_spawn(process, path.c_str(), &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (failed == 0) return ends[0];
  close(ends[0]);
  return -1;
}

}  // namespace

// One worker process. The destructor ends it.
class GlslWorker {
 public:
  GlslWorker(int socket, pid_t process) : socket_(socket), process_(process) {}
  ~GlslWorker() {
    close(socket_);
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  GlslWorker(const GlslWorker&) = delete;
  GlslWorker& operator=(const GlslWorker&) = delete;

  bool IsReady() const {
    uint32_t word = 0;
    return ReceiveAll(socket_, &word, sizeof(word), std::chrono::steady_clock::now() + kGrace) &&
           word == kGlslWorkerReady;
  }

  // Sends a request and returns the worker's reply, or nullopt if the worker has ended or does not reply in time.
  std::optional<ProcessResult> Ask(const GlslRequestHead& head, absl::string_view text) const;

 private:
  const int socket_;
  const pid_t process_;
};

std::optional<ProcessResult> GlslWorker::Ask(const GlslRequestHead& head, absl::string_view text) const {
  const auto deadline =
      std::chrono::steady_clock::now() + kGrace +
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(head.seconds));
  if (!SendAll(socket_, &head, sizeof(head)) || !SendAll(socket_, text.data(), text.size())) return std::nullopt;
  GlslReplyHead reply;
  if (!ReceiveAll(socket_, &reply, sizeof(reply), deadline) || reply.output_bytes > kMaxGlslMessage)
    return std::nullopt;
  ProcessResult result;
  result.exit_code = reply.exit_code;
  result.timed_out = reply.timed_out != 0;
  result.output.resize(reply.output_bytes);
  if (!ReceiveAll(socket_, result.output.data(), result.output.size(), deadline)) return std::nullopt;
  return result;
}

std::string FindGlslWorker() {
  const std::string chosen = proto::VariableOrEmpty("REWROUGHT_GLSL_WORKER");
  const std::vector<std::string> places =
      chosen.empty() ? proto::PlacesOfProgram("corpus/glsl", kName) : std::vector<std::string>{chosen};
  for (const std::string& place : places) {
    if (proto::IsProgram(place)) return place;
  }
  return "";
}

GlslCompilers::GlslCompilers(std::string worker) : worker_(std::move(worker)) {}
GlslCompilers::~GlslCompilers() = default;

std::unique_ptr<GlslWorker> GlslCompilers::Take() {
  std::string path;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<GlslWorker> worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
    path = worker_;
  }
  if (path.empty()) return nullptr;
  pid_t process = 0;
  const int socket = Start(path, &process);
  if (socket >= 0) {
    auto worker = std::make_unique<GlslWorker>(socket, process);
    if (worker->IsReady()) return worker;
  }
  // The binary is not a worker binary, or this system cannot run it.
  const std::lock_guard<std::mutex> lock(mutex_);
  worker_.clear();
  return nullptr;
}

bool GlslCompilers::StartAhead(int workers) {
  std::vector<std::unique_ptr<GlslWorker>> started;
  while (static_cast<int>(started.size()) < workers) {
    started.push_back(Take());
    if (started.back() == nullptr) return false;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  worker_.clear();
  for (std::unique_ptr<GlslWorker>& worker : started) idle_.push_back(std::move(worker));
  return true;
}

absl::StatusOr<ProcessResult> GlslCompilers::Compile(absl::string_view text, GlslStage stage, GlslDialect dialect,
                                                     const ProcessLimits& limits, absl::string_view entry_point) {
  return Ask(text, static_cast<uint32_t>(stage), static_cast<uint32_t>(dialect), limits, entry_point);
}

absl::StatusOr<std::vector<uint32_t>> GlslCompilers::Simplify(const std::vector<uint32_t>& words,
                                                              const ProcessLimits& limits) {
  const absl::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(words[0]));
  return AskForSpirv(bytes, kSimplifySpirv, limits, "SPIR-V exceeds the limits for conversion to SSA form");
}

absl::StatusOr<std::vector<uint32_t>> GlslCompilers::Assemble(absl::string_view text, const ProcessLimits& limits) {
  return AskForSpirv(text, kAssembleSpirv, limits, "SPIR-V assembly exceeds the limits of the assembler");
}

absl::StatusOr<std::vector<uint32_t>> GlslCompilers::AskForSpirv(absl::string_view text, uint32_t work,
                                                                 const ProcessLimits& limits,
                                                                 absl::string_view too_hard) {
  const absl::StatusOr<ProcessResult> result = Ask(text, 0, work, limits);
  if (!result.ok()) return result.status();
  if (result->timed_out || result->exit_code < 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat(too_hard, ": more than ", limits.seconds, " s or ", limits.memory_bytes >> 20, " MiB"));
  }
  if (result->exit_code != 0) return absl::Status(static_cast<absl::StatusCode>(result->exit_code), result->output);
  std::vector<uint32_t> words(result->output.size() / sizeof(uint32_t));
  std::memcpy(words.data(), result->output.data(), words.size() * sizeof(uint32_t));
  return words;
}

absl::StatusOr<ProcessResult> GlslCompilers::Ask(absl::string_view text, uint32_t stage, uint32_t dialect,
                                                 const ProcessLimits& limits, absl::string_view entry_point) {
  ProcessResult died;
  died.exit_code = -1;
  if (text.size() > kMaxGlslMessage || entry_point.size() >= kMaxEntryPoint) return died;
  GlslRequestHead head;
  std::fill(std::begin(head.entry_point), std::end(head.entry_point), '\0');
  std::copy(entry_point.begin(), entry_point.end(), head.entry_point);
  head.stage = stage;
  head.dialect = dialect;
  head.seconds = limits.seconds;
  head.memory_bytes = limits.memory_bytes;
  head.text_bytes = text.size();
  std::unique_ptr<GlslWorker> worker = Take();
  if (worker == nullptr) return absl::NotFoundError(absl::StrCat("cannot run ", kName));
  std::optional<ProcessResult> result = worker->Ask(head, text);
  if (!result.has_value()) return died;
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(worker));
  return *std::move(result);
}

}  // namespace rewrought::corpus
