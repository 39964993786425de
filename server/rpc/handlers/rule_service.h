// RuleService: reads stored rules, and verifies them without their preconditions.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_RULE_SERVICE_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_RULE_SERVICE_H_

#include "absl/status/status.h"
#include "proto/rewrought/v1/services.grpc.pb.h"
#include "server/rpc/handlers/backend.h"

namespace rewrought::rpc {

class RuleServiceHandler final : public v1::RuleService::Service {
 public:
  explicit RuleServiceHandler(const Backend& backend) : backend_(backend) {}

  grpc::Status GetRule(grpc::ServerContext* context, const v1::GetRuleRequest* request,
                       v1::GetRuleResponse* response) override;
  grpc::Status ListRules(grpc::ServerContext* context, const v1::ListRulesRequest* request,
                         v1::ListRulesResponse* response) override;
  grpc::Status SearchRules(grpc::ServerContext* context, const v1::SearchRulesRequest* request,
                           v1::SearchRulesResponse* response) override;
  grpc::Status ListRuleHits(grpc::ServerContext* context, const v1::ListRuleHitsRequest* request,
                            v1::ListRuleHitsResponse* response) override;
  grpc::Status GetAssembly(grpc::ServerContext* context, const v1::GetAssemblyRequest* request,
                           v1::GetAssemblyResponse* response) override;
  grpc::Status DropPreconditions(grpc::ServerContext* context, const v1::DropPreconditionsRequest* request,
                                 grpc::ServerWriter<v1::DropPreconditionsResponse>* writer) override;

 private:
  absl::Status Get(const v1::GetRuleRequest& request, v1::GetRuleResponse* response);
  absl::Status List(const v1::ListRulesRequest& request, v1::ListRulesResponse* response);
  absl::Status Search(const Call& call, const v1::SearchRulesRequest& request, v1::SearchRulesResponse* response);
  absl::Status ListHits(const v1::ListRuleHitsRequest& request, v1::ListRuleHitsResponse* response);
  absl::Status Assembly(const v1::GetAssemblyRequest& request, v1::GetAssemblyResponse* response);
  absl::Status Drop(grpc::ServerContext* context, const v1::DropPreconditionsRequest& request,
                    grpc::ServerWriter<v1::DropPreconditionsResponse>* writer);

  const Backend backend_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_RULE_SERVICE_H_
