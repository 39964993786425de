#include "selection/shader_selector.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "corpus/facts.h"
#include "emitter/entry_rule.h"
#include "emitter/nir/nir_rule.h"
#include "emitter/pack_folder.h"
#include "ir/facts/fact_predicates.h"
#include "ir/match/facts.h"
#include "ir/match/rewriter.h"
#include "machine/select/lower.h"
#include "rules/known_rules.h"
#include "rules/positions.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::selection {
namespace {

using machine::select::ScalarShader;

// Facts of values that the shader had when they were gathered; of later ones only what the nodes show.
ir::FactCallback FactsOf(const corpus::ShaderFacts* facts, size_t nodes) {
  return [facts, nodes](const ir::PredicateQuery& query) {
    if (ir::FactsOfNodes(query)) return true;
    return query.value.node < nodes &&
           ir::FactsGrant(facts->at(query.value.node, query.value.swizzle[0]), query.predicate);
  };
}

uint64_t Rewrite(const std::vector<ir::CompiledRule>& rules, ScalarShader* scalar) {
  if (rules.empty()) return 0;
  const corpus::ShaderFacts facts(scalar->shader);
  ir::MatchOptions options;
  options.facts = FactsOf(&facts, scalar->shader.values.nodes.size());
  options.literals_exact = true;
  const ir::RewriteResult result = ir::Rewriter(rules, options).Run(&scalar->shader);
  machine::select::FollowRewrite(result.origins, scalar);
  return result.applications.size();
}

// What the rule is proved in, of the modes that a program can run in.
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

}  // namespace

absl::Status ShaderSelector::ReadPack(const std::string& path) {
  absl::StatusOr<emitter::Pack> pack = emitter::LoadPack(path, "");
  if (!pack.ok()) return pack.status();
  const auto& entries = pack->message.entries();
  std::set<std::string> with_program;
  for (const v1::PackEntry& entry : entries) {
    // NIR rules may be of no machine.
    if (!entry.rule().machine().empty() && entry.rule().machine() != machine_.id()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": the pack is for ", entry.rule().machine(), ", not for ",
                                                     machine_.id(), "; give --machine ", entry.rule().machine(),
                                                     " or another pack"));
    }
    if (!entry.rule().program().empty()) with_program.insert(entry.rule().search());
  }
  const bool inexact = pack->rule_class != v1::RULE_CLASS_STRICT;
  for (const v1::PackEntry& entry : entries) {
    if (entry.rule().program().empty() && with_program.contains(entry.rule().search())) continue;
    absl::StatusOr<emitter::EntryRule> parsed = emitter::ParseEntry(entry.rule());
    if (!parsed.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", parsed.status().message()));
    absl::StatusOr<ir::CompiledRule> compiled = parsed->program.has_value()
                                                    ? rules::CompileSearch(parsed->rule.search)
                                                    : ir::CompiledRule::Compile(parsed->rule, {.literals_exact = true});
    if (!compiled.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": ", entry.rule().search(), ": ", compiled.status().message()));
    }
    if (parsed->program.has_value()) {
      programs_.push_back(
          {entry.rule().search(), *std::move(compiled), *std::move(parsed->program), inexact, ModesOf(entry.rule())});
    } else {
      if (entry.for_positions()) {
        absl::StatusOr<ir::CompiledRule> form =
            ir::CompiledRule::Compile(rules::FormForPositions(parsed->rule), {.literals_exact = true});
        if (!form.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", form.status().message()));
        position_rules_.push_back(*std::move(form));
      } else if (!emitter::AvoidsPositions(entry, parsed->rule)) {
        position_rules_.push_back(*compiled);
      }
      nir_rules_.push_back(*std::move(compiled));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ShaderSelector>> ShaderSelector::Create(const machine::Machine& machine,
                                                                       const std::vector<std::string>& packs,
                                                                       const SelectOptions& options) {
  auto selector = std::unique_ptr<ShaderSelector>(new ShaderSelector(machine));
  selector->options_ = options;
  for (const std::string& pack : packs) {
    if (absl::Status status = selector->ReadPack(pack); !status.ok()) return status;
  }
  const bool strong = options.cover != machine::select::CoverKind::kNaive;
  absl::StatusOr<machine::select::RuleSet> rules =
      machine::select::RuleSet::Create(machine, &selector->programs_, strong);
  if (!rules.ok()) return rules.status();
  selector->rules_ = *std::move(rules);
  return selector;
}

absl::StatusOr<SelectedShader> ShaderSelector::Select(const ir::Shader& shader) const {
  SelectedShader out;
  out.name = shader.name, out.source = shader.source, out.stage = shader.stage;
  const std::optional<machine::select::VectorOptions> vectors = machine::select::VectorOptionsOf(*rules_);
  absl::StatusOr<ScalarShader> scalar = machine::select::Scalarize(shader, vectors.has_value() ? &*vectors : nullptr);
  if (!scalar.ok()) return scalar.status();
  out.rewritten = Rewrite(rules::ComputesPositions(shader.stage) ? position_rules_ : nir_rules_, &*scalar);
  out.lowered = machine::select::LowerMissing(*rules_, &*scalar);
  std::optional<corpus::ShaderFacts> facts;
  machine::select::CoverOptions cover_options{options_.cover, options_.fusion, true, ir::FactsOfNodes};
  if (!programs_.empty()) {
    facts.emplace(scalar->shader);
    cover_options.facts = FactsOf(&*facts, scalar->shader.values.nodes.size());
  }
  absl::StatusOr<machine::select::Cover> cover = machine::select::CoverShader(*rules_, *scalar, cover_options);
  if (!cover.ok()) return cover.status();
  for (const machine::select::Tile& tile : cover->tiles) out.pack_tiles += tile.from_pack ? 1 : 0;
  absl::StatusOr<machine::select::Selection> selection =
      machine::select::Emit(*rules_, *std::move(scalar), *std::move(cover));
  if (!selection.ok()) return selection.status();
  out.selection = *std::move(selection);
  out.in_order = machine::select::StatisticsOf(out.selection);
  if (options_.schedule) machine::select::Schedule(&out.selection);
  out.statistics = options_.schedule ? machine::select::StatisticsOf(out.selection) : out.in_order;
  if (options_.emulate_runs > 0) {
    absl::StatusOr<machine::select::EmulationReport> report =
        machine::select::Emulate(out.selection, {.runs = options_.emulate_runs});
    if (!report.ok()) return report.status();
    out.emulation = *std::move(report);
  }
  return out;
}

}  // namespace rewrought::selection
