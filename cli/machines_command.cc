// rewrought machines: the machine descriptions, one a line; with shaders, what each machine makes of them.
#include <iostream>
#include <map>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "machine/known_answers.h"
#include "machine/machine.h"
#include "server/pipeline/select_inputs.h"
#include "server/pipeline/select_shaders.h"

namespace rewrought::cli {
namespace {

Json ToJson(const v1::FactSource& source) {
  return Json{{"kind", v1::FactSource::Kind_Name(source.kind())}, {"text", source.text()}};
}

Json ToJson(const machine::Machine& machine) {
  const v1::Machine& description = machine.description();
  Json object{{"id", machine.id()},
              {"name", description.name()},
              {"family", description.family()},
              {"modes", description.modes()}};
  Json instructions = Json::array(), modifiers = Json::array(), deviations = Json::array(), costs = Json::array();
  std::map<std::string, int> variants;
  for (const machine::Variant& variant : machine.variants()) ++variants[variant.mnemonic];
  for (const v1::Instruction& instruction : description.instructions()) {
    instructions.push_back({{"mnemonic", instruction.mnemonic()}, {"variants", variants[instruction.mnemonic()]}});
  }
  for (const v1::Modifier& modifier : description.modifiers()) {
    modifiers.push_back({{"id", modifier.id()},
                         {"spelling", modifier.spelling()},
                         {"meaning", modifier.meaning()},
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
    deviations.push_back({{"op", deviation.op()},
                          {"witness", deviation.witness()},
                          {"text", deviation.text()},
                          {"source", deviation.source().text()}});
  }
  object["instructions"] = instructions;
  object["components"] = machine.components();
  object["known_answers"] = machine::KnownAnswersOf(machine.id());
  object["modifiers"] = modifiers;
  object["deviations"] = deviations;
  object["sources"] = costs;
  return object;
}

struct Options {
  bool json = false;
  std::string shaders;
  int emulate = 0;
};

// What one machine makes of a set of shaders.
struct Row {
  const machine::Machine* machine = nullptr;
  std::unique_ptr<pipeline::ShaderSelector> selector;
  uint64_t shaders = 0, covered = 0, refused = 0, agreed = 0, checks = 0, undecided = 0, differences = 0,
           instructions = 0;
  double cycles = 0, issue_cycles = 0;

  void Take(const ir::Shader& shader) {
    const absl::StatusOr<pipeline::SelectedShader> selected = selector->Select(shader);
    if (!selected.ok()) {
      ++refused;
      return;
    }
    ++shaders;
    covered += selected->statistics.uncovered.empty() ? 1 : 0;
    instructions += selected->statistics.instructions;
    cycles += selected->statistics.cycles, issue_cycles += selected->statistics.issue_cycles;
    if (!selected->emulation.has_value()) return;
    agreed += selected->emulation->differences == 0 ? 1 : 0;
    checks += selected->emulation->checks, undecided += selected->emulation->undecided;
    differences += selected->emulation->differences;
  }
};

Json ToJson(const Row& row, bool emulated) {
  Json json{{"id", row.machine->id()},
            {"shaders", row.shaders},
            {"covered", row.covered},
            {"refused", row.refused},
            {"instructions_selected", row.instructions},
            {"issue_cycles", row.issue_cycles},
            {"cycles", row.cycles}};
  if (emulated) {
    json["agreed"] = row.agreed, json["checks"] = row.checks, json["undecided"] = row.undecided;
    json["differences"] = row.differences;
  }
  return json;
}

void PrintRow(const Row& row, bool emulated) {
  const v1::Machine& d = row.machine->description();
  std::cout << absl::StrFormat("%-14s %6d %6d %6d %6d %9d %9d ", d.id(), d.instructions_size(), d.modifiers_size(),
                               machine::KnownAnswersOf(d.id()), d.deviations_size(), row.shaders, row.covered);
  std::cout << (emulated ? absl::StrFormat("%9d", row.agreed) : absl::StrFormat("%9s", "-"))
            << absl::StrFormat(" %12d %12.0f %12.0f\n", row.instructions, row.issue_cycles, row.cycles);
}

// The machines side by side over the shaders of a file, folder or archive.
void RunShaders(const Options& options, Context* context) {
  std::vector<Row> rows;
  for (const machine::Machine* machine : machine::AllMachines()) {
    Row& row = rows.emplace_back();
    row.machine = machine;
    absl::StatusOr<std::unique_ptr<pipeline::ShaderSelector>> selector =
        pipeline::ShaderSelector::Create(*machine, "", {.emulate_runs = options.emulate});
    if (!selector.ok()) return Fail(context, selector.status().message());
    row.selector = *std::move(selector);
  }
  Progress progress("machines");
  corpus::ReadReport report;
  const absl::Status read = pipeline::ForEachShader(
      options.shaders, context->stop.get_token(),
      [&](const ir::Shader& shader) {
        progress.Show(absl::StrCat("now ", shader.name));
        for (Row& row : rows) row.Take(shader);
        return !context->stop.stop_requested();
      },
      &report);
  if (!read.ok()) return Fail(context, read.message());
  if (rows.empty() || rows[0].shaders + rows[0].refused == 0) {
    return Fail(context, absl::StrCat(options.shaders,
                                      ": no shader in it; give SPIR-V, GLSL, .shader_test or NIR text, or a "
                                      "folder or archive of such files"));
  }
  const bool emulated = options.emulate > 0;
  if (!options.json) {
    std::cout << absl::StrFormat("%-14s %6s %6s %6s %6s %9s %9s %9s %12s %12s %12s\n", "machine", "instr", "modif",
                                 "known", "devia", "shaders", "covered", "agreed", "selected", "issue", "cycles");
  }
  for (const Row& row : rows) {
    if (row.differences > 0) context->exit_code = kNo;
    if (options.json) {
      std::cout << ToJson(row, emulated).dump() << "\n";
    } else {
      PrintRow(row, emulated);
    }
  }
}

void Run(const Options& options, Context* context) {
  if (!options.shaders.empty()) return RunShaders(options, context);
  for (const machine::Machine* machine : machine::AllMachines()) {
    if (options.json) {
      std::cout << ToJson(*machine).dump() << "\n";
      continue;
    }
    const v1::Machine& description = machine->description();
    std::cout << absl::StrFormat(
        "%-14s %-32s %3d instructions, %3d variants, %2d modifiers, %3d known answers, %2d deviations\n", machine->id(),
        description.name(), description.instructions_size(), machine->variants().size(), description.modifiers_size(),
        machine::KnownAnswersOf(machine->id()), description.deviations_size());
  }
}

}  // namespace

void AddMachinesCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command =
      app->add_subcommand("machines", "The machines: instructions, modifiers, deviations, sources of every number");
  command->add_flag("--json", options.json, "one JSON object per machine");
  command->add_option(
      "--shaders", options.shaders,
      "what each machine makes of these: file, folder or archive of SPIR-V, GLSL, .shader_test, NIR text");
  command
      ->add_option("--emulate", options.emulate,
                   "with --shaders: run each program this often and compare with the IR; a difference exits 1")
      ->check(CLI::Range(0, 1000));
  command->footer(
      "Examples:\n  rewrought machines --json | head -1\n  rewrought machines --shaders shaders/ --emulate 4");
  command->callback([context] {
    context->exit_code = kYes;
    Run(options, context);
  });
}

}  // namespace rewrought::cli
