#include "tests/accuracy/rule_accuracy.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/match/mesa_build.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "proto/names.h"
#include "verifier/inexact/inexact.h"
#include "verifier/inexact/inexact_error.h"
#include "verifier/inexact/rounding_bound.h"
#include "verifier/rule_case.h"

namespace rewrought::accuracy {
namespace {

constexpr double kSlack = 1.01;  // for second-order terms
// Half an ulp is at least one half of the relative bound that ErrorBound uses, and at most the whole bound.
constexpr double kWobble = 2;
constexpr size_t kPointsToRefute = 64;

bool IsContracted(const Sides& sides) {
  const std::vector<bool> none(sides.variables.size(), false);
  const Contraction most{.enabled = true};
  return Contracted(sides.search, most, none).steps != sides.search.steps ||
         Contracted(sides.replace, most, none).steps != sides.replace.steps;
}

// Returns the ways in which the driver may contract the sides.
std::vector<Contraction> ContractionsOf(Driver driver, const Sides& sides) {
  if (driver == Driver::kAsWritten || !IsContracted(sides)) return {Contraction{}};
  std::vector<Contraction> all;
  for (const bool second : {false, true}) {
    for (const bool liberal : {true, false}) {
      all.push_back({true, second, liberal, liberal, driver == Driver::kKeepsConstants});
    }
  }
  return all;
}

void Merge(WorstCase one, WorstCase* all) {
  all->points += one.points;
  if (one.measured > all->measured) all->measured = one.measured, all->point = std::move(one.point);
  if (one.bound > all->bound) all->bound = one.bound, all->point_of_bound = std::move(one.point_of_bound);
  if (one.ulp_in_range > all->ulp_in_range) {
    all->ulp_in_range = one.ulp_in_range, all->point_in_range = std::move(one.point_in_range);
  }
}

Statement StatementFor(const verifier::RuleCase& rule_case, Driver driver, bool with_class) {
  const auto prepared = verifier::PreparedCase::Create(rule_case);
  if (!prepared.ok()) return {};
  verifier::InexactOptions options;
  options.keeps_products_of_constants = driver == Driver::kKeepsConstants;
  if (driver != Driver::kAsWritten) options.fuses = [](int) { return true; };
  Statement stated;
  if (with_class) {
    const auto verdict = verifier::VerifyInexact(rule_case, nullptr, options);
    if (!verdict.ok() || !verdict->holds) return stated;
    stated.growth = (driver == Driver::kAsWritten ? verdict->growth_as_written : verdict->growth_fused).factor;
    stated.ulp_bound = verdict->ulp_bound;
    stated.accuracy = std::string(v1::NameOf(verdict->accuracy));
    return stated;
  }
  verifier::Fusing fusing = verifier::AsWritten(rule_case);
  if (driver != Driver::kAsWritten) fusing = verifier::FusingOf(std::move(fusing), rule_case, options);
  stated.growth = verifier::GrowthOfErrors(**prepared, fusing, {}).factor;
  stated.ulp_bound = verifier::ErrorBoundInUlp(**prepared);
  return stated;
}

// Returns whether the sides differ over the reals at some input.
bool IsRefuted(const verifier::RuleCase& rule_case) {
  verifier::InexactOptions options;
  options.errors = false;
  options.points = options.points_when_approximate = kPointsToRefute;
  const auto verdict = verifier::VerifyInexact(rule_case, nullptr, options);
  return verdict.ok() && absl::StartsWith(verdict->reals, "refuted");
}

}  // namespace

const char* NameOf(Driver driver) {
  switch (driver) {
    case Driver::kAsWritten:
      return "as written";
    case Driver::kFuses:
      return "fuses";
    case Driver::kKeepsConstants:
      return "keeps constants";
  }
  return "";
}

std::string DriverResult::Fault(const Sides& sides) const {
  for (const WorstCase* worst : {&usual, &special}) {
    const char* const kind = worst == &special ? " with constants" : "";
    if (stated.growth.has_value()) {
      // The search side's error is at least the rounding of the result.
      const double most = std::max(*stated.growth, 1.0) * kSlack;
      if (worst->measured > most)
        return absl::StrCat(NameOf(driver), kind, ": stated growth ", *stated.growth, ", measured error ",
                            worst->measured, " at ", Describe(sides, worst->point));
      if (worst->bound > most * kWobble)
        return absl::StrCat(NameOf(driver), kind, ": stated growth ", *stated.growth, ", bound ", worst->bound, " at ",
                            Describe(sides, worst->point_of_bound));
    }
    if (stated.ulp_bound.has_value() && worst->ulp_in_range > *stated.ulp_bound)
      return absl::StrCat(NameOf(driver), kind, ": stated bound ", *stated.ulp_bound, " ULP, measured ",
                          worst->ulp_in_range, " at ", Describe(sides, worst->point_in_range));
  }
  return "";
}

absl::StatusOr<RuleResult> CheckAccuracy(absl::string_view rule, const CheckOptions& options) {
  const absl::StatusOr<ir::Rule> parsed = ir::ParseRule(rule);
  if (!parsed.ok()) return parsed.status();
  const auto assignments = ir::EnumerateSizes(*parsed);
  if (!assignments.ok()) return assignments.status();
  absl::Status unsupported = absl::UnimplementedError("the rule has no case at 32 bits");
  for (const ir::SizeAssignment& assignment : *assignments) {
    if (assignment.width != 32) continue;
    absl::StatusOr<ir::Rule> concrete = ir::Instantiate(*parsed, assignment);
    if (!concrete.ok()) continue;
    verifier::RuleCase rule_case{std::move(concrete->search), std::move(concrete->replace), ir::DenormMode::kPreserve};
    ir::BuildAsMesa(rule_case.search, &rule_case.replace);
    rule_case.trusts_ranges = true;
    rule_case = verifier::WithNamedFlagsOnly(rule_case);
    RuleResult result;
    absl::StatusOr<Code> search = Compile(rule_case.search, &result.sides.variables);
    if (!search.ok()) return search.status();
    absl::StatusOr<Code> replace = Compile(rule_case.replace, &result.sides.variables);
    if (!replace.ok()) return replace.status();
    result.sides.search = *std::move(search), result.sides.replace = *std::move(replace);
    if (result.sides.search.steps[static_cast<size_t>(result.sides.search.root)].width == 1) {
      unsupported = absl::UnimplementedError("the result is a Boolean");
      continue;
    }
    if (!options.planted.has_value() && IsRefuted(rule_case))
      return absl::FailedPreconditionError("the sides differ over the reals");
    for (const Driver driver : kDrivers) {
      if (driver != options.only.value_or(driver)) continue;
      DriverResult one;
      one.driver = driver;
      one.stated = options.planted.value_or(StatementFor(rule_case, driver, options.with_class));
      SearchEffort part = options.effort;
      if (!one.stated.growth.has_value() && !one.stated.ulp_bound.has_value()) part.restarts = part.unstated_restarts;
      for (const Contraction& contraction : ContractionsOf(driver, result.sides)) {
        ++part.seed;
        Merge(FindWorstCase(result.sides, contraction, false, part), &one.usual);
        Merge(FindWorstCase(result.sides, contraction, true, part), &one.special);
      }
      result.drivers.push_back(std::move(one));
    }
    return result;
  }
  return unsupported;
}

}  // namespace rewrought::accuracy
