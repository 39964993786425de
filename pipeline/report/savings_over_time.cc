#include "pipeline/report/savings_over_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "store/run_store.h"

namespace rewrought::pipeline {
namespace {

double SecondsOf(const store::RunRecord& run) {
  return std::max(0.0, absl::ToDoubleSeconds(run.ended.value_or(run.updated) - run.started));
}

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// Returns the last step at or before `seconds`, or null if there is none.
const SavingsAt* StepAt(absl::Span<const SavingsAt> steps, double seconds) {
  const SavingsAt* at = nullptr;
  for (const SavingsAt& step : steps) {
    if (step.seconds <= seconds) at = &step;
  }
  return at;
}

std::string CurveHtml(absl::Span<const SavingsAt> steps, double SavingsAt::*part, const char* colour, double left,
                      double top, double width, double height) {
  const SavingsAt& end = steps.back();
  double x = left, y = top + height;
  std::string path =
      absl::StrFormat("<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"M%.1f %.1f", colour, x, y);
  for (const SavingsAt& step : steps) {
    x = left + width * (end.seconds > 0 ? step.seconds / end.seconds : 1);
    y = top + height * (1 - Percent(step.*part, end.*part) / 100);
    absl::StrAppendFormat(&path, "H%.1fV%.1f", x, y);
  }
  return path + "\"/>\n";
}

// Returns whether the run was for this machine. The config of a "discover" run begins with the id of its machine, and
// other configs contain the ids in quotes.
bool IsAbout(const store::RunRecord& run, const std::string& machine) {
  return absl::StartsWith(run.config, absl::StrCat(machine, " ")) || run.config == machine ||
         absl::StrContains(run.config, absl::StrCat("\"", machine, "\""));
}

}  // namespace

std::vector<SavingsAt> SavingsOverTime(absl::Span<const RankedRule> rules, std::vector<store::RunRecord> runs) {
  if (rules.empty() || runs.empty()) return {};
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.started < b.started; });
  // Maps each run id to the total seconds of all earlier runs and to the start of the run.
  std::map<std::string, std::pair<double, absl::Time>> begins;
  double seconds = 0;
  for (const store::RunRecord& run : runs) {
    begins[run.id] = {seconds, run.started};
    seconds += SecondsOf(run);
  }
  std::vector<std::pair<double, const RankedRule*>> found;
  for (const RankedRule& row : rules) {
    const auto run = begins.find(row.rule.created_run);
    const double after =
        run == begins.end() ? 0 : run->second.first + absl::ToDoubleSeconds(row.rule.created - run->second.second);
    found.emplace_back(std::clamp(after, 0.0, seconds), &row);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<SavingsAt> steps;
  SavingsAt sum;
  for (const auto& [after, row] : found) {
    sum.seconds = after;
    ++sum.rules;
    sum.discovery += std::max(0.0, row->discovery.tuned_cycles);
    sum.held_out += std::max(0.0, row->held_out.tuned_cycles);
    steps.push_back(sum);
  }
  sum.seconds = seconds;
  steps.push_back(sum);
  return steps;
}

absl::StatusOr<std::vector<store::RunRecord>> RunsAbout(store::Store* store, const std::string& machine) {
  std::vector<store::RunRecord> all;
  std::optional<store::RunStore::Place> before;
  for (;;) {
    absl::StatusOr<std::vector<store::RunRecord>> runs = store::RunStore(store).ListRuns(before, 100);
    if (!runs.ok()) return runs.status();
    for (store::RunRecord& run : *runs) {
      before = {run.started, run.id};
      if (!IsAbout(run, machine) || run.run_statistics.empty() || run.run_statistics == "{}") continue;
      all.push_back(std::move(run));
    }
    if (runs->size() < 100) return all;
  }
}

absl::StatusOr<std::vector<SavingsAt>> SavingsOfMachine(store::Store* store, const std::string& machine) {
  const absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store, machine);
  if (!ranked.ok()) return ranked.status();
  absl::StatusOr<std::vector<store::RunRecord>> runs = RunsAbout(store, machine);
  if (!runs.ok()) return runs.status();
  return SavingsOverTime(*ranked, *std::move(runs));
}

std::vector<SavingsAt> ThinnedSteps(const std::vector<SavingsAt>& steps, size_t most) {
  if (steps.size() <= most || most == 0) return steps;
  std::vector<SavingsAt> kept;
  const double apart = steps.back().seconds / static_cast<double>(most);
  for (size_t i = 0; i < steps.size(); ++i) {
    // Keep only the last of several steps that have the same position in a plot.
    const bool is_last = i + 1 == steps.size();
    if (is_last || std::floor(steps[i].seconds / apart) != std::floor(steps[i + 1].seconds / apart))
      kept.push_back(steps[i]);
  }
  return kept;
}

std::string SavingsText(absl::Span<const SavingsAt> steps) {
  if (steps.empty()) return "";
  const SavingsAt& end = steps.back();
  std::string text = "found over time\n";
  const auto line = [&](double minutes, const SavingsAt& at) {
    absl::StrAppendFormat(&text,
                          "  %7.4g min %5d rules  %5.1f %% of the savings on discovery sources, %5.1f %% on held-out "
                          "sources\n",
                          minutes, at.rules, Percent(at.discovery, end.discovery), Percent(at.held_out, end.held_out));
  };
  for (double decade = 1; decade * 60 < end.seconds; decade *= 10) {
    for (const double minutes : {decade, 2 * decade, 5 * decade}) {
      if (minutes * 60 >= end.seconds) break;
      const SavingsAt* const at = StepAt(steps, minutes * 60);
      line(minutes, at == nullptr ? SavingsAt{} : *at);
    }
  }
  line(end.seconds / 60, end);
  return text;
}

std::string SavingsHtml(absl::Span<const SavingsAt> steps) {
  if (steps.empty()) return "";
  constexpr double kWidth = 420, kHeight = 220, kLeft = 50, kBottom = 30, kTop = 12;
  constexpr char kDiscovery[] = "#4a7ab5", kHeldOut[] = "#c07a1a";
  const double width = kWidth - kLeft - 10, height = kHeight - kTop - kBottom;
  std::string html = absl::StrFormat(
      "<h2>Found over time</h2>\n<svg viewBox=\"0 0 %1$g %2$g\" width=\"%1$g\" height=\"%2$g\" role=\"img\" "
      "aria-label=\"found over time\"><path d=\"M%3$g %4$g V%5$g H%6$g\" fill=\"none\" stroke=\"currentColor\" "
      "stroke-opacity=\"0.4\"/>\n",
      kWidth, kHeight, kLeft, kTop, kTop + height, kLeft + width);
  absl::StrAppend(&html, CurveHtml(steps, &SavingsAt::discovery, kDiscovery, kLeft, kTop, width, height),
                  CurveHtml(steps, &SavingsAt::held_out, kHeldOut, kLeft, kTop, width, height));
  absl::StrAppendFormat(&html,
                        "<text x=\"%1$g\" y=\"%2$g\" text-anchor=\"end\">100%%</text><text x=\"%1$g\" y=\"%3$g\" "
                        "text-anchor=\"end\">0</text><text x=\"%4$g\" y=\"%5$g\" text-anchor=\"end\">%6$.4g "
                        "min</text></svg>\n",
                        kLeft - 4, kTop + 4, kTop + height + 4, kLeft + width, kHeight - 12, steps.back().seconds / 60);
  absl::StrAppendFormat(&html,
                        "<p class=\"muted\">Cycles saved by the rules found so far, relative to all rules: "
                        "<span style=\"color:%s\">discovery sources</span>, <span style=\"color:%s\">held-out "
                        "sources</span>.</p>\n<pre>",
                        kDiscovery, kHeldOut);
  return absl::StrCat(html, SavingsText(steps), "</pre>\n");
}

}  // namespace rewrought::pipeline
