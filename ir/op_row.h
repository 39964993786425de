// Describes an op as a row of data: its types, its meaning as a term over primitives, and its choices under the float
// contract. NIR's ops (`ir/ops/*.cc`) and every machine's instructions (`machine/descriptions/*.textproto`) are such
// rows. docs/primitives.md defines the language of `meaning`, and ir/float_contract.h the contract.
#ifndef REWROUGHT_IR_OP_ROW_H_
#define REWROUGHT_IR_OP_ROW_H_

#include <cstdint>
#include <string>
#include <vector>

namespace rewrought::ir {

enum class BaseType : uint8_t {
  kUint,  // also for untyped bits, as in NIR
  kInt,
  kFloat,
  kBool,
};

// The maximum number of components of a value, and the letters that name them in rules and meanings, as in NIR.
inline constexpr int kMaxComponents = 16;
inline constexpr char kComponentLetters[] = "xyzwefghijklmnop";

// The type of an operand. If `bits` is 0, the operand has the row's free size, which is the same for the whole node. If
// `components` is 0, the operand has the node's number of components (the op acts per component); otherwise it has
// exactly `components` components.
struct OperandType {
  BaseType base = BaseType::kUint;
  uint8_t bits = 0;
  uint8_t components = 0;

  friend bool operator==(const OperandType&, const OperandType&) = default;
};

// The choices that a row makes under the float contract (docs/float_contract.md 2).
enum class Contract : uint8_t {
  kBits,         // copies bits: makes no choices and flushes nothing
  kArithmetic,   // flushes float sources and a float result according to the mode; a NaN float result is any NaN
  kMayFlush,     // like kArithmetic, but in mode `flush` each flush is optional (fneg fabs fmin fmax fsat f2f)
  kFlushedOnly,  // like kArithmetic, but any value in mode `preserve`, which the hardware does not support
};

enum OpProperty : uint32_t {
  kCommutative = 1u << 0,   // in its first two sources (NIR's _2src_commutative)
  kAssociative = 1u << 1,   // over the reals or modulo 2^n
  kApproximate = 1u << 2,   // approximated by hardware; the meaning uses (approx …)
  kIsConversion = 1u << 3,  // NIR's conversion class
  kIsSelection = 1u << 4,   // NIR's selection class
};

struct OpRow {
  std::string name;
  OperandType result;
  std::vector<OperandType> sources;  // 1 to 4 sources; vec5, vec8 and vec16 have as many sources as components
  Contract contract = Contract::kBits;
  // Terms over primitives (docs/primitives.md). `meaning` defines the result's bits for sources that have been flushed.
  // A row with result.components > 1 has one term per component, separated by ';'.
  std::string meaning;
  std::string poison = "";     // 1-bit condition under which the result may be any value
  std::string free_zero = "";  // 1-bit condition under which the sign of a zero result is free
  std::string tiny = "";       // 1-bit condition under which the result was rounded up to ± the smallest normal
  uint32_t properties = 0;
  std::string reference;  // the document and section that define the meaning
  // The possible values of the free size. If empty, they follow from the operands with the free size: 16 32 64 if one
  // of them is a float, 1 8 16 32 if the first is a bool, and otherwise 1 8 16 32 64.
  std::vector<uint8_t> free_sizes = {};
  // 1-bit conditions under which the result, read as a signed or an unsigned number, differs from the exact one. An
  // instruction that is marked no_signed_wrap or no_unsigned_wrap never gets such operands (nir.h, nir_alu_instr). If a
  // condition is empty, the corresponding mark guarantees nothing.
  std::string signed_wrap = "";
  std::string unsigned_wrap = "";
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_OP_ROW_H_
