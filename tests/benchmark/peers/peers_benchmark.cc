// Runs all workloads for which other rule miners published results (docs/peers.md), and prints tables with ratios in
// Markdown. The exit status is 1 if a resulting rule does not hold.
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/benchmark/peers/comb/measure_sets.h"
#include "tests/benchmark/peers/measure.h"
#include "tests/benchmark/peers/other_rules.h"
#include "tests/benchmark/peers/stp/stp_measure.h"
#include "tests/benchmark/peers/workloads.h"
#include "verifier/worker/open_solvers.h"

namespace {

using namespace rewrought;  // NOLINT

struct Arguments {
  std::set<std::string> names;  // of workloads and groups; empty for all
  std::map<std::string, peers::OtherRules> others;
  int times = 1;
};

// Parses an argument such as "bv4-3=FILE", and reads Ruler's rules from FILE.
bool ReadOthers(absl::string_view text, Arguments* arguments) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  const peers::Workload* workload = peers::FindWorkload(parts.first);
  std::ifstream file(parts.second);
  if (workload == nullptr || !file) return false;
  std::stringstream content;
  content << file.rdbuf();
  absl::StatusOr<peers::OtherRules> rules = peers::ReadOtherRules(content.str(), workload->options.width);
  if (!rules.ok()) std::cerr << rules.status().message() << "\n";
  if (!rules.ok()) return false;
  arguments->others[parts.first] = *std::move(rules);
  return true;
}

bool Read(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--others=")) {
      if (!ReadOthers(argument, arguments)) return false;
    } else if (absl::ConsumePrefix(&argument, "--times=")) {
      if (!absl::SimpleAtoi(argument, &arguments->times) || arguments->times < 1) return false;
    } else {
      const bool known =
          peers::IsCombName(std::string(argument)) || peers::IsStpName(std::string(argument)) ||
          std::any_of(peers::AllWorkloads().begin(), peers::AllWorkloads().end(), [&](const peers::Workload& workload) {
            return workload.name == argument || workload.group == argument;
          });
      if (!known) return false;
      arguments->names.insert(std::string(argument));
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Read(argc, argv, &arguments)) {
    std::cerr << "usage: peers_benchmark [--times=N] [--others=WORKLOAD=FILE] [WORKLOAD or GROUP]...\nworkloads:";
    for (const peers::Workload& workload : peers::AllWorkloads()) std::cerr << " " << workload.name;
    for (const peers::CombSet& set : peers::AllCombSets()) std::cerr << " " << set.name;
    for (const peers::StpWorkload& workload : peers::StpWorkloads()) std::cerr << " " << workload.name;
    std::cerr << "\n";
    return 2;
  }
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) {
    std::cerr << solvers.status() << "\n";
    return 2;
  }
  solvers->versions();  // starts the solvers
  std::vector<peers::Measured> all;
  for (const peers::Workload& workload : peers::AllWorkloads()) {
    if (!arguments.names.empty() && !arguments.names.contains(workload.name) &&
        !arguments.names.contains(workload.group))
      continue;
    std::cerr << workload.name << "\n";
    absl::StatusOr<peers::Measured> measured =
        peers::Measure(workload, *solvers, arguments.others[workload.name], arguments.times);
    if (!measured.ok()) {
      std::cerr << workload.name << ": " << measured.status() << "\n";
      return 2;
    }
    all.push_back(*std::move(measured));
  }
  if (!all.empty()) peers::PrintTables(all, std::cout);
  const std::vector<peers::CombMeasured> sets =
      peers::MeasureCombSets(arguments.names, *solvers, arguments.times, std::cerr);
  peers::PrintCombTable(sets, std::cout);
  const std::vector<peers::StpMeasured> spaces =
      peers::MeasureStpWorkloads(arguments.names, *solvers, arguments.times, std::cerr);
  peers::PrintStpTables(spaces, std::cout);
  const auto has_wrong = [](const auto& one) { return !one.wrong.empty(); };
  const bool wrong = std::any_of(all.begin(), all.end(), has_wrong) ||
                     std::any_of(sets.begin(), sets.end(), has_wrong) ||
                     std::any_of(spaces.begin(), spaces.end(), has_wrong);
  return wrong ? 1 : 0;
}
