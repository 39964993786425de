// Verifies an entry of a rule file: a rule of the IR, or a search with a machine program as its replacement.
#ifndef REWROUGHT_VERIFIER_ENTRY_CHECK_H_
#define REWROUGHT_VERIFIER_ENTRY_CHECK_H_

#include <optional>
#include <string>

#include "ir/dialect/dialect.h"
#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/inexact/inexact.h"
#include "verifier/prover.h"
#include "verifier/rule_check.h"

namespace rewrought::verifier {

struct CheckedEntry {
  ir::Dialect dialect = ir::Dialect::kNir25;
  int line = 0;
  std::string rule;  // canonical text, or the original text if the entry is a program or does not parse
  int error_column = 0;
  std::string error;  // if not empty, the entry is invalid and has no verdict
  RuleVerdict verdict;
  // For a rule with `~` that is not proved strictly, the verdict of its widest refuted or unknown case
  // (verifier/inexact/inexact.h). `holds` is set only if the rule holds at every width that has such a case.
  std::optional<InexactVerdict> inexact;
  // The worst accuracy class at any of these widths: cancelling, unknown, or not less accurate.
  // ACCURACY_CLASS_UNSPECIFIED if `inexact` is unset or does not hold.
  v1::AccuracyClass accuracy = v1::ACCURACY_CLASS_UNSPECIFIED;

  bool IsInexact() const { return inexact.has_value() && inexact->holds; }
};

// Verifies an entry and never fails: errors in the entry are stored in `error`, with line and column. `machine` is
// required for a program and determines whether products are fused; it may be null otherwise. If cancellation is
// requested through the prover's `cancel` during the call, the verdict is refuted or unknown.
CheckedEntry CheckEntry(const ir::RuleEntry& entry, const Prover& prover, const RuleCheckOptions& options,
                        const machine::Machine* machine);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_ENTRY_CHECK_H_
