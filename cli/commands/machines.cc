// rewrought machines: lists the machine descriptions, one per line, or compares the machines on given shaders.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "corpus/shader_inputs.h"
#include "machine/known_answers.h"
#include "machine/machine.h"
#include "selection/shader_selector.h"

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

constexpr size_t kMaxFindings = 3;  // the maximum number shown per machine and selector
constexpr size_t kBatch = 64;       // the number of shaders per call to TakeAll

struct Options {
  bool json = false;
  std::string shaders, packs;
  int emulate = 0;
};

// The results of selecting instructions for a set of shaders with one selector.
struct Outcome {
  std::unique_ptr<selection::ShaderSelector> selector;
  uint64_t shaders = 0, covered = 0, refused = 0, instructions = 0, from_packs = 0;
  double cycles = 0, issue_cycles = 0;
  bool emulated = false;
  uint64_t agreed = 0, checks = 0, undecided = 0, differences = 0;
  std::vector<std::string> findings;  // the first few refusals and differences

  void Note(const std::string& shader, absl::string_view what) {
    if (findings.size() < kMaxFindings) findings.push_back(absl::StrCat(shader, ": ", what));
  }

  void Take(const ir::Shader& shader) {
    const absl::StatusOr<selection::SelectedShader> selected = selector->Select(shader);
    if (!selected.ok()) {
      ++refused;
      return Note(shader.name, selected.status().message());
    }
    ++shaders;
    covered += selected->statistics.uncovered.empty() ? 1 : 0;
    instructions += selected->statistics.instructions;
    from_packs += selected->rewritten + selected->pack_tiles;
    cycles += selected->statistics.cycles, issue_cycles += selected->statistics.issue_cycles;
    if (!selected->emulation.has_value()) return;
    emulated = true;
    agreed += selected->emulation->differences == 0 ? 1 : 0;
    checks += selected->emulation->checks, undecided += selected->emulation->undecided;
    differences += selected->emulation->differences;
    for (const std::string& example : selected->emulation->examples) Note(shader.name, example);
  }
};

struct Row {
  const machine::Machine* machine = nullptr;
  Outcome base;
  std::optional<Outcome> strict, all;  // with the machine's strict pack, and with both of its packs
};

Json ToJson(const Outcome& outcome) {
  Json json{{"shaders", outcome.shaders},           {"covered", outcome.covered},
            {"refused", outcome.refused},           {"instructions_selected", outcome.instructions},
            {"issue_cycles", outcome.issue_cycles}, {"cycles", outcome.cycles}};
  if (outcome.emulated) {
    json["agreed"] = outcome.agreed, json["checks"] = outcome.checks, json["undecided"] = outcome.undecided;
    json["differences"] = outcome.differences;
  }
  return json;
}

Json ToJson(const Row& row) {
  Json json = ToJson(row.base);
  json["id"] = row.machine->id();
  for (const auto& [name, outcome] : {std::pair("strict_pack", &row.strict), std::pair("all_packs", &row.all)}) {
    if (!outcome->has_value()) continue;
    json[name] = ToJson(**outcome);
    json[name]["used"] = (*outcome)->from_packs;
  }
  return json;
}

// Returns the percentage of issue cycles saved compared with base selection.
std::string Saved(const Row& row, const std::optional<Outcome>& outcome) {
  if (!outcome.has_value() || row.base.issue_cycles == 0) return "-";
  return absl::StrFormat("%.2f %%", 100 * (1 - outcome->issue_cycles / row.base.issue_cycles));
}

std::string Agreed(const Outcome& outcome) { return outcome.emulated ? absl::StrCat(outcome.agreed) : "-"; }

void PrintRows(const std::vector<Row>& rows, bool packs) {
  std::cout << absl::StrFormat("%-12s %5s %5s %5s %5s %8s %8s %8s %10s %10s %10s", "machine", "instr", "modif", "known",
                               "devia", "shaders", "covered", "agreed", "selected", "issue", "cycles");
  if (packs) std::cout << absl::StrFormat(" %9s %9s %9s %9s", "strict", "agreed", "all packs", "uses");
  std::cout << "\n";
  for (const Row& row : rows) {
    const v1::Machine& d = row.machine->description();
    std::cout << absl::StrFormat("%-12s %5d %5d %5d %5d %8d %8d %8s %10d %10.0f %10.0f", d.id(), d.instructions_size(),
                                 d.modifiers_size(), machine::KnownAnswersOf(d.id()), d.deviations_size(),
                                 row.base.shaders, row.base.covered, Agreed(row.base), row.base.instructions,
                                 row.base.issue_cycles, row.base.cycles);
    if (packs) {
      std::cout << absl::StrFormat(" %9s %9s %9s %9d", Saved(row, row.strict),
                                   row.strict.has_value() ? Agreed(*row.strict) : "-", Saved(row, row.all),
                                   row.all.has_value() ? row.all->from_packs : 0);
    }
    std::cout << "\n";
  }
}

absl::StatusOr<Outcome> OutcomeWith(const machine::Machine& machine, const std::vector<std::string>& packs,
                                    int emulate) {
  absl::StatusOr<std::unique_ptr<selection::ShaderSelector>> selector =
      selection::ShaderSelector::Create(machine, packs, {.emulate_runs = emulate});
  if (!selector.ok()) return selector.status();
  Outcome outcome;
  outcome.selector = *std::move(selector);
  return outcome;
}

// Creates the selectors of one machine: one without packs, one with its strict pack, and one with both of its packs.
// The packs are in FOLDER/<machine>, where `export -o FOLDER` writes them. A selector with inexact rules is not
// emulated, because these rules change result bits.
absl::StatusOr<Row> RowOf(const machine::Machine& machine, const Options& options) {
  Row row;
  row.machine = &machine;
  absl::StatusOr<Outcome> base = OutcomeWith(machine, {}, options.emulate);
  if (!base.ok()) return base.status();
  row.base = *std::move(base);
  if (options.packs.empty()) return row;
  const std::filesystem::path folder = std::filesystem::path(options.packs) / machine.id();
  std::vector<std::string> packs;
  for (const auto& [path, outcome] : {std::pair(folder, &row.strict), std::pair(folder / "inexact", &row.all)}) {
    if (!std::filesystem::exists(path / "pack.json")) continue;
    packs.push_back(path.string());
    absl::StatusOr<Outcome> made = OutcomeWith(machine, packs, outcome == &row.strict ? options.emulate : 0);
    if (!made.ok()) return made.status();
    *outcome = *std::move(made);
  }
  return row;
}

// Selects instructions for all shaders with all selectors. Each selector is used by a single thread.
void TakeAll(const std::vector<ir::Shader>& shaders, std::vector<Row>* rows) {
  std::vector<Outcome*> outcomes;
  for (Row& row : *rows) {
    outcomes.push_back(&row.base);
    if (row.strict.has_value()) outcomes.push_back(&*row.strict);
    if (row.all.has_value()) outcomes.push_back(&*row.all);
  }
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (size_t mine = next++; mine < outcomes.size(); mine = next++) {
        for (const ir::Shader& shader : shaders) outcomes[mine]->Take(shader);
      }
    });
  }
}

void ShowFindings(const Row& row) {
  for (const auto* outcome : {&row.base, row.strict.has_value() ? &*row.strict : nullptr}) {
    if (outcome == nullptr) continue;
    for (const std::string& finding : outcome->findings)
      std::cerr << "rewrought machines: " << row.machine->id() << ": " << finding << "\n";
  }
}

void RunShaders(const Options& options, Context* context) {
  std::vector<Row> rows;
  for (const machine::Machine* machine : machine::AllMachines()) {
    absl::StatusOr<Row> row = RowOf(*machine, options);
    if (!row.ok()) return Fail(context, row.status().message());
    rows.push_back(*std::move(row));
  }
  Progress progress("machines");
  corpus::ReadReport report;
  uint64_t shaders = 0;
  std::vector<ir::Shader> batch;
  const absl::Status read = corpus::ForEachShader(
      options.shaders, context->stop.get_token(),
      [&](ir::Shader shader) {
        progress.Show(absl::StrCat(++shaders, " shaders, now ", shader.name));
        batch.push_back(std::move(shader));
        if (batch.size() < kBatch) return true;
        TakeAll(batch, &rows);
        batch.clear();
        return !context->stop.stop_requested();
      },
      &report);
  if (!read.ok()) return Fail(context, read.message());
  if (shaders == 0) {
    return Fail(context, absl::StrCat(options.shaders,
                                      ": no shader found; name SPIR-V, GLSL, .shader_test or NIR text, or a "
                                      "folder or archive of such files"));
  }
  TakeAll(batch, &rows);
  for (const Row& row : rows) {
    ShowFindings(row);
    if (row.base.differences > 0 || (row.strict.has_value() && row.strict->differences > 0)) context->exit_code = kNo;
    if (options.json) PrintJson(ToJson(row));
  }
  if (!options.json) PrintRows(rows, !options.packs.empty());
}

void Run(const Options& options, Context* context) {
  if (!options.shaders.empty()) return RunShaders(options, context);
  for (const machine::Machine* machine : machine::AllMachines()) {
    if (options.json) {
      PrintJson(ToJson(*machine));
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

void AddMachinesCommand(CLI::App* command, Context* context) {
  static Options options;
  AddJsonOption(command, &options.json, "one JSON object per machine");
  command->add_option(
      "--shaders", options.shaders,
      "compile this file, folder or archive of SPIR-V, GLSL, .shader_test or NIR text for each machine");
  command
      ->add_option("--emulate", options.emulate,
                   "with --shaders: run each program this many times and compare it with the IR; exit with 1 if a "
                   "result differs")
      ->check(CLI::Range(0, 1000));
  command
      ->add_option("--packs", options.packs,
                   "with --shaders: show the savings of the packs in this folder, as `rewrought export -o` writes it")
      ->check(CLI::ExistingDirectory)
      ->needs("--shaders");
  command->footer(
      "Examples:\n"
      "  rewrought machines\n"
      "  rewrought machines --json | head -1\n"
      "  rewrought machines --shaders shaders/ --emulate 4\n"
      "  rewrought machines --shaders shaders/ --packs packs/");
  command->callback([context] {
    context->exit_code = kYes;
    Run(options, context);
  });
}

}  // namespace rewrought::cli
