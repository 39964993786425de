#include "server/rpc/handlers/machine_service.h"

#include "machine/machine.h"
#include "server/rpc/messages/status.h"

namespace rewrought::rpc {
namespace {

void Count(const v1::FactSource& source, v1::ListMachinesResponse::Summary* summary) {
  if (source.kind() == v1::FactSource::DOCUMENTED) summary->set_documented(summary->documented() + 1);
  if (source.kind() == v1::FactSource::MEASURED) summary->set_measured(summary->measured() + 1);
  if (source.kind() == v1::FactSource::GUESSED) summary->set_guessed(summary->guessed() + 1);
}

void Summarise(const machine::Machine& machine, v1::ListMachinesResponse::Summary* summary) {
  const v1::Machine& description = machine.description();
  summary->set_id(machine.id());
  summary->set_name(description.name());
  summary->set_family(description.family());
  summary->set_generation(description.generation());
  summary->set_instructions(static_cast<uint32_t>(description.instructions_size()));
  summary->set_variants(static_cast<uint32_t>(machine.variants().size()));
  summary->set_modifiers(static_cast<uint32_t>(description.modifiers_size()));
  summary->set_deviations(static_cast<uint32_t>(description.deviations_size()));
  summary->set_modes(description.modes());
  for (const v1::CostClass& cost : description.costs()) {
    for (const v1::FactSource* source : {&cost.issue_source(), &cost.latency_source(), &cost.bytes_source()}) {
      Count(*source, summary);
    }
  }
}

}  // namespace

grpc::Status MachineServiceHandler::ListMachines(grpc::ServerContext* context, const v1::ListMachinesRequest*,
                                                 v1::ListMachinesResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  for (const machine::Machine* machine : machine::AllMachines()) Summarise(*machine, response->add_machines());
  return grpc::Status::OK;
}

grpc::Status MachineServiceHandler::GetMachine(grpc::ServerContext* context, const v1::GetMachineRequest* request,
                                               v1::GetMachineResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  const absl::StatusOr<const machine::Machine*> found = machine::FindMachine(request->id());
  if (!found.ok()) return ToGrpc(found.status());
  *response->mutable_machine() = (*found)->description();
  return grpc::Status::OK;
}

}  // namespace rewrought::rpc
