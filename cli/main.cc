// rewrought: one binary, one command each; wiring only.
#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <thread>

#include "cli/command.h"
#include "cli/commands/registry.h"

namespace {

// A thread waits for Ctrl-C: the first asks the command to stop and keep what it has, the second ends the program.
void HandleInterrupts(rewrought::cli::Context* context) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, context] {
    int signal = 0;
    while (sigwait(&signals, &signal) == 0) {
      if (context->stop.stop_requested() || rewrought::cli::IsReadingInput()) _exit(rewrought::cli::kInterrupted);
      context->stop.request_stop();
    }
  }).detach();
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
// What gRPC's library for names keeps for the life of a program.
extern "C" const char* __lsan_default_suppressions() { return "leak:libcares"; }
#endif

int main(int argc, char** argv) {
  static rewrought::cli::Context context;
  // A closed pipe and a file at its size limit are errors of writing, with a message, not deaths.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  HandleInterrupts(&context);
  CLI::App app{"Finds rewrite rules for GPU shader compilers and proves them, bit for bit."};
  app.name("rewrought");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 yes, 1 no, 2 wrong use or bad input, 3 unknown, 130 interrupted.\n"
      "Examples (each command has --help with more):\n"
      "  rewrought check \"(('fadd', a, 0.0), a)\"\n"
      "  rewrought improve \"('inot', ('iand', a, b))\" --machine intel_gen9");
  rewrought::cli::AddCommands(&app, &context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    context.exit_code = app.exit(error) == 0 ? rewrought::cli::kYes : rewrought::cli::kBadInput;
  }
  std::cout.flush();
  if (!std::cout) {
    rewrought::cli::Fail(&context, "standard output cannot be written (disk full or pipe closed)");
  }
  return context.stop.stop_requested() ? rewrought::cli::kInterrupted : context.exit_code;
}
