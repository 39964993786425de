#include "server/rpc/eval_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/rpc/evaluate_text.h"
#include "server/rpc/status.h"
#include "server/rpc/verdict_proto.h"

namespace rewrought::rpc {
namespace {

absl::StatusOr<NamedValues> ReadVector(const v1::EvaluateRequest::Vector& vector, const std::string& field) {
  NamedValues values;
  for (const auto& [name, text] : vector.values()) {
    const absl::StatusOr<HexValue> value = ParseHexValue(text);
    if (!value.ok()) return FieldError(absl::StrCat(field, ".values[\"", name, "\"]"), value.status().message());
    values[name] = *value;
  }
  return values;
}

}  // namespace

grpc::Status EvalServiceHandler::Evaluate(grpc::ServerContext* context, const v1::EvaluateRequest* request,
                                          v1::EvaluateResponse* response) {
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
  const absl::StatusOr<ir::Term> term = ReadTermOrProgram(request.text(), request.machine());
  if (!term.ok()) return term.status();
  const Call call(backend_.calls, context, backend_.limits.max_call);
  for (int i = 0; i < request.vectors_size(); ++i) {
    if (call.stop().stop_requested()) {
      const absl::Status ended = call.ended();
      return ended.ok() ? absl::ResourceExhaustedError("the call's time limit passed; send fewer vectors") : ended;
    }
    const std::string field = absl::StrCat("vectors[", i, "]");
    const absl::StatusOr<NamedValues> values = ReadVector(request.vectors(i), field);
    if (!values.ok()) return values.status();
    const absl::StatusOr<Evaluated> evaluated = EvaluateTerm(*term, *mode, *values);
    if (!evaluated.ok()) return FieldError(field, evaluated.status().message());
    v1::EvaluateResponse::Result* result = response->add_results();
    for (std::string& text : AllowedTexts(evaluated->allowed, evaluated->bits)) result->add_allowed(std::move(text));
    result->set_many(evaluated->many);
  }
  return absl::OkStatus();
}

}  // namespace rewrought::rpc
