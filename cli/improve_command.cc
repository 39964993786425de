// rewrought improve: the best programs for one expression on one machine, as they are found, here or by a server.
#include <iostream>

#include "absl/strings/str_format.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "cli/server_option.h"
#include "enumerator/bank_search.h"
#include "machine/machine.h"
#include "server/pipeline/improve.h"
#include "server/rpc/client.h"
#include "server/rpc/messages/verdict_proto.h"
#include "verifier/verdict_message.h"
#include "verifier/worker/cvc5_process.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string expression, machine;
  double seconds = 10;
  bool json = false;
  rpc::ClientOptions server;
};

Json ToJson(const v1::ProgramCost& cost) {
  return Json{{"instructions", cost.instructions()},
              {"cycles", cost.cycles()},
              {"latency", cost.latency()},
              {"bytes", cost.bytes()}};
}

void Print(const v1::ImproveResponse& found, bool json) {
  const std::string verdict = found.inexact() ? "inexact" : std::string(verifier::NameOf(found.verdict()));
  if (json) {
    std::cout << Json{{"program", found.program()},
                      {"cost", ToJson(found.cost())},
                      {"base", ToJson(found.base())},
                      {"verdict", verdict},
                      {"id", found.id()}}
                     .dump()
              << "\n"
              << std::flush;
    return;
  }
  std::cout << absl::StrFormat("%-8s %2d instructions, %4.1f cycles, latency %4.1f   %s\n", verdict,
                               found.cost().instructions(), found.cost().cycles(), found.cost().latency(),
                               found.program())
            << std::flush;
}

absl::Status ImproveHere(const Options& options, std::stop_token stop) {
  absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options.machine);
  if (!machine.ok()) return machine.status();
  absl::StatusOr<std::unique_ptr<enumerator::BankSearch>> search = enumerator::BankSearch::Create(**machine, {});
  if (!search.ok()) return search.status();
  absl::StatusOr<std::unique_ptr<verifier::WorkerPool>> pool = verifier::WorkerPool::Create({});
  if (!pool.ok()) return pool.status();
  verifier::Cvc5Process cvc5{verifier::Cvc5Options{}};
  pipeline::ImproveOptions improve;
  improve.seconds = options.seconds;
  improve.stop = stop;
  return pipeline::Improve(options.expression, **machine, search->get(), pool->get(), &cvc5, improve,
                           [&](const pipeline::Improvement& found) { Print(rpc::ToProto(found), options.json); });
}

absl::Status ImproveThere(const Options& options, std::stop_token stop) {
  const absl::StatusOr<std::unique_ptr<rpc::Client>> client = rpc::Client::Create(options.server);
  if (!client.ok()) return client.status();
  v1::ImproveRequest request;
  request.set_expression(options.expression);
  request.set_machine(options.machine);
  request.set_seconds(options.seconds);
  return (*client)->Improve(request, stop, [&](const v1::ImproveResponse& found) { Print(found, options.json); });
}

void Run(const Options& options, Context* context) {
  const absl::Status status = options.server.address.empty() ? ImproveHere(options, context->stop.get_token())
                                                             : ImproveThere(options, context->stop.get_token());
  if (!status.ok()) FailCall(context, status);
}

}  // namespace

void AddImproveCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command =
      app->add_subcommand("improve", "The best code for an expression on a machine, proved, as it is found");
  command->add_option("EXPR", options.expression, "an expression as in rules; flags at its nodes are permissions")
      ->required();
  command->add_option("--machine", options.machine, "machine id")->required();
  command->add_option("--seconds", options.seconds, "budget")->default_val(10);
  command->add_flag("--json", options.json, "one JSON object per program");
  AddServerOptions(command, &options.server);
  command->footer(
      "The first program is base selection's; the last one proved is the best.\nExample:\n"
      "  rewrought improve \"('inot', ('iand@32', a, b))\" --machine intel_gen9");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
