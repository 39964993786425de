// Proves rules, and makes packs of them for the tests of the service. FOLDER/true contains one rule as discovery would
// store it. FOLDER/forged also contains a false rule, with the first rule's proof and evidence. The files of each pack
// are consistent, so only a new proof can distinguish the packs. FOLDER.db is a database that lists the first rule as
// proved, as a database from elsewhere would. usage: make_packs FOLDER
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "emitter/pack.h"
#include "emitter/pack_files.h"
#include "machine/base/coverage.h"
#include "machine/candidate.h"
#include "machine/machine.h"
#include "pipeline/case_record.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/pack_build.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"
#include "store/rule_store.h"
#include "store/search_store.h"
#include "store/store.h"
#include "verifier/message/verdict_message.h"
#include "verifier/prover.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought {
namespace {

constexpr char kMachine[] = "intel_gen9";
constexpr char kSearch[] = "('ixor@32', ('iand@32', 'a@32', 'b@32'), ('ior@32', 'a@32', 'b@32'))";
constexpr char kReplace[] = "('ixor@32', 'a@32', 'b@32')";
constexpr char kFalseSearch[] = "('ixor@32', ('ior@32', 'a@32', 'b@32'), ('ixor@32', 'a@32', 'b@32'))";

absl::StatusOr<pipeline::VerifiedRule> Prove(const machine::Candidate& candidate) {
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return solvers.status();
  const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  if (!replace.ok()) return replace.status();
  constexpr ir::DenormMode kMode = ir::DenormMode::kNone;
  const verifier::CaseResult found = verifier::Prover(*solvers, {}).Prove({candidate.search, *replace, kMode});
  return pipeline::RuleVerifier(*solvers, {})
      .Verify({candidate, v1::RULE_CLASS_STRICT, {verifier::CaseProto(candidate.search, kMode, found, "")}});
}

// Returns the candidate as a rule that has the evidence of `shown`.
emitter::ProvedRule RuleWith(const machine::Candidate& candidate, const pipeline::VerifiedRule& shown) {
  const store::RuleRecord record = pipeline::RecordOfRule({}, candidate, shown.evidence);
  emitter::ProvedRule rule;
  rule.entry = pipeline::DetailOf(record);
  *rule.entry.mutable_rule() = pipeline::RuleMessage(record, {});
  rule.entry.mutable_rule()->mutable_provenance()->clear_created();
  rule.multi_use = pipeline::SingleUsePlaces(candidate);
  for (const v1::CaseVerdict& proof : shown.verdicts) *rule.entry.add_proofs() = proof;
  return rule;
}

absl::Status Write(const std::string& folder, std::vector<emitter::ProvedRule> rules) {
  emitter::PackOptions options;
  options.machine = kMachine;
  const machine::Machine& machine = **machine::FindMachine(kMachine);
  for (const machine::OpAtSize& op : machine::CoverageOf(machine, machine::AllMachines()).missing)
    options.manifest.add_uncovered_ops(machine::NameOf(op));
  const size_t count = rules.size();
  absl::StatusOr<emitter::Pack> pack = emitter::BuildPack(std::move(rules), options);
  if (!pack.ok()) return pack.status();
  if (!pack->blocked.empty()) return absl::InternalError(pack->blocked[0].reason);
  if (static_cast<size_t>(pack->message.entries_size()) != count) return absl::InternalError("a rule is missing");
  const absl::StatusOr<std::vector<emitter::NamedFile>> files = emitter::RenderPack({}, &*pack);
  return files.ok() ? emitter::WriteFiles(folder, *files) : files.status();
}

absl::Status PutInto(const std::string& path, const machine::Candidate& candidate,
                     const pipeline::VerifiedRule& shown) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::Store::Open(path);
  if (!store.ok()) return store.status();
  store::RuleRecord rule = pipeline::RecordOfRule({}, candidate, shown.evidence);
  rule.fragment = std::nullopt;
  absl::Status status = store::RuleStore(store->get()).PutRule(rule);
  for (const v1::CaseVerdict& proof : shown.verdicts) {
    const std::string key = verifier::CaseKey(candidate.search, ir::DenormMode::kNone);
    if (!status.ok()) return status;
    status = store::SearchStore(store->get()).PutVerdict(pipeline::RecordOf(rule.id, rule.semantics, key, proof));
  }
  if (!status.ok()) return status;
  return store::RuleStore(store->get()).PutMeasurement({rule.id, store::Split::kDiscovery, 3, 3, 3, 6, 6, 6, 6});
}

absl::Status Make(const std::string& folder) {
  const absl::StatusOr<machine::Candidate> rule = pipeline::CandidateOfTexts(kMachine, kSearch, kReplace, "");
  if (!rule.ok()) return rule.status();
  const absl::StatusOr<machine::Candidate> other = pipeline::CandidateOfTexts(kMachine, kFalseSearch, kReplace, "");
  if (!other.ok()) return other.status();
  const absl::StatusOr<pipeline::VerifiedRule> shown = Prove(*rule);
  if (!shown.ok()) return shown.status();
  const absl::Status written = Write(absl::StrCat(folder, "/true"), {RuleWith(*rule, *shown)});
  if (!written.ok()) return written;
  const absl::Status forged =
      Write(absl::StrCat(folder, "/forged"), {RuleWith(*rule, *shown), RuleWith(*other, *shown)});
  return forged.ok() ? PutInto(absl::StrCat(folder, ".db"), *rule, *shown) : forged;
}

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const absl::Status made = rewrought::Make(argv[1]);
  if (!made.ok()) std::cerr << made << std::endl;
  return made.ok() ? 0 : 3;
}
