// Compares the sides of a NIR rule by a well-founded order. A pass terminates on every shader if each of its rules
// lowers that order. docs/passes.md defines the order and contains the proof.
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

// The weight of one instruction, by the op's OrderName. The order is well-founded for all weights; the weights of a
// pack are its machine's costs.
using OpWeights = std::map<std::string, uint32_t>;

// Returns the common name of all sizes of a conversion, such as `f2i` for f2i8 to f2i64, because patterns with either
// name match the same instructions. Returns `op` for other ops.
std::string OrderName(absl::string_view op);

// Adds the weights of the ops on both sides: the issue cycles on `machine`, in hundredths. An op that the machine
// performs as a modifier weighs 0, and an op without a base rule weighs as much as an fadd.
void AddWeights(const machine::Machine& machine, const ir::Rule& rule, OpWeights* weights);

// Returns the same names with weight 0: the order by size for second passes.
OpWeights WithoutCycles(const OpWeights& weights);

// Checks that each application of `rule` lowers the order, or that a sharing rule (rules::IsSharing) has a predicate
// that limits its applications. Fails with FailedPrecondition, naming the reason and the remedy.
absl::Status CheckLowersOrder(const ir::Rule& rule, const OpWeights& weights);

// Returns the inner ops of the search side that must additionally be marked `is_used_once` for the rule to lower the
// order, numbered like "n2" in a precondition. Returns an empty list if the rule needs no marks, and nullopt if no
// marks suffice.
std::optional<std::vector<uint32_t>> SingleUseMarks(const ir::Rule& rule, const OpWeights& weights);

// A pass of a place and the SingleUseMarks that the rule needs there.
struct PassFit {
  bool second = false;
  std::vector<uint32_t> marks;
};

// Returns the first pass if the rule lowers the order with `weights`, else the second pass if it lowers the order by
// size, else nullopt.
std::optional<PassFit> FindPass(const ir::Rule& rule, const OpWeights& weights);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_PASS_ORDER_H_
