#include "cli/tree_rules.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"
#include "server/audit/rule_reading.h"

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
        return part.empty() || (absl::StartsWith(part, "!options->lower_") && !absl::StrContains(part, "||"));
      });
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<pipeline::RulePasses> PassesOf(const audit::MesaRules& rules, TreeSubset subset,
                                              const std::string& path) {
  std::vector<std::vector<ir::Rule>> passes;
  for (const char* const pass :
       {"nir_opt_algebraic", "nir_opt_algebraic_late", "nir_opt_algebraic_distribute_src_mods"}) {
    passes.emplace_back();
    for (const audit::MesaRule& rule : rules.rules) {
      if (rule.pass != pass || !IsIn(subset, rule)) continue;
      absl::StatusOr<ir::Rule> parsed = ir::ParseRule(audit::WithTodaysOps(rule.Text()));
      if (parsed.ok()) passes.back().push_back(*std::move(parsed));
    }
    if (passes.back().empty()) {
      return absl::NotFoundError(absl::StrCat(path, ": no pass ", pass, " there; name a src/compiler/nir"));
    }
  }
  return pipeline::CompilePasses(passes);
}

}  // namespace rewrought::cli
