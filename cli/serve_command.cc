// rewrought serve: the gRPC service over one database, until it is told to stop.
#include <iostream>

#include "cli/command.h"
#include "cli/database.h"
#include "server/rpc/server.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string address = "127.0.0.1:50051";
  bool reflection = false, read_only = false;
};

void Run(const Options& options, Context* context) {
  // A service may start with an empty database.
  if (!options.read_only) {
    absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kCreate);
    if (!store.ok()) return Fail(context, store.status().message());
  }
  rpc::ServerOptions server_options;
  server_options.db = context->db;
  server_options.address = options.address;
  server_options.reflection = options.reflection;
  server_options.read_only = options.read_only;
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(server_options);
  if (!server.ok()) return Fail(context, server.status().message());
  std::cerr << "rewrought serve: listening on " << (*server)->address() << ", database " << context->db << std::endl;
  (*server)->Wait(context->stop.get_token());
}

}  // namespace

void AddServeCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command = app->add_subcommand("serve", "Answers rewrought.v1 over gRPC, with health; loopback unless told otherwise");
  AddDatabaseOption(command, context);
  command->add_option("--grpc", options.address, "host:port; port 0 takes a free one")->default_val("127.0.0.1:50051");
  command->add_flag("--reflection", options.reflection, "let clients list the services");
  command->add_flag("--read-only", options.read_only, "serve a database that nobody may write; no runs");
  command->footer("Ctrl-C drains: calls in flight end, a run stops and goes on with the next start.\nExample:\n"
                  "  rewrought serve --db my.db --grpc 127.0.0.1:50051");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
