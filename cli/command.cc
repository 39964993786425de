#include "cli/command.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "proto/read_file.h"

namespace rewrought::cli {
namespace {

std::string DefaultDatabase() {
  if (const char* home = std::getenv("XDG_DATA_HOME"); home != nullptr && *home != '\0') {
    return absl::StrCat(home, "/rewrought/rewrought.db");
  }
  const char* home = std::getenv("HOME");
  return absl::StrCat(home != nullptr ? home : ".", "/.local/share/rewrought/rewrought.db");
}

// Requests a stop when standard input ends. The thread runs until then or until the process exits.
void StopAtEndOfInput(Context* context) {
  std::thread([context] {
    char ignored[256];
    ssize_t count = 0;
    do {
      count = read(STDIN_FILENO, ignored, sizeof(ignored));
    } while (count > 0 || (count < 0 && errno == EINTR));
    proto::CancelReads();
    context->stop.request_stop();
  }).detach();
}

}  // namespace

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
      if (context->stop.stop_requested()) _exit(kInterrupted);
      proto::CancelReads();
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

void AddUntilEofOption(CLI::App* command, Context* context) {
  command->add_flag_function(
      "--until-eof", [context](int64_t) { StopAtEndOfInput(context); },
      "stop, as after Ctrl-C, when standard input ends; for programs that start this command");
}

void Fail(Context* context, absl::string_view message) {
  std::cerr << "rewrought: " << message << std::endl;
  context->exit_code = kBadInput;
}

absl::StatusOr<std::string> ReadInput(const std::string& path, const proto::ParseLimits& limits) {
  return path == "-" ? proto::InputFile::StandardInput().ReadAll(limits) : proto::ReadFile(path, limits);
}

void AddDatabaseOption(CLI::App* command, Context* context) {
  command->add_option("--db", context->db, "database file (default: $XDG_DATA_HOME/rewrought/rewrought.db)")
      ->default_val(DefaultDatabase());
}

CLI::Option* AddMachineOption(CLI::App* command, std::string* machine, const std::string& what) {
  return command->add_option("--machine", *machine, what + "; `rewrought machines` lists the ids");
}

}  // namespace rewrought::cli
