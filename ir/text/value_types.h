// Infers which values of a rule are floats, integers or Booleans, from the ops that produce and read them. Types also
// pass through ops that only copy bits.
#ifndef REWROUGHT_IR_TEXT_VALUE_TYPES_H_
#define REWROUGHT_IR_TEXT_VALUE_TYPES_H_

#include <optional>
#include <vector>

#include "ir/term.h"

namespace rewrought::ir {

// Types indexed by node; nullopt if no op determines the type. If ops disagree, the first of float, Boolean, signed,
// unsigned applies.
struct ValueTypes {
  std::vector<std::optional<BaseType>> search, replace;
};

// Returns the types of the values of both sides. `rule.replace` may be empty.
ValueTypes InferTypes(const Rule& rule);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_VALUE_TYPES_H_
