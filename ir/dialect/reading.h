// Defines the options for parsing rules in a dialect.
#ifndef REWROUGHT_IR_DIALECT_READING_H_
#define REWROUGHT_IR_DIALECT_READING_H_

#include "ir/dialect/dialect.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {

// Returns the dialect's options for the sizes and literals of a rule.
SizeOptions SizeOptionsIn(Dialect dialect);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIALECT_READING_H_
