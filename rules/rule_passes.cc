#include "rules/rule_passes.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"

namespace rewrought::rules {

RulePasses CompilePasses(const std::vector<std::vector<ir::Rule>>& passes) {
  RulePasses result;
  std::string all;
  for (const std::vector<ir::Rule>& pass : passes) {
    result.passes.emplace_back();
    for (const ir::Rule& rule : pass) {
      absl::StrAppend(&all, ir::PrintRule(rule), "\n");
      absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(rule);
      if (compiled.ok()) {
        ++result.rules;
        result.passes.back().push_back(*std::move(compiled));
      } else {
        ++result.left_out;
      }
    }
    absl::StrAppend(&all, "\n");
  }
  result.digest = ir::Digest::Of(all);
  return result;
}

}  // namespace rewrought::rules
