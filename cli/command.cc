#include "cli/command.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "proto/parse_limits.h"

namespace rewrought::cli {
namespace {

std::string DefaultDatabase() {
  if (const char* home = std::getenv("XDG_DATA_HOME"); home != nullptr && *home != '\0') {
    return absl::StrCat(home, "/rewrought/rewrought.db");
  }
  const char* home = std::getenv("HOME");
  return absl::StrCat(home != nullptr ? home : ".", "/.local/share/rewrought/rewrought.db");
}

std::atomic<bool> reading_input = false;

// Marks a scope in which the program reads standard input. In this scope, a signal ends the program immediately.
class ReadingInput {
 public:
  ReadingInput() { reading_input = true; }
  ~ReadingInput() { reading_input = false; }
};

}  // namespace

bool IsReadingInput() { return reading_input; }

Context* ProgramContext() {
  auto* const context = new Context;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, context] {
    int signal = 0;
    while (sigwait(&signals, &signal) == 0) {
      if (context->stop.stop_requested() || IsReadingInput()) _exit(kInterrupted);
      context->stop.request_stop();
    }
  }).detach();
  return context;
}

std::string OwnPath() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : path.string();
}

void Fail(Context* context, absl::string_view message) {
  std::cerr << "rewrought: " << message << std::endl;
  context->exit_code = kBadInput;
}

absl::Status ReadAll(const std::string& path, std::string* bytes) {
  if (path == "-") {
    const ReadingInput reading;
    bytes->clear();
    return proto::ReadBounded(std::cin, proto::kFileLimits, bytes);
  }
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder; name a file in it"));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read: ", std::strerror(errno)));
  bytes->clear();
  if (absl::Status read = proto::ReadBounded(file, proto::kFileLimits, bytes); !read.ok()) {
    return absl::ResourceExhaustedError(absl::StrCat(path, ": ", read.message()));
  }
  if (file.bad()) return absl::UnavailableError(absl::StrCat(path, ": reading failed: ", std::strerror(errno)));
  return absl::OkStatus();
}

void AddDatabaseOption(CLI::App* command, Context* context) {
  command->add_option("--db", context->db, "database file (default: $XDG_DATA_HOME/rewrought/rewrought.db)")
      ->default_val(DefaultDatabase());
}

CLI::Option* AddMachineOption(CLI::App* command, std::string* machine, const std::string& what) {
  return command->add_option("--machine", *machine, what + "; `rewrought machines` lists the ids");
}

}  // namespace rewrought::cli
