// rewrought serve: serves one database over gRPC until it is stopped.
#include <malloc.h>
#include <sys/resource.h>

#include <iostream>
#include <system_error>

#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "proto/own_files.h"
#include "server/server.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string address = "127.0.0.1:50051";
  std::string http_address, web_ui, packs, audits, tokens, anonymous, tls_certificate, tls_key, tls_client_ca;
  int connections = 1000, client_calls = 32, client_streams = 250;
  double calls_per_second = 2000;
  bool reflection = false, read_only = false;
};

// Raises the soft limit on open files to the hard limit, because every connection needs a file descriptor.
void RaiseFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The maximum number of malloc arenas. Without a limit, each thread in the server's large pool would have a separate
// arena. An arena never shrinks, even after other threads free its memory.
constexpr int kArenas = 4;

void Run(const Options& options, Context* context) {
  RaiseFileLimit();
  mallopt(M_ARENA_MAX, kArenas);
  // Create the database if it does not exist.
  if (!options.read_only) {
    absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kCreate);
    if (!store.ok()) return Fail(context, store.status().message());
  }
  rpc::ServerOptions server_options;
  server_options.db = context->db;
  server_options.address = options.address;
  server_options.http_address = options.http_address;
  server_options.page_folder = options.web_ui;
  server_options.packs_folder = options.packs;
  server_options.audits_folder = options.audits;
  server_options.program = OwnPath();
  server_options.limits.grpc_connections = options.connections;
  server_options.limits.client_calls = options.client_calls;
  server_options.limits.client_streams = options.client_streams;
  server_options.limits.calls_per_second = options.calls_per_second;
  server_options.token_file = options.tokens;
  server_options.anonymous = options.anonymous;
  server_options.tls_certificate = options.tls_certificate;
  server_options.tls_key = options.tls_key;
  server_options.tls_client_ca = options.tls_client_ca;
  server_options.reflection = options.reflection;
  server_options.read_only = options.read_only;
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(server_options);
  if (!server.ok()) return Fail(context, server.status().message());
  std::cerr << "rewrought serve: listening on " << (*server)->address() << ", database " << context->db << std::endl;
  if (!(*server)->http_address().empty()) {
    std::cerr << "rewrought serve: " << (options.web_ui.empty() ? "JSON calls" : "JSON calls and the web UI") << " at "
              << (options.tls_certificate.empty() ? "http://" : "https://") << (*server)->http_address() << "/"
              << std::endl;
  }
  (*server)->Wait(context->stop.get_token());
}

}  // namespace

void AddServeCommand(CLI::App* command, Context* context) {
  static Options options;
  AddDatabaseOption(command, context);
  command->add_option("--grpc", options.address, "HOST:PORT for gRPC; port 0 picks a free port")
      ->default_val("127.0.0.1:50051");
  command->add_option("--http", options.http_address,
                      "HOST:PORT for the same calls as JSON over HTTP (Connect), for /metrics and for the web UI");
  const CLI::Option* const web_ui =
      command->add_option("--web-ui", options.web_ui,
                          "folder of the built web UI (web/build.sh FOLDER), served at / with --http; default: the "
                          "installed web UI, if there is one; \"\": none");
  command->add_option("--packs", options.packs, "folder of packs to show, and to build packs in");
  command->add_option("--audits", options.audits, "folder with the output of `rewrought audit --json`, to show");
  command->add_option("--connections", options.connections, "maximum number of open gRPC connections")
      ->check(CLI::Range(1, 100000))
      ->default_val(1000);
  command
      ->add_option("--client-calls", options.client_calls,
                   "maximum number of concurrent computing calls per client, counted separately for reads; 0: no limit")
      ->check(CLI::Range(0, 100000))
      ->default_val(32);
  command
      ->add_option("--client-streams", options.client_streams, "maximum number of open streams per client; 0: no limit")
      ->check(CLI::Range(0, 100000))
      ->default_val(250);
  command
      ->add_option("--calls-per-second", options.calls_per_second,
                   "maximum number of calls per second and client (token, or else address); 0: no limit")
      ->check(CLI::Range(0.0, 1e9))
      ->default_val(2000);
  command->add_option("--tokens", options.tokens,
                      "token file with lines ROLE NAME SHA256-OF-TOKEN; roles: read, check, admin");
  command->add_option("--anonymous", options.anonymous, "role of callers without a token: none, read or check");
  command->add_option("--tls-cert", options.tls_certificate, "PEM file of the server's certificate chain");
  command->add_option("--tls-key", options.tls_key, "PEM file of the certificate's key");
  command->add_option("--tls-client-ca", options.tls_client_ca,
                      "PEM file of authorities; clients must present a certificate from one of them");
  command->add_flag("--reflection", options.reflection, "let gRPC clients list the services");
  command->add_flag("--read-only", options.read_only, "serve a database without writing to it or starting runs");
  AddUntilEofOption(command, context);
  command->footer(
      "An address that other machines can reach needs --tokens, --tls-cert and --tls-key. Ctrl-C lets running\n"
      "calls finish; the next start resumes a discovery run.\n"
      "Examples:\n"
      "  rewrought serve --db my.db\n"
      "  rewrought serve --db my.db --http 127.0.0.1:8080 --web-ui out/web-ui\n"
      "  curl -H 'Content-Type: application/json' -d '{\"pageSize\": 3}' \\\n"
      "      http://127.0.0.1:8080/rewrought.v1.RuleService/ListRules");
  command->callback([context, web_ui] {
    if (web_ui->count() == 0 && !options.http_address.empty()) options.web_ui = proto::InstalledData("web-ui");
    Run(options, context);
  });
}

}  // namespace rewrought::cli
