// One op as one row of data: its types, its meaning as a term over primitives, and which choices of the float contract
// it makes. NIR's ops (`ir/ops/*.cc`) and every machine's instructions (`machine/descriptions/*.textproto`) are rows of
// this one kind; the language of `meaning` is docs/primitives.md, the contract ir/float_contract.h.
#ifndef REWROUGHT_IR_OP_ROW_H_
#define REWROUGHT_IR_OP_ROW_H_

#include <cstdint>
#include <string>
#include <vector>

namespace rewrought::ir {

enum class BaseType : uint8_t {
  kUint,  // bits without a type of their own count as kUint, as in NIR
  kInt,
  kFloat,
  kBool,
};

// The most components that a value has, and the letters by which rules and meanings name them, as NIR does.
inline constexpr int kMaxComponents = 16;
inline constexpr char kComponentLetters[] = "xyzwefghijklmnop";

// The type of one operand. `bits` 0: the row's free size, one per node. `components` 0: as many as the node has (the op
// acts per component); otherwise the op takes or gives exactly that many.
struct OperandType {
  BaseType base = BaseType::kUint;
  uint8_t bits = 0;
  uint8_t components = 0;

  friend bool operator==(const OperandType&, const OperandType&) = default;
};

// Which choices of the float contract a row makes (docs/float_contract.md 2).
enum class Contract : uint8_t {
  kBits,         // passes bits through: chooses nothing, flushes nothing
  kArithmetic,   // flushes each source typed float and a float result as the mode says; a NaN float result is any NaN
  kMayFlush,     // as kArithmetic, but in mode `flush` each flush is optional (fneg fabs fmin fmax fsat f2f)
  kFlushedOnly,  // as kArithmetic; in mode `preserve` the hardware does nothing of the kind: any value
};

enum OpProperty : uint32_t {
  kCommutative = 1u << 0,   // in its first two sources (NIR's _2src_commutative)
  kAssociative = 1u << 1,   // over the reals or modulo 2^n
  kApproximate = 1u << 2,   // hardware approximates it: its meaning uses (approx …)
  kIsConversion = 1u << 3,  // NIR's conversion class
  kIsSelection = 1u << 4,   // NIR's selection class
};

struct OpRow {
  std::string name;
  OperandType result;
  std::vector<OperandType> sources;  // 1 to 4; of vec5, vec8 and vec16 as many as components
  Contract contract = Contract::kBits;
  // Terms over primitives (docs/primitives.md). `meaning` gives the result's bits for flushed sources; for a row with
  // result.components > 1 it gives one term per component, separated by ';'.
  std::string meaning;
  std::string poison = "";     // 1-bit: the result may be any value
  std::string free_zero = "";  // 1-bit: if the result is a zero, its sign is free
  std::string tiny = "";       // 1-bit: result is ± the smallest normal, rounded up from below it
  uint32_t properties = 0;
  std::string reference;  // where the meaning is stated: document and section
  // Sizes that the free size may take; empty: float 16 32 64, bool 1 8 16 32, integers 1 8 16 32 64, by the type of the
  // first operand with the free size.
  std::vector<uint8_t> free_sizes = {};
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_OP_ROW_H_
