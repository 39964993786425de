#include "verifier/sample_cases.h"

#include <gtest/gtest.h>

#include <utility>

#include "ir/match/mesa_build.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

namespace rewrought::verifier {

RuleCase CaseOf(absl::string_view text, int width, ir::DenormMode mode) {
  const absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
  if (!rule.ok()) {
    ADD_FAILURE() << text << ": " << rule.status().message();
    return {};
  }
  const auto assignments = ir::EnumerateSizes(*rule);
  if (assignments.ok()) {
    for (const ir::SizeAssignment& assignment : *assignments) {
      if (width != 0 && assignment.width != width) continue;
      absl::StatusOr<ir::Rule> concrete = ir::Instantiate(*rule, assignment);
      if (!concrete.ok()) continue;
      RuleCase rule_case{std::move(concrete->search), std::move(concrete->replace), mode};
      ir::BuildAsMesa(rule_case.search, &rule_case.replace);
      rule_case.trusts_ranges = true;
      return rule_case;
    }
  }
  ADD_FAILURE() << text << " has no case of width " << width;
  return {};
}

Solver* SharedPool() {
  static Solver* const pool = []() -> Solver* {
    WorkerPoolOptions options;
    options.workers = 2;
    auto created = WorkerPool::Create(options);
    if (!created.ok()) {
      ADD_FAILURE() << created.status().message();
      return nullptr;
    }
    return created->release();
  }();
  return pool;
}

ProverOptions SolversOnly() {
  ProverOptions options;
  options.vectors.lanes = 64;
  options.vectors.lanes_when_approximate = 1;
  options.vectors.max_checks = 0;
  options.exhaustive_bits = 0;
  options.last_resort_bits = 0;
  return options;
}

}  // namespace rewrought::verifier
