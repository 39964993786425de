// Verifies one entry of a rule file: a rule of the IR, or a search with a machine program on its right side.
#ifndef REWROUGHT_VERIFIER_ENTRY_CHECK_H_
#define REWROUGHT_VERIFIER_ENTRY_CHECK_H_

#include <optional>
#include <string>

#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "verifier/inexact/inexact.h"
#include "verifier/prover.h"
#include "verifier/rule_check.h"

namespace rewrought::verifier {

struct CheckedEntry {
  int line = 0;
  std::string rule;  // canonical text; as written for a program, and where it does not parse
  int error_column = 0;
  std::string error;  // not empty: the entry is wrong, and there is no verdict
  RuleVerdict verdict;
  // Of a rule with `~` that is not proved strictly: the verdict of its widest case that is refuted or unknown;
  // it holds if those of all such widths are (verifier/inexact/inexact.h).
  std::optional<InexactVerdict> inexact;

  bool IsInexact() const { return inexact.has_value() && inexact->holds; }
};

// Never fails: what is wrong with the entry is its `error`, with line and column. `machine` is needed for a program,
// and says whether products are fused; null: there is none. When the prover's `cancel` is requested on the way, the
// verdict is refuted or unknown.
CheckedEntry CheckEntry(const ir::RuleEntry& entry, const Prover& prover, const RuleCheckOptions& options,
                        const machine::Machine* machine);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_ENTRY_CHECK_H_
