#include "server/pipeline/pack_build.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "emitter/pack_files.h"
#include "server/pipeline/case_record.h"
#include "server/pipeline/judge.h"
#include "server/pipeline/measure.h"
#include "server/store/corpus_store.h"
#include "server/store/rule_store.h"
#include "server/store/search_store.h"

namespace rewrought::pipeline {
namespace {

v1::RuleState StateProto(store::RuleState state) {
  switch (state) {
    case store::RuleState::kNew:
      return v1::RULE_STATE_NEW;
    case store::RuleState::kKept:
      return v1::RULE_STATE_KEPT;
    case store::RuleState::kLost:
      return v1::RULE_STATE_LOST;
    case store::RuleState::kWaived:
      return v1::RULE_STATE_WAIVED;
    case store::RuleState::kRefuted:
      return v1::RULE_STATE_REFUTED;
  }
  return v1::RULE_STATE_UNSPECIFIED;
}

void FillMeasurement(const store::MeasurementRecord& record, v1::RuleMeasurement* proto) {
  proto->set_split(record.split == store::Split::kHeldOut ? v1::CORPUS_SPLIT_HELD_OUT : v1::CORPUS_SPLIT_DISCOVERY);
  proto->set_hits(static_cast<uint64_t>(record.hits));
  proto->set_shaders(static_cast<uint64_t>(record.shaders));
  proto->set_sources(static_cast<uint64_t>(record.sources));
  proto->set_base_saved_instructions(record.base_instructions);
  proto->set_base_saved_cycles(record.base_cycles);
  proto->set_strong_saved_instructions(record.strong_instructions);
  proto->set_strong_saved_cycles(record.strong_cycles);
}

// Adds what the store says of a rule to the detail that discovery left with it.
v1::PackEntry EntryOf(const RankedRule& row) {
  v1::PackEntry entry;
  entry.ParseFromString(row.rule.detail);
  v1::RewriteRule* rule = entry.mutable_rule();
  rule->set_id(row.rule.id.hex());
  rule->set_machine(row.rule.machine);
  rule->set_search(row.rule.search);
  rule->set_replace(row.rule.replace);
  rule->set_program(row.rule.program);
  rule->set_condition(row.rule.condition);
  rule->set_rule_class(row.rule.rule_class == store::RuleClass::kStrict ? v1::RULE_CLASS_STRICT
                                                                        : v1::RULE_CLASS_LICENSED);
  // A pack says what a rule is, not on which night it was found: the same rules give the same bytes.
  rule->set_state(StateProto(row.rule.state == store::RuleState::kNew ? store::RuleState::kKept : row.rule.state));
  rule->set_reason(row.rule.reason);
  for (const std::string& op : row.rule.ops) rule->add_ops(op);
  v1::Provenance* provenance = rule->mutable_provenance();
  if (row.rule.fragment.has_value()) provenance->set_fragment(row.rule.fragment->hex());
  provenance->set_semantics_digest(row.rule.semantics.hex());
  FillMeasurement(row.discovery, rule->add_measurements());
  FillMeasurement(row.held_out, rule->add_measurements());
  return entry;
}

using EffectKey = std::pair<std::string, store::Split>;

struct Effect {
  v1::EffectRow row;
  double worst = 0;
};

absl::Status AddShader(store::Store* store, const store::ShaderRecord& shader, store::Split split, double cycles,
                       double instructions, std::map<EffectKey, Effect>* effects) {
  absl::StatusOr<std::vector<store::Occurrence>> occurrences = store::CorpusStore(store).Occurrences(shader.digest);
  if (!occurrences.ok()) return occurrences.status();
  std::set<std::string> sources;
  for (const store::Occurrence& occurrence : *occurrences) {
    if (!sources.insert(occurrence.source).second) continue;
    Effect& effect = (*effects)[{occurrence.source, split}];
    effect.row.set_shaders(effect.row.shaders() + 1);
    if (cycles > 0) effect.row.set_helped(effect.row.helped() + 1);
    if (cycles < 0) effect.row.set_hurt(effect.row.hurt() + 1);
    if (cycles < effect.worst) {
      effect.worst = cycles;
      effect.row.set_worst_shader(occurrence.name);
    }
    const double before = static_cast<double>(shader.alu_instructions);
    effect.row.set_instructions_before(effect.row.instructions_before() + static_cast<uint64_t>(before));
    effect.row.set_instructions_after(effect.row.instructions_after() +
                                      static_cast<uint64_t>(std::max(0.0, before - instructions)));
    effect.row.set_cycles_before(effect.row.cycles_before() + before);
    effect.row.set_cycles_after(effect.row.cycles_after() + before - cycles);
  }
  return absl::OkStatus();
}

absl::Status FillCorpus(store::Store* store, const std::set<std::string>& rules, v1::PackManifest* manifest) {
  std::map<store::Digest, std::pair<double, double>> saved;  // by shader: cycles, instructions
  for (const std::string& rule : rules) {
    absl::StatusOr<store::Digest> id = store::Digest::FromHex(rule);
    if (!id.ok()) return id.status();
    const absl::Status hits =
        store::RuleStore(store).ForEachHit(*id, 0, -1, [&](const store::HitRecord& hit) -> absl::Status {
          saved[hit.shader].first += hit.saved_cycles;
          saved[hit.shader].second += hit.saved_instructions;
          return absl::OkStatus();
        });
    if (!hits.ok()) return hits;
  }
  std::map<EffectKey, Effect> effects;
  std::vector<std::string> digests;
  for (const store::Split split : {store::Split::kDiscovery, store::Split::kHeldOut}) {
    const absl::Status walked = store::CorpusStore(store).ForEachShader(
        split, std::nullopt, -1, [&](const store::ShaderRecord& shader) -> absl::Status {
          digests.push_back(shader.digest.hex());
          const std::pair<double, double> of =
              saved.contains(shader.digest) ? saved[shader.digest] : std::pair(0.0, 0.0);
          return AddShader(store, shader, split, of.first, of.second, &effects);
        });
    if (!walked.ok()) return walked;
  }
  std::sort(digests.begin(), digests.end());
  std::string all;
  for (const std::string& digest : digests) absl::StrAppend(&all, digest, "\n");
  v1::CorpusSummary* corpus = manifest->mutable_corpus();
  corpus->set_digest(store::Digest::Of(all).hex());
  corpus->set_shaders(digests.size());
  for (auto& [key, effect] : effects) {
    const bool held_out = key.second == store::Split::kHeldOut;
    (held_out ? corpus->add_held_out_sources() : corpus->add_discovery_sources())->assign(key.first);
    effect.row.set_source(key.first);
    effect.row.set_split(held_out ? v1::CORPUS_SPLIT_HELD_OUT : v1::CORPUS_SPLIT_DISCOVERY);
    *manifest->add_effects() = effect.row;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<emitter::Candidate>> PackCandidates(store::Store* store, const machine::Machine& machine) {
  absl::StatusOr<std::vector<RankedRule>> ranked = RankRules(store, machine.id());
  if (!ranked.ok()) return ranked.status();
  const store::Digest semantics = SemanticsOf(machine);
  std::vector<emitter::Candidate> candidates;
  for (const RankedRule& row : *ranked) {
    if (row.rule.state == store::RuleState::kWaived) continue;
    emitter::Candidate candidate;
    candidate.entry = EntryOf(row);
    candidate.literals_exact = true;
    bool usable = true;
    const absl::Status listed = store::SearchStore(store).ForEachVerdict(
        row.rule.id, semantics, [&](const store::VerdictRecord& record) -> absl::Status {
          usable = usable && record.verdict == store::VerdictCode::kProved;
          absl::StatusOr<v1::CaseVerdict> proof = ProtoOfRecord(record);
          if (!proof.ok()) return proof.status();
          proof->clear_ms();
          proof->mutable_certificate()->clear_ms();
          *candidate.entry.add_proofs() = *std::move(proof);
          return absl::OkStatus();
        });
    if (!listed.ok()) return listed;
    if (usable && candidate.entry.proofs_size() > 0) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

absl::StatusOr<emitter::Pack> BuildPackFromStore(store::Store* store, const machine::Machine& machine,
                                                 const PackBuildOptions& options) {
  absl::StatusOr<std::vector<emitter::Candidate>> candidates = PackCandidates(store, machine);
  if (!candidates.ok()) return candidates.status();
  std::set<std::string> waived;
  for (const v1::PackWaiver& waiver : options.waivers) waived.insert(waiver.subject());
  std::erase_if(*candidates,
                [&](const emitter::Candidate& candidate) { return waived.contains(candidate.entry.rule().id()); });
  emitter::PackOptions pack_options;
  pack_options.machine = machine.id();
  pack_options.target = emitter::NirTarget(options.mesa);
  pack_options.require_confirmations = options.require_confirmations;
  v1::PackManifest& manifest = pack_options.manifest;
  manifest.set_machine(machine.id());
  manifest.set_semantics_version(SemanticsOf(machine).hex());
  for (const std::string& version : options.solver_versions) manifest.add_solver_versions(version);
  for (const v1::PackWaiver& waiver : options.waivers) *manifest.add_waivers() = waiver;
  // The table is about what is exported, which the emitter decides: build once to know it, once to say it.
  absl::StatusOr<emitter::Pack> first = emitter::BuildPack(*candidates, pack_options);
  if (!first.ok()) return first.status();
  std::set<std::string> exported;
  for (const v1::PackEntry& entry : first->message.entries()) exported.insert(entry.rule().id());
  const absl::Status filled = FillCorpus(store, exported, &manifest);
  if (!filled.ok()) return filled;
  return emitter::BuildPack(*std::move(candidates), pack_options);
}

absl::StatusOr<ExportReport> ExportPack(store::Store* store, const machine::Machine& machine,
                                        const std::string& directory, const PackBuildOptions& options) {
  absl::StatusOr<emitter::Pack> pack = BuildPackFromStore(store, machine, options);
  if (!pack.ok()) return pack.status();
  absl::StatusOr<std::vector<emitter::NamedFile>> files = emitter::RenderPack(options.formats, &*pack);
  if (!files.ok()) return files.status();
  const std::string folder = absl::StrCat(directory, "/", machine.id());
  const absl::Status written = emitter::WriteFiles(folder, *files);
  if (!written.ok()) return written;
  ExportReport report;
  report.exported = static_cast<size_t>(pack->message.entries_size());
  report.blocked = pack->blocked;
  for (const emitter::NamedFile& file : *files) report.files.push_back(absl::StrCat(folder, "/", file.first));
  return report;
}

}  // namespace rewrought::pipeline
