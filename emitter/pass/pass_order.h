// The well-founded order that each rule of a NIR pack lowers, so that a pass of such rules ends on every shader.
// docs/passes.md states the order and argues why lowering it is enough; here a rule is compared by it.
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

// What one instruction of an op weighs, by the op's name as OrderName gives it. Any weights make an order that ends; a
// pack's are its machine's costs.
using OpWeights = std::map<std::string, uint32_t>;

// The name that all ops of one kind share in the order: `f2i` for f2i8 to f2i64, since a pattern of either name matches
// the same instructions; else the op's own.
std::string OrderName(absl::string_view op);

// Adds the weights of both sides' ops: hundredths of the cycles that `machine` issues for one by itself; 0 for what it
// does in the modifiers of operands and results; what it has no base rule for counts as its addition.
void AddWeights(const machine::Machine& machine, const ir::Rule& rule, OpWeights* weights);

// The same names, each without weight: the order by size, of a pack's second passes.
OpWeights WithoutCycles(const OpWeights& weights);

// Whether each application of `rule` lowers the order, or, of a sharing rule (rules::IsSharing), whether its predicate
// counts it. FailedPrecondition says by what it does not, and what to do.
absl::Status CheckLowersOrder(const ir::Rule& rule, const OpWeights& weights);

// Inner ops of the search, numbered as "n2" of a precondition, at each of which `is_used_once` must stand as well for
// the rule to lower the order: none if it does without, nullopt if no marks are enough.
std::optional<std::vector<uint32_t>> SingleUseMarks(const ir::Rule& rule, const OpWeights& weights);

// In which of a place's two passes a rule may stand, and what SingleUseMarks gives there.
struct PassFit {
  bool second = false;
  std::vector<uint32_t> marks;
};

// The first pass, whose order has these weights, if the rule lowers that, else the second; nullopt: neither.
std::optional<PassFit> FindPass(const ir::Rule& rule, const OpWeights& weights);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_PASS_ORDER_H_
