// rewrought pack together: rules of several packs, or of a pack and a driver's tree, that undo each other.
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/tree_rules.h"
#include "emitter/entry_rule.h"
#include "emitter/pack_folder.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "rules/termination.h"
#include "server/audit/mesa_rules.h"

namespace rewrought::cli {
namespace {

struct TogetherOptions {
  std::vector<std::string> directories;
  std::string against;
  bool json = false;
};

// The rules of one pack, or of one pass of a tree, with what they are called.
struct NamedRules {
  std::string file;
  std::vector<ir::CompiledRule> rules;
  std::vector<std::string> ids;
  size_t programs = 0;  // entries that no pass of NIR's sees
};

// A pack's replacements. InvalidArgument names the entry that cannot be read.
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

// The passes of a tree that any driver may run, without those rules by which it has ops lowered that it lacks.
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

void PrintPair(const rules::UndoingPair& pair, const std::vector<NamedRules>& files, bool json) {
  const auto rule = [&](size_t list, size_t index) {
    return Json{{"file", files[list].file},
                {"id", files[list].ids[index]},
                {"rule", ir::DisplayRuleText(ir::PrintRule(files[list].rules[index].rule()))}};
  };
  const Json one = rule(pair.list, pair.rule), other = rule(pair.other_list, pair.other_rule);
  if (json) return PrintJson({{"one", one}, {"other", other}, {"terms", pair.terms}});
  const auto line = [](const Json& of) {
    return absl::StrCat("  ", of["id"].get<std::string>(), " of ", of["file"].get<std::string>(), "\n    ",
                        of["rule"].get<std::string>(), "\n");
  };
  std::cout << "these undo each other:\n" << line(one) << line(other) << "    ";
  for (size_t i = 0; i < pair.terms.size(); ++i) std::cout << (i == 0 ? "" : " -> ") << pair.terms[i];
  std::cout << "\n";
}

void Together(const TogetherOptions& options, Context* context) {
  if (options.directories.size() < 2 && options.against.empty())
    return Fail(context, "one pack has nothing to undo it: name a second one, or a tree by --against");
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
  const std::vector<rules::UndoingPair> pairs = rules::FindUndoing(lists, options.directories.size());
  for (const rules::UndoingPair& pair : pairs) PrintPair(pair, files, options.json);
  if (options.json) {
    PrintJson({{"files", files.size()}, {"rules", rules}, {"programs", programs}, {"pairs", pairs.size()}});
  } else {
    std::cout << absl::StrFormat(
        "%d rules of %d files, %d pairs that undo each other; %d programs, which no pass sees\n", rules, files.size(),
        pairs.size(), programs);
  }
  if (!pairs.empty()) context->exit_code = kNo;
}

}  // namespace

void AddPackTogether(CLI::App* pack, Context* context) {
  static TogetherOptions options;
  CLI::App* together =
      pack->add_subcommand("together", "Names rules of different packs that undo each other; exit 1 if there are any");
  together->add_option("DIR", options.directories, "folders of packs, each with its manifest.json")->required();
  together->add_option("--against", options.against,
                       "a Mesa tree's src/compiler/nir, whose passes any driver may run are files of their own");
  AddJsonOption(together, &options.json, "one JSON object per pair, counts last");
  together->footer(
      "A rule is tried on what the other gives, from the search side of each; predicates and conditions count as "
      "true.\n"
      "Examples:\n  rewrought pack together packs/agx_g13 packs/agx_g13/inexact\n"
      "  rewrought pack together packs/ir3_a6xx last_night/ir3_a6xx --against mesa/src/compiler/nir");
  together->callback([context] { Together(options, context); });
}

}  // namespace rewrought::cli
