// The entry point of rewrought.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments/list_arguments.h"
#include "cli/arguments/unknown_command.h"
#include "cli/command.h"
#include "cli/commands/registry.h"

#if defined(__SANITIZE_ADDRESS__)
// c-ares, which gRPC uses to resolve names, never frees some of its memory.
extern "C" const char* __lsan_default_suppressions() { return "leak:libcares"; }
#endif

namespace {

// Gives each closed standard stream a descriptor on which reads and writes fail. Otherwise, the next file that is
// opened would become that stream.
void ReserveStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // returns the lowest free number
  }
}

// The constructors of shared libraries open files, and only this section runs before them.
__attribute__((section(".preinit_array"), used)) void (*const kBeforeConstructors)() = ReserveStandardStreams;

}  // namespace

int main(int argc, char** argv) {
  rewrought::cli::Context* const context = rewrought::cli::ProgramContext();
  const std::unique_ptr<CLI::App> app = rewrought::cli::MakeProgram(context);
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (const auto unknown = rewrought::cli::UnknownCommand(app.get(), arguments)) {
    rewrought::cli::Fail(context, *unknown);
    return context->exit_code;
  }
  try {
    arguments = rewrought::cli::KeepListsWhole(std::move(arguments));
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 expects them
    app->parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    context->exit_code = app->exit(error) == 0 ? rewrought::cli::kYes : rewrought::cli::kBadInput;
  }
  std::cout.flush();
  if (!std::cout) {
    rewrought::cli::Fail(context, "standard output cannot be written (disk full or pipe closed)");
  }
  return context->stop.stop_requested() ? rewrought::cli::kInterrupted : context->exit_code;
}
