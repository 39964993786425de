// Reads the rules of a Mesa tree's generic passes, which any driver may run, to compare them with our rules and to
// apply them to shaders.
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
  // Rules without a condition, rules that require only that ops are not lowered, and rules that require lower_fdiv.
  kEveryDriver,
  kNoLowering,  // all rules except those that lower an op for back ends that lack the op
  kAll,
};

enum class TreePasses {
  kAll,
  kFromLate,  // the passes that drivers run after their main loop
};

// Returns whether a driver has the op; a null HasOp accepts every op.
using HasOp = std::function<bool(const std::string& op)>;

// Compiles the rules of nir_opt_algebraic, nir_opt_algebraic_late, and nir_opt_algebraic_distribute_src_mods that are
// in `subset`. Omits a conditional rule if its replacement introduces an op that `has_op` rejects, because the driver
// would lower the op again. Returns NotFound if the tree lacks the rules of a pass; `path` names the tree in the
// message.
absl::StatusOr<rules::RulePasses> PassesOf(const audit::MesaRules& rules, TreeSubset subset, const std::string& path,
                                           const HasOp& has_op = nullptr, TreePasses which = TreePasses::kAll);

// Reads the passes from `path`, which must be the folder src/compiler/nir of a Mesa tree, to compare them with our
// rules. Returns the rules of TreeSubset::kNoLowering, then those of kAll. Messages name `option`, the option that set
// `path`. Returns the errors of audit::ReadMesaRules and PassesOf.
absl::StatusOr<std::vector<rules::TreeRules>> ReadTree(const std::string& option, const std::string& path);

// Reads the rules that every driver applies to shaders (TreeSubset::kEveryDriver) from `path`, which must be the folder
// src/compiler/nir of a Mesa tree; `has_op` is as for PassesOf. Returns nullopt if `path` is empty. Prints the number
// of rules that it cannot match to standard error, in a message from `command`. Returns the errors of ReadTree.
absl::StatusOr<std::optional<corpus::Baseline>> ReadBaseline(const std::string& command, const std::string& path,
                                                             const HasOp& has_op = nullptr,
                                                             TreePasses which = TreePasses::kAll);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_TREE_RULES_H_
