#include "pipeline/evidence/target_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "emitter/nir/nir_rule.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "pipeline/evidence/rule_evidence.h"
#include "pipeline/evidence/rule_verifier.h"
#include "proto/names.h"
#include "verifier/entry_check.h"
#include "verifier/message/verdict_message.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {
namespace {

// Returns ": " and the reason of the first case that is not proved, or "" if there is none.
std::string ReasonOf(const verifier::CheckedEntry& checked) {
  if (!checked.error.empty()) return absl::StrCat(": ", checked.error);
  if (checked.inexact.has_value()) return absl::StrCat(": ", checked.inexact->reals);
  for (const verifier::CheckedCase& one : checked.verdict.cases) {
    if (one.result.verdict == checked.verdict.verdict && !one.result.reason.empty())
      return absl::StrCat(": ", one.result.reason);
  }
  return "";
}

// Returns FailedPrecondition, with the reason, if the tuple is not proved and confirmed in `mode`.
absl::Status CheckTuple(const std::string& tuple, const emitter::NirTarget& target, const machine::Machine* machine,
                        v1::DenormMode mode, const verifier::Prover& prover) {
  verifier::RuleCheckOptions options;
  options.dialect = target.dialect();
  // An op that copies bits in nir-25 may flush in the target's dialect, so all modes are requested for the mode `none`.
  // If no op flushes there, CheckRule uses only the mode `none`.
  options.modes = {ir::DenormMode::kAny, ir::DenormMode::kPreserve, ir::DenormMode::kFlush};
  if (mode != v1::DENORM_MODE_NONE) options.modes = {verifier::ModeOf(mode).value_or(ir::DenormMode::kAny)};
  options.stop_at_refuted = true;
  const std::vector<ir::RuleEntry> read = ir::ParseRules(tuple, ir::ResolverOf(target.dialect()));
  if (read.size() != 1) return absl::FailedPreconditionError(absl::StrCat(tuple, " is not one rule"));
  const verifier::CheckedEntry checked = verifier::CheckEntry(read[0], prover, options, machine);
  if (prover.options().cancel.stop_requested()) return absl::CancelledError("stopped");
  const std::vector<verifier::CheckedCase>& cases = checked.verdict.cases;
  if (checked.error.empty() && checked.verdict.verdict == v1::VERDICT_PROVED) {
    const bool confirmed = std::all_of(cases.begin(), cases.end(), [](const verifier::CheckedCase& one) {
      return one.result.verdict != v1::VERDICT_PROVED || IsConfirmedResult(one.result);
    });
    if (confirmed) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat("no second solver confirmed it in ", ir::NameOf(target.dialect()),
                                                      ", in mode ", v1::NameOf(mode), ": ", tuple));
  }
  const bool all_stated = std::none_of(cases.begin(), cases.end(), [](const verifier::CheckedCase& one) {
    return one.result.verdict == v1::VERDICT_UNSUPPORTED;
  });
  if (checked.IsInexact() && all_stated) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(v1::NameOf(checked.error.empty() ? checked.verdict.verdict : v1::VERDICT_ERROR), " in ",
                   ir::NameOf(target.dialect()), ", the dialect of ", target.name(), ", in mode ", v1::NameOf(mode),
                   ReasonOf(checked), ": ", tuple));
}

// Returns the modes of the entry in which all its tuples hold. Returns Cancelled if the prover was stopped.
absl::StatusOr<ModesForTarget> CheckEntryForTarget(const v1::PackEntry& entry, const emitter::NirTarget& target,
                                                   absl::string_view machine, const verifier::Prover& prover) {
  ModesForTarget modes;
  for (const v1::CaseVerdict& proof : entry.proofs()) modes.hold.insert(proof.mode());
  if (target.dialect() == ir::Dialect::kNir25 || !entry.rule().program().empty()) return modes;
  const absl::StatusOr<emitter::NirRules> expanded = emitter::ExpandForNir(entry, target, machine);
  if (!expanded.ok()) return ModesForTarget{{}, modes.hold, std::string(expanded.status().message())};
  const absl::StatusOr<const machine::Machine*> described = machine::FindMachine(machine);
  for (const v1::DenormMode mode : std::set(modes.hold)) {
    for (const emitter::NirRule& rule : expanded->rules) {
      const absl::Status status =
          CheckTuple(emitter::PythonTuple(rule), target, described.ok() ? *described : nullptr, mode, prover);
      if (absl::IsCancelled(status)) return status;
      if (status.ok()) continue;
      modes.hold.erase(mode);
      modes.fail.insert(mode);
      if (modes.reason.empty()) modes.reason = std::string(status.message());
      break;
    }
  }
  return modes;
}

}  // namespace

absl::StatusOr<std::vector<ModesForTarget>> CheckForTarget(absl::Span<const v1::PackEntry* const> entries,
                                                           const emitter::NirTarget& target, absl::string_view machine,
                                                           const verifier::Solvers& solvers,
                                                           const TargetCheckOptions& options) {
  verifier::ProverOptions prover_options;
  prover_options.confirm = true;
  prover_options.cancel = options.stop;
  const verifier::Prover prover(solvers, prover_options);
  std::vector<absl::StatusOr<ModesForTarget>> checked(entries.size());
  const bool proves = target.dialect() != ir::Dialect::kNir25;
  RunEach(
      entries.size(), [&](size_t i) { checked[i] = CheckEntryForTarget(*entries[i], target, machine, prover); },
      proves ? options.progress : nullptr, proves ? options.threads : 1);
  std::vector<ModesForTarget> modes;
  for (absl::StatusOr<ModesForTarget>& one : checked) {
    if (!one.ok()) return one.status();
    modes.push_back(*std::move(one));
  }
  return modes;
}

}  // namespace rewrought::pipeline
