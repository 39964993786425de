// ImproveService: streams programs for an expression as the search finds them.
#include <algorithm>

#include "absl/status/status.h"
#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/improve_service.pb.h"
#include "server/handlers/services.h"
#include "server/jobs/engines.h"
#include "server/messages/status.h"
#include "server/messages/time_proto.h"

namespace rewrought::rpc {
namespace {

class ImproveHandler final : public Service {
 public:
  explicit ImproveHandler(const Backend& backend) : Service(backend, "rewrought.v1.ImproveService") {
    Serve(&ImproveHandler::Improve);
  }

  absl::Status Improve(Call& call, const v1::ImproveRequest& request, Stream<v1::ImproveResponse>* stream);
};

absl::Status ImproveHandler::Improve(Call& call, const v1::ImproveRequest& request,
                                     Stream<v1::ImproveResponse>* stream) {
  const auto limit = ReadTimeLimit(request.time_limit(), backend_.limits.max_improve, backend_.limits.default_improve);
  if (!limit.ok()) return limit.status();
  const absl::StatusOr<ir::Term> term = ir::ParseTerm(request.expression());
  if (!term.ok()) return FieldError("expression", term.status().message());
  if (request.machine().empty())
    return FieldError("machine", "is empty; specify a machine listed by `rewrought machines`");
  const auto machine = machine::FindMachine(request.machine());
  if (!machine.ok()) return FieldError("machine", machine.status().message());
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(*limit);
  if (!pass.ok()) return pass.status();
  const ImproveTask task{request.expression(), request.machine(), call.remaining(), call.stop()};
  const absl::Status status =
      backend_.improve->Improve(task, [&](const v1::ImproveResponse& response) { return stream->Write(response); });
  if (absl::Status ended = call.ended(); !ended.ok()) return ended;
  // Reaching the time limit is the normal end of a search.
  return absl::IsCancelled(status) || absl::IsDeadlineExceeded(status) ? absl::OkStatus() : status;
}

}  // namespace

std::unique_ptr<Service> MakeImproveService(const Backend& backend) {
  return std::make_unique<ImproveHandler>(backend);
}

}  // namespace rewrought::rpc
