// Models the term that Mesa builds when it applies a rule.
#ifndef REWROUGHT_IR_MATCH_MESA_BUILD_H_
#define REWROUGHT_IR_MATCH_MESA_BUILD_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

// Replaces `replace` with the term that Mesa builds from the tuple. This term has one instruction for each op as
// written, even if a subexpression is repeated, so each instruction makes its own choices. Each instruction has the
// flags that FlagsOfBuiltNode (ir/match/matcher_model.h) returns for the search's root. Sizes must be known. If the
// tree has more than kMaxBuiltNodes nodes, `replace` becomes an empty term, for which PreparedCase::Create fails.
inline constexpr size_t kMaxBuiltNodes = 4096;
void BuildAsMesa(const Term& search, Term* replace);

// Returns the base type that Mesa's predicates assume for the first use of `variable` in `term`.
BaseType TypeOfUse(const Term& term, absl::string_view variable);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_MESA_BUILD_H_
