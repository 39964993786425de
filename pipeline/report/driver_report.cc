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

constexpr size_t kWidth = 120;  // of a line of text

// Returns text such as "nops 200 -> 210 (+5.00%; 3 better, 9 worse)".
std::string ChangeText(const v1::DriverNumber& number) {
  return absl::StrFormat("%s %.10g -> %.10g (%+.2f%%; %d better, %d worse)", number.name(), number.before(),
                         number.before() + number.change(), Percent(number), number.better(), number.worse());
}

// Returns indented lines with the main numbers that changed, without the time.
std::string NumbersText(const v1::DriverTrial::Figures& of) {
  std::vector<std::string> lines;
  for (const v1::DriverNumber& number : of.numbers()) {
    if (!number.main() || number.name() == kTime || number.better() + number.worse() == 0) continue;
    const std::string text = ChangeText(number);
    if (lines.empty() || lines.back().size() + 2 + text.size() > kWidth) {
      lines.push_back(absl::StrCat("        ", text));
    } else {
      absl::StrAppend(&lines.back(), "  ", text);
    }
  }
  return lines.empty() ? "" : absl::StrCat(absl::StrJoin(lines, "\n"), "\n");
}

std::string SetText(const v1::DriverTrial& trial, const std::string& set, bool held_out) {
  const v1::DriverTrial::Figures of = SumOf(trial, set, held_out);
  if (of.shaders() == 0 || trial.time().empty()) return "";
  std::string text = absl::StrFormat("    %-9s %-10s  ", held_out ? "held out" : "discovery", set);
  absl::StrAppend(&text, ChangeText(NumberOf(of, kTime)));
  absl::StrAppendFormat(&text, "  by more than 1%%: helped %d HURT %d of %d", of.helped(), of.hurt(), of.shaders());
  if (of.lost() > 0) absl::StrAppend(&text, "  LOST ", of.lost());
  if (of.gained() > 0) absl::StrAppend(&text, "  GAINED ", of.gained());
  if (of.loops_changed() > 0) absl::StrAppend(&text, "  loops changed in ", of.loops_changed(), " more");
  return absl::StrCat(text, "\n", NumbersText(of));
}

// Returns a line with the change of time that the chosen rules cause, by source or by stage.
std::string PartsText(FiguresBy by, const v1::DriverTrial& trial, bool held_out) {
  std::string text;
  if (trial.time().empty()) return text;
  for (const auto& [name, of] : SumsBy(by, trial, "chosen", held_out)) {
    if (!name.empty()) absl::StrAppendFormat(&text, "  %s %+.2f%%", name, Percent(NumberOf(of, kTime)));
  }
  return text.empty() ? ""
                      : absl::StrCat("      time by ", by == FiguresBy::kSource ? "source:" : "stage:", text, "\n");
}

void AddFigures(const v1::DriverTrial::Figures& of, v1::DriverTrial::Figures* sum) {
  sum->set_shaders(sum->shaders() + of.shaders());
  sum->set_helped(sum->helped() + of.helped());
  sum->set_hurt(sum->hurt() + of.hurt());
  sum->set_lost(sum->lost() + of.lost());
  sum->set_gained(sum->gained() + of.gained());
  sum->set_loops_changed(sum->loops_changed() + of.loops_changed());
  for (const v1::DriverNumber& number : of.numbers()) {
    auto* numbers = sum->mutable_numbers();
    const auto known = std::find_if(numbers->begin(), numbers->end(),
                                    [&](const v1::DriverNumber& one) { return one.name() == number.name(); });
    if (known == numbers->end()) {
      *numbers->Add() = number;
      continue;
    }
    known->set_before(known->before() + number.before());
    known->set_change(known->change() + number.change());
    known->set_better(known->better() + number.better());
    known->set_worse(known->worse() + number.worse());
  }
}

// Returns a line that states how many of the chosen rules account for half, and how many for nine tenths, of their
// total savings. For each rule, only the savings that it adds to those of the other chosen rules count.
std::string RankText(const DriverReport& driver) {
  double all = 0, sum = 0;
  for (const RuleGain& gain : driver.gains) all += gain.worth.chosen ? std::max(0.0, gain.worth.time) : 0;
  size_t half = 0, most = 0, count = 0;
  for (const RuleGain& gain : driver.gains) {
    if (!gain.worth.chosen || gain.worth.time <= 0) continue;
    sum += gain.worth.time;
    ++count;
    if (half == 0 && sum >= 0.5 * all) half = count;
    if (most == 0 && sum >= 0.9 * all) most = count;
  }
  if (count == 0) return "";
  return absl::StrFormat(
      "    in addition to the others, %d rules save time: the best %d account for half of the savings, the best %d "
      "for nine tenths\n",
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

// Names the rules that save instructions, but no time.
std::string WithoutTimeText(const DriverReport& driver) {
  const std::vector<const RuleGain*> rules = WithoutTime(driver);
  if (rules.empty()) return "";
  std::string text = absl::StrFormat("  %d rules save instructions (%s) but no time:\n", rules.size(),
                                     driver.trial.instructions_name());
  for (size_t i = 0; i < rules.size() && i < kMostWithoutTime; ++i) {
    absl::StrAppend(&text, "    ", rules[i]->rule->row.rule.id.hex().substr(0, 12), " ",
                    NoTimeText(driver.trial, rules[i]->trial->no_time()), "  ", TupleText(rules[i]->rule->row.rule),
                    "\n");
  }
  if (rules.size() > kMostWithoutTime) absl::StrAppend(&text, "    and ", rules.size() - kMostWithoutTime, " more\n");
  return text;
}

std::string ExampleText(const DriverReport& driver, const RuleGain& gain) {
  const v1::RuleTrial::Example& example = gain.trial->example();
  return absl::StrFormat("    %+8.4f%% %s %s\n      %s in %s (%s): %g -> %g %s\n", -gain.worth.time,
                         gain.rule->row.rule.id.hex().substr(0, 12), TupleText(gain.rule->row.rule), example.place(),
                         example.program(), example.shader(), example.before(), example.after(),
                         NumberName(driver.trial, example)) +
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
                     [](const RuleGain& x, const RuleGain& y) { return IsBetter(x.worth, y.worth); });
    reports.push_back(std::move(driver));
  }
  return reports;
}

std::string TimeText(const v1::DriverTrial& trial) {
  if (!trial.time().empty()) return absl::StrCat("time = ", trial.time());
  if (trial.figures().empty()) return "";
  return "the trial is of an older version, which did not estimate time; run `rewrought trial` again";
}

v1::DriverNumber NumberOf(const v1::DriverTrial::Figures& figures, const std::string& name) {
  for (const v1::DriverNumber& number : figures.numbers()) {
    if (number.name() == name) return number;
  }
  v1::DriverNumber none;
  none.set_name(name);
  return none;
}

double Percent(const v1::DriverNumber& number) {
  return number.before() > 0 ? 100 * number.change() / number.before() : 0;
}

bool IsWorse(const v1::DriverNumber& number) {
  return number.better_high() ? number.change() < 0 : number.change() > 0;
}

std::vector<const RuleGain*> WithoutTime(const DriverReport& driver) {
  std::vector<const RuleGain*> found;
  for (const RuleGain& gain : driver.gains) {
    if (gain.trial->has_no_time()) found.push_back(&gain);
  }
  const auto saved = [](const RuleGain* gain) { return WorthAlone(*gain->trial).instructions; };
  std::stable_sort(found.begin(), found.end(),
                   [&](const RuleGain* x, const RuleGain* y) { return saved(x) > saved(y); });
  return found;
}

std::string NoTimeText(const v1::DriverTrial& trial, const v1::RuleTrial::NoTime& no_time) {
  double time = 0, instructions = 0;
  std::vector<std::string> worse;
  for (const v1::DriverNumber& number : no_time.numbers()) {
    if (number.name() == kTime) {
      time = number.change();
    } else if (number.name() == trial.instructions_name()) {
      instructions = number.change();
    } else if (IsWorse(number)) {
      worse.push_back(absl::StrFormat("%s %+.10g", number.name(), number.change()));
    }
  }
  return absl::StrFormat(
      "%s %+.10g, %s %+.10g at %s; %s", kTime, time, trial.instructions_name(), instructions, no_time.place(),
      worse.empty() ? "no other number gets worse" : absl::StrCat("worse: ", absl::StrJoin(worse, ", ")));
}

std::string NumberName(const v1::DriverTrial& trial, const v1::RuleTrial::Example& example) {
  return example.number().empty() ? trial.instructions_name() : example.number();
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
      "whole shaders in the model of %s: Spearman %.2f with time and %.2f with instructions for %d applied rules, "
      "%.2f and %.2f for %d rules applied at least %d times",
      agreement.modelled_as, agreement.spearman_whole_shaders, agreement.spearman_whole_shaders_instructions,
      agreement.applied, agreement.spearman_applied_often, agreement.spearman_applied_often_instructions,
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
    if (examples.best.size() < most_best && gain.worth.time > 0 && !gain.trial->example().code().empty())
      examples.best.push_back(&gain);
  }
  for (auto gain = driver.gains.rbegin(); gain != driver.gains.rend(); ++gain) {
    if (examples.worst.size() < most_worst && gain->worth.time < 0 && !gain->trial->example().code().empty())
      examples.worst.push_back(&*gain);
  }
  return examples;
}

std::string DriverText(const DriverReport& driver) {
  const DriverAgreement& agreement = driver.agreement;
  std::string text =
      absl::StrFormat("driver %s: %d rules tried, %d chosen\n", agreement.driver, agreement.tried, agreement.chosen);
  for (const auto& [id, problem] : agreement.problems)
    absl::StrAppend(&text, "    omitted: ", id.substr(0, 12), ": ", problem, "\n");
  for (const auto& [condition, rules] : UnmetOf(agreement))
    absl::StrAppend(&text, "    never applied: ", rules, " of the rules, because no shader met ", condition, "\n");
  if (const std::string time = TimeText(driver.trial); !time.empty()) absl::StrAppend(&text, "    ", time, "\n");
  for (const bool held_out : {false, true}) {
    for (const char* set : {"discovered", "strict", "chosen"})
      absl::StrAppend(&text, SetText(driver.trial, set, held_out));
    absl::StrAppend(&text, PartsText(FiguresBy::kSource, driver.trial, held_out),
                    PartsText(FiguresBy::kStage, driver.trial, held_out));
  }
  absl::StrAppend(&text, RankText(driver), WithoutTimeText(driver));
  absl::StrAppendFormat(&text,
                        "  modelled and measured on %s: Spearman %.2f with time and %.2f with instructions for %d "
                        "rules, %.2f with time weighted by the driver's applications\n",
                        SourcesOf(agreement), agreement.spearman, agreement.spearman_instructions,
                        agreement.rules.size(), agreement.spearman_as_applied);
  if (!agreement.modelled_as.empty()) absl::StrAppend(&text, "  ", WholeShadersText(agreement), "\n");
  if (!agreement.rules.empty()) absl::StrAppend(&text, "  where they differ most:\n");
  for (size_t i = 0; i < agreement.rules.size() && i < kMostDisagreements; ++i) {
    const ModelledAndMeasured& rule = agreement.rules[i];
    absl::StrAppendFormat(&text, "    %s %10.0f %s modelled %+8.4f%% time measured  %s\n",
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
