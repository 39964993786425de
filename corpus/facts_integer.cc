// Implements the transfer functions of integer ops, which compute known bits and an unsigned upper bound. Arithmetic is
// modulo 2^width, so there is a bound only if wrap-around is impossible.
#include <algorithm>

#include "absl/strings/match.h"
#include "corpus/facts_transfer.h"
#include "ir/facts/value_facts.h"
#include "ir/scalar.h"

namespace rewrought::corpus {
namespace {

uint64_t MaxOf(const FactOperand& operand) { return std::min(operand.facts.max_unsigned, ir::MaskOf(operand.bits)); }

ir::ValueFacts AtMost(uint64_t bound) {
  ir::ValueFacts facts;
  facts.max_unsigned = bound;
  return facts;
}

bool TransferLogic(absl::string_view op, uint8_t bits, const std::vector<FactOperand>& operands,
                   ir::ValueFacts* facts) {
  const ir::ValueFacts& a = operands[0].facts;
  if (op == "inot") {
    facts->known_zero = a.known_one;
    facts->known_one = a.known_zero & ir::MaskOf(bits);
    return true;
  }
  if (op != "iand" && op != "ior" && op != "ixor") return false;
  const ir::ValueFacts& b = operands[1].facts;
  if (op == "iand") {
    facts->known_zero = a.known_zero | b.known_zero;
    facts->known_one = a.known_one & b.known_one;
    facts->max_unsigned = std::min(MaxOf(operands[0]), MaxOf(operands[1]));
  } else if (op == "ior") {
    facts->known_zero = a.known_zero & b.known_zero;
    facts->known_one = a.known_one | b.known_one;
  } else {
    facts->known_zero = (a.known_zero & b.known_zero) | (a.known_one & b.known_one);
    facts->known_one = (a.known_zero & b.known_one) | (a.known_one & b.known_zero);
  }
  return true;
}

// Handles shifts by constant counts. NIR masks the count to the width.
bool TransferShift(absl::string_view op, uint8_t bits, const std::vector<FactOperand>& operands,
                   ir::ValueFacts* facts) {
  if (op != "ushr" && op != "ishl" && op != "ishr") return false;
  const ir::ValueFacts& a = operands[0].facts;
  const uint64_t mask = ir::MaskOf(bits);
  if (!operands[1].constant || bits < 8) {
    if (op == "ushr") facts->max_unsigned = MaxOf(operands[0]);
    return true;
  }
  const unsigned count = static_cast<unsigned>(operands[1].value & (bits - 1u));
  const bool clear_top = (a.known_zero >> (bits - 1) & 1u) != 0;
  if (op == "ishl") {
    facts->known_zero = ((a.known_zero << count) | ir::MaskOf(static_cast<int>(count))) & mask;
    facts->known_one = (a.known_one << count) & mask;
    // If no bit of the largest value is shifted out, the largest result is the shifted largest value.
    if (MaxOf(operands[0]) <= mask >> count) facts->max_unsigned = MaxOf(operands[0]) << count;
  } else if (op == "ushr" || clear_top) {
    facts->known_zero = (a.known_zero >> count) | (mask & ~(mask >> count));
    facts->known_one = a.known_one >> count;
    facts->max_unsigned = MaxOf(operands[0]) >> count;
  }
  return true;
}

// Handles sums and products that cannot overflow, minima and maxima, and quotients and remainders.
bool TransferArithmetic(absl::string_view op, uint8_t bits, const std::vector<FactOperand>& operands,
                        ir::ValueFacts* facts) {
  if (operands.size() < 2) return false;
  const uint64_t mask = ir::MaskOf(bits);
  const uint64_t a = MaxOf(operands[0]);
  const uint64_t b = MaxOf(operands[1]);
  if (op == "iadd") {
    if (a <= mask - b) *facts = AtMost(a + b);
  } else if (op == "imul" || op == "imul24" || op == "umul24" || op == "amul") {
    const bool fits = b == 0 || a <= mask / b;
    // imul24 multiplies signed 24-bit numbers, so its result is the product of the operands only if both are small and
    // not negative.
    const bool small = op == "imul" || op == "amul" || (a < (1u << 23) && b < (1u << 23));
    if (fits && small) *facts = AtMost(a * b);
  } else if (op == "umin") {
    *facts = AtMost(std::min(a, b));
  } else if (op == "umax") {
    *facts = AtMost(std::max(a, b));
  } else if (op == "udiv") {
    // In NIR, x / 0 is 0.
    *facts = AtMost(operands[1].constant && operands[1].value != 0 ? a / operands[1].value : a);
  } else if (op == "umod") {
    // In NIR, x % 0 is 0.
    *facts = AtMost(b == 0 ? 0 : std::min(a, b - 1));
  } else {
    return false;
  }
  return true;
}

}  // namespace

ir::ValueFacts TransferInteger(absl::string_view op, uint8_t bits, const std::vector<FactOperand>& operands) {
  ir::ValueFacts facts;
  if (operands.empty()) return facts;
  if (TransferLogic(op, bits, operands, &facts) || TransferShift(op, bits, operands, &facts) ||
      TransferArithmetic(op, bits, operands, &facts)) {
    return facts;
  }
  const uint64_t mask = ir::MaskOf(bits);
  if (absl::StartsWith(op, "b2i")) {
    facts = AtMost(1);
    facts.from_bool = true;
  } else if (absl::StartsWith(op, "u2u")) {
    // The operand is truncated to its low bits or zero-extended.
    facts.known_zero = (operands[0].facts.known_zero | ~ir::MaskOf(operands[0].bits)) & mask;
    facts.known_one = operands[0].facts.known_one & mask;
    if (MaxOf(operands[0]) <= mask) facts.max_unsigned = MaxOf(operands[0]);
  } else if (absl::StartsWith(op, "i2i")) {
    const bool clear_top = (operands[0].facts.known_zero >> (operands[0].bits - 1) & 1u) != 0;
    if (clear_top && MaxOf(operands[0]) <= mask) facts.max_unsigned = MaxOf(operands[0]);
  } else if (op == "extract_u8") {
    // Bytes beyond the width are poison, not zero.
    if (operands.size() > 1 && operands[1].constant && operands[1].value < bits / 8u) facts = AtMost(0xff);
  } else if (op == "extract_u16") {
    if (operands.size() > 1 && operands[1].constant && operands[1].value < bits / 16u) facts = AtMost(0xffff);
  } else if (op == "bit_count") {
    facts = AtMost(operands[0].bits);
  } else if (op == "ubfe" && operands.size() == 3 && operands[2].constant && operands[1].constant) {
    const uint64_t offset = operands[1].value & 31u;
    const uint64_t count = operands[2].value & 31u;
    // If offset + count is at least 32, the result is the whole upper part.
    facts = AtMost(count == 0 ? 0 : offset + count < 32 ? ir::MaskOf(static_cast<int>(count)) : mask >> offset);
  } else if (absl::StartsWith(op, "f2u") && ir::IsFloatWidth(operands[0].bits)) {
    // For a NaN or an out-of-range value, the result is poison, so there is a bound only if neither is possible.
    // Flushing a denormal and truncating a fraction only move the value toward zero.
    const ir::ValueFacts& a = operands[0].facts;
    if (a.number && a.low >= 0 && a.high < static_cast<double>(mask) && a.high < 9e18) {
      facts = AtMost(static_cast<uint64_t>(a.high));
    }
  } else if (absl::StartsWith(op, "f2i") && ir::IsFloatWidth(operands[0].bits) && bits >= 8) {
    const ir::ValueFacts& a = operands[0].facts;
    if (a.number && a.low >= 0 && a.high < static_cast<double>(mask >> 1) && a.high < 9e18) {
      facts = AtMost(static_cast<uint64_t>(a.high));
    }
  }
  return facts;
}

}  // namespace rewrought::corpus
