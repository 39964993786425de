// Connects gRPC to the methods of all handlers: admits a caller only if it has the role that the schema requires for
// the method, and converts the method's status for the response. The handlers themselves contain no transport code.
#ifndef REWROUGHT_SERVER_HANDLERS_SERVICE_H_
#define REWROUGHT_SERVER_HANDLERS_SERVICE_H_

#include <google/protobuf/descriptor.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/byte_buffer.h>

#include <map>
#include <string>

#include "absl/status/status.h"
#include "server/handlers/backend.h"
#include "server/handlers/open_call.h"
#include "server/handlers/stream.h"

namespace rewrought::rpc {

// A service of rewrought.v1. For each method of the schema, a derived class has one method of one of these forms:
//
//   absl::Status GetRule(Call& call, const v1::GetRuleRequest& request, v1::GetRuleResponse* response);
//   absl::Status WatchRun(Call& call, const v1::WatchRunRequest& request, Stream<v1::WatchRunResponse>* stream);
//
// and passes all of them to Serve, which identifies each method by its request type.
class Service : public grpc::Service {
 public:
  const std::string& name() const { return schema_->full_name(); }

  // Fails with Internal, naming a method, if a method of the schema has no role, or no handler with a matching
  // signature.
  absl::Status Check() const;

 protected:
  // `name` is the full name, such as "rewrought.v1.RuleService".
  Service(const Backend& backend, const char* name);

  template <typename... Methods>
  void Serve(Methods... methods) {
    (Add(methods), ...);
  }

  const Backend backend_;

 private:
  using RpcMethod = grpc::internal::RpcMethod;

  struct Served {
    std::string path;  // "/rewrought.v1.RuleService/GetRule"
    Role role;
  };

  // Registers a method as gRPC's generated code does, except that a request is parsed only after its caller has been
  // admitted.
  template <typename Handler, typename Request, typename Response>
  void Add(absl::Status (Handler::*method)(Call&, const Request&, Response*)) {
    const Served* served = Find(Request::descriptor(), Response::descriptor(), false);
    if (served == nullptr) return;
    const auto start = [this, method, role = served->role](grpc::CallbackServerContext* context,
                                                           const grpc::ByteBuffer* bytes, Response* response) {
      return StartUnaryCall(backend_, role, context, [this, method, bytes, response](Call& call) {
        Request request;
        if (absl::Status status = ReadRequest(*bytes, &request); !status.ok()) return status;
        return (static_cast<Handler*>(this)->*method)(call, request, response);
      });
    };
    Register(*served, RpcMethod::NORMAL_RPC,
             new grpc::internal::CallbackUnaryHandler<grpc::ByteBuffer, Response>(start));
  }

  template <typename Handler, typename Request, typename Response>
  void Add(absl::Status (Handler::*method)(Call&, const Request&, Stream<Response>*)) {
    const Served* served = Find(Request::descriptor(), Response::descriptor(), true);
    if (served == nullptr) return;
    const auto start = [this, method, role = served->role](grpc::CallbackServerContext* context,
                                                           const grpc::ByteBuffer* bytes) {
      return StreamCall<Response>::Start(backend_, role, context,
                                         [this, method, bytes](Call& call, Stream<Response>* stream) {
                                           Request request;
                                           if (absl::Status status = ReadRequest(*bytes, &request); !status.ok())
                                             return status;
                                           return (static_cast<Handler*>(this)->*method)(call, request, stream);
                                         });
    };
    Register(*served, RpcMethod::SERVER_STREAMING,
             new grpc::internal::CallbackServerStreamingHandler<grpc::ByteBuffer, Response>(start));
  }

  // Returns the schema's method with these request and response messages, or null if it cannot be served; Check then
  // reports the reason.
  const Served* Find(const google::protobuf::Descriptor* request, const google::protobuf::Descriptor* response,
                     bool streams);
  void Register(const Served& served, RpcMethod::RpcType type, grpc::internal::MethodHandler* handler);

  const google::protobuf::ServiceDescriptor* const schema_;
  std::map<const google::protobuf::MethodDescriptor*, Served> served_;
  int registered_ = 0;
  absl::Status problem_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_SERVICE_H_
