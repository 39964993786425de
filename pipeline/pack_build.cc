#include "pipeline/pack_build.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "emitter/entry_rule.h"
#include "emitter/formats.h"
#include "emitter/nir/nir_rule.h"
#include "emitter/nir/nir_writer.h"
#include "emitter/pack_files.h"
#include "emitter/pack_folder.h"
#include "emitter/pass/tree_patch.h"
#include "emitter/pass/trial_places.h"
#include "ir/digest.h"
#include "ir/term_order.h"
#include "machine/base/coverage.h"
#include "machine/candidate.h"
#include "machine/semantics.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/evidence/target_check.h"
#include "pipeline/rule_choice.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"
#include "pipeline/sites/measure.h"
#include "pipeline/support.h"
#include "proto/read_file.h"
#include "proto/text_proto.h"
#include "rules/site_rule.h"
#include "store/corpus_store.h"
#include "store/rule_store.h"
#include "store/search_store.h"

namespace rewrought::pipeline {
namespace {

// Returns the pack entry of the rule, with its data from discovery.
v1::PackEntry EntryOf(const RankedRule& row) {
  v1::PackEntry entry = DetailOf(row.rule);
  v1::RewriteRule& rule = *entry.mutable_rule();
  rule = RuleMessage(row.rule, {row.discovery, row.held_out});
  // Omit the time at which the rule was found, so that the same rules always produce the same bytes.
  if (rule.state() == v1::RULE_STATE_NEW) rule.set_state(v1::RULE_STATE_KEPT);
  rule.mutable_provenance()->clear_run();
  rule.mutable_provenance()->clear_created();
  return entry;
}

// Copies the trials of `driver`, or of all drivers if `driver` is empty, to the entry's rule. Also copies to the entry
// the places where a driver gains from the rule. Returns FailedPrecondition if no driver gains.
absl::Status AddTrials(const std::vector<v1::RuleTrial>& trials, const std::string& driver, v1::PackEntry* entry) {
  for (const v1::RuleTrial& trial : trials) {
    if (!driver.empty() && trial.driver() != driver) continue;
    v1::RuleTrial* kept = entry->mutable_rule()->add_trials();
    *kept = trial;
    kept->clear_example();
  }
  emitter::TakePlacesOfTrials(entry);
  if (entry->places_size() > 0 || entry->position_places_size() > 0) return absl::OkStatus();
  const bool tried = entry->rule().trials_size() > 0;
  return absl::FailedPreconditionError(
      tried ? "no driver gains more with it than with the other rules alone (`rewrought trial`)"
            : "was not tried on a driver; run `rewrought trial` first");
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
    effect.row.set_instructions_saved(effect.row.instructions_saved() + instructions);
    effect.row.set_cycles_saved(effect.row.cycles_saved() + cycles);
  }
  return absl::OkStatus();
}

absl::Status FillCorpus(store::Store* store, const std::set<std::string>& rules, v1::PackManifest* manifest) {
  std::map<ir::Digest, std::pair<double, double>> saved;  // the cycles and instructions saved in each shader
  for (const std::string& rule : rules) {
    absl::StatusOr<ir::Digest> id = ir::Digest::FromHex(rule);
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
  corpus->set_digest(ir::Digest::Of(all).hex());
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

// Returns the elements of `together` whose candidates loop with pass number `pass` of the tree if all candidates in
// `together` are applied.
std::vector<size_t> LoopingRules(const rules::TreeRules& tree, const std::vector<machine::Candidate>& candidates,
                                 const std::vector<size_t>& together, size_t pass) {
  std::vector<machine::Candidate> rules;
  for (const size_t i : together) rules.push_back(candidates[i]);
  const std::vector<bool> undone = tree.FindLooping(rules, pass);
  std::vector<size_t> places;
  for (size_t k = 0; k < together.size(); ++k) {
    if (undone[k]) places.push_back(together[k]);
  }
  return places;
}

// Moves rules that loop with the tree's main pass to the late list, and blocks rules that loop with its late pass.
// `places` maps each candidate to its index in `pack_rules`.
void PlaceBeside(const rules::TreeRules& tree, const std::vector<machine::Candidate>& candidates,
                 const std::vector<size_t>& places, const emitter::NirTarget& target,
                 std::vector<emitter::ProvedRule>* pack_rules) {
  std::vector<size_t> main, late;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].program.has_value()) continue;
    (emitter::MatchesLate(machine::NirTuple(candidates[i]), target) ? late : main).push_back(i);
  }
  for (const size_t i : LoopingRules(tree, candidates, main, 0)) {
    (*pack_rules)[places[i]].entry.set_late(true);
    late.push_back(i);
  }
  for (const size_t i : LoopingRules(tree, candidates, late, 1)) {
    (*pack_rules)[places[i]].objection = "it loops with the tree's own late rules, which undo it";
  }
}

}  // namespace

absl::StatusOr<std::vector<v1::PackWaiver>> ReadWaivers(const std::string& path) {
  const absl::StatusOr<std::string> text = proto::ReadFile(path, proto::kTextProtoLimits);
  if (!text.ok()) return text.status();
  const auto wrong = [&](absl::string_view what) { return absl::InvalidArgumentError(absl::StrCat(path, ":", what)); };
  v1::PackManifest manifest;
  if (absl::Status status = proto::ParseTextProto(*text, path, &manifest); !status.ok()) return status;
  std::vector<v1::PackWaiver> waivers(manifest.waivers().begin(), manifest.waivers().end());
  manifest.clear_waivers();
  if (manifest.ByteSizeLong() > 0) return wrong(" only waivers { subject reason by } are allowed here");
  for (const v1::PackWaiver& waiver : waivers) {
    const bool is_deviation = absl::StrContains(waiver.subject(), ":");
    if (!is_deviation && !ir::Digest::FromHex(waiver.subject()).ok()) {
      return wrong(absl::StrCat(" subject \"", absl::CHexEscape(waiver.subject()),
                                "\" is neither a 64-digit rule id nor machine:op"));
    }
    if (waiver.reason().empty()) return wrong(absl::StrCat(" the waiver of ", waiver.subject(), " needs a reason"));
  }
  return waivers;
}

std::vector<uint32_t> SingleUsePlaces(const machine::Candidate& candidate) {
  const std::vector<ir::NodeIndex> values = ir::ValuesInPrefixOrder(candidate.search);
  std::vector<uint32_t> places;
  for (const ir::NodeIndex node : rules::MustHaveNoOtherUser(candidate)) {
    places.push_back(static_cast<uint32_t>(std::find(values.begin(), values.end(), node) - values.begin()));
  }
  std::sort(places.begin(), places.end());
  return places;
}

namespace {

// Returns OK if the replacement is at least as accurate as the search side, or else FailedPrecondition with the reason.
absl::Status KeepsDigits(const v1::InexactStatement& inexact) {
  if (inexact.accuracy_class() == v1::ACCURACY_CLASS_NOT_LESS_ACCURATE) return absl::OkStatus();
  const std::string input = inexact.hardest_input().empty() ? "" : absl::StrCat(", at ", inexact.hardest_input());
  return absl::FailedPreconditionError(absl::StrCat(
      inexact.accuracy_class() == v1::ACCURACY_CLASS_CANCELLING
          ? "loses digits that the search side keeps"
          : absl::StrCat("is not proved to keep the search side's digits (", inexact.growth_unknown(), ")"),
      input, "; --cancelling exports it"));
}

// Finds the rules that apply often enough for a pack. A rule that differs only in its sizes from one that does also
// counts, because a reader expects both.
class FrequentRules {
 public:
  FrequentRules(const std::vector<ChosenRule>& rules, const SupportLimits& limits) : limits_(limits) {
    for (const ChosenRule& chosen : rules) {
      if (OwnSupport(chosen).ok()) texts_.insert(TextWithoutSizes(chosen.row.rule));
    }
  }

  // Returns OK if the rule applies often enough, or else FailedPrecondition with the reason.
  absl::Status Check(const ChosenRule& chosen) const {
    const absl::Status own = OwnSupport(chosen);
    if (own.ok() || texts_.contains(TextWithoutSizes(chosen.row.rule))) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(own.message(), " of the discovery corpus; --min-sources and --min-shaders export it"));
  }

 private:
  absl::Status OwnSupport(const ChosenRule& chosen) const {
    const store::MeasurementRecord& measured = chosen.row.discovery;
    return AppliesOften(static_cast<size_t>(measured.sources), static_cast<size_t>(measured.shaders), limits_);
  }

  const SupportLimits limits_;
  std::set<std::string> texts_;
};

// Returns the chosen rules of `machine` with their evidence. Rules that must not be exported also have an objection.
// Adds the number of newly verified rules to `verified`.
absl::StatusOr<std::vector<emitter::ProvedRule>> RulesForPack(store::Store* store, const machine::Machine& machine,
                                                              const PackBuildOptions& options, size_t* verified) {
  RuleVerifierOptions verifier_options;
  verifier_options.stop = options.stop;
  if (options.work_ms > 0) verifier_options.work_ms = options.work_ms;
  absl::StatusOr<RuleChoice> choice =
      ChooseRules(store, machine, RuleVerifier(options.solvers, verifier_options), options.progress);
  if (!choice.ok()) return choice.status();
  *verified += choice->verified;
  const absl::StatusOr<SupportLimits> limits = LimitsForCorpus(store, options.support);
  if (!limits.ok()) return limits.status();
  const FrequentRules frequent(choice->rules, *limits);
  std::vector<emitter::ProvedRule> pack_rules;
  std::vector<machine::Candidate> candidates;
  std::vector<size_t> places;  // the index in pack_rules of each candidate
  for (const ChosenRule& chosen : choice->rules) {
    const store::RuleRecord& rule = chosen.row.rule;
    emitter::ProvedRule pack_rule;
    pack_rule.entry = EntryOf(chosen.row);
    if (rule.rule_class == v1::RULE_CLASS_INEXACT) pack_rule.entry.set_all_stages(options.all_stages);
    // Proofs over the reals do not distinguish the two zeros.
    pack_rule.literals_exact = rule.rule_class == v1::RULE_CLASS_STRICT;
    if (const absl::StatusOr<machine::Candidate> candidate = CandidateOfRecord(rule); candidate.ok()) {
      pack_rule.multi_use = SingleUsePlaces(*candidate);
      places.push_back(pack_rules.size());
      candidates.push_back(*candidate);
    }
    if (const absl::Status saves = SavesOnCorpus(chosen.row); !saves.ok() && !options.measured)
      pack_rule.objection = std::string(saves.message());
    if (const absl::Status often = frequent.Check(chosen); !often.ok())
      pack_rule.objection = std::string(often.message());
    if (rule.rule_class == v1::RULE_CLASS_INEXACT && !options.cancelling) {
      const absl::Status accurate = KeepsDigits(pack_rule.entry.rule().inexact());
      if (!accurate.ok()) pack_rule.objection = std::string(accurate.message());
    }
    if (options.measured) {
      const auto trials = store::RuleStore(store).Trials(rule.id);
      if (!trials.ok()) return trials.status();
      const absl::Status gains = AddTrials(*trials, options.driver, &pack_rule.entry);
      if (!gains.ok()) pack_rule.objection = std::string(gains.message());
    }
    if (chosen.status.ok()) {
      // The emitter uses the proved cases to determine where, and under which condition, the rule may be applied
      // (FindProvedCases).
      for (v1::CaseVerdict proof : chosen.verdicts) {
        proof.clear_ms();
        proof.mutable_certificate()->clear_ms();
        *pack_rule.entry.add_proofs() = std::move(proof);
      }
    } else {
      pack_rule.objection =
          absl::StrCat("the database claims a proof, but verification failed: ", chosen.status.message());
    }
    pack_rules.push_back(std::move(pack_rule));
  }
  if (options.tree != nullptr) PlaceBeside(*options.tree, candidates, places, *options.target, &pack_rules);
  return pack_rules;
}

// For the target, verifies the entries of `pack` whose ids are not in `accepted`, and adds the ids of those that hold
// to `accepted`. If a strict rule holds in only some of its modes, removes its proofs in the other modes, so that the
// pack does not apply it there. Adds an objection to every other rule that does not hold. Returns the number of rules
// changed.
absl::StatusOr<size_t> RestrictToTarget(const v1::Pack& pack, const PackBuildOptions& options,
                                        std::set<std::string>* accepted, std::vector<emitter::ProvedRule>* pack_rules) {
  std::vector<const v1::PackEntry*> entries;
  for (const v1::PackEntry& entry : pack.entries()) {
    if (!accepted->contains(entry.rule().id())) entries.push_back(&entry);
  }
  TargetCheckOptions check;
  check.stop = options.stop;
  check.progress = [&](size_t done) {
    if (options.progress != nullptr) options.progress(done, entries.size());
  };
  const absl::StatusOr<std::vector<ModesForTarget>> modes =
      CheckForTarget(entries, *options.target, pack.manifest().machine(), options.solvers, check);
  if (!modes.ok()) return modes.status();
  size_t changed = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string& id = entries[i]->rule().id();
    const ModesForTarget& of_entry = (*modes)[i];
    if (of_entry.fail.empty()) {
      accepted->insert(id);
      continue;
    }
    const auto rule = std::find_if(pack_rules->begin(), pack_rules->end(),
                                   [&](const emitter::ProvedRule& one) { return one.entry.rule().id() == id; });
    if (rule == pack_rules->end()) return absl::InternalError(absl::StrCat("entry ", id, " belongs to no rule"));
    if (of_entry.hold.empty() || rule->entry.rule().rule_class() == v1::RULE_CLASS_INEXACT) {
      rule->objection = of_entry.reason;
    } else {
      auto* const proofs = rule->entry.mutable_proofs();
      proofs->erase(std::remove_if(proofs->begin(), proofs->end(),
                                   [&](const auto& proof) { return of_entry.fail.contains(proof.mode()); }),
                    proofs->end());
    }
    ++changed;
  }
  return changed;
}

// Builds the pack of the rules of class `rule_class`. Changes `pack_rules` as RestrictToTarget does.
absl::StatusOr<emitter::Pack> BuildPackFromRules(store::Store* store, const machine::Machine& machine,
                                                 const PackBuildOptions& options, v1::RuleClass rule_class,
                                                 const v1::Pack& beside, std::vector<emitter::ProvedRule>* pack_rules) {
  emitter::PackOptions pack_options;
  pack_options.limits = options.limits;
  pack_options.beside.assign(beside.entries().begin(), beside.entries().end());
  pack_options.machine = machine.id();
  pack_options.target = options.target;
  pack_options.rule_class = rule_class;
  v1::PackManifest& manifest = pack_options.manifest;
  manifest.set_machine(machine.id());
  manifest.set_driver(options.driver);
  manifest.set_semantics_version(machine::SemanticsOf(machine).hex());
  for (const std::string& version : options.solvers.versions()) manifest.add_solver_versions(version);
  for (const v1::PackWaiver& waiver : options.waivers) *manifest.add_waivers() = waiver;
  for (const machine::OpAtSize& op : machine::CoverageOf(machine, machine::AllMachines()).missing) {
    manifest.add_uncovered_ops(machine::NameOf(op));
  }
  // The table of effects covers only exported rules, which the emitter determines. Therefore, rebuild the pack until
  // all its rules hold for the target, and then once more with the table.
  std::set<std::string> exported, accepted;
  for (size_t changed = 1; changed > 0;) {
    const absl::StatusOr<emitter::Pack> pack = emitter::BuildPack(*pack_rules, pack_options);
    if (!pack.ok()) return pack.status();
    const absl::StatusOr<size_t> restricted = RestrictToTarget(pack->message, options, &accepted, pack_rules);
    if (!restricted.ok()) return restricted.status();
    changed = *restricted;
    exported.clear();
    for (const v1::PackEntry& entry : pack->message.entries()) exported.insert(entry.rule().id());
  }
  const absl::Status filled = FillCorpus(store, exported, &manifest);
  if (!filled.ok()) return filled;
  return emitter::BuildPack(*pack_rules, pack_options);
}

// Returns the patch that adds the rules of `all` as one pass to the tree in `options.tree_path`.
absl::StatusOr<std::string> PatchOf(const v1::Pack& all, const PackBuildOptions& options,
                                    const emitter::TableFigures& tables) {
  emitter::TreePass pass;
  pass.name = emitter::NirPassName(all);
  pass.machine = options.driver.empty() ? all.manifest().machine() : options.target->CallsOf(options.driver);
  absl::StatusOr<std::string> python = emitter::WriteNir(all, *options.target);
  if (!python.ok()) return python.status();
  pass.python = *std::move(python);
  absl::StatusOr<std::vector<std::string>> places = emitter::NirPlaces(all, *options.target);
  if (!places.ok()) return places.status();
  pass.places = *std::move(places);
  if (pass.places.empty())
    return absl::FailedPreconditionError("no rule of the pack is a NIR rule, so there is no pass");
  pass.message = absl::StrFormat(
      "%d rules as a separate pass. Each rule decreases a common measure, so the pass terminates, and\n"
      "it reports progress a bounded number of times per shader. Tables: about %d states, %d bytes of C,\n"
      "%.1f s to generate.",
      all.entries_size(), tables.states, tables.bytes, tables.seconds);
  return emitter::TreePatch(options.tree_path, *options.target, pass);
}

}  // namespace

absl::StatusOr<ExportReport> ExportPack(store::Store* store, const machine::Machine& machine,
                                        const std::string& directory, const PackBuildOptions& options) {
  const absl::StatusOr<std::vector<const emitter::Format*>> formats = emitter::FindFormats(options.formats);
  if (!formats.ok()) return formats.status();
  ExportReport report;
  absl::StatusOr<std::vector<emitter::ProvedRule>> pack_rules = RulesForPack(store, machine, options, &report.verified);
  if (!pack_rules.ok()) return pack_rules.status();
  const std::string folder = absl::StrCat(directory, "/", machine.id());
  const std::string subfolder = absl::StrCat(emitter::kInexactFolder, "/");
  std::vector<emitter::NamedFile> written;
  v1::Pack all;  // the NIR rules of both classes
  for (const v1::RuleClass rule_class : {v1::RULE_CLASS_STRICT, v1::RULE_CLASS_INEXACT}) {
    const bool inexact = rule_class == v1::RULE_CLASS_INEXACT;
    const bool is_taken = std::any_of(formats->begin(), formats->end(),
                                      [&](const emitter::Format* format) { return format->Takes(rule_class); });
    if (!is_taken) continue;
    absl::StatusOr<emitter::Pack> pack = BuildPackFromRules(store, machine, options, rule_class, all, &*pack_rules);
    if (!pack.ok()) return pack.status();
    if (inexact) {
      report.inexact = static_cast<size_t>(pack->message.entries_size());
      if (pack->message.entries_size() == 0 && pack->blocked.empty()) continue;
    }
    absl::StatusOr<std::vector<emitter::NamedFile>> files = emitter::RenderPack(options.formats, &*pack);
    if (!files.ok()) return files.status();
    if (pack->message.entries_size() > 0 || !inexact) report.tables = pack->pass.tables;
    report.text_bytes += pack->pass.text_bytes;
    all.mutable_manifest()->set_machine(machine.id());
    all.mutable_manifest()->set_driver(options.driver);
    all.mutable_manifest()->set_semantics_version(pack->message.manifest().semantics_version());
    for (const v1::PackEntry& entry : pack->message.entries()) {
      if (entry.rule().program().empty()) *all.add_entries() = entry;
    }
    report.exported += static_cast<size_t>(pack->message.entries_size());
    report.blocked.insert(report.blocked.end(), pack->blocked.begin(), pack->blocked.end());
    for (emitter::NamedFile& file : *files) {
      written.emplace_back(absl::StrCat(inexact ? subfolder : "", file.first), std::move(file.second));
      report.files.push_back(absl::StrCat(folder, "/", written.back().first));
    }
  }
  std::string patch;
  if (!options.tree_path.empty()) {
    all.mutable_manifest()->set_digest(emitter::PackDigest(all));
    absl::StatusOr<std::string> made = PatchOf(all, options, report.tables);
    if (!made.ok()) return made.status();
    patch = *std::move(made);
  }
  // Replace the packs of both classes together, so that the old packs stay until the new packs are complete.
  if (absl::Status replaced = emitter::ReplaceFolder(folder, written); !replaced.ok()) return replaced;
  if (!patch.empty()) {
    const std::string name = absl::StrCat(options.driver.empty() ? machine.id() : options.driver, ".patch");
    if (absl::Status saved = emitter::WriteFiles(directory, {{name, patch}}); !saved.ok()) return saved;
    report.files.push_back(absl::StrCat(directory, "/", name));
  }
  return report;
}

}  // namespace rewrought::pipeline
