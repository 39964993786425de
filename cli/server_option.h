// --server and what belongs to it: commands that ask a running `rewrought serve` instead of verifying by themselves.
#ifndef REWROUGHT_CLI_SERVER_OPTION_H_
#define REWROUGHT_CLI_SERVER_OPTION_H_

#include <CLI/CLI.hpp>

#include "absl/status/status.h"
#include "cli/command.h"
#include "server/client.h"

namespace rewrought::cli {

// Adds --server, --tls, --tls-ca, --tls-cert, --tls-key and --token-file to `command`.
void AddServerOptions(CLI::App* command, rpc::ClientOptions* options);

// Says on standard error why a call to the server failed and sets the exit code: interrupted, or bad input.
void FailCall(Context* context, const absl::Status& status);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_SERVER_OPTION_H_
