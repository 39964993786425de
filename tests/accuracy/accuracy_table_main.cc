// Prints a table of the accuracy of inexact rules, as tab-separated values: the verifier's statements, and the worst
// errors that a search finds in quadruple precision. The exit code is 1 if a statement is wrong, and 2 if the rules
// cannot be read.
#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "audit/mesa_rules.h"
#include "tests/accuracy/random_rules.h"
#include "tests/accuracy/rule_accuracy.h"

namespace {

std::string Text(const std::optional<double>& value) {
  return value.has_value() ? absl::StrFormat("%.4g", *value) : "-";
}

// Returns the distinct rules with `~` in nir_opt_algebraic.py of the folder src/compiler/nir of a Mesa tree, without
// their conditions.
absl::StatusOr<std::vector<std::string>> InexactRulesOfMesa(const std::string& nir) {
  const absl::StatusOr<rewrought::audit::MesaRules> read = rewrought::audit::ReadMesaRules({nir}, false);
  if (!read.ok()) return read.status();
  std::set<std::string> rules;
  for (const rewrought::audit::MesaRule& rule : read->rules) {
    if (rule.reason.empty() && absl::StrContains(rule.search, "~")) rules.insert(rule.Text());
  }
  return std::vector<std::string>(rules.begin(), rules.end());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rewrought::accuracy;
  size_t random = 200;
  uint64_t seed = 1;
  std::string mesa;
  CheckOptions options;
  CLI::App app("Prints the stated and the measured accuracy of inexact rules");
  app.add_option("--random", random, "number of random rules");
  app.add_option("--seed", seed, "seed of the random rules");
  app.add_option("--mesa", mesa, "folder src/compiler/nir of a Mesa tree, whose inexact rules are also checked");
  app.add_option("--restarts", options.effort.restarts, "restarts of each search for bad inputs");
  app.add_option("--steps", options.effort.steps, "steps of each search");
  app.add_option("--unstated-restarts", options.effort.unstated_restarts, "restarts for a rule without any statement");
  app.add_flag("--classes", options.with_class, "also state the accuracy classes (slow)");
  CLI11_PARSE(app, argc, argv);
  std::vector<std::string> rules;
  if (!mesa.empty()) {
    const absl::StatusOr<std::vector<std::string>> inexact = InexactRulesOfMesa(mesa);
    if (!inexact.ok()) {
      std::cerr << "accuracy_table: " << inexact.status().message() << "\n";
      return 2;
    }
    rules = *inexact;
  }
  for (std::string& rule : RandomRules(random, seed)) rules.push_back(std::move(rule));
  size_t checked = 0, faults = 0;
  std::cout << "rule\ttarget\tclass\tstated growth\tmeasured\tmeasured with constants\tstated ULP\tmeasured ULP\tinputs"
               "\tfault\n";
  for (const std::string& rule : rules) {
    const auto result = CheckAccuracy(rule, options);
    if (!result.ok()) continue;
    ++checked;
    for (const DriverResult& one : result->drivers) {
      const std::string fault = one.Fault(result->sides);
      faults += !fault.empty();
      const double ulp = std::max(one.usual.ulp_in_range, one.special.ulp_in_range);
      std::cout << rule << "\t" << NameOf(one.driver) << "\t" << one.stated.accuracy << "\t" << Text(one.stated.growth)
                << "\t" << Text(one.usual.measured) << "\t" << Text(one.special.measured) << "\t"
                << Text(one.stated.ulp_bound) << "\t" << Text(ulp) << "\t" << one.usual.points + one.special.points
                << "\t" << fault << std::endl;
    }
  }
  std::cerr << checked << " of " << rules.size() << " rules checked, " << faults << " wrong statements\n";
  return faults > 0 ? 1 : 0;
}
