#include "pipeline/evidence/target_check.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "emitter/nir/nir_rule.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "proto/names.h"
#include "verifier/entry_check.h"

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

}  // namespace

absl::Status CheckForTarget(const v1::PackEntry& entry, const emitter::NirTarget& target, absl::string_view machine,
                            const verifier::Prover& prover) {
  if (target.dialect() == ir::Dialect::kNir25 || !entry.rule().program().empty()) return absl::OkStatus();
  const absl::StatusOr<emitter::NirRules> expanded = emitter::ExpandForNir(entry, target, machine);
  if (!expanded.ok()) return expanded.status();
  const absl::StatusOr<const machine::Machine*> described = machine::FindMachine(machine);
  verifier::RuleCheckOptions options;
  options.dialect = target.dialect();
  options.stop_at_refuted = true;
  for (const emitter::NirRule& rule : expanded->rules) {
    const std::string text = emitter::PythonTuple(rule);
    const std::vector<ir::RuleEntry> read = ir::ParseRules(text, ir::ResolverOf(target.dialect()));
    if (read.size() != 1) return absl::InternalError(absl::StrCat(text, " is not one rule"));
    const verifier::CheckedEntry checked =
        verifier::CheckEntry(read[0], prover, options, described.ok() ? *described : nullptr);
    if (prover.options().cancel.stop_requested()) return absl::CancelledError("stopped");
    if (checked.error.empty() && (checked.verdict.verdict == v1::VERDICT_PROVED || checked.IsInexact())) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(v1::NameOf(checked.error.empty() ? checked.verdict.verdict : v1::VERDICT_ERROR), " in ",
                     ir::NameOf(target.dialect()), ", the dialect of ", target.name(), ReasonOf(checked), ": ", text));
  }
  return absl::OkStatus();
}

}  // namespace rewrought::pipeline
