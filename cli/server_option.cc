#include "cli/server_option.h"

namespace rewrought::cli {

void AddServerOptions(CLI::App* command, rpc::ClientOptions* options) {
  CLI::Option* server =
      command->add_option("--server", options->address, "HOST:PORT of a `rewrought serve` that does the work");
  command->add_flag("--tls", options->tls, "over TLS, trusting the system's authorities")->needs(server);
  command->add_option("--tls-ca", options->ca, "file of the authorities to trust instead")->needs(server);
  command->add_option("--tls-cert", options->certificate, "file of a certificate to show")->needs(server);
  command->add_option("--tls-key", options->key, "file of its key")->needs(server);
  command->add_option("--token-file", options->token_file, "file with the bearer token to send")->needs(server);
}

void FailCall(Context* context, const absl::Status& status) {
  if (absl::IsCancelled(status) && context->stop.stop_requested()) return;
  Fail(context, status.message());
}

}  // namespace rewrought::cli
