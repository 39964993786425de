// rewrought enumerate: finds the rules over a set of ops up to a given size, without a corpus.
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

// Parses a list of integers such as "0,1,-1". If the text is not such a list, reports an error and returns false.
template <typename Number>
bool ReadNumbers(const char* name, const std::string& text, std::vector<Number>* numbers, Context* context) {
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    Number number = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(word), &number)) {
      Fail(context, absl::StrCat("--", name, ": '", word, "' is not an integer"));
      return false;
    }
    numbers->push_back(number);
  }
  return true;
}

// Parses a list of numbers. Numbers that contain a "." are floats. Reports errors like ReadNumbers.
bool ReadConstants(const std::string& text, std::vector<enumerator::SweepConstant>* constants, Context* context) {
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    double real = 0;
    if (absl::StrContains(word, ".")) {
      if (!absl::SimpleAtod(absl::StripAsciiWhitespace(word), &real)) {
        Fail(context, absl::StrCat("--constants: '", word, "' is not a number"));
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
    return Fail(context, absl::StrCat("--shifts ", options.shifts, ": must be zero or masked"));
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
    std::cerr << "rewrought: the memory limit ended the enumeration; raise it with --memory\n";
    context->exit_code = kUndecided;
  }
}

}  // namespace

void AddEnumerateCommand(CLI::App* command, Context* context) {
  static Options options;
  pipeline::EnumerateOptions& enumerate = options.enumerate;
  command->add_option("--ops", options.ops, "ops to use, separated by commas; `rewrought ops` lists them")->required();
  command->add_option("--vars", enumerate.variables, "number of variables, 1 to 4")->required();
  command->add_option("--size", enumerate.size, "maximum number of ops in a rule's search side")->required();
  command->add_option("--width", enumerate.width, "bit size of the variables, 1 to 32")->required();
  command->add_option("--constants", options.constants,
                      "constants, separated by commas; floats have a point: 0,1,-1,0.5,-0.0");
  command
      ->add_option("--shifts", options.shifts,
                   "result of a shift count beyond the width: 'masked' as in NIR, or 'zero'")
      ->default_val("masked");
  command->add_option("--machine", enumerate.machine_file,
                      "file of a machine description: find programs of this machine for the terms");
  command->add_option("--prove-widths", options.prove_widths, "also verify every rule at these widths");
  command->add_option("--memory", enumerate.max_bytes, "memory limit for terms and their values, in bytes")
      ->default_val(uint64_t{1} << 31);
  AddJsonOption(command, &options.json, "one JSON object per rule, then the run's statistics,");
  command->footer(
      "Operands of commutative ops are tried in only one order, so commutativity itself is not found as a rule.\n"
      "A rule that is an instance of other rules is omitted. Ctrl-C prints the rules found so far.\n"
      "Examples:\n"
      "  rewrought enumerate --ops iand,ior,ixor,inot --vars 3 --size 3 --width 1\n"
      "  rewrought enumerate --ops ineg,iadd,isub --vars 2 --size 2 --width 4 --prove-widths 8,32 --json");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
