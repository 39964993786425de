// rewrought eval: prints the results that the float contract allows for a term or a program on given inputs.
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/server_option.h"
#include "cli/verify_options.h"
#include "machine/evaluate_text.h"
#include "machine/machine.h"
#include "proto/json_text.h"
#include "server/client.h"
#include "verifier/message/verdict_json.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string text, machine, dialect, mode = "any", vectors;
  bool json = false;
  rpc::ClientOptions server;
};

absl::StatusOr<machine::NamedValues> ReadVector(const std::string& line) {
  const Json object = proto::ParseJson(line);
  if (!object.is_object()) return absl::InvalidArgumentError("not a JSON object; expected {\"a\":\"0x3f800000\"}");
  machine::NamedValues values;
  for (const auto& [name, value] : object.items()) {
    const absl::StatusOr<machine::HexValue> read = value.is_string() ? machine::ParseHexValue(value.get<std::string>())
                                                                     : absl::InvalidArgumentError("is not a string");
    if (!read.ok()) return absl::InvalidArgumentError(absl::StrCat("'", name, "' ", read.status().message()));
    values[name] = *read;
  }
  return values;
}

Json AnswerJson(const std::vector<std::string>& allowed, bool many) {
  const Json results = verifier::AllowedToJson(allowed);
  return many ? Json{{"allowed", "many"}, {"includes", results}} : Json{{"allowed", results}};
}

using EvaluateVector = std::function<absl::StatusOr<Json>(const std::string& line)>;

absl::StatusOr<EvaluateVector> LocalEvaluation(const Options& options, ir::Dialect dialect, ir::DenormMode mode) {
  const machine::Machine* machine = nullptr;
  if (!options.machine.empty()) {
    const absl::StatusOr<const machine::Machine*> found = machine::FindMachine(options.machine);
    if (!found.ok()) return found.status();
    machine = *found;
  }
  const absl::StatusOr<ir::Term> term = machine::ReadTermOrProgram(options.text, machine, dialect);
  if (!term.ok()) return term.status();
  return [term = *term, dialect, mode](const std::string& line) -> absl::StatusOr<Json> {
    const absl::StatusOr<machine::NamedValues> values = ReadVector(line);
    if (!values.ok()) return values.status();
    const absl::StatusOr<machine::Evaluated> evaluated = machine::EvaluateTerm(term, dialect, mode, *values);
    if (!evaluated.ok()) return evaluated.status();
    return AnswerJson(verifier::AllowedTexts(evaluated->allowed, evaluated->bits), evaluated->many);
  };
}

absl::StatusOr<EvaluateVector> ServerEvaluation(const Options& options, ir::Dialect dialect, ir::DenormMode mode,
                                                std::stop_token stop) {
  absl::StatusOr<std::unique_ptr<rpc::Client>> client = rpc::Client::Create(options.server);
  if (!client.ok()) return client.status();
  v1::EvaluateRequest request;
  request.set_text(options.text);
  request.set_machine(options.machine);
  request.set_mode(verifier::ModeProto(mode));
  request.set_dialect(verifier::DialectProto(dialect));
  const std::shared_ptr<rpc::Client> shared = *std::move(client);
  return [=](const std::string& line) -> absl::StatusOr<Json> {
    if (const absl::Status read = ReadVector(line).status(); !read.ok()) return read;
    v1::EvaluateRequest mine = request;
    v1::EvaluateRequest::Vector* vector = mine.add_vectors();
    const Json object = Json::parse(line);
    for (const auto& [name, value] : object.items()) {
      (*vector->mutable_values())[name] = value.get<std::string>();
    }
    const absl::StatusOr<v1::EvaluateResponse> response = shared->Evaluate(mine, stop);
    if (!response.ok()) return response.status();
    if (response->results_size() != 1) return absl::InternalError("the server returned no result");
    const absl::Status answered = CheckAnsweredDialect(request.dialect(), response->dialect());
    if (!answered.ok()) return answered;
    const auto& allowed = response->results(0).allowed();
    return AnswerJson({allowed.begin(), allowed.end()}, response->results(0).many());
  };
}

void Run(const Options& options, Context* context) {
  ir::DenormMode mode = ir::DenormMode::kNone;
  for (ir::DenormMode known : {ir::DenormMode::kAny, ir::DenormMode::kPreserve, ir::DenormMode::kFlush}) {
    if (ir::NameOf(known) == options.mode) mode = known;
  }
  if (mode == ir::DenormMode::kNone)
    return Fail(context, absl::StrCat("--mode ", options.mode, ": must be one of any, preserve, flush"));
  const absl::StatusOr<ir::Dialect> dialect = ReadDialect(options.dialect, !options.machine.empty());
  if (!dialect.ok()) return Fail(context, dialect.status().message());
  const absl::StatusOr<EvaluateVector> evaluate =
      options.server.address.empty() ? LocalEvaluation(options, *dialect, mode)
                                     : ServerEvaluation(options, *dialect, mode, context->stop.get_token());
  if (!evaluate.ok()) return Fail(context, evaluate.status().message());
  const absl::StatusOr<std::string> bytes = ReadInput(options.vectors, proto::kJsonLimits);
  if (!bytes.ok()) return Fail(context, bytes.status().message());
  std::istringstream lines(*bytes);
  std::string line;
  for (int number = 1; std::getline(lines, line) && !context->stop.stop_requested(); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const absl::StatusOr<Json> answer = (*evaluate)(line);
    if (!answer.ok()) {
      const bool reached = !absl::IsUnavailable(answer.status()) && !absl::IsCancelled(answer.status());
      if (!reached) return FailCall(context, answer.status());
      return Fail(context, absl::StrCat(options.vectors, ":", number, ":1: ", answer.status().message()));
    }
    PrintJson(*answer);
  }
}

}  // namespace

void AddEvalCommand(CLI::App* command, Context* context) {
  static Options options;
  command->add_option("TERM", options.text, "an expression in rule syntax or, with --machine, a program in brackets")
      ->required();
  AddMachineOption(command, &options.machine, "GPU that the program is for");
  AddDialectOption(command, &options.dialect);
  command->add_option("--mode", options.mode, "denormal mode: any (may or may not be flushed), preserve or flush")
      ->default_val("any");
  command
      ->add_option("--vectors", options.vectors,
                   "file of inputs, one JSON object per line: {\"a\":\"0x3f800000\"}; '-' reads standard input")
      ->required();
  AddJsonOption(command, &options.json, "one JSON object per input (the default)");
  AddServerOptions(command, &options.server);
  command->footer(
      "An answer lists the allowed results: {\"allowed\":[\"0x40000000\"]}. It is \"nan\" for any NaN, \"any\"\n"
      "for any value, and \"many\" for more than 64 values.\n"
      "Examples:\n"
      "  echo '{\"a\":\"0x3f800000\"}' | rewrought eval \"('fadd', a, 1.0)\" --vectors -\n"
      "  echo '{\"a\":\"0x40000000\",\"b\":\"0x3f800000\"}' > v.jsonl\n"
      "  rewrought eval \"[ADD(r(F), a(F), -b(F)).sat()]\" --machine intel_gen9 --vectors v.jsonl\n"
      "  rewrought eval \"('fadd', a, 1.0)\" --vectors v.jsonl --server 127.0.0.1:50051");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
