#include "selection/pack_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "emitter/entry_rule.h"
#include "emitter/nir/nir_rule.h"
#include "emitter/pack_folder.h"
#include "ir/text/rule_text.h"
#include "rules/known_rules.h"
#include "rules/positions.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::selection {
namespace {

// Returns the modes in which the rule is proved and a program can run.
std::vector<ir::DenormMode> ModesOf(const v1::RewriteRule& rule) {
  std::vector<ir::DenormMode> modes;
  for (const ir::DenormMode mode : {ir::DenormMode::kPreserve, ir::DenormMode::kFlush}) {
    const auto& proved = rule.generalisation().modes();
    if (std::any_of(proved.begin(), proved.end(),
                    [&](int m) { return m == verifier::ModeProto(mode) || m == v1::DENORM_MODE_NONE; }))
      modes.push_back(mode);
  }
  return modes;
}

absl::StatusOr<NirRule> NirRuleOf(const v1::PackEntry& entry, const ir::Rule& rule) {
  NirRule made;
  made.id = entry.rule().id();
  made.text = ir::PrintRule(rule);
  absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(rule, {.literals_exact = true});
  if (!compiled.ok()) return compiled.status();
  if (entry.for_positions()) {
    absl::StatusOr<ir::CompiledRule> form =
        ir::CompiledRule::Compile(rules::FormForPositions(rule), {.literals_exact = true});
    if (!form.ok()) return form.status();
    made.positions = *std::move(form);
  } else if (!emitter::AvoidsPositions(entry, rule)) {
    made.positions = *compiled;
  }
  made.other = *std::move(compiled);
  return made;
}

// Adds the rule of a pack's entry. `with_program` contains the search sides of the pack's programs.
absl::Status AddEntry(const v1::PackEntry& entry, bool inexact, const std::set<std::string>& with_program,
                      PackRules* rules) {
  const v1::RewriteRule& rule = entry.rule();
  if (rule.program().empty() && with_program.contains(rule.search())) return absl::OkStatus();
  absl::StatusOr<emitter::EntryRule> parsed = emitter::ParseEntry(rule);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->program.has_value()) {
    absl::StatusOr<NirRule> made = NirRuleOf(entry, parsed->rule);
    if (made.ok()) rules->nir.push_back(*std::move(made));
    return made.status();
  }
  absl::StatusOr<ir::CompiledRule> search = rules::CompileSearch(parsed->rule.search);
  if (!search.ok()) return search.status();
  rules->programs.push_back({rule.search(), *std::move(search), *std::move(parsed->program), inexact, ModesOf(rule)});
  return absl::OkStatus();
}

absl::Status ReadPack(const machine::Machine& machine, const std::string& path, bool nir_alone, PackRules* rules) {
  const absl::StatusOr<emitter::Pack> pack = emitter::LoadPack(path, "");
  if (!pack.ok()) return pack.status();
  std::set<std::string> with_program;
  for (const v1::PackEntry& entry : pack->message.entries()) {
    if (nir_alone || entry.rule().program().empty()) continue;
    // NIR rules apply to any machine.
    if (entry.rule().machine() != machine.id()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": the pack is for ", entry.rule().machine(), ", not for ",
                                                     machine.id(), "; use --machine ", entry.rule().machine(),
                                                     " or another pack"));
    }
    with_program.insert(entry.rule().search());
  }
  for (const v1::PackEntry& entry : pack->message.entries()) {
    if (nir_alone && !entry.rule().program().empty()) continue;
    const absl::Status added = AddEntry(entry, pack->rule_class != v1::RULE_CLASS_STRICT, with_program, rules);
    if (!added.ok())
      return absl::InvalidArgumentError(absl::StrCat(path, ": ", entry.rule().search(), ": ", added.message()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PackRules> ReadPacks(const machine::Machine& machine, const std::vector<std::string>& packs,
                                    bool nir_alone) {
  PackRules rules;
  for (const std::string& pack : packs) {
    if (absl::Status status = ReadPack(machine, pack, nir_alone, &rules); !status.ok()) return status;
  }
  return rules;
}

}  // namespace rewrought::selection
