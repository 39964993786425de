// rewrought eval: the results that the float contract allows a term or a machine program, on vectors read as JSON lines.
#include <iostream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "machine/machine.h"
#include "server/pipeline/evaluate_text.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string text, machine, mode = "any", vectors;
  bool json = false;
};

absl::StatusOr<pipeline::NamedValues> ReadVector(const std::string& line) {
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return absl::InvalidArgumentError("no JSON object; expected {\"a\":\"0x3f800000\"}");
  pipeline::NamedValues values;
  for (const auto& [name, value] : object.items()) {
    const absl::StatusOr<pipeline::HexValue> read =
        value.is_string() ? pipeline::ParseHexValue(value.get<std::string>()) : absl::InvalidArgumentError("is no text");
    if (!read.ok()) return absl::InvalidArgumentError(absl::StrCat("'", name, "' ", read.status().message()));
    values[name] = *read;
  }
  return values;
}

Json AnswerJson(const pipeline::Evaluated& evaluated) {
  const Json results = AllowedToJson(evaluated.allowed, evaluated.bits);
  return evaluated.many ? Json{{"allowed", "many"}, {"includes", results}} : Json{{"allowed", results}};
}

absl::StatusOr<ir::Term> ReadTerm(const Options& options) {
  if (options.machine.empty()) return pipeline::ReadTermOrProgram(options.text, nullptr);
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options.machine);
  if (!machine.ok()) return machine.status();
  return pipeline::ReadTermOrProgram(options.text, *machine);
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
    const absl::StatusOr<pipeline::NamedValues> values = ReadVector(line);
    const absl::StatusOr<pipeline::Evaluated> evaluated =
        values.ok() ? pipeline::EvaluateTerm(*term, mode, *values) : values.status();
    if (!evaluated.ok()) {
      return Fail(context, absl::StrCat(options.vectors, ":", number, ":1: ", evaluated.status().message()));
    }
    std::cout << AnswerJson(*evaluated).dump() << "\n";
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
