#include "server/rpc/handlers/eval_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "machine/evaluate_text.h"
#include "machine/machine.h"
#include "server/rpc/messages/rule_proto.h"
#include "server/rpc/messages/status.h"
#include "server/rpc/messages/verdict_proto.h"
#include "verifier/verdict_message.h"

namespace rewrought::rpc {
namespace {

absl::StatusOr<machine::NamedValues> ReadVector(const v1::EvaluateRequest::Vector& vector, const std::string& field) {
  machine::NamedValues values;
  for (const auto& [name, text] : vector.values()) {
    const absl::StatusOr<machine::HexValue> value = machine::ParseHexValue(text);
    if (!value.ok()) return FieldError(absl::StrCat(field, ".values[\"", name, "\"]"), value.status().message());
    values[name] = *value;
  }
  return values;
}

}  // namespace

grpc::Status EvalServiceHandler::Evaluate(grpc::ServerContext* context, const v1::EvaluateRequest* request,
                                          v1::EvaluateResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kCheck); !status.ok()) return ToGrpc(status);
  return ToGrpc(EvaluateAll(context, *request, response));
}

absl::Status EvalServiceHandler::EvaluateAll(grpc::ServerContext* context, const v1::EvaluateRequest& request,
                                             v1::EvaluateResponse* response) {
  const absl::StatusOr<ir::DenormMode> mode = ModeFromProto(request.mode(), "mode");
  if (!mode.ok()) return mode.status();
  if (request.vectors_size() > backend_.limits.vectors) {
    return absl::ResourceExhaustedError(absl::StrCat("vectors: ", request.vectors_size(), " are more than ",
                                                     backend_.limits.vectors, "; send several calls"));
  }
  const machine::Machine* machine = nullptr;
  if (!request.machine().empty()) {
    const absl::StatusOr<const machine::Machine*> found = machine::FindMachine(request.machine());
    if (!found.ok()) return FieldError("machine", found.status().message());
    machine = *found;
  }
  const absl::StatusOr<ir::Term> term = machine::ReadTermOrProgram(request.text(), machine);
  if (!term.ok()) return FieldError("text", term.status().message());
  *response->mutable_term() = ToProto(*term);
  const Call call(backend_.calls, context, backend_.limits.max_call);
  for (int i = 0; i < request.vectors_size(); ++i) {
    if (call.stop().stop_requested()) {
      const absl::Status ended = call.ended();
      return ended.ok() ? absl::ResourceExhaustedError("the call's time limit passed; send fewer vectors") : ended;
    }
    const std::string field = absl::StrCat("vectors[", i, "]");
    const absl::StatusOr<machine::NamedValues> values = ReadVector(request.vectors(i), field);
    if (!values.ok()) return values.status();
    const absl::StatusOr<machine::Evaluated> evaluated = machine::EvaluateTerm(*term, *mode, *values);
    if (!evaluated.ok()) return FieldError(field, evaluated.status().message());
    v1::EvaluateResponse::Result* result = response->add_results();
    for (std::string& text : verifier::AllowedTexts(evaluated->allowed, evaluated->bits)) {
      result->add_allowed(std::move(text));
    }
    result->set_many(evaluated->many);
  }
  return absl::OkStatus();
}

}  // namespace rewrought::rpc
