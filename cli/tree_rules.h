// The rules of a Mesa tree's own passes that any driver may run: to compare ours with, and to normalise shaders by.
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
  kEveryDriver,  // rules without a condition, those that want no more than that some op is not lowered, and lower_fdiv
  kNoLowering,   // all but those by which a back end has ops lowered that it lacks
  kAll,
};

enum class TreePasses {
  kAll,
  kFromLate,  // what drivers run behind their main loop
};

// Whether a driver has the op of this name. Null: every driver has every op.
using HasOp = std::function<bool(const std::string& op)>;

// nir_opt_algebraic, its late pass, then the one that pushes negations and absolute values into sources. A rule that
// wants some op not to be lowered is left off if `has_op` denies an op that its replacement alone has: that driver has
// it lowered. NotFound: a pass is not there; `path` names the tree in the message.
absl::StatusOr<rules::RulePasses> PassesOf(const audit::MesaRules& rules, TreeSubset subset, const std::string& path,
                                           const HasOp& has_op = nullptr, TreePasses which = TreePasses::kAll);

// The same read from `path`, a src/compiler/nir, to compare ours with: kNoLowering, then kAll. `option` names what the
// path was given to, for messages. Errors of audit::ReadMesaRules and PassesOf.
absl::StatusOr<std::vector<rules::TreeRules>> ReadTree(const std::string& option, const std::string& path);

// What any driver, or one that `has_op` tells of, makes of shaders by its own rules, from `path`, a src/compiler/nir;
// nothing without a path. `command` says on standard error how many rules were left out. Errors as above.
absl::StatusOr<std::optional<corpus::Baseline>> ReadBaseline(const std::string& command, const std::string& path,
                                                             const HasOp& has_op = nullptr,
                                                             TreePasses which = TreePasses::kAll);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_TREE_RULES_H_
