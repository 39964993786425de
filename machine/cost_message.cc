#include "machine/cost_message.h"

namespace rewrought::machine {

v1::ProgramCost CostMessage(const Cost& cost) {
  v1::ProgramCost message;
  message.set_instructions(static_cast<uint32_t>(cost.instructions));
  message.set_cycles(cost.issue_cycles);
  message.set_latency(cost.latency);
  message.set_bytes(static_cast<uint32_t>(cost.bytes));
  return message;
}

}  // namespace rewrought::machine
