// A language server for rule files (Language Server Protocol 3.17). Shows the verdict on each rule while a user edits a
// file.
#ifndef REWROUGHT_LSP_SERVER_H_
#define REWROUGHT_LSP_SERVER_H_

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "audit/verdict_file.h"
#include "lsp/message_stream.h"
#include "machine/machine.h"
#include "store/store.h"
#include "verifier/prover.h"
#include "verifier/rule_check.h"
#include "verifier/solvers.h"

namespace rewrought::lsp {

struct ServerOptions {
  verifier::RuleCheckOptions check;  // the modes, and the dialect of plain rule files
  std::string limits;                // as for audit::MakeQuestion
  verifier::Solvers solvers;
  // Returns the options of a prover that stops when the token requests it.
  std::function<verifier::ProverOptions(std::stop_token)> prover_options;
  audit::VerdictFile* verdicts = nullptr;     // where answers are stored
  const machine::Machine* machine = nullptr;  // the machine of the costs in hovers, or null
  store::Store* store = nullptr;              // the database of the sites in code lenses, or null
  bool run_python = true;                     // Whether the rule files of Mesa trees may be executed.
};

// Serves a client until it sends `exit` or its input ends. Returns OK if the client sent `shutdown` first, Aborted if
// it did not, and the errors of MessageReader::Read.
absl::Status Serve(MessageReader* reader, MessageWriter* writer, const ServerOptions& options);

}  // namespace rewrought::lsp

#endif  // REWROUGHT_LSP_SERVER_H_
