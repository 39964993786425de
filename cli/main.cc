// rewrought: one binary, one command each; wiring only.
#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <thread>

#include "cli/command.h"

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

int main(int argc, char** argv) {
  static rewrought::cli::Context context;
  // A closed pipe and a file at its size limit are errors of writing, with a message, not deaths.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  HandleInterrupts(&context);
  CLI::App app{"Discovers rewrite patterns for GPU compilers and proves them."};
  app.name("rewrought");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 yes, 1 no, 2 wrong use or bad input, 3 undecided, 130 interrupted.\n"
      "Each command has --help with examples.");
  for (const auto add :
       {rewrought::cli::AddCheckCommand, rewrought::cli::AddAuditCommand, rewrought::cli::AddEvalCommand,
        rewrought::cli::AddOpsCommand, rewrought::cli::AddMachinesCommand, rewrought::cli::AddHarvestCommand,
        rewrought::cli::AddDiscoverCommand, rewrought::cli::AddRankCommand, rewrought::cli::AddShowCommand,
        rewrought::cli::AddExportCommand, rewrought::cli::AddPackCommand, rewrought::cli::AddMergeCommand,
        rewrought::cli::AddImproveCommand, rewrought::cli::AddNightlyCommand, rewrought::cli::AddReportCommand,
        rewrought::cli::AddEnumerateCommand, rewrought::cli::AddSelectCommand, rewrought::cli::AddServeCommand}) {
    add(&app, &context);
  }
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
