// Folds ops whose operands are constants.
#ifndef REWROUGHT_IR_FOLD_H_
#define REWROUGHT_IR_FOLD_H_

#include "ir/term.h"

namespace rewrought::ir {

// Returns `term` (sizes known, one component per node) with every op on literals replaced by its result. The results
// are those in mode `preserve`, with approximated functions correctly rounded and canonical NaNs. If the contract
// leaves a result open (poison, the sign of a zero), picks an allowed result. Keeps nodes that have become unused.
Term FoldConstants(Term term);

// Folds a single node in place; returns whether an op became a literal.
bool FoldConstant(Term* term, NodeIndex node);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FOLD_H_
