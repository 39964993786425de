// DAGs of primitives, into which terms of ops are lowered. All widths are fixed, and the choices of the float contract
// are explicit values. Values are hash-consed and constant-folded, so two terms that are lowered into the same DAG
// share their common values.
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

// An input that both sides of a rule share: a component of a variable, or the sign of a matched zero.
struct Input {
  std::string name;
  uint8_t width = 32;
};

class Dag {
 public:
  // Creates the input on first use. Later uses must have the same width.
  ValueIndex InputNamed(const std::string& name, int width);
  ValueIndex Choice(uint32_t index, int width);
  ValueIndex Literal(uint64_t value, int width);

  // Creates a value of any primitive except a leaf. Folds constants, and simplifies kIte, kAnd and kOr by identities
  // that hold for every operand. A product becomes a select if one factor is always 0, 1 or -1, because solvers are
  // slow on products. Such a factor is a (nested) select of these literals, or a value clamped to [-1, 1] by a minimum
  // and a maximum. A division or remainder by a literal power of two becomes a shift or a mask.
  ValueIndex Make(Primitive primitive, int width, absl::Span<const ValueIndex> operands, uint64_t immediate = 0);

  ValueIndex Ite(ValueIndex condition, ValueIndex then, ValueIndex otherwise);
  ValueIndex And(ValueIndex x, ValueIndex y);
  ValueIndex Or(ValueIndex x, ValueIndex y);
  ValueIndex Not(ValueIndex x);
  ValueIndex Truth(Primitive primitive, ValueIndex x);  // kIsnan and similar primitives
  ValueIndex Equal(ValueIndex x, ValueIndex y);

  const Value& at(ValueIndex index) const { return values_[index]; }
  size_t size() const { return values_.size(); }
  const std::vector<Input>& inputs() const { return inputs_; }

  // Returns the width in bits of the operand that determines the primitive's meaning: the second operand of kIte and
  // kConcat, and the first operand otherwise.
  int OperandWidth(const Value& value) const;

  static int Arity(const Value& value);

  // Returns all values reachable from `roots`, operands before users.
  std::vector<ValueIndex> Below(absl::Span<const ValueIndex> roots) const;

 private:
  ValueIndex Intern(const Value& value);
  // Returns true for the literals 0, 1 and all ones, and for selects among these literals, nested at most `depth` deep.
  bool IsSign(ValueIndex value, int depth) const;
  // A signed minimum or maximum of the literal `bound` and the value `of`.
  struct Extremum {
    bool most = false;  // true for a maximum
    uint64_t bound = 0;
    ValueIndex of = 0;
  };
  std::optional<Extremum> ExtremumAt(ValueIndex value) const;
  // Returns x if `value` is x clamped to [-1, 1], the form to which drivers lower isign.
  std::optional<ValueIndex> SignIsOf(ValueIndex value) const;
  // Returns the sign of `x` as -1, 0 or 1, as isign does.
  ValueIndex SignOf(ValueIndex x);
  // Returns `sign` times `x`. IsSign must hold for `sign`.
  ValueIndex WithSign(ValueIndex sign, ValueIndex x);
  // Returns a value that agrees with `value` in the low `bits` bits. Omits operations that affect only the other bits,
  // such as a mask that clears them. Inspects at most `depth` levels of operations.
  ValueIndex LowBits(ValueIndex value, int bits, int depth);

  std::vector<Value> values_;
  std::vector<Input> inputs_;
  absl::flat_hash_map<Value, ValueIndex> index_;
  absl::flat_hash_map<std::string, uint32_t> input_index_;
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DAG_H_
