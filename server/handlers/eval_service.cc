// EvalService: evaluates a term or a program on given inputs.
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "machine/evaluate_text.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/eval_service.pb.h"
#include "server/handlers/services.h"
#include "server/messages/rule_proto.h"
#include "server/messages/status.h"
#include "server/messages/verdict_proto.h"
#include "verifier/message/verdict_message.h"

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

class EvalHandler final : public Service {
 public:
  explicit EvalHandler(const Backend& backend) : Service(backend, "rewrought.v1.EvalService") {
    Serve(&EvalHandler::Evaluate);
  }

  absl::Status Evaluate(Call& call, const v1::EvaluateRequest& request, v1::EvaluateResponse* response);
};

absl::Status EvalHandler::Evaluate(Call& call, const v1::EvaluateRequest& request, v1::EvaluateResponse* response) {
  const absl::StatusOr<ir::DenormMode> mode = ModeFromProto(request.mode(), "mode");
  if (!mode.ok()) return mode.status();
  if (request.vectors_size() > backend_.limits.vectors) {
    return absl::ResourceExhaustedError(absl::StrCat("vectors: ", request.vectors_size(), " exceeds the limit of ",
                                                     backend_.limits.vectors, "; split them over several calls"));
  }
  const machine::Machine* machine = nullptr;
  if (!request.machine().empty()) {
    const absl::StatusOr<const machine::Machine*> found = machine::FindMachine(request.machine());
    if (!found.ok()) return FieldError("machine", found.status().message());
    machine = *found;
  }
  const absl::StatusOr<ir::Dialect> dialect = DialectFromProto(request.dialect(), machine != nullptr);
  if (!dialect.ok()) return dialect.status();
  const absl::StatusOr<ir::Term> term = machine::ReadTermOrProgram(request.text(), machine, *dialect);
  if (!term.ok()) return FieldError("text", term.status().message());
  *response->mutable_term() = ToProto(*term);
  response->set_dialect(verifier::DialectProto(*dialect));
  if (request.vectors_size() == 0) return absl::OkStatus();  // parsing alone does not need a slot
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(backend_.limits.max_call);
  if (!pass.ok()) return pass.status();
  for (int i = 0; i < request.vectors_size(); ++i) {
    if (call.stop().stop_requested()) {
      const absl::Status ended = call.ended();
      return ended.ok() ? absl::ResourceExhaustedError("the call's time limit expired; send fewer vectors") : ended;
    }
    const std::string field = absl::StrCat("vectors[", i, "]");
    const absl::StatusOr<machine::NamedValues> values = ReadVector(request.vectors(i), field);
    if (!values.ok()) return values.status();
    const absl::StatusOr<machine::Evaluated> evaluated = machine::EvaluateTerm(*term, *dialect, *mode, *values);
    if (!evaluated.ok()) return FieldError(field, evaluated.status().message());
    v1::EvaluateResponse::Result* result = response->add_results();
    for (std::string& text : verifier::AllowedTexts(evaluated->allowed, evaluated->bits)) {
      result->add_allowed(std::move(text));
    }
    result->set_many(evaluated->many);
  }
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Service> MakeEvalService(const Backend& backend) { return std::make_unique<EvalHandler>(backend); }

}  // namespace rewrought::rpc
