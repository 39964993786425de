// Creates the services of `rewrought serve`. Each is implemented in a file <name>_service.cc.
#ifndef REWROUGHT_SERVER_HANDLERS_SERVICES_H_
#define REWROUGHT_SERVER_HANDLERS_SERVICES_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "server/handlers/service.h"

namespace rewrought::rpc {

// Returns all services. The objects in `backend` must outlive them. Fails with Service::Check's errors.
absl::StatusOr<std::vector<std::unique_ptr<Service>>> MakeServices(const Backend& backend);

std::unique_ptr<Service> MakeAuditService(const Backend& backend);
std::unique_ptr<Service> MakeCheckService(const Backend& backend);
std::unique_ptr<Service> MakeCorpusService(const Backend& backend);
std::unique_ptr<Service> MakeEvalService(const Backend& backend);
std::unique_ptr<Service> MakeImproveService(const Backend& backend);
std::unique_ptr<Service> MakeMachineService(const Backend& backend);
std::unique_ptr<Service> MakePackService(const Backend& backend);
std::unique_ptr<Service> MakeRuleService(const Backend& backend);
std::unique_ptr<Service> MakeRunService(const Backend& backend);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_SERVICES_H_
