// rewrought improve: searches for the best program for an expression on a machine, in this process or on a server.
#include "pipeline/improve.h"

#include <algorithm>
#include <iostream>

#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/server_option.h"
#include "cli/verify_options.h"
#include "enumerator/bank_search.h"
#include "machine/machine.h"
#include "proto/names.h"
#include "server/client.h"
#include "server/messages/time_proto.h"
#include "server/messages/verdict_proto.h"
#include "verifier/worker/open_solvers.h"

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
  const std::string verdict = found.inexact() ? "inexact" : std::string(v1::NameOf(found.verdict()));
  if (json) {
    PrintJson(Json{{"program", found.program()},
                   {"cost", ToJson(found.cost())},
                   {"base", ToJson(found.base())},
                   {"verdict", verdict},
                   {"id", found.id()}});
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
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return solvers.status();
  pipeline::ImproveOptions improve;
  improve.seconds = options.seconds;
  improve.stop = stop;
  return pipeline::Improve(options.expression, **machine, search->get(), *solvers, improve,
                           [&](const pipeline::Improvement& found) { Print(rpc::ToProto(found), options.json); });
}

absl::Status ImproveThere(const Options& options, std::stop_token stop) {
  const absl::StatusOr<std::unique_ptr<rpc::Client>> client = rpc::Client::Create(options.server);
  if (!client.ok()) return client.status();
  v1::ImproveRequest request;
  request.set_expression(options.expression);
  request.set_machine(options.machine);
  *request.mutable_time_limit() = rpc::ToProto(absl::Seconds(std::min(options.seconds, 1e9)));
  return (*client)->Improve(request, stop, [&](const v1::ImproveResponse& found) { Print(found, options.json); });
}

void Run(const Options& options, Context* context) {
  const absl::Status status = options.server.address.empty() ? ImproveHere(options, context->stop.get_token())
                                                             : ImproveThere(options, context->stop.get_token());
  if (!status.ok()) FailCall(context, status);
}

}  // namespace

void AddImproveCommand(CLI::App* command, Context* context) {
  static Options options;
  command
      ->add_option(
          "EXPR", options.expression,
          "an expression in rule syntax; a flag relaxes an op: 'fadd(nsz)' permits code that ignores the sign of zero")
      ->required();
  AddMachineOption(command, &options.machine, "GPU to find code for")->required();
  command->add_option("--seconds", options.seconds, "time to search, in seconds")->default_val(10);
  AddJsonOption(command, &options.json, "one JSON object per program");
  AddServerOptions(command, &options.server);
  command->footer(
      "The first program is the result of plain instruction selection; the last proved program is the best. Sizes\n"
      "that the expression leaves open are 32 bits.\n"
      "Examples:\n"
      "  rewrought improve \"('inot', ('iand', a, b))\" --machine intel_gen9\n"
      "  rewrought improve \"('fmax', ('fmin', ('fadd', a, b), 1.0), 0.0)\" --machine agx_g13 --seconds 5");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
