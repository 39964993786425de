// Reads the rules in a Mesa tree's own passes that any driver may run, for comparison and for normalizing shaders.
#ifndef REWROUGHT_CLI_TREE_RULES_H_
#define REWROUGHT_CLI_TREE_RULES_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "audit/mesa_rules.h"
#include "corpus/baseline.h"
#include "rules/rule_passes.h"
#include "rules/tree_rules.h"

namespace rewrought::cli {

enum class TreeSubset {
  // Rules without a condition, rules that only require that ops are not lowered, and rules for lower_fdiv.
  kEveryDriver,
  kNoLowering,  // all rules except those that lower an op which a back end lacks
  kAll,
};

enum class TreePasses {
  kAll,
  kFromLate,  // the passes that drivers run after their main loop
};

// Returns whether a driver has the op; a null HasOp accepts every op.
using HasOp = std::function<bool(const std::string& op)>;

// Compiles nir_opt_algebraic, its late pass, and the pass that pushes negations and absolute values into sources.
// Omits a conditional rule if its replacement introduces an op that `has_op` rejects, because that driver lowers the
// op. Returns NotFound if a pass is missing; `path` names the tree in the message.
absl::StatusOr<rules::RulePasses> PassesOf(const audit::MesaRules& rules, TreeSubset subset, const std::string& path,
                                           const HasOp& has_op = nullptr, TreePasses which = TreePasses::kAll);

// Reads the passes from `path`, a src/compiler/nir, for comparison with our rules: kNoLowering, then kAll. `option`
// names the option that set `path`, for messages. Returns the errors of audit::ReadMesaRules and PassesOf.
absl::StatusOr<std::vector<rules::TreeRules>> ReadTree(const std::string& option, const std::string& path);

// Reads the rules that every driver, or the driver of `has_op`, applies to shaders from `path`, a src/compiler/nir.
// Returns no baseline if `path` is empty. Reports the number of omitted rules on standard error as `command`. Returns
// the errors of ReadTree.
absl::StatusOr<std::optional<corpus::Baseline>> ReadBaseline(const std::string& command, const std::string& path,
                                                             const HasOp& has_op = nullptr,
                                                             TreePasses which = TreePasses::kAll);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_TREE_RULES_H_
