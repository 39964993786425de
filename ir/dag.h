// DAGs of primitives: what ops become once their widths are fixed and the float contract's choices are spelled out.
// Hash-consed and constant-folded, so that two terms lowered into one DAG share what they have in common.
#ifndef REWROUGHT_IR_DAG_H_
#define REWROUGHT_IR_DAG_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/primitive.h"

namespace rewrought::ir {

using ValueIndex = uint32_t;

struct Value {
  Primitive primitive = Primitive::kLiteral;
  uint8_t width = 1;  // 1 to 64 bits
  std::array<ValueIndex, 3> operands = {};
  uint64_t immediate = 0;

  friend bool operator==(const Value&, const Value&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Value& v) {
    return H::combine(std::move(h), v.primitive, v.width, v.operands, v.immediate);
  }
};

// An input that is the same for both sides of a rule: one component of a variable, or the sign of a matched zero.
struct Input {
  std::string name;
  uint8_t width = 32;
};

class Dag {
 public:
  // The input called `name`; made on first use. A second use must have the same width.
  ValueIndex InputNamed(const std::string& name, int width);
  ValueIndex Choice(uint32_t index, int width);
  ValueIndex Literal(uint64_t value, int width);

  // Any primitive but the leaves. Folds constants and the identities of ite, and, or that hold for every operand. A
  // product with 0, 1 or -1, whichever conditions say (a sign), is a selection: solvers are slow on products. What lies
  // between -1 and 1 by a minimum and a maximum is such a sign.
  ValueIndex Make(Primitive primitive, int width, absl::Span<const ValueIndex> operands, uint64_t immediate = 0);

  // Shorthands for what the contract needs.
  ValueIndex Ite(ValueIndex condition, ValueIndex then, ValueIndex otherwise);
  ValueIndex And(ValueIndex x, ValueIndex y);
  ValueIndex Or(ValueIndex x, ValueIndex y);
  ValueIndex Not(ValueIndex x);
  ValueIndex Truth(Primitive primitive, ValueIndex x);  // kIsnan and its like
  ValueIndex Equal(ValueIndex x, ValueIndex y);

  const Value& at(ValueIndex index) const { return values_[index]; }
  size_t size() const { return values_.size(); }
  const std::vector<Input>& inputs() const { return inputs_; }

  // The width in bits of the operands that decide the meaning (the second of kIte and kConcat, else the first).
  int OperandWidth(const Value& value) const;

  // The number of value operands of `value`.
  static int Arity(const Value& value);

  // Indices of everything below `roots`, sources before users.
  std::vector<ValueIndex> Below(absl::Span<const ValueIndex> roots) const;

 private:
  ValueIndex Intern(const Value& value);
  // Whether the value is 0, 1 or all ones, or a selection of such, nested at most `depth` times.
  bool IsSign(ValueIndex value, int depth) const;
  // A signed minimum or maximum of `bound`, a literal, and of another value.
  struct Extremum {
    bool most = false;  // the maximum
    uint64_t bound = 0;
    ValueIndex of = 0;
  };
  std::optional<Extremum> ExtremumAt(ValueIndex value) const;
  // The value whose sign `value` is, bounded by -1 and 1 as drivers say isign.
  std::optional<ValueIndex> SignIsOf(ValueIndex value) const;
  // -1, 0 or 1, as the meaning of isign has it.
  ValueIndex SignOf(ValueIndex x);
  // `sign` times `x`, for a value that IsSign.
  ValueIndex WithSign(ValueIndex sign, ValueIndex x);
  // A value that agrees with this one in the low `bits` bits, without what speaks of the others alone, such as a mask
  // of low bits; looks at most `depth` operations down.
  ValueIndex LowBits(ValueIndex value, int bits, int depth);

  std::vector<Value> values_;
  std::vector<Input> inputs_;
  absl::flat_hash_map<Value, ValueIndex> index_;
  absl::flat_hash_map<std::string, uint32_t> input_index_;
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DAG_H_
