// What all commands of the one binary share: how they are added, how they end, and Ctrl-C.
#ifndef REWROUGHT_CLI_COMMAND_H_
#define REWROUGHT_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::cli {

// Exit codes of every command (docs/commands.md 1).
enum ExitCode {
  kYes = 0,        // done, the answer is yes or there is none to give
  kNo = 1,         // done, the answer is no
  kBadInput = 2,   // wrong use or bad input
  kUndecided = 3,  // done, but something stayed undecided
  kInterrupted = 130,
};

// Commands keep references to it.
struct Context {
  std::stop_source stop;  // asked to stop by Ctrl-C
  int exit_code = kYes;
  std::string db;  // --db, or the default
};

// The program's one, to be made before it has other threads; never destroyed, since a thread of it waits for SIGINT and
// SIGTERM until the end: the first asks the command to stop and keep what it has, the second ends the program. A closed
// pipe and a file at its size limit are errors of writing from then on, not deaths.
Context* ProgramContext();

// The path of the running program's file; empty if the system does not say.
std::string OwnPath();

// Prints "rewrought: message" on standard error and sets the exit code to kBadInput.
void Fail(Context* context, absl::string_view message);

// The bytes of a file, or of standard input for "-". NotFound and others name the file and the reason.
absl::Status ReadAll(const std::string& path, std::string* bytes);

// Whether ReadAll waits for standard input: then nothing has begun that Ctrl-C would have to keep.
bool IsReadingInput();

// Adds --db to `command`.
void AddDatabaseOption(CLI::App* command, Context* context);

// Adds --machine, one id of those that `rewrought machines` lists.
CLI::Option* AddMachineOption(CLI::App* command, std::string* machine, const std::string& what = "id of a machine");

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_COMMAND_H_
