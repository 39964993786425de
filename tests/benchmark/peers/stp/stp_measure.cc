#include "tests/benchmark/peers/stp/stp_measure.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/benchmark/peers/timing.h"

namespace rewrought::peers {
namespace {

constexpr char kGroup[] = "stp-space";
constexpr SmallFormat kHalf = {5, 11}, kSingle = {8, 24};
// Twice the prover's budget for floats of these widths (verifier/budget.h), because there are only a few rules.
constexpr uint32_t kHalfWork = 2000, kSingleWork = 4000;

void Search(int times, StpMeasured* measured) {
  const Times medians = MedianTimes(times, [&] { measured->found = SearchFloatSpace(measured->workload->depth); });
  measured->seconds = medians.seconds;
  measured->processor_seconds = medians.processor_seconds;
}

void Judge(const std::vector<FloatRule>& rules, const FloatProofs& proofs, const char* format, StpMeasured* measured) {
  for (size_t i = 0; i < rules.size(); ++i) {
    const FloatProof& proof = proofs.proofs[i];
    if (proof.verdict == FloatVerdict::kProved) continue;
    const std::string text = absl::StrCat(rules[i].Describe(), " at ", format, ": ", proof.detail);
    (proof.verdict == FloatVerdict::kRefuted ? measured->wrong : measured->unknown).push_back(text);
  }
}

size_t BySecond(const FloatProofs& proofs) {
  return static_cast<size_t>(std::count_if(proofs.proofs.begin(), proofs.proofs.end(), [](const FloatProof& proof) {
    return proof.by_second && proof.verdict == FloatVerdict::kProved;
  }));
}

void PrintProofs(const std::string& name, int bits, const FloatProofs& proofs, std::ostream& out) {
  out << absl::StrFormat("| %s | %d | %d | %d | %d | %d | %.1f |\n", name, bits, proofs.Count(FloatVerdict::kProved),
                         BySecond(proofs), proofs.Count(FloatVerdict::kRefuted), proofs.Count(FloatVerdict::kUnknown),
                         proofs.seconds);
}

void PrintBeside(const StpMeasured& one, std::ostream& out) {
  const StpWorkload& its = *one.workload;
  const double whole = one.seconds + one.at_16.seconds + one.at_32.seconds;
  const double rules = static_cast<double>(std::max<size_t>(1, one.Confirmed()));
  out << absl::StrFormat(
      "| %s | STP | %d | %d | %d | %d | %.3g | %.0f | %.4f | %.3g | %.3g | %.1f | %.3g | published |\n", its.name,
      its.evaluations, one.found.searched + one.found.confirming, its.rules, one.Confirmed(),
      static_cast<double>(its.rules) / rules, its.seconds, one.seconds, its.seconds / one.seconds,
      its.seconds / one.processor_seconds, whole, its.seconds / whole);
}

}  // namespace

const std::vector<StpWorkload>& StpWorkloads() {
  static const auto& workloads = *new std::vector<StpWorkload>{
      {"stp-space-1", 1, 1730, 140, 23},
      {"stp-space-2", 2, 8754, 626, 180},
  };
  return workloads;
}

bool IsStpName(const std::string& name) {
  return name == kGroup || std::any_of(StpWorkloads().begin(), StpWorkloads().end(),
                                       [&](const StpWorkload& workload) { return workload.name == name; });
}

std::vector<std::string> WrongAt16(const std::vector<FloatRule>& rules) {
  const FloatMeaning meaning(kHalf);
  std::vector<std::string> wrong;
  for (const FloatRule& rule : rules) {
    const std::optional<uint32_t> x = meaning.FirstDifference(rule);
    if (x.has_value()) wrong.push_back(absl::StrCat(rule.Describe(), ": x = 0x", absl::Hex(*x), " of 16 bits"));
  }
  return wrong;
}

StpMeasured MeasureStp(const StpWorkload& workload, const verifier::Solvers& solvers, int times) {
  StpMeasured measured;
  measured.workload = &workload;
  Search(times, &measured);
  std::vector<FloatRule> rules;
  std::copy_if(measured.found.rules.begin(), measured.found.rules.end(), std::back_inserter(rules),
               [](const FloatRule& rule) { return rule.confirmed; });
  measured.at_16 = ProveRules(rules, kHalf, solvers, kHalfWork);
  measured.at_32 = ProveRules(rules, kSingle, solvers, kSingleWork);
  measured.wrong = WrongAt16(rules);
  Judge(rules, measured.at_16, "16 bits", &measured);
  Judge(rules, measured.at_32, "32 bits", &measured);
  return measured;
}

std::vector<StpMeasured> MeasureStpWorkloads(const std::set<std::string>& names, const verifier::Solvers& solvers,
                                             int times, std::ostream& log) {
  std::vector<StpMeasured> all;
  for (const StpWorkload& workload : StpWorkloads()) {
    if (!names.empty() && !names.contains(workload.name) && !names.contains(kGroup)) continue;
    log << workload.name << "\n";
    all.push_back(MeasureStp(workload, solvers, times));
  }
  return all;
}

void PrintStpTables(const std::vector<StpMeasured>& all, std::ostream& out) {
  if (all.empty()) return;
  out << "\n| workload | candidates | evaluations | to confirm | rules | confirmed | s | CPU s | wrong |\n"
         "|---|---|---|---|---|---|---|---|---|\n";
  for (const StpMeasured& one : all) {
    out << absl::StrFormat("| %s | %d | %d | %d | %d | %d | %.4f | %.4f | %d |\n", one.workload->name,
                           FloatCandidates(one.workload->depth).size(), one.found.searched + one.found.confirming,
                           one.found.confirming, one.found.rules.size(), one.Confirmed(), one.seconds,
                           one.processor_seconds, one.wrong.size());
  }
  out << "\n| workload | bits | proved | by the second solver | refuted | unknown | s "
         "|\n|---|---|---|---|---|---|---|\n";
  for (const StpMeasured& one : all) {
    PrintProofs(one.workload->name, 16, one.at_16, out);
    PrintProofs(one.workload->name, 32, one.at_32, out);
  }
  out << "\n| workload | peer | its evaluations | ours | its rules | ours | ratio | its s | ours | ratio | "
         "to our CPU s | with proofs s | ratio | source |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const StpMeasured& one : all) PrintBeside(one, out);
  out << "\n";
  for (const StpMeasured& one : all) {
    for (const std::string& wrong : one.wrong) out << "WRONG " << one.workload->name << ": " << wrong << "\n";
    for (const std::string& unknown : one.unknown) out << "unknown " << one.workload->name << ": " << unknown << "\n";
  }
}

}  // namespace rewrought::peers
