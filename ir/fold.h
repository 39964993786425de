// Ops on constants alone, computed: what every compiler does before it looks at a rule again.
#ifndef REWROUGHT_IR_FOLD_H_
#define REWROUGHT_IR_FOLD_H_

#include "ir/term.h"

namespace rewrought::ir {

// `term` (sizes known, one component per node) with every op on literals alone as the literal it gives: in mode
// `preserve`, approximated functions correctly rounded, a NaN canonical. Where the contract leaves a number open
// (poison, the sign of a zero) one of the allowed results is taken. Nodes that nothing reads any more stay.
Term FoldConstants(Term term);

// The same for one node, in place. Whether it is a literal now that was an op.
bool FoldConstant(Term* term, NodeIndex node);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FOLD_H_
