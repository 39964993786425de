#include "cli/tree_rules.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "audit/rule_reading.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"

namespace rewrought::cli {
namespace {

bool IsIn(TreeSubset subset, const audit::MesaRule& rule) {
  switch (subset) {
    case TreeSubset::kAll:
      return true;
    case TreeSubset::kNoLowering:
      return !audit::ReadCondition(rule.condition).is_lowering;
    case TreeSubset::kEveryDriver: {
      const std::vector<std::string> parts = audit::Conjuncts(rule.condition);
      return std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
        // All of Mesa's own drivers lower divisions; Mesa 25.0.7 sets lower_fdiv in 20 places.
        return part.empty() || part == "options->lower_fdiv" ||
               (absl::StartsWith(part, "!options->lower_") && !absl::StrContains(part, "||"));
      });
    }
  }
  return false;
}

// Returns whether the driver has every op of the replacement that is not in the search side.
bool MayApply(const ir::Rule& rule, const HasOp& has_op) {
  const std::set<std::string> before = ir::OpNames(rule.search), after = ir::OpNames(rule.replace);
  return std::all_of(after.begin(), after.end(),
                     [&](const std::string& op) { return before.contains(op) || has_op(op); });
}

}  // namespace

absl::StatusOr<rules::RulePasses> PassesOf(const audit::MesaRules& rules, TreeSubset subset, const std::string& path,
                                           const HasOp& has_op, TreePasses which) {
  std::vector<std::vector<ir::Rule>> passes;
  size_t unread = 0;
  for (const absl::string_view pass :
       {"nir_opt_algebraic", "nir_opt_algebraic_late", "nir_opt_algebraic_distribute_src_mods"}) {
    if (which == TreePasses::kFromLate && pass == "nir_opt_algebraic") continue;
    passes.emplace_back();
    for (const audit::MesaRule& rule : rules.rules) {
      if (rule.pass != pass || !IsIn(subset, rule)) continue;
      absl::StatusOr<ir::Rule> parsed = ir::ParseRule(audit::WithTodaysOps(rule.Text()));
      if (!parsed.ok()) {
        ++unread;
        continue;
      }
      if (has_op != nullptr && !rule.condition.empty() && !MayApply(*parsed, has_op)) continue;
      passes.back().push_back(*std::move(parsed));
    }
    if (passes.back().empty()) {
      return absl::NotFoundError(absl::StrCat(path, ": no pass ", pass, "; name a Mesa tree's src/compiler/nir"));
    }
  }
  rules::RulePasses compiled = rules::CompilePasses(passes);
  compiled.left_out += unread;
  return compiled;
}

absl::StatusOr<std::vector<rules::TreeRules>> ReadTree(const std::string& option, const std::string& path) {
  const absl::StatusOr<audit::MesaRules> read = audit::ReadMesaRules({path}, false);
  if (!read.ok()) return read.status();
  std::vector<rules::TreeRules> trees;
  for (const TreeSubset subset : {TreeSubset::kNoLowering, TreeSubset::kAll}) {
    absl::StatusOr<rules::RulePasses> passes = PassesOf(*read, subset, absl::StrCat(option, " ", path));
    if (!passes.ok()) return passes.status();
    trees.emplace_back(*std::move(passes));
  }
  return trees;
}

absl::StatusOr<std::optional<corpus::Baseline>> ReadBaseline(const std::string& command, const std::string& path,
                                                             const HasOp& has_op, TreePasses which) {
  if (path.empty()) return std::nullopt;
  const absl::StatusOr<audit::MesaRules> rules = audit::ReadMesaRules({path}, false);
  if (!rules.ok()) return rules.status();
  absl::StatusOr<rules::RulePasses> passes =
      PassesOf(*rules, TreeSubset::kEveryDriver, absl::StrCat("--baseline ", path), has_op, which);
  if (!passes.ok()) return passes.status();
  auto baseline = std::make_optional<corpus::Baseline>(*std::move(passes));
  if (baseline->left_out() > 0) {
    std::cerr << absl::StrFormat("rewrought %s: %d of the baseline's %d rules cannot be matched and are omitted\n",
                                 command, baseline->left_out(), baseline->rules() + baseline->left_out());
  }
  return baseline;
}

}  // namespace rewrought::cli
