// Lowers terms in a dialect of NIR. ir/float_contract.h lowers them in the dialect nir-25.
#ifndef REWROUGHT_IR_DIALECT_LOWERING_H_
#define REWROUGHT_IR_DIALECT_LOWERING_H_

#include "absl/status/statusor.h"
#include "ir/dialect/dialect.h"
#include "ir/float_contract.h"

namespace rewrought::ir {

// Lowers a term as LowerTerm does. The dialect nir-26 differs as follows (Mesa 26.2.0-rc1, nir.h:1541-1606):
//  - Rows are those of RowIn26 (ir/dialect/nir26_rows.h).
//  - nsz applies to the operands as well: a zero operand may be read with the opposite sign.
//  - The flags of an op with float operands and a non-float result apply to its operands, even if the op is exact.
//  - A flag that depends on the matched instructions is the same unknown at every size (UnknownFlagIn26).
absl::StatusOr<LoweredTerm> LowerTermIn(Dialect dialect, Dag* dag, const Term& term, DenormMode mode,
                                        const ChoiceSource& choose);

// Returns a 1-bit value that states whether the instruction lacks the preserve bit of `flag`. The value is a literal,
// or an input if it depends on the matched instructions: "root_nsz", "root_nnan", or "root_ninf". All marked nodes
// share these inputs. A node with the mark kReadsPredicate may lack the bit even if the other marked nodes have it; the
// input "root_nnan_n4" states this for node 4.
ValueIndex UnknownFlagIn26(Dag* dag, const Node& node, NodeIndex index, uint8_t flag);

// The Choice::reason of a kZeroSign choice that concerns a source of the node, not its result.
inline constexpr absl::string_view kOfSource = "source";

// Marks an op of the search (in Node::predicates) if one of its sources is a variable with a predicate whose meaning
// depends on the op's flags.
inline constexpr absl::string_view kReadsPredicate = "reads_predicate";

// The op that selects one of the two possible results of an ffma_weak. Its first two sources are these results
// (verifier/mesa/mesa_reading.h).
inline constexpr absl::string_view kWeakResult = "ffma_weak_result";

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIALECT_LOWERING_H_
