// CheckService: verifies one rule, within the caller's deadline.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_CHECK_SERVICE_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_CHECK_SERVICE_H_

#include "absl/status/status.h"
#include "proto/rewrought/v1/services.grpc.pb.h"
#include "server/rpc/handlers/backend.h"
#include "server/rpc/handlers/verdict_cache.h"

namespace rewrought::rpc {

class CheckServiceHandler final : public v1::CheckService::Service {
 public:
  explicit CheckServiceHandler(const Backend& backend) : backend_(backend) {}

  grpc::Status CheckRule(grpc::ServerContext* context, const v1::CheckRuleRequest* request,
                         v1::CheckRuleResponse* response) override;

 private:
  absl::Status Check(grpc::ServerContext* context, const v1::CheckRuleRequest& request,
                     v1::CheckRuleResponse* response);

  const Backend backend_;
  VerdictCache verdicts_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_CHECK_SERVICE_H_
