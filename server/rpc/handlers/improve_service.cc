#include "server/rpc/handlers/improve_service.h"

#include <algorithm>
#include <cmath>

#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "server/rpc/messages/status.h"

namespace rewrought::rpc {

grpc::Status ImproveServiceHandler::Improve(grpc::ServerContext* context, const v1::ImproveRequest* request,
                                            grpc::ServerWriter<v1::ImproveResponse>* writer) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kCheck); !status.ok()) return ToGrpc(status);
  return ToGrpc(Stream(context, *request, writer));
}

absl::Status ImproveServiceHandler::Stream(grpc::ServerContext* context, const v1::ImproveRequest& request,
                                           grpc::ServerWriter<v1::ImproveResponse>* writer) {
  if (!std::isfinite(request.seconds()) || request.seconds() < 0) {
    return FieldError("seconds", "is no number of seconds from 0 on");
  }
  const absl::StatusOr<ir::Term> term = ir::ParseTerm(request.expression());
  if (!term.ok()) return FieldError("expression", term.status().message());
  if (request.machine().empty()) return FieldError("machine", "is empty; name one of `rewrought machines`");
  const auto machine = machine::FindMachine(request.machine());
  if (!machine.ok()) return FieldError("machine", machine.status().message());
  const absl::Duration wanted =
      request.seconds() > 0 ? absl::Seconds(request.seconds()) : backend_.limits.default_improve;
  const Call call(backend_.calls, context, std::min(wanted, backend_.limits.max_improve));
  const absl::StatusOr<Limiter::Pass> pass = backend_.limiter->Enter(call.stop(), backend_.access->ClientOf(*context));
  if (!pass.ok()) {
    const absl::Status ended = call.ended();
    if (!ended.ok()) return ended;
    return absl::ResourceExhaustedError("the call's time limit passed while it waited; try again in a few seconds");
  }
  const ImproveTask task{request.expression(), request.machine(), call.remaining(), call.stop()};
  const absl::Status status =
      engine_->Improve(task, [&](const v1::ImproveResponse& response) { return writer->Write(response); });
  if (absl::Status ended = call.ended(); !ended.ok()) return ended;
  // The time limit ends a search as planned.
  return absl::IsCancelled(status) || absl::IsDeadlineExceeded(status) ? absl::OkStatus() : status;
}

}  // namespace rewrought::rpc
