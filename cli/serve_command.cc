// rewrought serve: the gRPC service over one database, until it is told to stop.
#include <malloc.h>
#include <sys/resource.h>

#include <filesystem>
#include <iostream>
#include <system_error>

#include "cli/command.h"
#include "cli/database.h"
#include "server/rpc/server.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string address = "127.0.0.1:50051";
  std::string http_address, page, packs, audits, tokens, anonymous, tls_certificate, tls_key, tls_client_ca;
  int connections = 1000, client_calls = 32;
  double calls_per_second = 2000;
  bool reflection = false, read_only = false;
};

// Of this program's file; empty if the system does not say.
std::string OwnPath() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : path.string();
}

// Room for all connections that may be open, and the files beside them.
void RaiseFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Each thread of a pool as large as ours would fill an arena of its own with what others free: memory that only grows.
constexpr int kArenas = 4;

void Run(const Options& options, Context* context) {
  RaiseFileLimit();
  mallopt(M_ARENA_MAX, kArenas);
  // A service may start with an empty database.
  if (!options.read_only) {
    absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kCreate);
    if (!store.ok()) return Fail(context, store.status().message());
  }
  rpc::ServerOptions server_options;
  server_options.db = context->db;
  server_options.address = options.address;
  server_options.http_address = options.http_address;
  server_options.page_folder = options.page;
  server_options.packs_folder = options.packs;
  server_options.audits_folder = options.audits;
  server_options.program = OwnPath();
  server_options.limits.grpc_connections = options.connections;
  server_options.limits.client_calls = options.client_calls;
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
    std::cerr << "rewrought serve: " << (options.page.empty() ? "Connect" : "Connect and the page") << " at "
              << (options.tls_certificate.empty() ? "http://" : "https://") << (*server)->http_address() << "/"
              << std::endl;
  }
  (*server)->Wait(context->stop.get_token());
}

}  // namespace

void AddServeCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command =
      app->add_subcommand("serve", "Answers rewrought.v1 over gRPC and HTTP; loopback unless told otherwise");
  AddDatabaseOption(command, context);
  command->add_option("--grpc", options.address, "host:port; port 0 takes a free one")->default_val("127.0.0.1:50051");
  command->add_option("--http", options.http_address,
                      "host:port of the Connect protocol (JSON), /metrics and the page");
  command->add_option("--page", options.page, "folder of the built page (web/build.sh FOLDER)");
  command->add_option("--packs", options.packs, "folder of packs, shown and built into");
  command->add_option("--audits", options.audits, "folder of files that `rewrought audit --json` wrote, shown");
  command->add_option("--connections", options.connections, "gRPC connections open at once")
      ->check(CLI::Range(1, 100000))
      ->default_val(1000);
  command->add_option("--client-calls", options.client_calls, "computing calls of one client at once; 0: no limit")
      ->check(CLI::Range(0, 100000))
      ->default_val(32);
  command
      ->add_option("--calls-per-second", options.calls_per_second,
                   "of one client (its token, else its address); 0: no limit")
      ->check(CLI::Range(0.0, 1e9))
      ->default_val(2000);
  command->add_option("--tokens", options.tokens, "file of lines ROLE NAME SHA256-OF-TOKEN; roles: read, check, admin");
  command->add_option("--anonymous", options.anonymous, "role of callers without a token: none, read or check");
  command->add_option("--tls-cert", options.tls_certificate, "PEM file of the server's certificate chain");
  command->add_option("--tls-key", options.tls_key, "PEM file of its key");
  command->add_option("--tls-client-ca", options.tls_client_ca,
                      "PEM file; clients must show a certificate of one of these");
  command->add_flag("--reflection", options.reflection, "let clients list the services");
  command->add_flag("--read-only", options.read_only, "serve a database that nobody may write; no runs");
  command->footer(
      "Ctrl-C drains: calls in flight end, a run stops and goes on with the next start.\nExample:\n"
      "  rewrought serve --db my.db --grpc 127.0.0.1:50051\n"
      "  rewrought serve --db my.db --http 127.0.0.1:8080 --page out/page\n"
      "  curl -H 'Content-Type: application/json' -d '{\"pageSize\": 3}' "
      "http://127.0.0.1:8080/rewrought.v1.RuleService/ListRules\n"
      "An address that other machines reach takes --tokens, --tls-cert and --tls-key.");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
