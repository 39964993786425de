// The transfer functions of the fact analysis, one per op; internal to corpus/facts.
#ifndef REWROUGHT_CORPUS_FACTS_TRANSFER_H_
#define REWROUGHT_CORPUS_FACTS_TRANSFER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/facts/value_facts.h"

namespace rewrought::corpus {

// One operand of one component's computation.
struct FactOperand {
  ir::ValueFacts facts;
  uint8_t bits = 0;
  uint32_t node = 0;  // operands with the same node and component are the same value
  uint8_t component = 0;
  bool constant = false;
  uint64_t value = 0;  // of a constant
};

// The facts of the literal pattern `value` of `bits` bits.
ir::ValueFacts FactsOfConstant(uint64_t value, uint8_t bits);

// The facts of one component of `op`, whose result has `bits` bits. Nothing known of an op without a transfer function.
// Uniformity is not their business.
ir::ValueFacts TransferFloat(absl::string_view op, uint8_t bits, const std::vector<FactOperand>& operands);
ir::ValueFacts TransferInteger(absl::string_view op, uint8_t bits, const std::vector<FactOperand>& operands);

// True if `op` is one of the float functions above.
bool HasFloatTransfer(absl::string_view op);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FACTS_TRANSFER_H_
