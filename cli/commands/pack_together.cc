// rewrought pack together: finds rules that undo each other, in several packs or in packs and a Mesa tree.
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "audit/mesa_rules.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/tree_rules.h"
#include "emitter/entry_rule.h"
#include "emitter/pack_folder.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "rules/undoing.h"

namespace rewrought::cli {
namespace {

struct TogetherOptions {
  std::vector<std::string> directories;
  std::string against;
  bool json = false;
};

struct NamedRules {
  std::string file;
  std::vector<ir::CompiledRule> rules;
  std::vector<std::string> ids;
  size_t programs = 0;  // the number of entries with a program; a NIR pass cannot contain them
};

// Reads the NIR rules of a pack. Returns InvalidArgument, naming the entry, if an entry cannot be read.
absl::StatusOr<NamedRules> RulesOfPack(const std::string& directory) {
  const absl::StatusOr<emitter::PackFolder> read = emitter::ReadPackFolder(directory);
  if (!read.ok()) return read.status();
  NamedRules named;
  named.file = absl::StrCat(directory, "/nir.py");
  for (const v1::PackEntry& entry : read->pack.entries()) {
    if (!entry.rule().program().empty()) {
      ++named.programs;
      continue;
    }
    const auto fault = [&](const absl::Status& status) {
      return absl::InvalidArgumentError(
          absl::StrCat(directory, ": entry ", entry.rule().id(), ": ", status.message(), "; see pack verify --quick"));
    };
    absl::StatusOr<emitter::EntryRule> parsed = emitter::ParseEntry(entry.rule());
    if (!parsed.ok()) return fault(parsed.status());
    absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(std::move(parsed->rule));
    if (!compiled.ok()) return fault(compiled.status());
    named.rules.push_back(*std::move(compiled));
    named.ids.push_back(entry.rule().id());
  }
  return named;
}

// Reads the tree's generic passes, except rules that lower an op for back ends that lack the op.
absl::StatusOr<std::vector<NamedRules>> RulesOfTree(const std::string& path) {
  const absl::StatusOr<audit::MesaRules> read = audit::ReadMesaRules({path}, false);
  if (!read.ok()) return read.status();
  absl::StatusOr<rules::RulePasses> passes = PassesOf(*read, TreeSubset::kNoLowering, absl::StrCat("--against ", path));
  if (!passes.ok()) return passes.status();
  std::vector<NamedRules> named;
  for (std::vector<ir::CompiledRule>& pass : passes->passes) {
    named.push_back({absl::StrCat(path, ", pass ", named.size() + 1), std::move(pass), {}, 0});
    for (const ir::CompiledRule& rule : named.back().rules) named.back().ids.push_back(ir::PrintRule(rule.rule()));
  }
  return named;
}

void PrintCycle(const rules::UndoingRules& cycle, const std::vector<NamedRules>& files, bool json) {
  std::vector<Json> rules;
  for (const auto& [list, index] : cycle.rules) {
    rules.push_back({{"file", files[list].file},
                     {"id", files[list].ids[index]},
                     {"rule", ir::DisplayRuleText(ir::PrintRule(files[list].rules[index].rule()))}});
  }
  if (json && rules.size() == 2) {
    return PrintJson({{"one", rules[0]}, {"other", rules[1]}, {"terms", cycle.terms}});
  }
  if (json) return PrintJson({{"rules", rules}, {"terms", cycle.terms}});
  std::cout << "these rules undo each other:\n";
  for (const Json& rule : rules) {
    std::cout << "  " << rule["id"].get<std::string>() << " of " << rule["file"].get<std::string>() << "\n    "
              << rule["rule"].get<std::string>() << "\n";
  }
  std::cout << "    ";
  for (size_t i = 0; i < cycle.terms.size(); ++i) std::cout << (i == 0 ? "" : " -> ") << cycle.terms[i];
  std::cout << "\n";
}

void Together(const TogetherOptions& options, Context* context) {
  if (options.directories.size() < 2 && options.against.empty())
    return Fail(context, "only one pack is named; name a second one, or a tree with --against");
  std::vector<NamedRules> files;
  size_t programs = 0, rules = 0;
  for (const std::string& directory : options.directories) {
    absl::StatusOr<NamedRules> named = RulesOfPack(directory);
    if (!named.ok()) return Fail(context, named.status().message());
    programs += named->programs;
    files.push_back(*std::move(named));
  }
  if (!options.against.empty()) {
    absl::StatusOr<std::vector<NamedRules>> passes = RulesOfTree(options.against);
    if (!passes.ok()) return Fail(context, passes.status().message());
    for (NamedRules& pass : *passes) files.push_back(std::move(pass));
  }
  std::vector<std::vector<ir::CompiledRule>> lists;
  for (const NamedRules& file : files) {
    lists.push_back(file.rules);
    rules += file.rules.size();
  }
  const rules::Undoing found = rules::FindUndoing(lists, options.directories.size());
  size_t pairs = 0;
  for (const rules::UndoingRules& cycle : found.cycles) {
    PrintCycle(cycle, files, options.json);
    pairs += cycle.rules.size() == 2 ? 1 : 0;
  }
  const size_t cycles = found.cycles.size() - pairs;
  if (options.json) {
    PrintJson({{"files", files.size()},
               {"rules", rules},
               {"programs", programs},
               {"pairs", pairs},
               {"cycles", cycles},
               {"cut", found.cut}});
  } else {
    std::cout << absl::StrFormat(
        "%d rules in %d files: %d pairs and %d longer cycles undo each other; %d programs, which no pass contains\n",
        rules, files.size(), pairs, cycles, programs);
    if (found.cut > 0) {
      std::cout << absl::StrFormat("%d rules lead to more than %d terms, so longer cycles may be missing\n", found.cut,
                                   rules::kTermsOfCycle);
    }
  }
  if (!found.cycles.empty()) context->exit_code = kNo;
}

}  // namespace

void AddPackTogether(CLI::App* pack, Context* context) {
  static TogetherOptions options;
  CLI::App* together = pack->add_subcommand(
      "together", "Finds rules of different packs that undo each other; exits with 1 if there are any");
  together->add_option("DIR", options.directories, "folders of packs, each with its manifest.json")->required();
  together->add_option("--against", options.against,
                       "src/compiler/nir of a Mesa tree: also check the tree's passes that any driver may run");
  AddJsonOption(together, &options.json, "one JSON object per pair or cycle, counts last");
  together->footer(
      "Each rule is tried on the results of the others, starting from every search side. Predicates and\n"
      "conditions are assumed to hold. Cycles of three or more rules have at most eight steps.\n"
      "Examples:\n  rewrought pack together packs/agx_g13 packs/agx_g13/inexact\n"
      "  rewrought pack together packs/ir3_a6xx last_night/ir3_a6xx --against mesa/src/compiler/nir");
  together->callback([context] { Together(options, context); });
}

}  // namespace rewrought::cli
