// rewrought enumerate: rules of a named op set up to a named size, without a corpus.
#include "pipeline/enumerate.h"

#include <bit>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/run_json.h"
#include "cli/verify_options.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  pipeline::EnumerateOptions enumerate;
  std::string ops, constants, prove_widths, shifts = "masked";
  bool json = false;
};

// Reads "0,1,-1"; false, with a message, for anything else.
template <typename Number>
bool ReadNumbers(const char* name, const std::string& text, std::vector<Number>* numbers, Context* context) {
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    Number number = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(word), &number)) {
      Fail(context, absl::StrCat("--", name, ": '", word, "' is no whole number"));
      return false;
    }
    numbers->push_back(number);
  }
  return true;
}

// Words with a point are floats.
bool ReadConstants(const std::string& text, std::vector<enumerator::SweepConstant>* constants, Context* context) {
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    double real = 0;
    if (absl::StrContains(word, ".")) {
      if (!absl::SimpleAtod(absl::StripAsciiWhitespace(word), &real)) {
        Fail(context, absl::StrCat("--constants: '", word, "' is no number"));
        return false;
      }
      constants->push_back({true, std::bit_cast<int64_t>(real)});
      continue;
    }
    std::vector<int64_t> whole;
    if (!ReadNumbers("constants", std::string(word), &whole, context)) return false;
    for (const int64_t value : whole) constants->push_back({false, value});
  }
  return true;
}

void PrintRule(const pipeline::EnumeratedRule& rule, bool json) {
  const std::string& right = rule.program.empty() ? rule.replace : rule.program;
  if (json) {
    Json widths = Json::object();
    for (const auto& [width, verdict] : rule.verdicts) widths[absl::StrCat(width)] = verdict;
    PrintJson(Json{{"rule", absl::StrCat("(", rule.search, ", ", right, ")")},
                   {"search", rule.search},
                   {rule.program.empty() ? "replace" : "program", right},
                   {"size", rule.search_ops},
                   {"base", rule.base_cost},
                   {"cost", rule.cost},
                   {"widths", widths}});
    return;
  }
  std::cout << "(" << rule.search << ", " << right << ")"
            << "  # " << absl::StrJoin(rule.verdicts, ", ", absl::PairFormatter(": ")) << "\n";
}

void Run(Options& options, Context* context) {
  pipeline::EnumerateOptions& enumerate = options.enumerate;
  for (const absl::string_view op : absl::StrSplit(options.ops, absl::ByAnyChar(", "), absl::SkipEmpty())) {
    enumerate.ops.emplace_back(op);
  }
  if (!ReadConstants(options.constants, &enumerate.constants, context)) return;
  if (!ReadNumbers("prove-widths", options.prove_widths, &enumerate.prove_widths, context)) return;
  if (options.shifts != "zero" && options.shifts != "masked") {
    return Fail(context, absl::StrCat("--shifts ", options.shifts, ": none of zero, masked"));
  }
  enumerate.shifts_zero = options.shifts == "zero";
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return Fail(context, solvers.status().message());
  Progress progress("enumerate");
  enumerate.stop = context->stop.get_token();
  enumerate.progress = [&](const v1::RunStatistics& run_statistics, const std::string& stage) {
    progress.Show(absl::StrFormat("%s: %d enumerated, %d distinct, %d candidates, %d refuted, %d unknown, %d proved",
                                  stage, run_statistics.enumerated(), run_statistics.distinct(),
                                  run_statistics.candidates(), run_statistics.refuted(), run_statistics.unknown(),
                                  run_statistics.proved()));
  };
  const absl::StatusOr<pipeline::EnumerateReport> report = pipeline::Enumerate(enumerate, *solvers);
  if (!report.ok()) return Fail(context, report.status().message());
  for (const pipeline::EnumeratedRule& rule : report->rules) PrintRule(rule, options.json);
  Json run_statistics = ToJson(report->run_statistics);
  run_statistics["derived"] = report->derived;
  run_statistics["exhaustive"] = report->exhaustive;
  run_statistics["complete"] = report->complete;
  if (options.json) {
    PrintJson(run_statistics);
  } else {
    for (const auto& [field, value] : run_statistics.items())
      std::cout << absl::StrFormat("# %-12s %s\n", field, value.dump());
  }
  if (!report->complete && !context->stop.stop_requested()) {
    std::cerr << "rewrought: the limit of memory ended the enumeration; --memory raises it\n";
    context->exit_code = kUndecided;
  }
}

}  // namespace

void AddEnumerateCommand(CLI::App* command, Context* context) {
  static Options options;
  pipeline::EnumerateOptions& enumerate = options.enumerate;
  command->add_option("--ops", options.ops, "ops, separated by commas; `rewrought ops` lists them")->required();
  command->add_option("--vars", enumerate.variables, "variables, 1 to 4")->required();
  command->add_option("--size", enumerate.size, "ops of a rule's search side")->required();
  command->add_option("--width", enumerate.width, "bits of the variables, 1 to 32")->required();
  command->add_option("--constants", options.constants,
                      "numbers, separated by commas; floats with a point: 0,1,-1,0.5,-0.0");
  command
      ->add_option("--shifts", options.shifts,
                   "what a shift count beyond the width does: 'masked' as in NIR, or 'zero'")
      ->default_val("masked");
  command->add_option("--machine", enumerate.machine_file,
                      "file of a machine's description: find programs of it for the terms");
  command->add_option("--prove-widths", options.prove_widths, "verify every rule at these widths too");
  command->add_option("--memory", enumerate.max_bytes, "bytes for terms and their values")
      ->default_val(uint64_t{1} << 31);
  AddJsonOption(command, &options.json, "one JSON object per rule, then the run's statistics,");
  command->footer(
      "Operands of commutative ops are tried in one order, so commutativity is no rule here; a rule that is an "
      "instance\n"
      "of others is left out. Ctrl-C prints what was found.\n"
      "Examples:\n"
      "  rewrought enumerate --ops iand,ior,ixor,inot --vars 3 --size 3 --width 1\n"
      "  rewrought enumerate --ops ineg,iadd,isub --vars 2 --size 2 --width 4 --prove-widths 8,32 --json");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
