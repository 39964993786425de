// Which values of a rule are floats, integers or Booleans: from the ops that make and read them, through those that
// only pass bits on.
#ifndef REWROUGHT_IR_TEXT_VALUE_TYPES_H_
#define REWROUGHT_IR_TEXT_VALUE_TYPES_H_

#include <optional>
#include <vector>

#include "ir/term.h"

namespace rewrought::ir {

// By node. Nothing: no op says. Of several types the first of float, Boolean, signed, unsigned.
struct ValueTypes {
  std::vector<std::optional<BaseType>> search, replace;
};

// `rule.replace` may be empty.
ValueTypes InferTypes(const Rule& rule);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_VALUE_TYPES_H_
