// rewrought improve: the best programs for one expression on one machine, as they are found.
#include <iostream>

#include "absl/strings/str_format.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "machine/machine.h"
#include "server/pipeline/bank_search.h"
#include "server/pipeline/improve.h"
#include "verifier/worker/cvc5_process.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string expression, machine;
  double seconds = 10;
  bool json = false;
};

Json ToJson(const machine::Cost& cost) {
  return Json{{"instructions", cost.instructions}, {"cycles", cost.issue_cycles}, {"latency", cost.latency}, {"bytes", cost.bytes}};
}

void Run(const Options& options, Context* context) {
  absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options.machine);
  if (!machine.ok()) return Fail(context, machine.status().message());
  absl::StatusOr<std::unique_ptr<pipeline::BankSearch>> search = pipeline::BankSearch::Create(**machine, {});
  if (!search.ok()) return Fail(context, search.status().message());
  absl::StatusOr<std::unique_ptr<verifier::WorkerPool>> pool = verifier::WorkerPool::Create({});
  if (!pool.ok()) return Fail(context, pool.status().message());
  verifier::Cvc5Process cvc5{verifier::Cvc5Options{}};
  pipeline::ImproveOptions improve;
  improve.seconds = options.seconds;
  improve.stop = context->stop.get_token();
  const absl::Status status = pipeline::Improve(
      options.expression, **machine, search->get(), pool->get(), &cvc5, improve, [&](const pipeline::Improvement& found) {
        const std::string verdict = found.licensed ? "licensed" : std::string(verifier::NameOf(found.verdict));
        if (options.json) {
          std::cout << Json{{"program", found.program}, {"cost", ToJson(found.cost)}, {"base", ToJson(found.base)},
                            {"verdict", verdict}, {"id", found.id}}.dump()
                    << "\n" << std::flush;
          return;
        }
        std::cout << absl::StrFormat("%-8s %2d instructions, %4.1f cycles, latency %4.1f   %s\n", verdict, found.cost.instructions,
                                     found.cost.issue_cycles, found.cost.latency, found.program)
                  << std::flush;
      });
  if (!status.ok()) Fail(context, status.message());
}

}  // namespace

void AddImproveCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command = app->add_subcommand("improve", "The best code for an expression on a machine, proved, as it is found");
  command->add_option("EXPR", options.expression, "an expression as in rules; flags at its nodes are permissions")->required();
  command->add_option("--machine", options.machine, "machine id")->required();
  command->add_option("--seconds", options.seconds, "budget")->default_val(10);
  command->add_flag("--json", options.json, "one JSON object per program");
  command->footer("The first program is base selection's; the last one proved is the best.\nExample:\n"
                  "  rewrought improve \"('inot', ('iand@32', a, b))\" --machine intel_gen9");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
