// rewrought lsp: serves an editor that speaks the Language Server Protocol on standard input and output.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/verify_options.h"
#include "lsp/server.h"
#include "machine/machine.h"
#include "proto/read_file.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string modes, dialect, machine, verdicts;
  bool no_python = false;
  int jobs = 0;
};

void Run(const Options& options, Context* context) {
  lsp::ServerOptions server;
  const absl::StatusOr<ir::Dialect> dialect = ReadDialect(options.dialect, false);
  if (!dialect.ok()) return Fail(context, dialect.status().message());
  server.check.dialect = *dialect;
  const absl::StatusOr<std::vector<ir::DenormMode>> modes = ReadModes("--modes", options.modes);
  if (!modes.ok()) return Fail(context, modes.status().message());
  server.check.modes = *modes;
  if (!options.machine.empty()) {
    const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options.machine);
    if (!machine.ok()) return Fail(context, machine.status().message());
    server.machine = *machine;
  }
  std::unique_ptr<store::Store> store;
  if (std::filesystem::exists(context->db)) {
    absl::StatusOr<std::unique_ptr<store::Store>> opened = OpenDatabase(*context, store::OpenMode::kReadOnly);
    if (opened.ok()) {
      store = *std::move(opened);
      server.store = store.get();
    } else {
      std::cerr << "rewrought lsp: cannot count sites: " << opened.status().message() << std::endl;
    }
  }
  const std::string stored = options.verdicts.empty() ? context->db + ".audit" : options.verdicts;
  const absl::StatusOr<std::unique_ptr<audit::VerdictFile>> verdicts = audit::VerdictFile::Open(stored);
  if (!verdicts.ok()) return Fail(context, verdicts.status().message());
  server.verdicts = verdicts->get();
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({.workers = options.jobs});
  if (!solvers.ok()) return Fail(context, solvers.status().message());
  server.solvers = *solvers;
  // These are the limits of `rewrought audit`, so both programs can use the same stored verdicts.
  server.limits = AuditLimits(0);
  server.prover_options = [](std::stop_token stop) { return AuditProverOptions(0, std::move(stop)); };
  server.run_python = !options.no_python;
  proto::InputFile input = proto::InputFile::StandardInput();
  lsp::MessageReader reader(
      [&](char* bytes, size_t size) { return input.Read(bytes, size, context->stop.get_token()); });
  lsp::MessageWriter writer(STDOUT_FILENO);
  const absl::Status served = lsp::Serve(&reader, &writer, server);
  if (absl::IsCancelled(served)) return;  // a signal, for which main sets the exit code
  if (absl::IsAborted(served)) {
    context->exit_code = kNo;
  } else if (!served.ok()) {
    Fail(context, served.message());
  }
}

}  // namespace

void AddLspCommand(CLI::App* command, Context* context) {
  static Options options;
  AddModesOption(command, &options.modes);
  command->add_option("--dialect", options.dialect,
                      "NIR dialect of plain rule files: nir-26 or nir-25 (default: nir-26)");
  AddMachineOption(command, &options.machine, "GPU whose costs a hover shows");
  command->add_flag("--no-python", options.no_python,
                    "do not execute the rule files of Mesa trees, and do not check them; use it for untrusted trees");
  command->add_option("--verdicts", options.verdicts,
                      "file that stores the verdicts, shared with `audit` (default: the --db path plus .audit)");
  command->add_option("--jobs", options.jobs, "number of solver processes; 0: one per core")->default_val(0);
  AddDatabaseOption(command, context);
  command->footer(
      "An editor starts this command for Mesa's nir_opt_algebraic.py, for other files that import nir_algebraic, and\n"
      "for plain rule files (docs/editors.md). Opening a rule file of a Mesa tree executes the file with python3.\n"
      "Exit codes: 0 the editor ended the session, 1 the editor exited without ending it, 2 usage error or a\n"
      "malformed message, 130 interrupted.\n"
      "Examples (commands for an editor's configuration):\n"
      "  rewrought lsp --machine ir3_a6xx\n"
      "  rewrought lsp --no-python --dialect nir-25");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
