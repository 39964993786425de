// Defines how the text of rules is read in a dialect.
#ifndef REWROUGHT_IR_DIALECT_READING_H_
#define REWROUGHT_IR_DIALECT_READING_H_

#include "ir/dialect/dialect.h"
#include "ir/text/sizes.h"

namespace rewrought::ir {

// Returns the options with which the sizes and the literals of a rule are read.
SizeOptions SizeOptionsIn(Dialect dialect);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIALECT_READING_H_
