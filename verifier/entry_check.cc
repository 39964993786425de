#include "verifier/entry_check.h"

#include <utility>

#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "machine/program.h"
#include "machine/program_term.h"
#include "verifier/inexact/target_fusing.h"
#include "verifier/mesa/mesa_reading.h"
#include "verifier/mesa/nir26.h"

namespace rewrought::verifier {
namespace {

CheckedEntry Fail(CheckedEntry checked, int line, int column, absl::string_view message) {
  if (line > 0) checked.line = line;
  checked.error_column = column;
  checked.error = std::string(message);
  return checked;
}

// Returns the position in the file of the node to which a size error refers, or else the position of the rule.
ir::TextPosition PlaceOf(const absl::Status& status, const ir::RuleEntry& entry) {
  ir::TextPosition place{entry.line, entry.column};
  const std::optional<ir::SizeErrorNode> node = ir::NodeOfSizeError(status);
  if (!node) return place;
  const ir::TextPosition in_rule = ir::LocateNode(entry.text, node->in_replacement, node->node);
  if (in_rule.line == 0) return place;
  place.line += in_rule.line - 1;
  place.column = in_rule.line == 1 ? place.column + in_rule.column - 1 : in_rule.column;
  return place;
}

// Returns the worse of two accuracy classes.
v1::AccuracyClass Worse(v1::AccuracyClass x, v1::AccuracyClass y) {
  for (const v1::AccuracyClass bad : {v1::ACCURACY_CLASS_CANCELLING, v1::ACCURACY_CLASS_UNKNOWN}) {
    if (x == bad || y == bad) return bad;
  }
  return y;
}

// Verifies a rule with `~` once for each width that is not proved, and sets `accuracy` to the worst class. One denormal
// mode suffices, because equality over the reals does not depend on the mode.
std::optional<InexactVerdict> VerifyUnprovedWidths(const RuleVerdict& verdict, const Prover& prover,
                                                   const machine::Machine* machine, v1::AccuracyClass* accuracy) {
  std::optional<InexactVerdict> verified;
  bool holds = true;
  int last_width = 0;
  for (const CheckedCase& checked : verdict.cases) {
    const bool unproved =
        checked.result.verdict == v1::VERDICT_REFUTED || checked.result.verdict == v1::VERDICT_UNKNOWN;
    if (!unproved || checked.width == last_width) continue;
    last_width = checked.width;
    InexactOptions options;
    options.cancel = prover.options().cancel;
    if (machine != nullptr) SetFusing(*machine, &options);
    RuleCase numbers = checked.rule_case;
    ReadSignsAsNumbers(&numbers);
    absl::StatusOr<InexactVerdict> now = VerifyInexact(numbers, prover.solvers().first(), options);
    if (!now.ok()) {
      holds = false;
      continue;
    }
    holds = holds && now->holds;
    *accuracy = Worse(*accuracy, now->accuracy);
    verified = *std::move(now);
  }
  if (verified.has_value()) verified->holds = holds;
  if (!holds) *accuracy = v1::ACCURACY_CLASS_UNSPECIFIED;
  return verified;
}

}  // namespace

CheckedEntry CheckEntry(const ir::RuleEntry& entry, const Prover& prover, const RuleCheckOptions& options,
                        const machine::Machine* machine) {
  CheckedEntry checked;
  checked.dialect = options.dialect;
  checked.line = entry.line;
  checked.rule = std::string(entry.text);
  if (!entry.rule.ok()) return Fail(std::move(checked), entry.error.line, entry.error.column, entry.error.message);
  absl::StatusOr<RuleVerdict> verdict;
  if (entry.program.empty()) {
    checked.rule = ir::DisplayRule(*entry.rule, SizeOptionsOf(options, true));
    verdict = CheckRule(prover, *entry.rule, options);
  } else if (machine == nullptr) {
    return Fail(std::move(checked), entry.program_line, entry.program_column,
                "the right side is a machine program; name its machine (--machine ID)");
  } else {
    absl::StatusOr<machine::Program> program = machine::ParseProgram(*machine, entry.program);
    absl::StatusOr<ir::Term> term = program.ok() ? machine::ProgramTerm(*machine, *program) : program.status();
    if (!term.ok()) {
      return Fail(std::move(checked), entry.program_line, entry.program_column, term.status().message());
    }
    verdict = CheckSearchAgainst(prover, *entry.rule, MatchingSizes(*term), options);
  }
  if (!verdict.ok()) {
    const ir::TextPosition place = PlaceOf(verdict.status(), entry);
    return Fail(std::move(checked), place.line, place.column, verdict.status().message());
  }
  checked.verdict = *std::move(verdict);
  const bool unproved =
      checked.verdict.verdict == v1::VERDICT_REFUTED || checked.verdict.verdict == v1::VERDICT_UNKNOWN;
  const bool may_round = options.dialect == ir::Dialect::kNir26 ? RequiresInexactIn26(entry.rule->search)
                                                                : IsMarkedInexact(entry.rule->search);
  if (entry.program.empty() && unproved && may_round) {
    checked.inexact = VerifyUnprovedWidths(checked.verdict, prover, machine, &checked.accuracy);
  }
  // After a cancellation, cases may be missing, so the rule counts neither as proved nor as inexact.
  if (prover.options().cancel.stop_requested()) {
    if (checked.verdict.verdict != v1::VERDICT_REFUTED) checked.verdict.verdict = v1::VERDICT_UNKNOWN;
    if (checked.inexact.has_value()) checked.inexact->holds = false;
  }
  return checked;
}

}  // namespace rewrought::verifier
