// A gRPC call, from its admission to its last byte. No thread is blocked while the client reads the response or waits
// for more of it.
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

// An admitted call, which occupies a slot among the open calls of its client.
struct OpenCall {
  Limiter::Pass place;
  Call call;

  // Fails with CallerOf's errors, with PermissionDenied if the caller's role is too low, or with ResourceExhausted if
  // too many calls or streams are open.
  static absl::StatusOr<std::unique_ptr<OpenCall>> Admit(const Backend& backend, Role role, bool stream,
                                                         grpc::CallbackServerContext* context);
};

// Parses a request. Fails with InvalidArgument if the bytes are not a valid message.
absl::Status ReadRequest(const grpc::ByteBuffer& bytes, google::protobuf::Message* request);

// Answers a unary call. `work` runs on a thread of the pool.
grpc::ServerUnaryReactor* StartUnaryCall(const Backend& backend, Role role, grpc::CallbackServerContext* context,
                                         std::function<absl::Status(Call&)> work);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_OPEN_CALL_H_
