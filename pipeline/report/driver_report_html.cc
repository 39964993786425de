// Writes a driver's part of the HTML report: the figures of the sets of rules, plots of gains, and code with and
// without individual rules.
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "ir/digest.h"
#include "pipeline/report/driver_report.h"
#include "pipeline/report/html.h"
#include "pipeline/rule_message.h"

namespace rewrought::pipeline {
namespace {

constexpr size_t kMostExamples = 12;  // the maximum number of examples of gains, and of losses

// Returns a table cell with the change of a number in percent.
std::string ShareCell(const v1::DriverNumber& number) {
  return absl::StrFormat("<td class=\"n%s\">%+.2f%%</td>", IsWorse(number) ? " hurt" : "", Percent(number));
}

std::string SetsHtml(const v1::DriverTrial& trial) {
  std::string rows;
  for (const bool held_out : {false, true}) {
    for (const char* set : {"discovered", "strict", "chosen"}) {
      const v1::DriverTrial::Figures of = SumOf(trial, set, held_out);
      if (of.shaders() == 0) continue;
      absl::StrAppend(&rows, "<tr><td>", held_out ? "held out" : "discovery", "</td><td>", set, "</td>",
                      Number(NumberOf(of, kTime).before()), ShareCell(NumberOf(of, kTime)));
      for (const uint64_t count : {of.shaders(), of.helped(), of.hurt(), of.lost(), of.gained(), of.loops_changed()})
        absl::StrAppend(&rows, Number(static_cast<double>(count)));
      absl::StrAppend(&rows, "</tr>\n");
    }
  }
  if (rows.empty()) return "";
  return absl::StrCat("<table>\n",
                      Heads({"split", "rules", "time", "change", "shaders", "helped by over 1%", "HURT by over 1%",
                             "LOST", "GAINED", "loops changed"}),
                      rows, "</table>\n");
}

// Returns the rows of a table with the main numbers, or with the others. Omits numbers that no set changes.
std::string NumberRows(const v1::DriverTrial& trial, bool main) {
  std::string rows;
  for (const bool held_out : {false, true}) {
    for (const char* set : {"discovered", "strict", "chosen"}) {
      const v1::DriverTrial::Figures sum = SumOf(trial, set, held_out);
      for (const v1::DriverNumber& number : sum.numbers()) {
        if (number.main() != main || number.better() + number.worse() == 0) continue;
        absl::StrAppend(&rows, "<tr><td>", held_out ? "held out" : "discovery", "</td><td>", set, "</td><td>",
                        Escaped(number.name()), number.better_high() ? " (higher is better)" : "", "</td>",
                        Number(number.before()), Number(number.before() + number.change()), ShareCell(number),
                        Number(static_cast<double>(number.better())), Number(static_cast<double>(number.worse())),
                        "</tr>\n");
      }
    }
  }
  if (rows.empty()) return "";
  return absl::StrCat(
      "<table>\n", Heads({"split", "rules", "number", "before", "after", "change", "shaders better", "shaders worse"}),
      rows, "</table>\n");
}

// Returns all numbers that the driver reports: the main ones, followed by the others in a collapsed section.
std::string NumbersHtml(const v1::DriverTrial& trial) {
  const std::string main = NumberRows(trial, true), others = NumberRows(trial, false);
  std::string html = main.empty() ? "" : absl::StrCat("<h3>The driver's numbers</h3>\n", main);
  if (!others.empty()) {
    absl::StrAppend(&html, "<details><summary>All other numbers that change</summary>\n", others, "</details>\n");
  }
  return html;
}

// Names the rules that save instructions, but no time.
std::string WithoutTimeHtml(const DriverReport& driver) {
  const std::vector<const RuleGain*> rules = WithoutTime(driver);
  if (rules.empty()) return "";
  std::string rows;
  for (const RuleGain* gain : rules) {
    absl::StrAppend(&rows, "<tr><td>", Code(gain->rule->row.rule.id.hex().substr(0, 12)), "</td><td>",
                    Escaped(NoTimeText(driver.trial, gain->trial->no_time())), "</td><td>",
                    Code(TupleText(gain->rule->row.rule)), "</td></tr>\n");
  }
  return absl::StrCat("<h3>Rules that save instructions but no time</h3>\n<table>\n", Heads({"rule", "reason", ""}),
                      rows, "</table>\n");
}

// Returns a table with one bar per source or stage. Each bar shows the change of time that the chosen rules cause.
std::string PartsHtml(FiguresBy by, const v1::DriverTrial& trial) {
  double most = 0.01;
  for (const bool held_out : {false, true}) {
    for (const auto& [name, of] : SumsBy(by, trial, "chosen", held_out))
      most = std::max(most, std::abs(Percent(NumberOf(of, kTime))));
  }
  std::string rows;
  for (const bool held_out : {false, true}) {
    for (const auto& [name, of] : SumsBy(by, trial, "chosen", held_out)) {
      if (name.empty()) continue;
      const double percent = Percent(NumberOf(of, kTime));
      absl::StrAppend(&rows, "<tr><td>", Escaped(name), "</td><td>", held_out ? "held out" : "discovery", "</td>",
                      Number(static_cast<double>(of.shaders())), ShareCell(NumberOf(of, kTime)));
      absl::StrAppendFormat(&rows,
                            "<td class=\"bar-cell\"><span class=\"bar%s\" style=\"width:%.2frem\"></span></td></tr>\n",
                            percent > 0 ? " worse" : "", 20 * std::abs(percent) / most);
    }
  }
  if (rows.empty()) return "";
  const std::string part = by == FiguresBy::kSource ? "source" : "stage";
  return absl::StrCat("<h3>Gain by ", part, ", with the chosen rules</h3>\n<table>\n",
                      Heads({part, "split", "shaders", "time", ""}), rows, "</table>\n");
}

// Returns a plot of the cumulative savings of the chosen rules, best rule first.
std::string ByRankHtml(const DriverReport& driver) {
  constexpr double kWidth = 420, kHeight = 220, kLeft = 50, kBottom = 30, kTop = 12;
  std::vector<double> sums = {0};
  for (const RuleGain& gain : driver.gains) {
    if (gain.worth.chosen) sums.push_back(sums.back() + gain.worth.time);
  }
  if (sums.size() < 2) return "";
  const double high = std::max(1e-9, *std::max_element(sums.begin(), sums.end())),
               low = std::min(0.0, *std::min_element(sums.begin(), sums.end()));
  const auto x = [&](size_t rank) {
    return kLeft + (kWidth - kLeft - 10) * static_cast<double>(rank) / static_cast<double>(sums.size() - 1);
  };
  const auto y = [&](double sum) { return kTop + (kHeight - kTop - kBottom) * (high - sum) / (high - low); };
  std::string html = absl::StrFormat(
      "<h3>Gain by rank</h3>\n<svg viewBox=\"0 0 %1$g %2$g\" width=\"%1$g\" height=\"%2$g\" role=\"img\" "
      "aria-label=\"gain by rank\"><path d=\"M%3$g %4$g V%5$g H%6$g\" fill=\"none\" stroke=\"currentColor\" "
      "stroke-opacity=\"0.4\"/>\n<path fill=\"none\" stroke=\"#4a7ab5\" stroke-width=\"2\" d=\"",
      kWidth, kHeight, kLeft, kTop, kHeight - kBottom, kWidth - 10);
  for (size_t rank = 0; rank < sums.size(); ++rank)
    absl::StrAppendFormat(&html, "%s%.1f %.1f", rank == 0 ? "M" : "L", x(rank), y(sums[rank]));
  absl::StrAppendFormat(&html,
                        "\"/>\n<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%.2f%%</text><text x=\"%g\" y=\"%g\" "
                        "text-anchor=\"end\">0</text>",
                        kLeft - 4, y(high) + 4, high, kLeft - 4, y(0) + 4);
  absl::StrAppendFormat(
      &html,
      "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%d rules</text></svg>\n<p class=\"muted\">Cumulative "
      "savings of the chosen rules, best first: time saved by each rule in addition to all others.</p>\n",
      kWidth - 10, kHeight - 12, sums.size() - 1);
  return html;
}

// Returns a plot with one dot per rule. The x-axis shows the model's savings, and the y-axis the driver's savings. Both
// axes show signed square roots, because few rules save much.
std::string ScatterHtml(const DriverAgreement& driver) {
  constexpr double kHalf = 150;
  double right = 1e-9, up = 1e-9;
  for (const ModelledAndMeasured& rule : driver.rules) {
    right = std::max(right, std::abs(driver.Compared(rule)));
    up = std::max(up, std::abs(rule.measured));
  }
  const auto at = [](double value, double most) {
    return std::copysign(std::sqrt(std::abs(value) / most), value) * (kHalf - 10);
  };
  std::string html = absl::StrFormat(
      "<svg viewBox=\"0 0 %1$g %1$g\" width=\"%1$g\" height=\"%1$g\" role=\"img\" aria-label=\"modelled and measured\">"
      "<path d=\"M0 %2$g H%1$g M%2$g 0 V%1$g\" stroke=\"currentColor\" stroke-opacity=\"0.3\"/>\n",
      2 * kHalf, kHalf);
  for (const ModelledAndMeasured& rule : driver.rules) {
    absl::StrAppendFormat(&html, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"currentColor\" fill-opacity=\"0.5\">",
                          kHalf + at(driver.Compared(rule), right), kHalf - at(rule.measured, up));
    absl::StrAppend(&html, "<title>", Escaped(TupleText(rule.rule->row.rule)), "</title></circle>\n");
  }
  return html + "</svg>\n";
}

std::string AgreementHtml(const DriverAgreement& driver) {
  std::string html = absl::StrFormat(
      "<h3>Modelled and measured</h3>\n<p>Spearman %.2f with time and %.2f with instructions for %d rules on %s; %.2f "
      "for time and the model's savings per site times the driver's applications of the rule.</p>\n",
      driver.spearman, driver.spearman_instructions, driver.rules.size(), Escaped(SourcesOf(driver)),
      driver.spearman_as_applied);
  const bool whole = !driver.modelled_as.empty();
  if (whole) absl::StrAppend(&html, "<p>", Escaped(WholeShadersText(driver)), ".</p>\n");
  html += ScatterHtml(driver);
  absl::StrAppend(&html, "<p class=\"muted\">Each dot is a rule. To the right: ",
                  whole ? "instructions that this rule alone saves in these shaders according to the model"
                        : "cycles that this rule saves on these sources according to the model",
                  ". Upwards: time that this rule alone saves in the driver's code. Both axes show square roots. The "
                  "largest differences:</p>\n<table>\n",
                  Heads({"rule", absl::StrCat(driver.compared_unit(), " modelled"), "% time measured", ""}));
  for (size_t i = 0; i < driver.rules.size() && i < kMostDisagreements; ++i) {
    const ModelledAndMeasured& rule = driver.rules[i];
    absl::StrAppend(&html, "<tr><td>", Code(rule.rule->row.rule.id.hex().substr(0, 12)), "</td>",
                    Number(driver.Compared(rule)),
                    absl::StrFormat("<td class=\"n%s\">%.4f</td>", rule.measured < 0 ? " hurt" : "", rule.measured),
                    "<td>", Code(TupleText(rule.rule->row.rule)), "</td></tr>\n");
  }
  return html + "</table>\n";
}

std::string CodeHtml(const std::string& code) {
  std::string html = "<pre>";
  for (const absl::string_view line : absl::StrSplit(code, '\n')) {
    absl::StrAppend(&html, "<span",
                    absl::StartsWith(line, "-")   ? " class=\"minus\""
                    : absl::StartsWith(line, "+") ? " class=\"plus\""
                    : absl::StartsWith(line, "@") ? " class=\"muted\""
                                                  : "",
                    ">", Escaped(line), "</span>");
  }
  return html + "</pre>\n";
}

std::string ExamplesHtml(const char* title, const DriverReport& driver, const std::vector<const RuleGain*>& gains) {
  if (gains.empty()) return "";
  std::string html = absl::StrCat("<h3>", title, "</h3>\n");
  for (const RuleGain* gain : gains) {
    const v1::RuleTrial::Example& example = gain->trial->example();
    absl::StrAppend(&html, gain == gains.front() ? "<details open>" : "<details>", "<summary>",
                    absl::StrFormat("%+.4f%% ", -gain->worth.time), Code(TupleText(gain->rule->row.rule)),
                    "</summary>\n<p>", Code(gain->rule->row.rule.id.hex().substr(0, 12)), " at ");
    absl::StrAppend(&html, Escaped(example.place()), " in ", Code(example.program()), ", ", Escaped(example.shader()),
                    absl::StrFormat(": %g &rarr; %g ", example.before(), example.after()),
                    Escaped(NumberName(driver.trial, example)), "</p>\n", CodeHtml(example.code()), "</details>\n");
  }
  return html;
}

}  // namespace

std::string DriverHtml(const DriverReport& driver) {
  const DriverAgreement& agreement = driver.agreement;
  std::string html = absl::StrCat("<h2>Driver ", Escaped(agreement.driver), "</h2>\n<p>", agreement.tried,
                                  " rules tried, ", agreement.chosen, " chosen.</p>\n");
  std::string left;
  for (const auto& [id, problem] : agreement.problems)
    absl::StrAppend(&left, "<li>omitted: ", Code(id.substr(0, 12)), ": ", Escaped(problem), "</li>\n");
  for (const auto& [condition, rules] : UnmetOf(agreement))
    absl::StrAppend(&left, "<li>never applied: ", rules, " of the rules, because no shader met ", Code(condition),
                    "</li>\n");
  if (!left.empty()) absl::StrAppend(&html, "<ul>\n", left, "</ul>\n");
  const Examples examples = ExamplesOf(driver, kMostExamples, kMostExamples);
  if (const std::string time = TimeText(driver.trial); !time.empty())
    absl::StrAppend(&html, "<p>", Escaped(time), "</p>\n");
  if (!driver.trial.time().empty()) {
    absl::StrAppend(&html, SetsHtml(driver.trial), NumbersHtml(driver.trial),
                    PartsHtml(FiguresBy::kSource, driver.trial), PartsHtml(FiguresBy::kStage, driver.trial));
  }
  absl::StrAppend(&html, ByRankHtml(driver), WithoutTimeHtml(driver), AgreementHtml(agreement));
  absl::StrAppend(&html,
                  ExamplesHtml("Largest gains: the driver's code without and with a rule", driver, examples.best),
                  ExamplesHtml("Largest losses: the driver's code without and with a rule", driver, examples.worst));
  return html;
}

}  // namespace rewrought::pipeline
