// A call of the gRPC server from its admission to its last byte: while a client takes its answer, or waits for more of
// it, no thread is held.
#ifndef REWROUGHT_SERVER_HANDLERS_OPEN_CALL_H_
#define REWROUGHT_SERVER_HANDLERS_OPEN_CALL_H_

#include <google/protobuf/message.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/access/access.h"
#include "server/access/limiter.h"
#include "server/call.h"
#include "server/handlers/backend.h"

namespace rewrought::rpc {

// A call that was let in, and its place among those of its client.
struct OpenCall {
  Limiter::Pass place;
  Call call;

  // Unauthenticated, PermissionDenied: Access::Admit's; ResourceExhausted: too many calls are open, or streams.
  static absl::StatusOr<std::unique_ptr<OpenCall>> Admit(const Backend& backend, Role role, bool stream,
                                                         grpc::CallbackServerContext* context);
};

// Reads a request. InvalidArgument: it is none.
absl::Status ReadRequest(const grpc::ByteBuffer& bytes, google::protobuf::Message* request);

// Answers a call that gives one message: `work` is done by the pool.
grpc::ServerUnaryReactor* StartUnaryCall(const Backend& backend, Role role, grpc::CallbackServerContext* context,
                                         std::function<absl::Status(Call&)> work);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_OPEN_CALL_H_
