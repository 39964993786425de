// The one way from gRPC to a handler's method, of all services: it admits the caller by the role that the schema gives
// the method, and turns what the handler says into the answer's status. A method is its logic alone.
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

// A service of rewrought.v1. A derived class has one method for each of the schema's, of the form
//
//   absl::Status GetRule(Call& call, const v1::GetRuleRequest& request, v1::GetRuleResponse* response);
//   absl::Status WatchRun(Call& call, const v1::WatchRunRequest& request, Stream<v1::WatchRunResponse>* stream);
//
// and hands them all to Serve; which one is which their requests tell.
class Service : public grpc::Service {
 public:
  const std::string& name() const { return schema_->full_name(); }

  // Whether each method of the schema is served, as the schema says, and has a role. Internal names one that is not.
  absl::Status Check() const;

 protected:
  // `name`: "rewrought.v1.RuleService".
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

  // As the code that gRPC generates does it, but that requests are read once the caller was admitted.
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

  // The schema's method of these messages. Null where it cannot be served, which Check tells.
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
