#include "server/handlers/open_call.h"

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  explicit UnaryCall(std::unique_ptr<OpenCall> open) : open_(std::move(open)) {}

  void Work(const std::function<absl::Status(Call&)>& work) {
    const absl::Status status = work(open_->call);
    open_->call.Sending(true);
    Finish(ToGrpc(status));  // must be last, because gRPC may end the call immediately
  }
  const std::string& client() const { return open_->call.client(); }
  void OnCancel() override {
    if (open_ != nullptr) open_->call.Cancel();
  }
  void OnDone() override { delete this; }

 private:
  const std::unique_ptr<OpenCall> open_;  // null if the call was refused
};

}  // namespace

absl::StatusOr<std::unique_ptr<OpenCall>> OpenCall::Admit(const Backend& backend, Role role, bool stream,
                                                          grpc::CallbackServerContext* context) {
  const absl::StatusOr<Caller> caller = CallerOf(*context);
  if (!caller.ok()) return caller.status();
  if (caller->role < role) return absl::PermissionDeniedError("the caller's role does not allow this method");
  if (backend.database != nullptr) {
    if (absl::Status status = backend.database->Check(); !status.ok()) return status;
  }
  absl::StatusOr<Limiter::Pass> place = (stream ? backend.open_streams : backend.open_calls)->Enter({}, caller->client);
  if (!place.ok()) return place.status();
  return std::unique_ptr<OpenCall>(
      new OpenCall{*std::move(place),
                   {backend.calls, role == Role::kRead ? backend.scans : backend.computations, caller->client,
                    backend.limits.write, context}});
}

absl::Status ReadRequest(const grpc::ByteBuffer& bytes, google::protobuf::Message* request) {
  grpc::ByteBuffer own = bytes;  // shares the bytes instead of copying them
  grpc::ProtoBufferReader reader(&own);
  if (request->ParseFromZeroCopyStream(&reader)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the request is not a valid ", request->GetTypeName()));
}

grpc::ServerUnaryReactor* StartUnaryCall(const Backend& backend, Role role, grpc::CallbackServerContext* context,
                                         std::function<absl::Status(Call&)> work) {
  absl::StatusOr<std::unique_ptr<OpenCall>> open = OpenCall::Admit(backend, role, false, context);
  if (!open.ok()) {
    auto* const refused = new UnaryCall(nullptr);
    refused->Finish(ToGrpc(open.status()));
    return refused;
  }
  auto* const call = new UnaryCall(*std::move(open));
  backend.pool->Do(call->client(), [call, work = std::move(work)] { call->Work(work); });
  return call;
}

}  // namespace rewrought::rpc
