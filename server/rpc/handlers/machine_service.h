// MachineService: the machines as they are described, with the source of every number.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_MACHINE_SERVICE_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_MACHINE_SERVICE_H_

#include "proto/rewrought/v1/machines.grpc.pb.h"
#include "server/rpc/handlers/backend.h"

namespace rewrought::rpc {

class MachineServiceHandler final : public v1::MachineService::Service {
 public:
  explicit MachineServiceHandler(const Backend& backend) : backend_(backend) {}

  grpc::Status ListMachines(grpc::ServerContext* context, const v1::ListMachinesRequest* request,
                            v1::ListMachinesResponse* response) override;
  grpc::Status GetMachine(grpc::ServerContext* context, const v1::GetMachineRequest* request,
                          v1::GetMachineResponse* response) override;

 private:
  const Backend backend_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_MACHINE_SERVICE_H_
