// EvalService: what a term or program may give on given inputs.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_EVAL_SERVICE_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_EVAL_SERVICE_H_

#include "absl/status/status.h"
#include "proto/rewrought/v1/services.grpc.pb.h"
#include "server/rpc/handlers/backend.h"

namespace rewrought::rpc {

class EvalServiceHandler final : public v1::EvalService::Service {
 public:
  explicit EvalServiceHandler(const Backend& backend) : backend_(backend) {}

  grpc::Status Evaluate(grpc::ServerContext* context, const v1::EvaluateRequest* request,
                        v1::EvaluateResponse* response) override;

 private:
  absl::Status EvaluateAll(grpc::ServerContext* context, const v1::EvaluateRequest& request,
                           v1::EvaluateResponse* response);

  const Backend backend_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_EVAL_SERVICE_H_
