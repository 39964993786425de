#include "server/handlers/services.h"

namespace rewrought::rpc {
namespace {

constexpr std::unique_ptr<Service> (*kServices[])(const Backend& backend) = {
    MakeAuditService,   MakeCheckService, MakeCorpusService, MakeEvalService, MakeImproveService,
    MakeMachineService, MakePackService,  MakeRuleService,   MakeRunService,
};

}  // namespace

absl::StatusOr<std::vector<std::unique_ptr<Service>>> MakeServices(const Backend& backend) {
  std::vector<std::unique_ptr<Service>> services;
  for (const auto make : kServices) {
    services.push_back(make(backend));
    if (absl::Status status = services.back()->Check(); !status.ok()) return status;
  }
  return services;
}

}  // namespace rewrought::rpc
