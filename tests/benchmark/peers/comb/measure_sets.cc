#include "tests/benchmark/peers/comb/measure_sets.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_format.h"
#include "tests/benchmark/peers/comb/all_rules.h"
#include "tests/benchmark/peers/comb/lowest_cost.h"
#include "tests/benchmark/peers/comb/machines.h"
#include "tests/benchmark/peers/timing.h"

namespace rewrought::peers {
namespace {

CombRun Run(const std::function<std::vector<LowestCostRule>()>& find, int times) {
  CombRun run;
  run.seconds = MedianTimes(times, [&] { run.rules = find(); }).seconds;
  return run;
}

std::vector<LowestCostRule> AsCounted(const CombSet& set, const CombMachine& machine) {
  if (set.is_all) {
    return FindAllRules(machine.counted_ops, machine.counted_instructions, set.counted.pattern_steps,
                        set.counted.program_steps, set.counted.composites);
  }
  return FindLowestCost(machine.counted_ops, machine.counted_instructions, set.counted).rules;
}

// Returns the columns with the results for plain rules, which only some sets have.
std::string PlainColumns(const CombMeasured& measured) {
  if (!measured.plain.has_value()) return " - | - | - | - | - | - |";
  std::string text = absl::StrFormat(" %d | %.4f |", measured.plain->rules.size(), measured.plain->seconds);
  for (const AtWidth& at : measured.at_width)
    absl::StrAppendFormat(&text, " %d / %d / %d |", at.proved, at.refuted.size(), at.unknown.size());
  absl::StrAppendFormat(&text, " %.1f |", measured.wide_seconds);
  return text;
}

}  // namespace

bool IsCombName(const std::string& name) {
  return name == kCombGroup ||
         std::any_of(AllCombSets().begin(), AllCombSets().end(), [&](const CombSet& set) { return set.name == name; });
}

CombMeasured MeasureCombSet(const CombSet& set, WideProver* prover, int times) {
  const CombMachine& machine = MachineNamed(set.machine);
  CombMeasured measured;
  measured.set = &set;
  measured.counted = Run([&] { return AsCounted(set, machine); }, times);
  measured.wrong = WrongRules(measured.counted.rules, machine.counted_ops, machine.counted_instructions);
  if (set.is_all) return measured;
  measured.plain = Run([&] { return FindLowestCost(machine.ops, machine.instructions, Plain(set)).rules; }, times);
  const std::vector<LowestCostRule>& plain = measured.plain->rules;
  for (std::string& rule : WrongRules(plain, machine.ops, machine.instructions))
    measured.wrong.push_back(std::move(rule));
  measured.wide_seconds = MedianTimes(1, [&] {
                            for (size_t i = 0; i < kWidths.size(); ++i)
                              measured.at_width[i] =
                                  prover->Prove(plain, machine.ops, machine.instructions, kWidths[i]);
                          }).seconds;
  return measured;
}

std::vector<CombMeasured> MeasureCombSets(const std::set<std::string>& names, const verifier::Solvers& solvers,
                                          int times, std::ostream& log) {
  WideProver prover(solvers);
  std::vector<CombMeasured> all;
  for (const CombSet& set : AllCombSets()) {
    if (!names.empty() && !names.contains(set.name) && !names.contains(kCombGroup)) continue;
    log << set.name << "\n";
    all.push_back(MeasureCombSet(set, &prover, times));
  }
  return all;
}

void PrintCombTable(const std::vector<CombMeasured>& all, std::ostream& out) {
  if (all.empty()) return;
  out << "| set | Comb's rules | ours, its count | ratio | its s | ours | ratio | plain rules | s | 8 bits | "
         "16 bits | 32 bits | s | wrong |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const CombMeasured& one : all) {
    const double rules = static_cast<double>(one.counted.rules.size());
    out << absl::StrFormat("| %s | %.0f | %.0f | %.3g | %.1f | %.4f | %.3g |%s %d |\n", one.set->name,
                           one.set->peer_rules, rules, one.set->peer_rules / rules, one.set->peer_seconds,
                           one.counted.seconds, one.set->peer_seconds / one.counted.seconds, PlainColumns(one),
                           one.wrong.size());
  }
  out << "\n";
  for (const CombMeasured& one : all) {
    for (const std::string& rule : one.at_width.back().refuted) out << one.set->name << ", not wider: " << rule << "\n";
    for (const std::string& rule : one.at_width.back().unknown) out << one.set->name << ", unknown: " << rule << "\n";
    for (const std::string& wrong : one.wrong) out << "WRONG " << one.set->name << ": " << wrong << "\n";
  }
}

}  // namespace rewrought::peers
