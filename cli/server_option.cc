#include "cli/server_option.h"

namespace rewrought::cli {

void AddServerOptions(CLI::App* command, rpc::ClientOptions* options) {
  CLI::Option* server =
      command->add_option("--server", options->address, "HOST:PORT of a `rewrought serve` to send the work to");
  command->add_flag("--tls", options->tls, "use TLS and trust the system's certificate authorities")->needs(server);
  command->add_option("--tls-ca", options->ca, "PEM file of the certificate authorities to trust instead")
      ->needs(server);
  command->add_option("--tls-cert", options->certificate, "PEM file of the client certificate")->needs(server);
  command->add_option("--tls-key", options->key, "PEM file of the client certificate's key")->needs(server);
  command->add_option("--token-file", options->token_file, "file with the bearer token to send")->needs(server);
}

void FailCall(Context* context, const absl::Status& status) {
  if (absl::IsCancelled(status) && context->stop.stop_requested()) return;
  Fail(context, status.message());
}

}  // namespace rewrought::cli
