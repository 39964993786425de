// Declares the transfer functions of the fact analysis. Used only by corpus/facts.cc.
#ifndef REWROUGHT_CORPUS_FACTS_TRANSFER_H_
#define REWROUGHT_CORPUS_FACTS_TRANSFER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/facts/value_facts.h"

namespace rewrought::corpus {

struct FactOperand {
  ir::ValueFacts facts;
  uint8_t bits = 0;
  uint32_t node = 0;  // operands whose node and component are equal are the same value
  uint8_t component = 0;
  bool constant = false;
  uint64_t value = 0;  // the value of a constant
};

ir::ValueFacts FactsOfConstant(uint64_t value, uint8_t bits);

// Return the facts of one component of the result of `op`, which has `bits` bits. Return no facts if the op has no
// transfer function. The caller computes uniformity.
ir::ValueFacts TransferFloat(absl::string_view op, uint8_t bits, const std::vector<FactOperand>& operands);
ir::ValueFacts TransferInteger(absl::string_view op, uint8_t bits, const std::vector<FactOperand>& operands);

// Returns whether TransferFloat handles `op`.
bool HasFloatTransfer(absl::string_view op);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FACTS_TRANSFER_H_
