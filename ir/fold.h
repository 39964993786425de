// Folds ops whose operands are constants.
#ifndef REWROUGHT_IR_FOLD_H_
#define REWROUGHT_IR_FOLD_H_

#include "ir/term.h"

namespace rewrought::ir {

// Returns `term` with every op whose operands are all literals replaced by its result. Sizes must be known, and each
// node must have one component. The results are those of mode `preserve`; approximated functions are correctly rounded,
// and NaNs are canonical. If the contract leaves a result open (poison, or the sign of a zero), chooses an allowed
// result. Keeps nodes that have become unused.
Term FoldConstants(Term term);

// Folds a single node in place; returns whether the node was an op and became a literal.
bool FoldConstant(Term* term, NodeIndex node);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FOLD_H_
