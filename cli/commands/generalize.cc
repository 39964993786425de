// rewrought generalize: finds the general form of special rules.
#include "pipeline/generalize/generalize.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/check_input.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/rule_json.h"
#include "cli/server_option.h"
#include "cli/verify_options.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/dialect/reading.h"
#include "ir/text/display.h"
#include "machine/machine.h"
#include "pipeline/generalize/family_text.h"
#include "pipeline/generalize/generalize_rules.h"
#include "pipeline/generalize/rule_edit.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::vector<std::string> rules;
  std::string modes, dialect, machine;
  double seconds = 10;
  bool json = false, no_family = false;
};

Json ResultJson(ir::Dialect dialect, const ir::RuleEntry& entry, const pipeline::GeneralizedRule& result) {
  Json object = RuleJson(dialect, result.members[0]);
  object["rule"] = std::string(entry.text);
  object["sizes"] = Json::array();
  object["family"] = Json::array();
  for (size_t i = 0; i < result.members.size(); ++i)
    object[i < result.own_sizes ? "sizes" : "family"].push_back(RuleJson(dialect, result.members[i]));
  object["steps"] = result.steps;
  object["kept"] = Json::array();
  for (const pipeline::KeptPart& kept : result.kept)
    object["kept"].push_back({{"part", kept.part}, {"reason", kept.reason}});
  object["complete"] = result.complete;
  return object;
}

void PrintResult(ir::Dialect dialect, const pipeline::GeneralizedRule& result) {
  std::vector<std::string> own, others;
  for (size_t i = 0; i < result.members.size(); ++i)
    (i < result.own_sizes ? own : others).push_back(ir::DisplayRule(result.members[i], ir::SizeOptionsIn(dialect)));
  std::cout << pipeline::FamilyText(own);
  if (!others.empty()) {
    std::cout << "  other rules of the family (" << others.size() << "):\n";
    for (const absl::string_view line : absl::StrSplit(pipeline::FamilyText(others), '\n', absl::SkipEmpty()))
      std::cout << "    " << line << "\n";
  }
  for (const std::string& step : result.steps) std::cout << "  changed: " << step << "\n";
  for (const pipeline::KeptPart& kept : result.kept)
    std::cout << "  kept: " << kept.part << ": " << kept.reason << "\n";
  if (!result.complete) std::cout << "  the search reached its time limit; use --seconds to raise it\n";
  std::cout << std::flush;
}

// Generalizes the rules of a machine in the database.
void RunDatabase(const Options& options, Context* context) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options.machine);
  if (!machine.ok()) return Fail(context, machine.status().message());
  const absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kReadWrite);
  if (!store.ok()) return Fail(context, store.status().message());
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return Fail(context, solvers.status().message());
  const pipeline::RuleVerifier verifier(*solvers, {.stop = context->stop.get_token()});
  Progress progress("generalize");
  pipeline::GeneralizeRulesOptions generalize;
  generalize.limit = std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 1000));
  generalize.progress = [&](size_t done, size_t all) { progress.Show(absl::StrCat(done, " of ", all, " rules")); };
  const absl::StatusOr<pipeline::GeneralizeRulesReport> report =
      pipeline::GeneralizeRules(store->get(), **machine, verifier, generalize);
  if (!report.ok()) return FailCall(context, report.status());
  for (const pipeline::RuleGeneralization& one : report->added) {
    if (options.json) {
      PrintJson({{"special", one.special}, {"general", one.general}});
    } else {
      std::cout << one.special << "\n  -> " << one.general << "\n";
    }
  }
  std::cout << std::flush;
  progress.Say(absl::StrCat(report->added.size(), " general rules added from ", report->rules, " rules",
                            report->tried_before == 0 ? "" : absl::StrCat(" (", report->tried_before, " tried before)"),
                            "; ", report->rejected.size(), " were not confirmed; ", report->derived,
                            " rules are now redundant"));
}

void Run(const Options& options, Context* context) {
  if (!options.machine.empty() && !options.dialect.empty())
    return Fail(context, "--dialect: the rules of a database have the dialect nir-25; omit --dialect with --machine");
  if (!options.machine.empty()) return RunDatabase(options, context);
  if (options.rules.empty()) return Fail(context, "generalize: no rules; pass a rule, a rule file, or --machine ID");
  pipeline::GeneralizeOptions generalize;
  const absl::StatusOr<ir::Dialect> dialect = ReadDialect(options.dialect, false);
  if (!dialect.ok()) return Fail(context, dialect.status().message());
  const absl::StatusOr<std::vector<ir::DenormMode>> modes = ReadModes("--modes", options.modes);
  if (!modes.ok()) return Fail(context, modes.status().message());
  generalize.check.dialect = *dialect;
  generalize.check.modes = *modes;
  generalize.families = !options.no_family;
  generalize.limit = std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 1000));
  generalize.stop = context->stop.get_token();
  const absl::StatusOr<std::vector<CheckInput>> inputs = ReadCheckInputs(options.rules, ir::ResolverOf(*dialect));
  if (!inputs.ok()) return Fail(context, inputs.status().message());
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({.workers = 1});
  if (!solvers.ok()) return Fail(context, solvers.status().message());
  const verifier::Prover prover(*solvers, ProverOptionsOf(0, generalize.stop));
  for (const CheckInput& input : *inputs) {
    for (const ir::RuleEntry& entry : input.entries) {
      if (generalize.stop.stop_requested()) return;
      const std::string place = absl::StrCat(input.name, ":", entry.line, ": ");
      if (!entry.rule.ok()) {
        std::cerr << place << "error: " << entry.rule.status().message() << std::endl;
        context->exit_code = kBadInput;
        continue;
      }
      if (!entry.program.empty()) {
        std::cerr << place << "error: the replacement is a machine program; only NIR rules can be generalized\n";
        context->exit_code = kBadInput;
        continue;
      }
      const absl::StatusOr<pipeline::GeneralizedRule> result = pipeline::Generalize(prover, *entry.rule, generalize);
      if (generalize.stop.stop_requested()) return;
      if (!result.ok()) {
        std::cerr << place << "error: " << result.status().message() << std::endl;
        const int code = absl::IsFailedPrecondition(result.status()) ? kNo : kBadInput;
        context->exit_code = std::max(context->exit_code, code);
        continue;
      }
      if (options.json) {
        PrintJson(ResultJson(*dialect, entry, *result));
      } else {
        PrintResult(*dialect, *result);
      }
    }
  }
}

}  // namespace

void AddGeneralizeCommand(CLI::App* command, Context* context) {
  static Options options;
  command->add_option("RULE|FILE", options.rules,
                      "a rule '(search, replace)' in Mesa's syntax, a list '[rule, ...]', or a file of such rules; '-' "
                      "reads standard input");
  AddMachineOption(command, &options.machine, "generalize the rules of this machine in the database instead")
      ->excludes("RULE|FILE");
  AddDatabaseOption(command, context);
  AddJsonOption(command, &options.json, "one JSON object per rule, with the general rule as `search` and `replace`");
  command->add_option("--modes", options.modes, "denormal modes in which every rule must hold (see check --help)")
      ->default_val("any");
  AddDialectOption(command, &options.dialect);
  command->add_option("--seconds", options.seconds, "time limit for each rule")
      ->check(CLI::Range(0.1, 3600.0))
      ->default_val(10.0);
  command->add_flag("--no-family", options.no_family, "do not look for the same rule for other ops");
  command->footer(
      "Every printed rule is proved. A rule holds at all sizes unless it states sizes.\n"
      "Exit codes: 0 every rule was generalized or is already general, 1 a rule is not proved, 2 a rule is malformed.\n"
      "Examples:\n"
      "  rewrought generalize \"(('iadd', ('iadd', 'a@32', 3), 5), ('iadd', a, 8))\"\n"
      "  rewrought generalize rules.py --json --modes any,preserve,flush\n"
      "  rewrought generalize --machine ir3_a6xx --db rules.db");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
