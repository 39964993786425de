// Compares the sides of a NIR rule by a measure in a well-founded order. A pass terminates on every shader if each
// application of a rule decreases the shader's measure. docs/passes.md defines the measure and contains the proof.
#ifndef REWROUGHT_EMITTER_PASS_PASS_ORDER_H_
#define REWROUGHT_EMITTER_PASS_PASS_ORDER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"
#include "machine/machine.h"

namespace rewrought::emitter {

// Weights of instructions by OrderName. The order is well-founded for all weights; a pack uses its machine's costs.
using OpWeights = std::map<std::string, uint32_t>;

// Returns the name that all sizes of a conversion share, such as `f2i` for f2i8 to f2i64, because patterns with the
// sized and with the shared name match the same instructions. Returns `op` for other ops.
std::string OrderName(absl::string_view op);

// Adds the weights of both sides' ops: issue cycles on `machine`, in hundredths. Modifiers weigh 0, and ops without a
// base rule weigh as much as fadd.
void AddWeights(const machine::Machine& machine, const ir::Rule& rule, OpWeights* weights);

// Returns the weights of the order by size: 0 for each op in `weights`.
OpWeights WithoutCycles(const OpWeights& weights);

// Checks that each application of `rule` decreases the measure, or that a sharing rule's predicate (rules::IsSharing)
// limits its applications. Fails with FailedPrecondition, naming the reason and the remedy.
absl::Status CheckLowersOrder(const ir::Rule& rule, const OpWeights& weights);

// Returns the inner ops of the search side (as numbered in preconditions: 2 for "n2") that must also be marked
// `is_used_once` for the rule to decrease the measure. Returns nullopt if no marks suffice.
std::optional<std::vector<uint32_t>> RequiredSingleUseMarks(const ir::Rule& rule, const OpWeights& weights);

// A pass, and the marks that RequiredSingleUseMarks returns for it.
struct PassFit {
  bool second = false;
  std::vector<uint32_t> marks;
};

// Returns the first pass if the rule decreases the measure with `weights`, the second pass if it decreases only the
// measure with all weights 0, and nullopt otherwise.
std::optional<PassFit> FindPass(const ir::Rule& rule, const OpWeights& weights);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_PASS_ORDER_H_
