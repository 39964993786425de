// Defines the options, exit codes, error reporting, and signal handling that the commands share.
#ifndef REWROUGHT_CLI_COMMAND_H_
#define REWROUGHT_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/parse_limits.h"

namespace rewrought::cli {

// The exit codes of all commands (docs/commands.md, section 1).
enum ExitCode {
  kYes = 0,        // the command succeeded; its answer, if it has one, is yes
  kNo = 1,         // the command succeeded; its answer is no
  kBadInput = 2,   // usage error or bad input
  kUndecided = 3,  // the command succeeded, but some results are unknown
  kInterrupted = 130,
};

// The state that all commands share. Their callbacks keep pointers to it.
struct Context {
  std::stop_source stop;  // the first SIGINT or SIGTERM requests a stop
  int exit_code = kYes;
  std::string db;  // the value of --db or its default
};

// Creates the Context of the process and installs its signal handling. Call this function once, before any thread
// starts. The Context is never destroyed, because the thread that waits for signals runs until the process exits. The
// first SIGINT or SIGTERM asks the command to stop and keep its results; the second ends the process. After the call,
// writing to a closed pipe or past the file size limit fails with an error instead of killing the process.
Context* ProgramContext();

// Returns the path of the running executable, or "" if it is unknown.
std::string OwnPath();

// Adds --until-eof, with which the command stops, as after SIGTERM, when standard input ends. A program that starts the
// command keeps the other end of a pipe open; the kernel closes it even if that program is killed.
void AddUntilEofOption(CLI::App* command, Context* context);

// Prints "rewrought: message" to standard error and sets the exit code to kBadInput.
void Fail(Context* context, absl::string_view message);

// Reads a file, or standard input if `path` is "-", as proto::ReadFile does.
absl::StatusOr<std::string> ReadInput(const std::string& path, const proto::ParseLimits& limits);

void AddDatabaseOption(CLI::App* command, Context* context);

// Adds --machine, which takes an id from `rewrought machines`.
CLI::Option* AddMachineOption(CLI::App* command, std::string* machine, const std::string& what = "machine id");

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_COMMAND_H_
