// The one way from gRPC to a handler's method, of all services: it admits the caller by the role that the schema gives
// the method, and turns what the handler says into the answer's status. A method is its logic alone.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_SERVICE_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_SERVICE_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/method_handler.h>
#include <grpcpp/support/sync_stream.h>

#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "server/rpc/handlers/backend.h"

namespace rewrought::rpc {

// A service of rewrought.v1. A derived class has one method for each of the schema's, of the form
//
//   absl::Status GetRule(Call& call, const v1::GetRuleRequest& request, v1::GetRuleResponse* response);
//   absl::Status WatchRun(Call& call, const v1::WatchRunRequest& request,
//                         grpc::ServerWriter<v1::WatchRunResponse>* writer);
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

  template <typename Handler, typename Request, typename Response>
  void Add(absl::Status (Handler::*method)(Call&, const Request&, Response*)) {
    using Adapter = grpc::internal::RpcMethodHandler<Service, Request, Response, google::protobuf::MessageLite,
                                                     google::protobuf::MessageLite>;
    Register<Adapter>(method, RpcMethod::NORMAL_RPC, Find(Request::descriptor(), Response::descriptor(), false));
  }

  template <typename Handler, typename Request, typename Response>
  void Add(absl::Status (Handler::*method)(Call&, const Request&, grpc::ServerWriter<Response>*)) {
    using Adapter = grpc::internal::ServerStreamingHandler<Service, Request, Response>;
    Register<Adapter>(method, RpcMethod::SERVER_STREAMING, Find(Request::descriptor(), Response::descriptor(), true));
  }

  // As the code that gRPC generates does it.
  template <typename Adapter, typename Handler, typename Request, typename Answer>
  void Register(absl::Status (Handler::*method)(Call&, const Request&, Answer*), RpcMethod::RpcType type,
                const Served* served) {
    if (served == nullptr) return;
    const auto call = [method, role = served->role](Service* service, grpc::ServerContext* context,
                                                    const Request* request, Answer* answer) {
      return service->Handle(context, role, [&](Call& handled) {
        return (static_cast<Handler*>(service)->*method)(handled, *request, answer);
      });
    };
    AddMethod(new grpc::internal::RpcServiceMethod(served->path.c_str(), type, new Adapter(call, this)));
  }

  // The schema's method of these messages. Null where it cannot be served, which Check tells.
  const Served* Find(const google::protobuf::Descriptor* request, const google::protobuf::Descriptor* response,
                     bool streams);
  grpc::Status Handle(grpc::ServerContext* context, Role role, absl::FunctionRef<absl::Status(Call&)> work) const;

  const google::protobuf::ServiceDescriptor* const schema_;
  std::map<const google::protobuf::MethodDescriptor*, Served> served_;
  absl::Status problem_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_SERVICE_H_
