// ImproveService: streams programs for an expression as they are found.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_IMPROVE_SERVICE_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_IMPROVE_SERVICE_H_

#include "absl/status/status.h"
#include "proto/rewrought/v1/services.grpc.pb.h"
#include "server/rpc/handlers/backend.h"
#include "server/rpc/jobs/engines.h"

namespace rewrought::rpc {

class ImproveServiceHandler final : public v1::ImproveService::Service {
 public:
  ImproveServiceHandler(const Backend& backend, ImproveEngine* engine) : backend_(backend), engine_(engine) {}

  grpc::Status Improve(grpc::ServerContext* context, const v1::ImproveRequest* request,
                       grpc::ServerWriter<v1::ImproveResponse>* writer) override;

 private:
  absl::Status Stream(grpc::ServerContext* context, const v1::ImproveRequest& request,
                      grpc::ServerWriter<v1::ImproveResponse>* writer);

  const Backend backend_;
  ImproveEngine* const engine_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_IMPROVE_SERVICE_H_
