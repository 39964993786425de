// rewrought eval: the results that the float contract allows a term or a machine program, on vectors read as JSON lines.
#include <iostream>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "ir/evaluate.h"
#include "ir/scalar.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "machine/program_term.h"

namespace rewrought::cli {
namespace {

constexpr size_t kMaxListed = 64;  // beyond this many results the answer is "many"

struct Options {
  std::string text, machine, mode = "any", vectors;
  bool json = false;
};

struct Value {
  uint64_t bits = 0;
  int width = 0;
};

absl::StatusOr<std::map<std::string, Value>> ReadVector(const std::string& line) {
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return absl::InvalidArgumentError("no JSON object; expected {\"a\":\"0x3f800000\"}");
  std::map<std::string, Value> values;
  for (const auto& [name, value] : object.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    Value read;
    if (text.size() < 3 || text.compare(0, 2, "0x") != 0 || text.size() > 18 || !absl::SimpleHexAtoi(text, &read.bits)) {
      return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no hex string like \"0x3f800000\""));
    }
    // One digit is a truth value; else the digits tell the size.
    read.width = text.size() == 3 ? 1 : static_cast<int>(4 * (text.size() - 2));
    values[name] = read;
  }
  return values;
}

// The term at the sizes that the vector's values have.
absl::StatusOr<ir::Term> FixSizes(const ir::Term& term, const std::map<std::string, Value>& values) {
  ir::Rule rule;
  rule.search = term;
  for (ir::Node& node : rule.search.nodes) {
    const auto value = values.find(node.name);
    if (node.kind != ir::NodeKind::kVariable || node.bits != 0 || value == values.end()) continue;
    node.bits = static_cast<uint8_t>(value->second.width);
  }
  absl::StatusOr<std::vector<ir::SizeAssignment>> sizes = ir::EnumerateSizes(rule, {.literals_exact = true});
  if (!sizes.ok()) return sizes.status();
  if (sizes->size() > 1) return absl::InvalidArgumentError("the sizes stay open; write one at an op, 'fadd@32'");
  absl::StatusOr<ir::Rule> concrete = ir::Instantiate(rule, sizes->front(), {.literals_exact = true});
  if (!concrete.ok()) return concrete.status();
  return concrete->search;
}

absl::StatusOr<Json> Evaluate(const ir::Term& term, ir::DenormMode mode, const std::map<std::string, Value>& values) {
  ir::Dag dag;
  absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoices(&dag, term, mode, 0);
  if (!lowered.ok()) return lowered.status();
  std::vector<uint64_t> inputs;
  for (const ir::Input& input : dag.inputs()) {
    const auto value = values.find(input.name);
    if (value == values.end()) return absl::InvalidArgumentError(absl::StrCat("no value for '", input.name, "'"));
    if (value->second.bits & ~ir::MaskOf(input.width)) {
      return absl::InvalidArgumentError(absl::StrCat("'", input.name, "' has ", input.width, " bits, the value has more"));
    }
    inputs.push_back(value->second.bits);
  }
  const ir::AllowedSet set = ir::AllowedResults(dag, *lowered, inputs, kMaxListed + 1);
  const int bits = term.root_node().bits;
  if (set.results.size() > kMaxListed || !set.complete) {
    return Json{{"allowed", "many"}, {"includes", AllowedToJson(set, bits)}};
  }
  return Json{{"allowed", AllowedToJson(set, bits)}};
}

absl::StatusOr<ir::Term> ReadTerm(const Options& options) {
  if (options.machine.empty()) {
    ir::ParseError error;
    absl::StatusOr<ir::Term> term = ir::ParseTerm(options.text, &error);
    return term;
  }
  absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options.machine);
  if (!machine.ok()) return machine.status();
  absl::StatusOr<machine::Program> program = machine::ParseProgram(**machine, options.text);
  if (!program.ok()) return program.status();
  return machine::ProgramTerm(**machine, *program);
}

void Run(const Options& options, Context* context) {
  ir::DenormMode mode = ir::DenormMode::kNone;
  for (ir::DenormMode known : {ir::DenormMode::kAny, ir::DenormMode::kPreserve, ir::DenormMode::kFlush}) {
    if (ir::NameOf(known) == options.mode) mode = known;
  }
  if (mode == ir::DenormMode::kNone) return Fail(context, absl::StrCat("--mode ", options.mode, ": none of any, preserve, flush"));
  const absl::StatusOr<ir::Term> term = ReadTerm(options);
  if (!term.ok()) return Fail(context, term.status().message());
  std::string bytes;
  if (absl::Status status = ReadAll(options.vectors, &bytes); !status.ok()) return Fail(context, status.message());
  std::istringstream lines(bytes);
  std::string line;
  for (int number = 1; std::getline(lines, line) && !context->stop.stop_requested(); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    absl::StatusOr<std::map<std::string, Value>> values = ReadVector(line);
    absl::StatusOr<ir::Term> sized = values.ok() ? FixSizes(*term, *values) : values.status();
    absl::StatusOr<Json> answer = sized.ok() ? Evaluate(*sized, mode, *values) : sized.status();
    if (!answer.ok()) return Fail(context, absl::StrCat(options.vectors, ":", number, ":1: ", answer.status().message()));
    std::cout << answer->dump() << "\n";
  }
}

}  // namespace

void AddEvalCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command = app->add_subcommand("eval", "What results may a term or program give on these inputs?");
  command->add_option("TERM", options.text, "a term as in rules, or a program with --machine")->required();
  command->add_option("--machine", options.machine, "machine of the program");
  command->add_option("--mode", options.mode, "any, preserve or flush")->default_val("any");
  command->add_option("--vectors", options.vectors, "JSON lines {\"a\":\"0x3f800000\"}; '-' reads standard input")->required();
  command->add_flag("--json", options.json, "accepted for symmetry; the answer is always JSON lines");
  command->footer("Examples:\n"
                  "  echo '{\"a\":\"0x3f800000\"}' | rewrought eval \"('fadd', a, 1.0)\" --vectors -\n"
                  "  rewrought eval \"[ADD(r(F), a(F), -b(F)).sat()]\" --machine intel_gen9 --vectors v.jsonl");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
