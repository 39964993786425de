// Defines --server and related options for the commands that can send their work to a `rewrought serve` process.
#ifndef REWROUGHT_CLI_SERVER_OPTION_H_
#define REWROUGHT_CLI_SERVER_OPTION_H_

#include <CLI/CLI.hpp>

#include "absl/status/status.h"
#include "cli/command.h"
#include "server/client.h"

namespace rewrought::cli {

// Adds --server, --tls, --tls-ca, --tls-cert, --tls-key and --token-file to `command`.
void AddServerOptions(CLI::App* command, rpc::ClientOptions* options);

// Reports a failed call to the server and sets the exit code to kBadInput. Does nothing if the user interrupted the
// call.
void FailCall(Context* context, const absl::Status& status);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_SERVER_OPTION_H_
