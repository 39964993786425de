// Converts costs to messages, for packs, stored rules and the service.
#ifndef REWROUGHT_MACHINE_COST_MESSAGE_H_
#define REWROUGHT_MACHINE_COST_MESSAGE_H_

#include "machine/cost.h"
#include "proto/rewrought/v1/rule.pb.h"

namespace rewrought::machine {

// Converts all fields except `peak_registers`, which the message does not have.
v1::ProgramCost CostMessage(const Cost& cost);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_COST_MESSAGE_H_
