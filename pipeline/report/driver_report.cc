#include "pipeline/report/driver_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/digest.h"
#include "pipeline/rule_message.h"

namespace rewrought::pipeline {
namespace {

constexpr size_t kBestInText = 3, kWorstInText = 2;
constexpr size_t kLinesInText = 40;  // the maximum number of lines of code per rule
constexpr size_t kAround = 2;        // the number of lines shown before and after each change

double Percent(double change, double of) { return of > 0 ? 100 * change / of : 0; }

// Returns text such as "non-nops 200 -> 190 (-5.00%)".
std::string ChangeText(const std::string& name, double before, double change) {
  return absl::StrFormat("  %s %.10g -> %.10g (%+.2f%%)", name, before, before + change, Percent(change, before));
}

std::string SetText(const v1::DriverTrial& trial, const std::string& set, bool held_out) {
  const v1::DriverTrial::Figures of = SumOf(trial, set, held_out);
  if (of.shaders() == 0) return "";
  std::string text = absl::StrFormat("    %-9s %-10s", held_out ? "held out" : "discovery", set);
  absl::StrAppend(&text, ChangeText(trial.instructions_name(), of.instructions(), of.instructions_change()));
  if (trial.cycles_name() != trial.instructions_name())
    absl::StrAppend(&text, ChangeText(trial.cycles_name(), of.cycles(), of.cycles_change()));
  absl::StrAppendFormat(&text, "  helped %d HURT %d of %d", of.helped(), of.hurt(), of.shaders());
  if (of.lost() > 0) absl::StrAppend(&text, "  LOST ", of.lost());
  if (of.loops_changed() > 0) absl::StrAppend(&text, "  loops changed in ", of.loops_changed(), " more");
  return text + "\n";
}

// Returns a line with the change that the chosen rules cause, by source or by stage.
std::string PartsText(FiguresBy by, const v1::DriverTrial& trial, bool held_out) {
  std::string text;
  for (const auto& [name, of] : SumsBy(by, trial, "chosen", held_out)) {
    if (!name.empty())
      absl::StrAppendFormat(&text, "  %s %+.2f%%", name, Percent(of.instructions_change(), of.instructions()));
  }
  return text.empty() ? "" : absl::StrCat("      by ", by == FiguresBy::kSource ? "source:" : "stage:", text, "\n");
}

void AddFigures(const v1::DriverTrial::Figures& of, v1::DriverTrial::Figures* sum) {
  sum->set_shaders(sum->shaders() + of.shaders());
  sum->set_helped(sum->helped() + of.helped());
  sum->set_hurt(sum->hurt() + of.hurt());
  sum->set_lost(sum->lost() + of.lost());
  sum->set_loops_changed(sum->loops_changed() + of.loops_changed());
  sum->set_instructions(sum->instructions() + of.instructions());
  sum->set_cycles(sum->cycles() + of.cycles());
  sum->set_instructions_change(sum->instructions_change() + of.instructions_change());
  sum->set_cycles_change(sum->cycles_change() + of.cycles_change());
}

// Returns a line that states how many of the chosen rules account for half, and how many for nine tenths, of their
// total savings. For each rule, only the savings that it adds to those of the other chosen rules count.
std::string RankText(const DriverReport& driver) {
  double all = 0, sum = 0;
  for (const RuleGain& gain : driver.gains) all += gain.worth.chosen ? std::max(0.0, gain.worth.instructions) : 0;
  size_t half = 0, most = 0, count = 0;
  for (const RuleGain& gain : driver.gains) {
    if (!gain.worth.chosen || gain.worth.instructions <= 0) continue;
    sum += gain.worth.instructions;
    ++count;
    if (half == 0 && sum >= 0.5 * all) half = count;
    if (most == 0 && sum >= 0.9 * all) most = count;
  }
  if (count == 0) return "";
  return absl::StrFormat(
      "    in addition to the others, %d rules save instructions: the best %d give half of the savings, the best %d "
      "nine tenths\n",
      count, half, most);
}

// Returns the changed lines and the lines around them, at most kLinesInText lines.
std::string ShortCode(const std::string& code) {
  const std::vector<absl::string_view> lines = absl::StrSplit(code, '\n');
  std::set<size_t> shown;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!absl::StartsWith(lines[i], "-") && !absl::StartsWith(lines[i], "+")) continue;
    for (size_t k = i - std::min(i, kAround); k <= std::min(i + kAround, lines.size() - 1); ++k) shown.insert(k);
  }
  std::string text;
  size_t count = 0, next = 0;
  for (const size_t i : shown) {
    if (count == kLinesInText) return absl::StrCat(text, "          ... ", shown.size() - count, " more\n");
    if (i != next) absl::StrAppend(&text, "          ...\n");
    absl::StrAppend(&text, "          ", lines[i], "\n");
    ++count;
    next = i + 1;
  }
  return text;
}

std::string ExampleText(const DriverReport& driver, const RuleGain& gain) {
  const v1::RuleTrial::Example& example = gain.trial->example();
  return absl::StrFormat("    %+8.4f%% %s %s\n      %s in %s (%s): %g -> %g %s\n", -gain.worth.instructions,
                         gain.rule->row.rule.id.hex().substr(0, 12), TupleText(gain.rule->row.rule), example.place(),
                         example.program(), example.shader(), example.before(), example.after(),
                         driver.trial.instructions_name()) +
         ShortCode(example.code());
}

}  // namespace

std::vector<DriverReport> DriverReportsOf(const std::vector<MeasuredRule>& rules,
                                          const std::vector<v1::DriverTrial>& trials) {
  std::map<std::string, DriverReport> by_driver;
  for (const v1::DriverTrial& trial : trials) by_driver[trial.driver()].trial = trial;
  for (DriverAgreement& agreement : AgreementOf(rules, trials))
    by_driver[agreement.driver].agreement = std::move(agreement);
  for (const MeasuredRule& rule : rules) {
    for (const v1::RuleTrial& trial : rule.trials) {
      if (trial.problem().empty()) by_driver[trial.driver()].gains.push_back({&rule, &trial, WorthOf(trial)});
    }
  }
  std::vector<DriverReport> reports;
  for (auto& [name, driver] : by_driver) {
    std::stable_sort(driver.gains.begin(), driver.gains.end(),
                     [](const RuleGain& x, const RuleGain& y) { return x.worth.instructions > y.worth.instructions; });
    reports.push_back(std::move(driver));
  }
  return reports;
}

v1::DriverTrial::Figures SumOf(const v1::DriverTrial& trial, const std::string& set, bool held_out) {
  v1::DriverTrial::Figures sum;
  for (const v1::DriverTrial::Figures& of : trial.figures()) {
    if (of.set() == set && of.held_out() == held_out) AddFigures(of, &sum);
  }
  return sum;
}

std::map<std::string, v1::DriverTrial::Figures> SumsBy(FiguresBy by, const v1::DriverTrial& trial,
                                                       const std::string& set, bool held_out) {
  std::map<std::string, v1::DriverTrial::Figures> sums;
  for (const v1::DriverTrial::Figures& of : trial.figures()) {
    if (of.set() != set || of.held_out() != held_out) continue;
    AddFigures(of, &sums[by == FiguresBy::kSource ? of.source() : of.stage()]);
  }
  return sums;
}

std::string SourcesOf(const DriverAgreement& agreement) {
  return agreement.sources.empty() ? "all discovery sources" : absl::StrJoin(agreement.sources, ", ");
}

std::string WholeShadersText(const DriverAgreement& agreement) {
  if (agreement.modelled_as.empty()) return "";
  return absl::StrFormat(
      "whole shaders in the model of %s: Spearman %.2f for %d applied rules, %.2f for %d rules applied at least %d "
      "times",
      agreement.modelled_as, agreement.spearman_whole_shaders, agreement.applied, agreement.spearman_applied_often,
      agreement.applied_often, kOften);
}

std::vector<std::pair<std::string, size_t>> UnmetOf(const DriverAgreement& agreement) {
  std::map<std::string, size_t> counts;
  for (const auto& [id, condition] : agreement.unmet) ++counts[condition];
  std::vector<std::pair<std::string, size_t>> unmet(counts.begin(), counts.end());
  std::stable_sort(unmet.begin(), unmet.end(), [](const auto& x, const auto& y) { return x.second > y.second; });
  return unmet;
}

Examples ExamplesOf(const DriverReport& driver, size_t most_best, size_t most_worst) {
  Examples examples;
  for (const RuleGain& gain : driver.gains) {
    if (examples.best.size() < most_best && gain.worth.instructions > 0 && !gain.trial->example().code().empty())
      examples.best.push_back(&gain);
  }
  for (auto gain = driver.gains.rbegin(); gain != driver.gains.rend(); ++gain) {
    if (examples.worst.size() < most_worst && gain->worth.instructions < 0 && !gain->trial->example().code().empty())
      examples.worst.push_back(&*gain);
  }
  return examples;
}

std::string DriverText(const DriverReport& driver) {
  const DriverAgreement& agreement = driver.agreement;
  std::string text =
      absl::StrFormat("driver %s: %d rules tried, %d chosen\n", agreement.driver, agreement.tried, agreement.chosen);
  for (const auto& [id, problem] : agreement.problems)
    absl::StrAppend(&text, "    left out: ", id.substr(0, 12), ": ", problem, "\n");
  for (const auto& [condition, rules] : UnmetOf(agreement))
    absl::StrAppend(&text, "    never applied: ", rules, " of the rules, because no shader met ", condition, "\n");
  for (const bool held_out : {false, true}) {
    for (const char* set : {"discovered", "strict", "chosen"})
      absl::StrAppend(&text, SetText(driver.trial, set, held_out));
    absl::StrAppend(&text, PartsText(FiguresBy::kSource, driver.trial, held_out),
                    PartsText(FiguresBy::kStage, driver.trial, held_out));
  }
  absl::StrAppend(&text, RankText(driver));
  absl::StrAppendFormat(&text,
                        "  modelled and measured on %s: Spearman %.2f for %d rules, %.2f weighted by the driver's "
                        "applications\n",
                        SourcesOf(agreement), agreement.spearman, agreement.rules.size(),
                        agreement.spearman_as_applied);
  if (!agreement.modelled_as.empty()) absl::StrAppend(&text, "  ", WholeShadersText(agreement), "\n");
  if (!agreement.rules.empty()) absl::StrAppend(&text, "  where they differ most:\n");
  for (size_t i = 0; i < agreement.rules.size() && i < kMostDisagreements; ++i) {
    const ModelledAndMeasured& rule = agreement.rules[i];
    absl::StrAppendFormat(&text, "    %s %10.0f %s modelled %+8.4f%% instructions measured  %s\n",
                          rule.rule->row.rule.id.hex().substr(0, 12), 0 - agreement.Compared(rule),
                          agreement.compared_unit(), 0 - rule.measured, TupleText(rule.rule->row.rule));
  }
  const Examples examples = ExamplesOf(driver, kBestInText, kWorstInText);
  for (const auto& [what, gains] : {std::pair("gain most", &examples.best), std::pair("hurt most", &examples.worst)}) {
    if (!gains->empty())
      absl::StrAppend(&text, "  the driver's code without (-) and with (+) rules that ", what, ":\n");
    for (const RuleGain* gain : *gains) absl::StrAppend(&text, ExampleText(driver, *gain));
  }
  return text;
}

}  // namespace rewrought::pipeline
