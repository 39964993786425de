// MachineService: serves the machine descriptions, including the source of every number.
#include <vector>

#include "absl/strings/str_cat.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/machine_service.pb.h"
#include "server/handlers/services.h"
#include "server/messages/paging.h"

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

class MachineHandler final : public Service {
 public:
  explicit MachineHandler(const Backend& backend) : Service(backend, "rewrought.v1.MachineService") {
    Serve(&MachineHandler::ListMachines, &MachineHandler::GetMachine);
  }

  absl::Status ListMachines(Call& call, const v1::ListMachinesRequest& request, v1::ListMachinesResponse* response);
  absl::Status GetMachine(Call& call, const v1::GetMachineRequest& request, v1::GetMachineResponse* response);
};

absl::Status MachineHandler::ListMachines(Call&, const v1::ListMachinesRequest& request,
                                          v1::ListMachinesResponse* response) {
  const absl::StatusOr<Page> page = Page::Numbered(request);
  if (!page.ok()) return page.status();
  const std::vector<const machine::Machine*>& machines = machine::AllMachines();
  for (size_t i = page->number(); i < machines.size(); ++i) {
    if (i - page->number() == page->size()) {
      response->set_next_page_token(page->TokenOf(absl::StrCat(i)));
      break;
    }
    Summarise(*machines[i], response->add_machines());
  }
  return absl::OkStatus();
}

absl::Status MachineHandler::GetMachine(Call&, const v1::GetMachineRequest& request, v1::GetMachineResponse* response) {
  const absl::StatusOr<const machine::Machine*> found = machine::FindMachine(request.id());
  if (!found.ok()) return found.status();
  *response->mutable_machine() = (*found)->description();
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Service> MakeMachineService(const Backend& backend) {
  return std::make_unique<MachineHandler>(backend);
}

}  // namespace rewrought::rpc
