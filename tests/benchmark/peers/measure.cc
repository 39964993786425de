#include "tests/benchmark/peers/measure.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/op_table.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "tests/benchmark/peers/timing.h"
#include "verifier/prover.h"

namespace rewrought::peers {
namespace {

// Returns the peak memory of this process since the last reset.
double PeakBytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    absl::string_view rest = line;
    double kilobytes = 0;
    if (absl::ConsumePrefix(&rest, "VmHWM:") && absl::ConsumeSuffix(&rest, "kB") && absl::SimpleAtod(rest, &kilobytes))
      return kilobytes * 1024;
  }
  return 0;
}

void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

std::string Ratio(double theirs, double ours) {
  if (theirs < 0 || ours <= 0) return "";
  return absl::StrFormat("%.3g", theirs / ours);
}

std::string Number(double value) { return value < 0 ? "-" : absl::StrFormat("%.4g", value); }

void PrintFound(const Measured& measured, std::ostream& out) {
  const v1::RunStatistics& statistics = measured.report.run_statistics;
  const double proving = measured.report.seconds_proving, minimising = measured.report.seconds_minimising;
  out << absl::StrFormat(
      "| %s | %d | %d | %d | %d | %d | %d | %d | %.3f | %.3f | %.3f | %.3f | %.3f | %.0f | %d | %d |\n",
      measured.workload->name, statistics.enumerated(), statistics.distinct(), statistics.candidates(),
      statistics.general(), statistics.minimal(), statistics.refuted(), statistics.unknown(), measured.seconds,
      measured.processor_seconds, std::max(0.0, statistics.seconds() - proving - minimising), minimising, proving,
      measured.peak_bytes / (1 << 20), measured.report.underived, measured.wrong.size());
}

void PrintBeside(const Measured& measured, std::ostream& out) {
  const double rules = static_cast<double>(measured.report.run_statistics.minimal());
  for (const PeerFigure& figure : measured.workload->figures) {
    out << absl::StrFormat("| %s | %s | %s | %.0f | %s | %s | %.3f | %s | %s | %s |\n", measured.workload->name,
                           figure.peer, Number(figure.rules), rules, Ratio(figure.rules, rules), Number(figure.seconds),
                           measured.seconds, Ratio(figure.seconds, measured.seconds),
                           Ratio(figure.seconds, measured.processor_seconds), figure.source);
  }
}

void PrintCompared(const Measured& measured, std::ostream& out) {
  if (measured.others == 0) return;
  const size_t ours = measured.report.rules.size();
  out << absl::StrFormat(
      "%s: %d rules of theirs, %d of which follow from ours; %d rules of ours, %d of which follow from theirs\n",
      measured.workload->name, measured.others, measured.others - measured.report.others_not_known.size(), ours,
      ours - measured.report.not_from_others.size());
}

// Parses the text of a rule that may use the sweep's own ops, such as `ushr_zero`. Takes these ops from the rule's
// terms.
class OpsOf {
 public:
  explicit OpsOf(std::initializer_list<const ir::Term*> terms) {
    own_.clear();
    for (const ir::Term* term : terms) {
      for (const ir::Node& node : term->nodes) {
        if (node.kind == ir::NodeKind::kOp) own_[std::string(node.op->name)] = node.op;
      }
    }
  }

  // Parses `text` with all sizes set to `width` bits. Fails with the errors of ir::ParseTerm.
  absl::StatusOr<ir::Term> AsPrinted(const std::string& text, int width) const {
    absl::StatusOr<ir::Term> term = ir::ParseTerm(text, nullptr, [](absl::string_view name) {
      const auto found = own_.find(name);
      return found != own_.end() ? found->second : ir::FindOp(name);
    });
    if (!term.ok()) return term.status();
    for (ir::Node& node : term->nodes) {
      if (node.bits != 0) continue;
      if (node.kind == ir::NodeKind::kConstant) node.values[0] = ir::LiteralBits(node, width);
      node.bits = width;
    }
    return term;
  }

 private:
  static thread_local std::map<std::string, const ir::OpRow*, std::less<>> own_;
};
thread_local std::map<std::string, const ir::OpRow*, std::less<>> OpsOf::own_;

}  // namespace

std::vector<std::string> WrongRules(const pipeline::EnumerateReport& report,
                                    absl::Span<const ir::DenormMode> of_floats) {
  const verifier::Prover evaluation(verifier::Solvers{}, verifier::ProverOptions{});
  std::vector<std::string> wrong;
  for (const pipeline::EnumeratedRule& rule : report.rules) {
    const std::string text = absl::StrCat(rule.search, " -> ", rule.replace);
    if (rule.verdicts.empty() || rule.verdicts[0].second != "proved")
      wrong.push_back(absl::StrCat(text, ": not proved"));
    const int width = rule.verdicts.empty() ? 0 : rule.verdicts[0].first;
    const OpsOf ops({&rule.search_term, &rule.replace_term});
    const absl::StatusOr<ir::Term> search = ops.AsPrinted(rule.search, width),
                                   replace = ops.AsPrinted(rule.replace, width);
    if (!search.ok() || !replace.ok()) {
      wrong.push_back(absl::StrCat(text, ": ", (search.ok() ? replace : search).status().message()));
      continue;
    }
    const bool floats = ir::HasFloatOperation(*search) || ir::HasFloatOperation(*replace);
    const std::vector<ir::DenormMode> none = {ir::DenormMode::kNone};
    for (const ir::DenormMode mode : floats ? of_floats : absl::MakeConstSpan(none)) {
      const verifier::CaseResult result = evaluation.Prove({*search, *replace, mode});
      if (result.verdict == v1::VERDICT_PROVED || result.verdict == v1::VERDICT_UNKNOWN) continue;
      wrong.push_back(absl::StrCat(text, ": refuted"));
      break;
    }
  }
  return wrong;
}

absl::StatusOr<Measured> Measure(const Workload& workload, const verifier::Solvers& solvers, const OtherRules& others,
                                 int times) {
  Measured measured;
  measured.workload = &workload;
  measured.others = others.size();
  pipeline::EnumerateOptions options = workload.options;
  ResetPeak();
  absl::Status status;
  const Times medians = MedianTimes(times, [&] {
    absl::StatusOr<pipeline::EnumerateReport> report = pipeline::Enumerate(options, solvers);
    status.Update(report.status());
    if (report.ok()) measured.report = *std::move(report);
  });
  if (!status.ok()) return status;
  measured.peak_bytes = PeakBytes();
  measured.seconds = medians.seconds;
  measured.processor_seconds = medians.processor_seconds;
  if (!others.empty()) {  // not included in the measured time
    options.others = others;
    absl::StatusOr<pipeline::EnumerateReport> report = pipeline::Enumerate(options, solvers);
    if (!report.ok()) return report.status();
    measured.report.not_from_others = report->not_from_others;
    measured.report.others_not_known = report->others_not_known;
  }
  measured.wrong = WrongRules(measured.report, workload.options.modes);
  return measured;
}

void PrintTables(const std::vector<Measured>& all, std::ostream& out) {
  out << "| workload | terms | functions | candidates | proved rules | left | refuted | unknown | s | CPU s | "
         "enumerate | "
         "minimise | prove | MB | underived | wrong "
         "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Measured& measured : all) PrintFound(measured, out);
  out << "\n| workload | peer | its rules | ours | ratio | its s | ours | ratio | to our CPU s | source |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Measured& measured : all) PrintBeside(measured, out);
  out << "\n";
  for (const Measured& measured : all) PrintCompared(measured, out);
  for (const Measured& measured : all) {
    for (const std::string& wrong : measured.wrong) out << "WRONG " << measured.workload->name << ": " << wrong << "\n";
  }
}

}  // namespace rewrought::peers
