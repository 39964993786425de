// rewrought machines: the machine descriptions, one a line.
#include <iostream>
#include <map>

#include "absl/strings/str_format.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "machine/machine.h"

namespace rewrought::cli {
namespace {

Json ToJson(const v1::FactSource& source) {
  return Json{{"kind", v1::FactSource::Kind_Name(source.kind())}, {"text", source.text()}};
}

Json ToJson(const machine::Machine& machine) {
  const v1::Machine& description = machine.description();
  Json object{{"id", machine.id()}, {"name", description.name()}, {"family", description.family()}, {"modes", description.modes()}};
  Json instructions = Json::array(), modifiers = Json::array(), deviations = Json::array(), costs = Json::array();
  std::map<std::string, int> variants;
  for (const machine::Variant& variant : machine.variants()) ++variants[variant.mnemonic];
  for (const v1::Instruction& instruction : description.instructions()) {
    instructions.push_back({{"mnemonic", instruction.mnemonic()}, {"variants", variants[instruction.mnemonic()]}});
  }
  for (const v1::Modifier& modifier : description.modifiers()) {
    modifiers.push_back({{"id", modifier.id()}, {"spelling", modifier.spelling()}, {"meaning", modifier.meaning()},
                         {"source", modifier.source().text()}});
  }
  for (const v1::CostClass& cost : description.costs()) {
    costs.push_back({{"id", cost.id()},
                     {"pipe", cost.pipe()},
                     {"issue_cycles", cost.issue_cycles()},
                     {"latency", cost.latency()},
                     {"issue", ToJson(cost.issue_source())},
                     {"latency_from", ToJson(cost.latency_source())},
                     {"bytes", ToJson(cost.bytes_source())}});
  }
  for (const v1::Deviation& deviation : description.deviations()) {
    deviations.push_back({{"op", deviation.op()}, {"witness", deviation.witness()}, {"text", deviation.text()},
                          {"source", deviation.source().text()}});
  }
  object["instructions"] = instructions;
  object["modifiers"] = modifiers;
  object["deviations"] = deviations;
  object["sources"] = costs;
  return object;
}

void Run(bool json) {
  for (const machine::Machine* machine : machine::AllMachines()) {
    if (json) {
      std::cout << ToJson(*machine).dump() << "\n";
      continue;
    }
    const v1::Machine& description = machine->description();
    std::cout << absl::StrFormat("%-14s %-32s %3d instructions, %3d variants, %2d modifiers, %2d deviations\n", machine->id(),
                                 description.name(), description.instructions_size(), machine->variants().size(),
                                 description.modifiers_size(), description.deviations_size());
  }
}

}  // namespace

void AddMachinesCommand(CLI::App* app, Context* context) {
  static bool json = false;
  CLI::App* command = app->add_subcommand("machines", "The machines: instructions, modifiers, deviations, sources of every number");
  command->add_flag("--json", json, "one JSON object per machine");
  command->footer("Example:\n  rewrought machines --json | head -1");
  command->callback([context] {
    context->exit_code = kYes;
    Run(json);
  });
}

}  // namespace rewrought::cli
